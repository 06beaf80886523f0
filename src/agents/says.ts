import { EXTRAS } from '../events/output/extras.js';
import type { Json } from '../values/shape.js';

/** Every part that a decision can have for an agent; the keys of an event's `says`. */
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
 * A template of the smallest JSON that the agent honours. Placeholders: `$reason` (never empty), `$reason?` (the key is left out if there is no
 * reason), `$text`, `$value` (any JSON value), `$string` (a value as text). `encode` adds `hookEventName` to `hookSpecificOutput`.
 */
export interface Words {
  readonly say: Json;
  /** The parts that may be in the same answer; `'*'`: any. Only parts that were seen to work together are combined. */
  readonly beside?: '*' | readonly Sayable[];
  /** The part without which this one cannot be expressed. */
  readonly needs?: Sayable;
  /** Parts that are redundant when this one is sent. */
  readonly covers?: readonly Sayable[];
  /** For a rewritten input: the agent keeps keys that are left out. */
  readonly merges?: true;
  /** What is lost even if the part is sent. */
  readonly loses?: string;
}

/** The part is sent as another one that the agent supports. */
export interface Instead {
  readonly as: Sayable;
  readonly why: string;
  /** The agent's own template for this part, which works only if a user at the terminal can answer. */
  readonly attended?: Json;
  /** The default text. */
  readonly text?: string;
}

/** The agent does this if the answer says nothing. A string says what is lost. */
export interface Silence {
  readonly silent: true | string;
}

/** The part is sent as plain text, but only if the answer has no JSON. */
export interface PlainText {
  readonly plain: true;
}

/** The part cannot be expressed; `none` says why. */
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
