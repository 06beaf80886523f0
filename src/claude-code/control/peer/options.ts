import type { Readable, Writable } from 'node:stream';
import type { IncomingRequest } from './incoming-request.js';
import type { ControlProblem } from './problem.js';
import type { ControlAsk, Json } from './wire.js';

export interface PeerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** The name of the other side in messages: `claude`. */
  readonly name: string;
  /** Answers a request of the other side. What it throws becomes the error reply. The signal fires when the request is withdrawn. */
  answer(ask: ControlAsk, how: IncomingRequest): Promise<Json> | Json;
  /** Called with every message that is not a control message. */
  message(message: Json): void;
  /** Called with a line that is not JSON, before it is reported. */
  stray?(text: string): void;
  problem(problem: ControlProblem): void;
  /** Called when the other side's output has ended. */
  gone(): void;
  /** Called when the pipe is broken and nothing can be sent any more. */
  cut?(): void;
  /** The maximum size of a line in bytes. */
  readonly maxLine?: number | undefined;
}
