import { wellFormedJson } from '../../plain.js';
import { deepFreeze } from '../../values/copies/freeze.js';
import type { EventSpec } from '../spec.js';
import { helperToOutput } from './helper-words.js';
import { type HelperOutput, helperOutput, isSaid, type Meaning } from './helpers.js';
import type { Outcome } from './outcome.js';

export type TextKind = 'reason' | 'context' | 'stop';

/** The meaning of one kind of answer on one event: fixed words, and which of its texts goes to which field of the outcome. */
export interface AnswerPlan {
  readonly verdict: Outcome['verdict'];
  readonly block: true | undefined;
  readonly continue: boolean | undefined;
  readonly reason: TextKind | undefined;
  readonly stopReason: TextKind | undefined;
  readonly context: TextKind | undefined;
}

/** An answer in the wire's words, in their order. `eventName`: the name that it had to carry. */
export interface SaidWords {
  readonly eventName: string;
  readonly words: Readonly<Record<string, string>>;
}

/** An outcome whose output is written out on first read. */
export class Meant implements Outcome {
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
  /** What a call that says this returns, the same object each time. undefined: a text may have to be shortened first. */
  readonly answer: { readonly outcome: Meant; readonly failure: undefined } | undefined = undefined;

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

  /** Worth keeping for those who say the same. */
  get isShort(): boolean {
    return (this.reason?.length ?? 0) + (this.stopReason?.length ?? 0) + (this.additionalContext?.length ?? 0) < 1000;
  }

  /** Whether an answer that has keys of helpers alone is the same. */
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
