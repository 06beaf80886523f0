import type { HookscopeError } from '../../errors.js';
import { Queue } from './queue.js';
import type { Json } from './wire.js';

/** A message of the client: `type` and, on some, `subtype`; the rest as the client has it. */
export interface ClaudeMessage extends Json {
  readonly type: string;
}

/** A prompt: a text, or a user message as the client's SDK has it. */
export type Prompt = string | Json;

interface Turn {
  readonly queue: Queue<ClaudeMessage>;
  /** Settles with the turn's result. */
  done(): void;
}

/**
 * Prompts and what comes of them. One prompt at a time is with the client, so that each `result` has an owner; messages that come
 * while nobody has asked are given to the first that asks.
 */
export class Conversation {
  readonly #send: (prompt: Prompt) => Promise<void>;
  readonly #keep: number;
  #early: ClaudeMessage[] | undefined = [];
  #turn: Turn | undefined;
  #result: Promise<void> | undefined;
  /** The turn after the last one that was asked for. */
  #free: Promise<void> = Promise.resolve();
  #over: HookscopeError | undefined;
  readonly #open = new Set<Queue<ClaudeMessage>>();

  constructor(send: (prompt: Prompt) => Promise<void>, keep: number) {
    this.#send = send;
    this.#keep = keep;
  }

  /** A prompt is with the client, and its result has not come. */
  get busy(): boolean {
    return this.#turn !== undefined;
  }

  /** Settles with the result of the prompt under way. */
  async settled(): Promise<void> {
    await this.#result;
  }

  /** A message of the client has come. */
  take(message: ClaudeMessage): void {
    const turn = this.#turn;
    if (!turn) {
      this.#early?.push(message);
      if (this.#early && this.#early.length > this.#keep) this.#early.shift();
      return;
    }
    turn.queue.push(message);
    if (message.type !== 'result') return;
    this.#turn = undefined;
    turn.done();
  }

  /** Every prompt in its turn, and all messages up to and with the result of the last. */
  ask(prompts: Prompt | AsyncIterable<Prompt>): AsyncIterable<ClaudeMessage> {
    const queue = new Queue<ClaudeMessage>();
    if (this.#over) {
      queue.end(this.#over);
      return queue;
    }
    this.#open.add(queue);
    const before = this.#free;
    this.#free = this.#play(before, prompts, queue);
    return queue;
  }

  /** No prompt is sent any more; the one under way goes on. */
  refuse(error: HookscopeError): void {
    this.#over ??= error;
  }

  /** The client has gone: whoever still waits is told why. */
  fail(error: HookscopeError): void {
    this.#over ??= error;
    for (const queue of this.#open) queue.end(error);
    this.#turn?.done();
  }

  async #play(before: Promise<void>, prompts: Prompt | AsyncIterable<Prompt>, queue: Queue<ClaudeMessage>) {
    await before;
    try {
      for await (const prompt of each(prompts)) {
        if (this.#over) break;
        await this.#one(prompt, queue);
      }
      queue.end(this.#over);
    } catch (error) {
      // What the caller's own iterable threw.
      queue.end(error);
    }
    this.#open.delete(queue);
  }

  async #one(prompt: Prompt, queue: Queue<ClaudeMessage>): Promise<void> {
    for (const message of this.#early ?? []) queue.push(message);
    this.#early = undefined;
    const result = new Promise<void>((done) => {
      this.#turn = { queue, done };
    });
    this.#result = result;
    try {
      await this.#send(prompt);
    } catch (error) {
      // Not sent, so no result will come.
      this.#turn = undefined;
      throw error;
    }
    await result;
  }
}

async function* each(prompts: Prompt | AsyncIterable<Prompt>): AsyncGenerator<Prompt> {
  if (typeof prompts === 'object' && Symbol.asyncIterator in prompts) yield* prompts as AsyncIterable<Prompt>;
  else yield prompts as Prompt;
}
