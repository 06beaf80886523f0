import { randomBytes } from 'node:crypto';
import type { HookRecord } from '../../emit/record.js';
import { machineKey } from '../../emit/redact/key.js';
import { createRedactor, type Redactor } from '../../emit/redact/redactor.js';
import { canonical } from '../../host/alarms/canonical.js';
import type { AskAnswer, AskTeam, OpenAsk } from '../../host/elsewhere.js';
import { plain } from '../../plain.js';
import { describeError } from '../../values/message.js';
import { LONGEST_TIMER, timerMs } from '../../values/waiting/timer.js';
import type { FleetEngine, Stop } from '../engine.js';
import type { MaskOptions } from '../log/masked.js';
import type { Approver } from './approvers.js';
import {
  type AnswerReceipt,
  type AskedQuestion,
  MOST_BYTES,
  MOST_WAITING,
  readSignedAnswer,
  type SignedAnswer,
  writeQuestion,
  writeTaken,
} from './question.js';

/** When the team is asked: never, if no user is at the agent, or before that user. */
export const ASK_ELSEWHERE = ['never', 'unattended', 'first'] as const;
/** When an `ask` goes to the team: `never`; `unattended`, if no user is there; `first`, before the local user. */
export type AskElsewhere = (typeof ASK_ELSEWHERE)[number];

export interface AskerOptions {
  readonly engine: FleetEngine;
  readonly team: string;
  readonly host: string;
  readonly when: AskElsewhere;
  /** Seconds to ask, at most until the agent gives up. undefined: until then. */
  readonly seconds: number | undefined;
  /** The public key that the host itself holds. */
  readonly own: string | undefined;
  /** The approvers of the policy in force. */
  approvers(): readonly Approver[];
}

/** Milliseconds that are left to the agent. */
const LEFT = 2_000;
/** Milliseconds to ask if neither the agent nor the fleet's options set a limit. */
const USUAL = 60_000;
/** For this many milliseconds, late approvers are told who answered first; also the most such questions that are kept. */
const LINGER = 60_000;
const KEPT = 100;

type SettleAsk = (answered: AskAnswer) => void;

/** Asks the team what hooks of this host ask. */
export class Asker implements AskTeam {
  readonly #options: AskerOptions;
  readonly #open = new Set<(why: string) => void>();
  /** Bytes of the questions that wait. */
  #waiting = 0;
  readonly #lingering = new Set<Stop>();
  #redactor: Redactor = createRedactor();
  #closed = false;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  mask(options: MaskOptions): void {
    this.#redactor = createRedactor(options);
  }

  ask(open: OpenAsk, signal: AbortSignal): Promise<AskAnswer> | undefined {
    const { when } = this.#options;
    if (when === 'never' || (when === 'unattended' && open.attended) || signal.aborted) return undefined;
    return new Promise((resolve) => {
      try {
        this.#ask(open, signal, resolve);
      } catch (error) {
        resolve(unasked(error));
      }
    });
  }

  #ask(open: OpenAsk, signal: AbortSignal, resolve: SettleAsk): void {
    const { engine, host } = this.#options;
    const began = performance.now();
    const question = this.#questionOf(open, this.#waitOf(open));
    const { id, input_hmac } = question;
    const about = (): Pick<AskAnswer, 'at' | 'waited_ms' | 'question' | 'input_hmac'> => ({
      at: new Date().toISOString(),
      waited_ms: performance.now() - began,
      question: id,
      input_hmac,
    });
    const bytes = written(question);
    const wait = Date.parse(question.deadline) - Date.now();
    const cannot = this.#whyNot(bytes, question, wait);
    if (cannot !== undefined || bytes === undefined) {
      resolve({ answer: 'none', reason: cannot ?? '', ...about() });
      return;
    }
    let close: Stop = () => undefined;
    let first: string | undefined;
    const end = (answered: AskAnswer, settled?: string): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', gone);
      if (this.#open.delete(over)) this.#waiting -= bytes.length;
      // Replaces the question in the same turn, so that an arriving answer finds one of the two.
      if (settled !== undefined) this.#linger(question, settled);
      close();
      resolve(answered);
    };
    const over = (reason: string): void => {
      // The approver was already told that the answer counts.
      if (first === undefined) end({ answer: 'none', reason, ...about() });
    };
    const gone = (): void => over('the agent asks no more');
    const timer = setTimeout(
      () => over(`nobody of the team has answered within ${Math.round(wait / 100) / 10} seconds`),
      timerMs(wait),
    );
    signal.addEventListener('abort', gone, { once: true });
    this.#open.add(over);
    this.#waiting += bytes.length;
    const answered = (told: Uint8Array): Uint8Array => {
      if (first !== undefined) return writeTaken({ counts: false, message: first });
      const read = this.#check(told, question);
      if (typeof read === 'string') return writeTaken({ counts: false, message: `refused: ${read}` });
      const { answer, by } = read;
      const settled = `${by} was first: ${answer.answer}, at ${answer.at}`;
      first = settled;
      const why = answer.reason === undefined ? {} : { reason: answer.reason };
      const who = { by, signed_with: answer.key, from: answer.from };
      // The approver gets a reply before the question is closed.
      setImmediate(() => end({ answer: answer.answer, ...why, ...who, ...about() }, settled));
      return writeTaken({ counts: true, message: `${by}: ${answer.answer}` });
    };
    try {
      close = engine.ask.open(host, id, bytes, answered);
    } catch (error) {
      over(`the fleet at ${plain(engine.place)} does not take it: ${plain(describeError(error))}`);
    }
  }

  /** Milliseconds. */
  #waitOf({ within }: OpenAsk): number {
    const { seconds } = this.#options;
    const own = within === undefined ? Number.POSITIVE_INFINITY : within - LEFT;
    const given = seconds === undefined ? (within === undefined ? USUAL : own) : seconds * 1000;
    return Math.max(0, Math.min(own, given, LONGEST_TIMER));
  }

  /** Why the team cannot be asked. */
  #whyNot(bytes: Uint8Array | undefined, { input_hmac }: AskedQuestion, wait: number): string | undefined {
    const { engine, approvers } = this.#options;
    if (this.#closed) return 'the host leaves the fleet';
    if (!engine.connected) return `the fleet at ${plain(engine.place)} cannot be reached`;
    if (approvers().length === 0) return 'no policy in force names approvers';
    if (bytes === undefined || input_hmac === '') return 'its input cannot be shown to an approver';
    if (bytes.length > MOST_BYTES) return 'it is too large to be shown to an approver as a whole';
    if (this.#waiting + bytes.length > MOST_WAITING) return 'too many questions of this host wait already';
    return wait <= 0 ? 'the agent gives up before anybody could answer' : undefined;
  }

  #questionOf({ fireId, event, input, rewritten, reason, hooks }: OpenAsk, wait: number): AskedQuestion {
    const { team, host } = this.#options;
    const told = this.#redactor.redact({
      type: 'hook_fire',
      event,
      input,
      reason,
      handlers: [],
    } as unknown as HookRecord);
    const masked = told as unknown as { readonly input: Record<string, unknown>; readonly reason?: string };
    return {
      team,
      host,
      id: randomBytes(6).toString('hex'),
      fire: fireId,
      input_hmac: hmacOf(input),
      event,
      input: masked.input,
      rewritten,
      ...(masked.reason === undefined ? {} : { reason: masked.reason }),
      hooks: hooks.map((name) => this.#redactor.text(name)),
      asked: new Date().toISOString(),
      deadline: new Date(Date.now() + wait).toISOString(),
    };
  }

  /** The answer and its approver; or why it does not count. */
  #check(bytes: Uint8Array, question: AskedQuestion): string | { readonly answer: SignedAnswer; readonly by: string } {
    const answer = readSignedAnswer(bytes);
    if (typeof answer === 'string') return answer;
    if (answer.team !== question.team || answer.host !== question.host || answer.id !== question.id)
      return 'it answers another question';
    if (answer.fire !== question.fire) return 'it answers an earlier fire';
    if (answer.input_hmac !== question.input_hmac) return 'it answers another input';
    if (Date.now() >= Date.parse(question.deadline)) return 'the deadline has passed';
    if (answer.key === this.#options.own) return 'it is signed with a key that the asking host holds';
    const found = this.#options.approvers().find(({ key }) => key === answer.key);
    if (found === undefined) return `the key ${answer.key} is none of an approver of the policy in force`;
    return { answer, by: found.name };
  }

  /** Tells a late approver who was first. */
  #linger(question: AskedQuestion, settled: string): void {
    const { engine, host } = this.#options;
    if (this.#closed) return;
    const taken: AnswerReceipt = { counts: false, message: settled };
    const { input: _, ...rest } = question;
    const bytes = writeQuestion({ ...rest, input: {}, settled });
    const close = engine.ask.open(host, question.id, bytes, () => writeTaken(taken));
    const stop = (): void => {
      clearTimeout(timer);
      this.#lingering.delete(stop);
      close();
    };
    const timer = setTimeout(stop, LINGER);
    timer.unref();
    this.#lingering.add(stop);
    if (this.#lingering.size > KEPT) this.#lingering.values().next().value?.();
  }

  close(): void {
    this.#closed = true;
    for (const over of [...this.#open]) over('the host leaves the fleet');
    for (const stop of [...this.#lingering]) stop();
  }
}

/** Something failed before the question was asked. */
export function unasked(error: unknown): AskAnswer {
  const reason = `it cannot be asked elsewhere: ${plain(describeError(error))}`;
  return { answer: 'none', reason, at: new Date().toISOString(), waited_ms: 0, question: '', input_hmac: '' };
}

/** A keyed hash of the input's JSON with sorted keys, by this machine's key; '': it cannot be compared. */
export function hmacOf(input: unknown): string {
  const of = canonical(input);
  return of === undefined ? '' : machineKey().hash(of.key);
}

/** Undefined: it cannot be. */
function written(question: AskedQuestion): Uint8Array | undefined {
  try {
    return Object.keys(question.input).length === 0 ? undefined : writeQuestion(question);
  } catch {
    return undefined;
  }
}
