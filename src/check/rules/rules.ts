import { AGENT_RULES } from './agents.js';
import { GUARD_RULES } from './guards.js';
import { MATCHER_RULES } from './matchers.js';
import { SCRIPT_RULES } from './scripts.js';
import { SHAPE_RULES } from './shape.js';

/** All rules, by id. */
export const RULES = { ...SHAPE_RULES, ...MATCHER_RULES, ...SCRIPT_RULES, ...GUARD_RULES, ...AGENT_RULES } as const;

export type RuleId = keyof typeof RULES;
export const RULE_IDS = Object.keys(RULES) as readonly RuleId[];
