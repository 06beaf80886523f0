import type { EventSpec } from '../spec.js';
import { helperToOutput } from './helper-words.js';
import { helperOutput, isHelperKey, type Meaning, meaningOf, VERDICT } from './helpers.js';
import { type AnswerPlan, MeantOutcome, type SaidWords, type TextKind } from './meant-outcome.js';
import { readOutput } from './outcome.js';
import type { RecentAnswers } from './recent-answers.js';
import { outputShape } from './shape.js';
import { idleStop } from './warnings.js';

/** The result for an answer that says nothing, such as `{}`. */
export const NOTHING_SAID = Symbol('nothing said');

/** A possible return value of a callback, with the fields that are read. */
interface CallbackReturn {
  readonly async?: unknown;
  readonly toJSON?: unknown;
  readonly hookSpecificOutput?: unknown;
}

/** Bits for the kinds of keys that an answer has. */
const OF_HELPERS = 1;
const IN_WORDS = 2;

const SILENCE: AnswerPlan = Object.freeze({
  verdict: undefined,
  block: undefined,
  continue: undefined,
  reason: undefined,
  stopReason: undefined,
  context: undefined,
});

/** Placeholders for the texts while a kind of answer is read for the first time. They differ, so that each can be found in the outcome. */
const MARKS: Readonly<Record<TextKind, string>> = { reason: 'r', context: 'c', stop: 's' };
const VERDICTS: readonly unknown[] = [undefined, 'allow', 'deny', 'ask', 'defer', 'block'];
const KNOWN: readonly string[] = [
  'output',
  'verdict',
  'block',
  'continue',
  'reason',
  'stopReason',
  'additionalContext',
];

/**
 * A fast path for common answers of callbacks: `{}`, the unchanged output of a helper, or the same meaning in the wire format. The first answer of each
 * kind is translated, checked with the event's schema and read like any output; the result is cached. `undefined` means that the
 * answer has more than that or is wrong, and must be read like any output.
 */
export class Meanings {
  private readonly spec: EventSpec;
  /** By kind. null: answers of this kind must be read each time. */
  private readonly known: (AnswerPlan | null | undefined)[] = new Array(VERDICTS.length * 3 * 3 * 4).fill(undefined);
  /** The event's checks for texts, compiled at the first answer that needs them. */
  private texts: Texts | undefined = undefined;

  constructor(spec: EventSpec) {
    this.spec = spec;
  }

  /** `eventName`: as for `readOutput`. Throws what the object's own getters or traps throw. */
  of(value: object, eventName: string, recent: RecentAnswers): MeantOutcome | typeof NOTHING_SAID | undefined {
    if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
    let keys = 0;
    for (const key in value) {
      if (isHelperKey(key)) keys |= OF_HELPERS;
      else if (key === 'hookSpecificOutput') keys |= IN_WORDS;
      else return undefined;
    }
    if ((value as CallbackReturn).async !== undefined || (value as CallbackReturn).toJSON !== undefined)
      return undefined;
    if (keys === OF_HELPERS) return this.ofHelpers(value, recent);
    if (keys === IN_WORDS) return this.ofWords((value as CallbackReturn).hookSpecificOutput, eventName, recent);
    // A helper's key that cannot be enumerated does not make an answer empty.
    return keys !== 0 || VERDICT in value ? undefined : NOTHING_SAID;
  }

  private ofHelpers(value: object, recent: RecentAnswers): MeantOutcome | typeof NOTHING_SAID | undefined {
    const known = recent.saidBy(value);
    if (known !== undefined) return known;
    const meaning = meaningOf(value);
    return meaning === undefined ? undefined : this.outcomeOf(meaning, undefined, recent);
  }

  /** Reads an answer in the wire format that has only keys with a counterpart in helpers. Hooks written for an SDK return such answers. */
  private ofWords(
    inner: unknown,
    eventName: string,
    recent: RecentAnswers,
  ): MeantOutcome | typeof NOTHING_SAID | undefined {
    if (typeof inner !== 'object' || inner === null || Object.getPrototypeOf(inner) !== Object.prototype)
      return undefined;
    const known = recent.saidIn(inner, eventName);
    if (known !== undefined) return known;
    const { specific } = outputShape(this.spec);
    const words: Record<string, string> = {};
    let verdict: string | undefined;
    let reason: string | undefined;
    let context: string | undefined;
    for (const key in inner) {
      const word = (inner as Readonly<Record<string, unknown>>)[key];
      if (typeof word !== 'string' || !(key === 'hookEventName' ? word === eventName : specific.has(key)))
        return undefined;
      if (key === 'permissionDecision') verdict = word;
      else if (key === 'permissionDecisionReason') reason = word;
      else if (key === 'additionalContext') context = word;
      else if (key !== 'hookEventName') return undefined;
      words[key] = word;
    }
    // Left to the full reader: a reason without a decision, and `block`, which is no value of `permissionDecision`.
    if ((reason !== undefined && verdict === undefined) || verdict === 'block') return undefined;
    return this.outcomeOf({ verdict, reason, context } as Meaning, { eventName, words }, recent);
  }

  private outcomeOf(
    { verdict, reason, context, stop, rewrite }: Meaning,
    words: SaidWords | undefined,
    recent: RecentAnswers,
  ): MeantOutcome | typeof NOTHING_SAID | undefined {
    const which = VERDICTS.indexOf(verdict);
    if (which < 0 || rewrite !== undefined) return undefined;
    const why = kindOf(reason);
    const what = kindOf(context);
    const end = stop === true ? 3 : kindOf(stop);
    if (why < 0 || what < 0 || end < 0) return undefined;
    this.texts ??= textsOf(this.spec);
    if ((why > 0 && !this.texts.reason(reason)) || (what > 0 && !this.texts.context(context))) return undefined;
    const kind = ((which * 3 + why) * 3 + what) * 4 + end;
    // A copy, so that the output written later matches the decision even if the answer's object changes.
    const meaning = { verdict, reason, context, stop } as Meaning;
    let reading = this.known[kind];
    if (reading === undefined) {
      reading = this.read(meaning);
      this.known[kind] = reading;
    }
    if (reading === null) return undefined;
    if (reading === SILENCE) return words === undefined ? NOTHING_SAID : undefined;
    const meant = new MeantOutcome(this.spec, reading, meaning, words);
    if (meant.answer !== undefined) recent.add(meant);
    return meant;
  }

  private read({ verdict, reason, context, stop }: Meaning): AnswerPlan | null {
    const marked = (text: unknown, mark: string): unknown => (typeof text === 'string' && text !== '' ? mark : text);
    const meaning = {
      verdict,
      reason: marked(reason, MARKS.reason),
      context: marked(context, MARKS.context),
      stop: marked(stop, MARKS.stop),
    } as Meaning;
    const { spec } = this;
    const read = readOutput(spec, helperToOutput(spec, helperOutput(meaning)), {
      eventName: spec.name,
      nameRequired: false,
    });
    if ('bad' in read || read.warnings.length > 0) return null;
    const { outcome } = read;
    if (idleStop(spec, outcome).length > 0) return null;
    // The answer has no effect on this event.
    if (Object.keys(outcome.output).length === 0) return SILENCE;
    if (Object.keys(outcome).some((key) => !KNOWN.includes(key))) return null;
    const textOf = (mark: string | undefined): TextKind | undefined =>
      (['reason', 'context', 'stop'] as const).find((text) => MARKS[text] === mark);
    const texts = [outcome.reason, outcome.stopReason, outcome.additionalContext];
    // The outcome has a text that is not from the answer.
    if (texts.some((text) => text !== undefined && textOf(text) === undefined)) return null;
    return {
      verdict: outcome.verdict,
      block: outcome.block,
      continue: outcome.continue,
      reason: textOf(outcome.reason),
      stopReason: textOf(outcome.stopReason),
      context: textOf(outcome.additionalContext),
    };
  }
}

/** The event's own checks for texts. */
type Texts = Readonly<Record<'reason' | 'context', (text: unknown) => boolean>>;

function textsOf(spec: EventSpec): Texts {
  const { specific } = outputShape(spec);
  return {
    reason: specific.get('permissionDecisionReason')?.accepts ?? isText,
    context: specific.get('additionalContext')?.accepts ?? isText,
  };
}

/** 0: no text, 1: an empty text, 2: a text, -1: not a string. */
function kindOf(text: unknown): number {
  return text === undefined ? 0 : text === '' ? 1 : typeof text === 'string' ? 2 : -1;
}

const isText = (value: unknown): boolean => typeof value === 'string';
