import { EXTRAS } from '../events/output/extras.js';
import type { Json } from '../values/shape.js';

/** Everything that a decision may ask of an agent. One of them is one entry of an event's `says`. */
export const SAYABLE = [
  'allow',
  'deny',
  'ask',
  'defer',
  'block',
  'continue',
  'stop',
  'interrupt',
  'rewrite',
  'value',
  'context',
  'message',
  'suppress',
  'permissions',
  ...EXTRAS,
  'terminalSequence',
] as const;
/** One of `SAYABLE`. */
export type Sayable = (typeof SAYABLE)[number];

/**
 * Words that the agent honours: the smallest JSON that says it. Within: `$reason` (never empty), `$reason?` (its key is left out where there is
 * none), `$text`, `$value` (as it is), `$string` (as text). `hookEventName` is put into `hookSpecificOutput`.
 */
export interface Words {
  readonly say: Json;
  /** The parts that may be in the same answer; `'*'`: any. Parts that were not seen to work together are not combined. */
  readonly beside?: '*' | readonly Sayable[];
  /** Can be expressed only together with this part. */
  readonly needs?: Sayable;
  /** Parts that need not be sent if this one is. */
  readonly covers?: readonly Sayable[];
  /** For a rewritten input: the agent keeps keys that are left out. */
  readonly merges?: true;
  /** What is lost even if the part is sent. */
  readonly loses?: string;
}

/** Expressed as another part, which the agent supports. */
export interface Instead {
  readonly as: Sayable;
  readonly why: string;
  /** The agent's own words, for where a person sits there. */
  readonly attended?: Json;
  /** The text to use if there is none. */
  readonly text?: string;
}

/** The agent's silence means it. With words: what is lost by that. */
export interface Silence {
  readonly silent: true | string;
}

/** Sent as plain text, if nothing else is sent. */
export interface PlainText {
  readonly plain: true;
}

/** It cannot be expressed, and why. */
export interface Unsaid {
  readonly none: string;
}

/** How one part of a decision is sent to an agent on one event, or why it cannot be. */
export type Says = Words | Instead | Silence | PlainText | Unsaid;

export const words = (say: Json, more: Omit<Words, 'say'> = {}): Words => ({ say, ...more });
export const specific = (say: Json, more: Omit<Words, 'say'> = {}): Words => words({ hookSpecificOutput: say }, more);
export const instead = (as: Sayable, why: string, more: Omit<Instead, 'as' | 'why'> = {}): Instead => ({
  as,
  why,
  ...more,
});
export const SILENT: Silence = { silent: true };
