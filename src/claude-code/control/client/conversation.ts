import type { HookscopeError } from '../../../errors.js';
import { isObject, isText } from '../../../values/shape.js';
import { ReaderQueue } from '../peer/reader-queue.js';
import type { Json } from '../peer/wire.js';
import type { Prompt } from './prompt.js';

/** A message of the client: `type` and, on some, `subtype`; the rest as the client has it. */
export interface ClaudeMessage extends Json {
  readonly type: string;
}

interface PromptTurn {
  readonly queue: ReaderQueue<ClaudeMessage>;
  /** The `uuid` of its prompt, by which a result says whose it is. */
  readonly uuid: unknown;
  /** Settles with the turn's result. */
  done(): void;
}

export interface ConversationOptions {
  /** A prompt as it goes to the client; throws for one that cannot. */
  message(prompt: Prompt): Json;
  send(message: Json): Promise<void>;
  /** How many messages are kept until they are read. */
  readonly keep: number;
}

/**
 * Prompts and their results. One prompt at a time is with the client, so that each `result` belongs to it; messages that arrive
 * when no one reads them are given to the first reader. The client also has its own turns, when a background task has ended:
 * their results belong to no prompt, unless the client has added the prompt to such a turn.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  #early: ClaudeMessage[] | undefined = [];
  #turn: PromptTurn | undefined;
  #result: Promise<void> | undefined;
  /** The turn after the last one that was asked for. */
  #free: Promise<void> = Promise.resolve();
  #over: HookscopeError | undefined;
  readonly #open = new Set<ReaderQueue<ClaudeMessage>>();
  /** The client names the prompts that a result answers. */
  #namesPrompts = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
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
      if (this.#early && this.#early.length > this.#options.keep) this.#early.shift();
      return;
    }
    const result = message.type === 'result';
    if (result && !this.#answers(message, turn.uuid)) return;
    turn.queue.push(message);
    if (!result && !isEnd(message, turn.uuid)) return;
    this.#turn = undefined;
    turn.done();
  }

  /** Whether a result is that prompt's. A result without a prompt id is, unless the client usually sets it and says that a task began the turn. */
  #answers({ user_message_uuid: one, user_message_uuids: all, origin }: Json, uuid: unknown): boolean {
    const names = [one, ...(Array.isArray(all) ? all : [])].filter(isText);
    if (names.length > 0) {
      this.#namesPrompts = true;
      return names.includes(String(uuid));
    }
    return !(this.#namesPrompts && isObject(origin) && origin['kind'] !== 'human');
  }

  /** A message that is ready to be sent, or every prompt in its turn, and all messages up to and with the result of the last. */
  ask(prompts: Json | AsyncIterable<Prompt>): AsyncIterable<ClaudeMessage> {
    const queue = new ReaderQueue<ClaudeMessage>();
    if (this.#over) {
      queue.end(this.#over);
      return queue;
    }
    this.#open.add(queue);
    const before = this.#free;
    this.#free = this.#play(before, prompts, queue);
    return queue;
  }

  /** No more prompts are sent; the current one continues. */
  refuse(error: HookscopeError): void {
    this.#over ??= error;
  }

  /** The client has gone: pending readers get the error. */
  fail(error: HookscopeError): void {
    this.#over ??= error;
    for (const queue of this.#open) queue.end(error);
    this.#turn?.done();
  }

  async #play(before: Promise<void>, prompts: Json | AsyncIterable<Prompt>, queue: ReaderQueue<ClaudeMessage>) {
    await before;
    try {
      for await (const message of this.#messages(prompts)) {
        if (this.#over) break;
        await this.#one(message, queue);
      }
      queue.end(this.#over);
    } catch (error) {
      // An error from the caller's own iterable.
      queue.end(error);
    }
    this.#open.delete(queue);
  }

  async #one(message: Json, queue: ReaderQueue<ClaudeMessage>): Promise<void> {
    for (const message of this.#early ?? []) queue.push(message);
    this.#early = undefined;
    const result = new Promise<void>((done) => {
      this.#turn = { queue, uuid: message['uuid'], done };
    });
    this.#result = result;
    try {
      await this.#options.send(message);
    } catch (error) {
      // Not sent, so no result will come.
      this.#turn = undefined;
      throw error;
    }
    await result;
  }

  async *#messages(prompts: Json | AsyncIterable<Prompt>): AsyncGenerator<Json> {
    if (!(Symbol.asyncIterator in prompts)) yield prompts;
    else for await (const prompt of prompts as AsyncIterable<Prompt>) yield this.#options.message(prompt);
  }
}

/** The client is done with that prompt; the result, if any, has come before. */
function isEnd({ type, command_uuid: of, state }: ClaudeMessage, uuid: unknown): boolean {
  return type === 'command_lifecycle' && of === uuid && (state === 'completed' || state === 'cancelled');
}
