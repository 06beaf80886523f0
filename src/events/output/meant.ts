import type { EventSpec } from '../spec.js';
import { helperToOutput } from './helper-words.js';
import { helperOutput, isHelperKey, type Meaning, meaningOf, VERDICT } from './helpers.js';
import { type AnswerPlan, Meant, type SaidWords, type TextKind } from './meant-outcome.js';
import { readOutput } from './outcome.js';
import type { RecentAnswers } from './recent-answers.js';
import { outputShape } from './shape.js';
import { idleStop } from './warnings.js';

/** An answer that explicitly says nothing. */
export const NOTHING_SAID = Symbol('nothing said');

/** A possible return value of a callback, with the fields that are read. */
interface Answer {
  readonly async?: unknown;
  readonly toJSON?: unknown;
  readonly hookSpecificOutput?: unknown;
}

/** Which keys an answer has. */
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

/** Stand for texts while a kind of answer is read for the first time; no two are alike. */
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
 * The meaning of callbacks' answers that can be recognised at once: `{}`, exactly what a helper made, or the same in the wire's words. Each kind of answer is
 * read once like any output, written out and checked by the event's schema, and cached. `undefined`: it says more than
 * that, or something is wrong with it, and it must be read like any output.
 */
export class Meanings {
  private readonly spec: EventSpec;
  /** By kind; null: must be parsed each time. */
  private readonly known: (AnswerPlan | null | undefined)[] = new Array(VERDICTS.length * 3 * 3 * 4).fill(undefined);
  /** The event's schema for texts, compiled at the first answer of a helper. */
  private texts: Texts | undefined = undefined;

  constructor(spec: EventSpec) {
    this.spec = spec;
  }

  /** `eventName`: as `readOutput` takes it. Throws what a hostile object throws. */
  of(value: object, eventName: string, recent: RecentAnswers): Meant | typeof NOTHING_SAID | undefined {
    if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
    let keys = 0;
    for (const key in value) {
      if (isHelperKey(key)) keys |= OF_HELPERS;
      else if (key === 'hookSpecificOutput') keys |= IN_WORDS;
      else return undefined;
    }
    if ((value as Answer).async !== undefined || (value as Answer).toJSON !== undefined) return undefined;
    if (keys === OF_HELPERS) return this.ofHelpers(value, recent);
    if (keys === IN_WORDS) return this.ofWords((value as Answer).hookSpecificOutput, eventName, recent);
    // A value that cannot be checked for emptiness does not count as empty.
    return keys !== 0 || VERDICT in value ? undefined : NOTHING_SAID;
  }

  private ofHelpers(value: object, recent: RecentAnswers): Meant | typeof NOTHING_SAID | undefined {
    const known = recent.saidBy(value);
    if (known !== undefined) return known;
    const meaning = meaningOf(value);
    return meaning === undefined ? undefined : this.outcomeOf(meaning, undefined, recent);
  }

  /** An answer in the wire format with only the keys that helpers use, as hooks for an SDK return it. */
  private ofWords(inner: unknown, eventName: string, recent: RecentAnswers): Meant | typeof NOTHING_SAID | undefined {
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
    // A reason of no decision, and what no helper says.
    if ((reason !== undefined && verdict === undefined) || verdict === 'block') return undefined;
    return this.outcomeOf({ verdict, reason, context } as Meaning, { eventName, words }, recent);
  }

  private outcomeOf(
    { verdict, reason, context, stop, rewrite }: Meaning,
    words: SaidWords | undefined,
    recent: RecentAnswers,
  ): Meant | typeof NOTHING_SAID | undefined {
    const which = VERDICTS.indexOf(verdict);
    if (which < 0 || rewrite !== undefined) return undefined;
    const why = kindOf(reason);
    const what = kindOf(context);
    const end = stop === true ? 3 : kindOf(stop);
    if (why < 0 || what < 0 || end < 0) return undefined;
    this.texts ??= textsOf(this.spec);
    if ((why > 0 && !this.texts.reason(reason)) || (what > 0 && !this.texts.context(context))) return undefined;
    const kind = ((which * 3 + why) * 3 + what) * 4 + end;
    // Its own copy: what is written out later is what was decided by.
    const meaning = { verdict, reason, context, stop } as Meaning;
    let reading = this.known[kind];
    if (reading === undefined) {
      reading = this.read(meaning);
      this.known[kind] = reading;
    }
    if (reading === null) return undefined;
    if (reading === SILENCE) return words === undefined ? NOTHING_SAID : undefined;
    const meant = new Meant(this.spec, reading, meaning, words);
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
    // On this event it has no words at all.
    if (Object.keys(outcome.output).length === 0) return SILENCE;
    if (Object.keys(outcome).some((key) => !KNOWN.includes(key))) return null;
    const textOf = (mark: string | undefined): TextKind | undefined =>
      (['reason', 'context', 'stop'] as const).find((text) => MARKS[text] === mark);
    const texts = [outcome.reason, outcome.stopReason, outcome.additionalContext];
    // A text of the event's own, not of the answer.
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

/** Whether the event's own schema takes such a text. */
type Texts = Readonly<Record<'reason' | 'context', (text: unknown) => boolean>>;

function textsOf(spec: EventSpec): Texts {
  const { specific } = outputShape(spec);
  return {
    reason: specific.get('permissionDecisionReason')?.accepts ?? isText,
    context: specific.get('additionalContext')?.accepts ?? isText,
  };
}

/** 0: none, 1: an empty text, 2: a text; -1: no text. */
function kindOf(text: unknown): number {
  return text === undefined ? 0 : text === '' ? 1 : typeof text === 'string' ? 2 : -1;
}

const isText = (value: unknown): boolean => typeof value === 'string';
