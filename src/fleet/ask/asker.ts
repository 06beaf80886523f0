import { randomBytes } from 'node:crypto';
import type { HookRecord } from '../../emit/record.js';
import { machineKey } from '../../emit/redact/key.js';
import { createRedactor, type Redactor } from '../../emit/redact/redactor.js';
import { canonical } from '../../host/alarms/canonical.js';
import type { Answered, Elsewhere, OpenAsk } from '../../host/elsewhere.js';
import { plain } from '../../plain.js';
import type { FleetEngine, Stop } from '../engine.js';
import type { MaskOptions } from '../log/outbox.js';
import {
  type AskedQuestion,
  readAnswer,
  type SignedAnswer,
  type Taken,
  writeQuestion,
  writeTaken,
} from './question.js';

/** When somebody of the team is asked: never, where no person sits at the agent, or before that person. */
export const ASK_ELSEWHERE = ['never', 'unattended', 'first'] as const;
/** When an `ask` goes to the team: `never`; `unattended`, where nobody sits; `first`, before whoever sits there. */
export type AskElsewhere = (typeof ASK_ELSEWHERE)[number];

export interface AskerOptions {
  readonly engine: FleetEngine;
  readonly team: string;
  readonly host: string;
  readonly when: AskElsewhere;
  /** Seconds to ask, where an agent has no time of its own. */
  readonly seconds: number;
  /** The public key that the host itself holds. */
  readonly own: string | undefined;
  /** Who may answer by the policy in force: names and keys. */
  approvers(): Readonly<Record<string, string>>;
}

/** Milliseconds that are left to the agent. */
const LEFT = 2_000;
/** Characters of a question; what cannot be shown as a whole is not asked about. */
const MOST = 256 * 1024;
/** Milliseconds for which who answers too late is told who was first; and how many such questions are kept. */
const LINGER = 60_000;
const KEPT = 100;

type Done = (answered: Answered) => void;

/** Asks the team what hooks of this host ask. */
export class Asker implements Elsewhere {
  readonly #options: AskerOptions;
  readonly #open = new Set<(why: string) => void>();
  readonly #lingering = new Set<Stop>();
  #redactor: Redactor = createRedactor();
  #closed = false;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  mask(options: MaskOptions): void {
    this.#redactor = createRedactor(options);
  }

  ask(open: OpenAsk, signal: AbortSignal): Promise<Answered> | undefined {
    const { when } = this.#options;
    if (when === 'never' || (when === 'unattended' && open.attended) || signal.aborted) return undefined;
    return new Promise((resolve) => this.#ask(open, signal, resolve));
  }

  #ask(open: OpenAsk, signal: AbortSignal, resolve: Done): void {
    const { engine, host, seconds } = this.#options;
    const began = performance.now();
    const question = this.#questionOf(open, Math.max(0, (open.within ?? seconds * 1000) - LEFT));
    const { id, input_hmac } = question;
    const about = (): Pick<Answered, 'at' | 'waited_ms' | 'question' | 'input_hmac'> => ({
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
    const end = (answered: Answered, settled?: string): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', gone);
      this.#open.delete(over);
      close();
      if (settled !== undefined) this.#linger(question, settled);
      resolve(answered);
    };
    const over = (reason: string): void => end({ answer: 'none', reason, ...about() });
    const gone = (): void => over('the agent asks no more');
    const timer = setTimeout(
      () => over(`nobody of the team has answered within ${Math.round(wait / 100) / 10} seconds`),
      wait,
    );
    signal.addEventListener('abort', gone, { once: true });
    this.#open.add(over);
    let first: string | undefined;
    const close = engine.ask.open(host, id, bytes, (told) => {
      if (first !== undefined) return writeTaken({ counts: false, message: first });
      const read = this.#check(told, question);
      if (typeof read === 'string') return writeTaken({ counts: false, message: `refused: ${read}` });
      const { answer, by } = read;
      first = `${by.name} was first: ${answer.answer}, at ${answer.at}`;
      const why = answer.reason === undefined ? {} : { reason: answer.reason };
      const who = { by: by.name, signed_with: answer.key, from: answer.from };
      const settled = first;
      // Whoever answered is told before the question goes.
      setImmediate(() => end({ answer: answer.answer, ...why, ...who, ...about() }, settled));
      return writeTaken({ counts: true, message: `${by.name}: ${answer.answer}` });
    });
  }

  /** Why nobody can be asked. */
  #whyNot(bytes: Uint8Array | undefined, { input_hmac }: AskedQuestion, wait: number): string | undefined {
    const { engine, approvers } = this.#options;
    if (this.#closed) return 'the host leaves the fleet';
    if (!engine.connected) return `the fleet at ${plain(engine.place)} cannot be reached`;
    if (Object.keys(approvers()).length === 0) return 'the policy in force names no approvers';
    if (bytes === undefined || input_hmac === '') return 'its input cannot be shown to an approver';
    if (bytes.length > MOST) return 'it is too large to be shown to an approver as a whole';
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

  /** Who has answered; else why that does not count. */
  #check(
    bytes: Uint8Array,
    question: AskedQuestion,
  ): string | { readonly answer: SignedAnswer; readonly by: { readonly name: string } } {
    const answer = readAnswer(bytes);
    if (typeof answer === 'string') return answer;
    if (answer.team !== question.team || answer.host !== question.host || answer.id !== question.id)
      return 'it answers another question';
    if (answer.fire !== question.fire) return 'it answers an earlier fire';
    if (answer.input_hmac !== question.input_hmac) return 'it answers another input';
    if (Date.now() >= Date.parse(question.deadline)) return 'the deadline has passed';
    if (answer.key === this.#options.own) return 'it is signed with a key that the asking host holds';
    const found = Object.entries(this.#options.approvers()).find(([, key]) => key === answer.key);
    if (found === undefined) return `the key ${answer.key} is none of an approver of the policy in force`;
    return { answer, by: { name: found[0] } };
  }

  /** Who answers it too late is told who was first. */
  #linger(question: AskedQuestion, settled: string): void {
    const { engine, host } = this.#options;
    if (this.#closed) return;
    const taken: Taken = { counts: false, message: settled };
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

/** Of the input's JSON with sorted keys, by this machine's key; '': it cannot be compared. */
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
