import { randomBytes } from 'node:crypto';
import { HookscopeError } from '../../../errors.js';
import { wellFormedJson } from '../../../plain.js';
import { isObject } from '../../../values/shape.js';
import type { EndSignal } from '../../../values/waiting/lazy-signal.js';
import { messageOf } from '../../../values/waiting/promises.js';
import { IncomingRequest, type PendingRequest } from './incoming-request.js';
import { isJson, LINE_LIMIT, readLines } from './lines.js';
import type { PeerOptions } from './options.js';
import { type ControlProblemName, clipped, FewProblems } from './problem.js';
import { nextRoom } from './room.js';
import { type ControlAsk, controlCancel, controlError, controlRequest, controlSuccess, type Json } from './wire.js';

export type { IncomingRequest };

/** How many of our cancelled requests are remembered, so that late replies to them are not reported. */
const REMEMBERED = 1_000;

/** One end of the control protocol. Both sides may send requests. Each request gets one reply, or none after it is cancelled. */
export class Peer {
  readonly #options: PeerOptions;
  /** Our requests that wait for a reply. */
  readonly #waiting = new Map<string, PendingRequest>();
  /** Requests of the other side that are being answered. */
  readonly #running = new Map<string, IncomingRequest>();
  readonly #givenUp = new Set<string>();
  /** Distinguishes this peer's request ids from another's. */
  readonly #mark = randomBytes(3).toString('hex');
  #asked = 0;
  /** The error for new requests, once none can be sent any more. */
  #over: HookscopeError | undefined;
  #broken = false;
  readonly #problems: FewProblems;

  constructor(options: PeerOptions) {
    this.#options = options;
    const { input, output, maxLine = LINE_LIMIT } = options;
    this.#problems = new FewProblems((problem) =>
      options.problem({ ...problem, message: `${options.name}: ${problem.message}` }),
    );
    output.on('error', (error) => this.#break(error));
    const events = {
      line: (text: string) => this.#line(text),
      tooLong: (bytes: number) => this.problem('too_long', `a line of ${bytes} bytes was skipped; ${maxLine} are read`),
      end: (rest: string, error: Error | undefined) => this.#end(rest, error),
    };
    readLines(input, events, maxLine);
  }

  /** The number of our requests that wait for a reply. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Sends a request to the other side. Rejects with CONTROL_REFUSED (it answered with an error), CONTROL_FAILED (it disconnected)
   * or the signal's reason; aborting withdraws the request.
   */
  request(ask: ControlAsk, how: { signal?: EndSignal | undefined } = {}): Promise<Json> {
    return this.ask(ask, (response) => (isObject(response) ? response : {}), how);
  }

  /** Like `request`, but converts the reply with `read`, which must not throw. */
  ask<T>(ask: ControlAsk, read: (response: unknown) => T, how: { signal?: EndSignal | undefined }): Promise<T> {
    const { signal } = how;
    if (this.#over) return Promise.reject(this.#over);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = `req_${++this.#asked}_${this.#mark}`;
    const reply = new Promise<T>((resolve, reject) => {
      const withdraw = (): void => {
        this.#waiting.delete(id);
        this.#giveUp(id);
        this.#write(controlCancel(id));
        reject(signal?.reason);
      };
      const done = (): void => signal?.removeEventListener('abort', withdraw);
      this.#waiting.set(id, {
        resolve(response) {
          done();
          resolve(read(response));
        },
        reject(error) {
          done();
          reject(error);
        },
      });
      signal?.addEventListener('abort', withdraw, { once: true });
    });
    try {
      this.#write(controlRequest(id, ask));
    } catch (error) {
      this.#waiting.get(id)?.reject(this.#failed(`the request cannot be written as JSON: ${messageOf(error)}`));
      this.#waiting.delete(id);
    }
    return reply;
  }

  /**
   * Sends a message that is not a control message. Resolves when the stream accepts more or the connection is broken; rejects if
   * the message is not JSON.
   */
  async send(message: Json): Promise<void> {
    if (this.#write(message)) return;
    const { output } = this.#options;
    if (this.#broken || output.destroyed) return;
    await nextRoom(output);
  }

  /** Fails all requests that wait for a reply, and all later ones. */
  fail(error: HookscopeError): void {
    this.#over ??= error;
    for (const { reject } of [...this.#waiting.values()]) reject(error);
    this.#waiting.clear();
  }

  /** Cancels the other side's requests, because there is nobody left to answer. */
  abandon(reason: unknown): void {
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const { ending } of running) ending.abort(reason);
  }

  /** Refuses new requests, because nothing more is sent. Pending requests still wait for their replies. */
  finish(): void {
    this.#over ??= this.#failed('it was closed');
    if (!this.#broken && !this.#options.output.writableEnded) this.#options.output.end();
  }

  #line(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.#options.stray?.(text);
      this.problem('bad_json', `a line is not JSON and was left out (${messageOf(error)}): ${clipped(text)}`);
      return;
    }
    if (!isObject(message) || typeof message['type'] !== 'string') {
      this.problem('bad_message', `a line is no message (an object with a "type") and was left out: ${clipped(text)}`);
      return;
    }
    if (message['type'] === 'control_request') this.#requested(message, text);
    else if (message['type'] === 'control_response') this.#replied(message, text);
    else if (message['type'] === 'control_cancel_request') this.#cancelled(message, text);
    else this.#options.message(message);
  }

  #requested({ request_id: id, request }: Json, text: string): void {
    if (typeof id !== 'string' || id === '') {
      this.problem('bad_message', `a request has no request_id, so it cannot be answered: ${clipped(text)}`);
      return;
    }
    if (this.#running.has(id)) {
      const message = `a second request came under the id "${id}" while the first is being answered; it was dropped`;
      this.problem('duplicate_request', message, id);
      return;
    }
    const call = new IncomingRequest(id);
    this.#running.set(id, call);
    const succeed = (response: Json): void => this.#reply(call, () => controlSuccess(id, response));
    const refuse = (error: unknown): void => this.#reply(call, () => controlError(id, messageOf(error)));
    try {
      if (!isObject(request) || typeof request['subtype'] !== 'string')
        throw new TypeError('A control request needs a "request" object with a "subtype" string.');
      const answer = this.#options.answer(request as ControlAsk, call);
      if (answer instanceof Promise) answer.then(succeed, refuse);
      else succeed(answer);
    } catch (error) {
      refuse(error);
    }
  }

  /** Sends the reply, but only once and not after the request was withdrawn. */
  #reply(call: IncomingRequest, make: () => object): void {
    const { id } = call;
    if (this.#running.get(id) !== call) return;
    this.#running.delete(id);
    try {
      this.#write(make());
    } catch (error) {
      this.#write(controlError(id, `The answer cannot be written as JSON: ${messageOf(error)}`));
    }
  }

  #replied({ response }: Json, text: string): void {
    const id = isObject(response) ? response['request_id'] : undefined;
    if (!isObject(response) || typeof id !== 'string') {
      this.problem('bad_message', `a reply names no request_id and was left out: ${clipped(text)}`);
      return;
    }
    const waiting = this.#waiting.get(id);
    if (!waiting) {
      if (!this.#givenUp.delete(id))
        this.problem('unexpected_response', `a reply came to "${id}", which nobody has asked, or twice`, id);
      return;
    }
    this.#waiting.delete(id);
    if (response['subtype'] === 'success') {
      waiting.resolve(response['response']);
      return;
    }
    const { name } = this.#options;
    const said = typeof response['error'] === 'string' ? response['error'] : clipped(text);
    waiting.reject(new HookscopeError('CONTROL_REFUSED', { peer: name, message: said }));
  }

  #cancelled({ request_id: id }: Json, text: string): void {
    if (typeof id !== 'string') {
      this.problem('bad_message', `a cancel names no request_id and was left out: ${clipped(text)}`);
      return;
    }
    // The cancellation may have been sent before our reply arrived.
    const call = this.#running.get(id);
    this.#running.delete(id);
    call?.ending.abort(new DOMException(`${this.#options.name} withdrew the request`, 'AbortError'));
  }

  #end(rest: string, error: Error | undefined): void {
    if (rest.trim() !== '') {
      // The last line may lack its newline.
      if (isJson(rest)) this.#line(rest);
      else {
        this.#options.stray?.(rest);
        this.problem('cut_off', `the other side ended in the middle of a line: ${clipped(rest)}`);
      }
    }
    if (error) this.problem('connection', `reading failed: ${messageOf(error)}`);
    this.#problems.end();
    this.fail(this.#failed('it ended before it answered'));
    this.#options.gone();
  }

  #break(error: Error): void {
    if (this.#broken) return;
    this.#broken = true;
    this.problem('connection', `writing failed: ${messageOf(error)}`);
    this.fail(this.#failed(`nothing can be sent to it any more (${messageOf(error)})`));
    this.#options.cut?.();
  }

  #failed(problem: string): HookscopeError {
    return new HookscopeError('CONTROL_FAILED', { peer: this.#options.name, problem });
  }

  #giveUp(id: string): void {
    this.#givenUp.add(id);
    if (this.#givenUp.size > REMEMBERED) this.#givenUp.delete(this.#givenUp.values().next().value as string);
  }

  /** Writes a message in a single call, so that messages do not mix. Returns false if the stream's buffer is full. */
  #write(message: object): boolean {
    const line = `${wellFormedJson(message)}\n`;
    const { output } = this.#options;
    if (this.#broken || output.writableEnded || output.destroyed) return true;
    return output.write(line);
  }

  /** Reports a problem with the other side, up to a hundred of a kind per minute. */
  problem(problem: ControlProblemName, message: string, request_id?: string): void {
    this.#problems.tell({ problem, message, ...(request_id !== undefined && { request_id }) });
  }
}
