import { wellFormedJson } from '../../plain.js';
import { deepFreeze } from '../../values/copies/freeze.js';
import type { EventSpec } from '../spec.js';
import { helperToOutput } from './helper-words.js';
import { type HelperOutput, helperOutput, isSaid, type Meaning } from './helpers.js';
import type { Outcome } from './outcome.js';

export type TextKind = 'reason' | 'context' | 'stop';

/** The outcome of one kind of answer on one event: the fixed values, and which text of the answer goes into which field. */
export interface AnswerPlan {
  readonly verdict: Outcome['verdict'];
  readonly block: true | undefined;
  readonly continue: boolean | undefined;
  readonly reason: TextKind | undefined;
  readonly stopReason: TextKind | undefined;
  readonly context: TextKind | undefined;
}

/** An answer in the wire format, with its keys in order. `eventName`: the required `hookEventName`. */
export interface SaidWords {
  readonly eventName: string;
  readonly words: Readonly<Record<string, string>>;
}

/** An outcome whose output is created on first read. */
export class MeantOutcome implements Outcome {
  readonly verdict: Outcome['verdict'];
  readonly block: true | undefined;
  readonly continue: boolean | undefined;
  readonly reason: string | undefined;
  readonly stopReason: string | undefined;
  readonly additionalContext: string | undefined;
  private readonly spec: EventSpec;
  private readonly meaning: Meaning;
  private readonly words: SaidWords | undefined;
  private listed: readonly (readonly [string, string])[] | undefined = undefined;
  private written: Outcome['output'] | undefined;
  private text: string | undefined = undefined;
  /** The result of a call with this outcome, always the same object. undefined if a text may have to be shortened first. */
  readonly answer: { readonly outcome: MeantOutcome; readonly failure: undefined } | undefined = undefined;

  constructor(spec: EventSpec, reading: AnswerPlan, meaning: Meaning, words: SaidWords | undefined) {
    this.verdict = reading.verdict;
    this.block = reading.block;
    this.continue = reading.continue;
    this.reason = textIn(meaning, reading.reason);
    this.stopReason = textIn(meaning, reading.stopReason);
    this.additionalContext = textIn(meaning, reading.context);
    this.spec = spec;
    this.meaning = meaning;
    this.words = words;
    this.written = words && { hookSpecificOutput: words.words };
    if (this.isShort) this.answer = { outcome: this, failure: undefined };
  }

  get output(): Outcome['output'] {
    this.written ??= helperToOutput(this.spec, helperOutput(this.meaning)) as Outcome['output'];
    return deepFreeze(this.written);
  }

  get printed(): string {
    this.text ??= wellFormedJson(this.output);
    return this.text;
  }

  /** Whether the texts are short enough to be cached. */
  get isShort(): boolean {
    return (this.reason?.length ?? 0) + (this.stopReason?.length ?? 0) + (this.additionalContext?.length ?? 0) < 1000;
  }

  /** Whether an answer that has only keys of helpers equals this one. */
  isSaidBy(answer: HelperOutput<string>): boolean {
    return this.words === undefined && isSaid(this.meaning, answer);
  }

  /** Whether the answer has the same keys and values, in the same order. */
  isSaidIn(inner: object, eventName: string): boolean {
    if (this.words?.eventName !== eventName) return false;
    this.listed ??= Object.entries(this.words.words);
    const { listed } = this;
    let at = 0;
    for (const key in inner) {
      const said = listed[at++];
      if (said === undefined || said[0] !== key || said[1] !== (inner as Readonly<Record<string, unknown>>)[key])
        return false;
    }
    return at === listed.length;
  }
}

function textIn(meaning: Meaning, text: TextKind | undefined): string | undefined {
  return text === undefined ? undefined : (meaning[text] as string);
}
