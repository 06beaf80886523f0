/** `error`: the hook cannot work as written. `warning`: it does not do what it seems to, or not everywhere. `info`: worth knowing. */
export type Level = 'error' | 'warning' | 'info';
export const LEVELS: readonly Level[] = ['error', 'warning', 'info'];

/** The texts of a rule, from which `docs/rules.md` is generated. */
export interface RuleText {
  readonly level: Level;
  /** What the rule finds, as a heading. */
  readonly about: string;
  readonly why: string;
  readonly fix: string;
  readonly bad: string;
  readonly good: string;
}
