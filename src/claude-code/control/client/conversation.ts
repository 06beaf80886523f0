import type { HookscopeError } from '../../../errors.js';
import { isObject, isText } from '../../../values/shape.js';
import { ReaderQueue } from '../peer/reader-queue.js';
import type { Json } from '../peer/wire.js';
import type { Prompt } from './prompt.js';

/** A message of the client. All have a `type`, some a `subtype`; other fields are as the client sends them. */
export interface ClaudeMessage extends Json {
  readonly type: string;
}

interface PromptTurn {
  readonly queue: ReaderQueue<ClaudeMessage>;
  /** The `uuid` of the prompt, by which results name the prompt that they belong to. */
  readonly uuid: unknown;
  /** Called when the turn's result has come. */
  done(): void;
}

export interface ConversationOptions {
  /** Converts a prompt to the client's message; throws if it is invalid. */
  message(prompt: Prompt): Json;
  send(message: Json): Promise<void>;
  /** How many messages are kept for the first reader. */
  readonly keep: number;
}

/**
 * Sends prompts and assigns results to them. Only one prompt at a time is with the client, so each `result` belongs to it. Messages
 * that arrive before the first prompt are given to the first reader. The client also starts turns of its own when a background task
 * has ended. Their results belong to no prompt, unless the client added the prompt to such a turn.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  #early: ClaudeMessage[] | undefined = [];
  #turn: PromptTurn | undefined;
  #result: Promise<void> | undefined;
  /** Settles when all prompts so far are done and the next one may be sent. */
  #free: Promise<void> = Promise.resolve();
  #over: HookscopeError | undefined;
  readonly #open = new Set<ReaderQueue<ClaudeMessage>>();
  /** Whether the client names the prompts that a result answers. */
  #namesPrompts = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Whether a prompt is with the client and its result has not come. */
  get busy(): boolean {
    return this.#turn !== undefined;
  }

  /** Settles when the result of the current prompt has come. */
  async settled(): Promise<void> {
    await this.#result;
  }

  /** Called with each message of the client. */
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

  /** Whether a result belongs to this prompt. One without a prompt id does, unless the client usually sets the id and says that a task started the turn. */
  #answers({ user_message_uuid: one, user_message_uuids: all, origin }: Json, uuid: unknown): boolean {
    const names = [one, ...(Array.isArray(all) ? all : [])].filter(isText);
    if (names.length > 0) {
      this.#namesPrompts = true;
      return names.includes(String(uuid));
    }
    return !(this.#namesPrompts && isObject(origin) && origin['kind'] !== 'human');
  }

  /** Sends a message, or prompts one after the other, and yields all messages up to and including the last result. */
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

  /** Sends no more prompts. The current one continues. */
  refuse(error: HookscopeError): void {
    this.#over ??= error;
  }

  /** Ends all pending readers with the error, because the client has ended. */
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
      // The caller's own iterable threw, or a prompt could not be sent.
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
      // The prompt was not sent, so no result will come.
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

/** Whether a message says that the client is done with a prompt. The result, if any, came before. */
function isEnd({ type, command_uuid: of, state }: ClaudeMessage, uuid: unknown): boolean {
  return type === 'command_lifecycle' && of === uuid && (state === 'completed' || state === 'cancelled');
}
