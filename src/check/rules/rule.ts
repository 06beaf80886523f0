/** `error`: it cannot work as it is written. `warning`: it does not do what it seems to, or not everywhere. `info`: worth knowing. */
export type Level = 'error' | 'warning' | 'info';
export const LEVELS: readonly Level[] = ['error', 'warning', 'info'];

/** A rule in words; `docs/rules.md` is made of them. */
export interface RuleText {
  readonly level: Level;
  /** What it finds, as a heading. */
  readonly about: string;
  readonly why: string;
  readonly fix: string;
  readonly bad: string;
  readonly good: string;
}
