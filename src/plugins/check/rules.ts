import { GUARD_RULES } from './rules-guards.js';
import { MATCHER_RULES } from './rules-matchers.js';
import { SCRIPT_RULES } from './rules-scripts.js';
import { SHAPE_RULES } from './rules-shape.js';

/** `error`: it cannot work as it is written. `warning`: it does not do what it seems to, or not everywhere. `info`: worth knowing. */
export type Level = 'error' | 'warning' | 'info';
export const LEVELS: readonly Level[] = ['error', 'warning', 'info'];

/** A rule in words; `docs/rules.md` is made of them. */
export interface RuleText {
  readonly level: Level;
  /** What it finds, as a heading says it. */
  readonly about: string;
  readonly why: string;
  readonly fix: string;
  readonly bad: string;
  readonly good: string;
}

/** Every rule, by its id. */
export const RULES = { ...SHAPE_RULES, ...MATCHER_RULES, ...SCRIPT_RULES, ...GUARD_RULES } as const;

export type RuleId = keyof typeof RULES;
export const RULE_IDS = Object.keys(RULES) as readonly RuleId[];
