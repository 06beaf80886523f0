import type { Readable, Writable } from 'node:stream';
import type { IncomingRequest } from './incoming-request.js';
import type { ControlProblem } from './problem.js';
import type { ControlAsk, Json } from './wire.js';

export interface PeerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** The other side in words, for messages: `claude`. */
  readonly name: string;
  /** Answers a request of the other side; what it throws is the error reply. The signal fires when the request is withdrawn. */
  answer(ask: ControlAsk, how: IncomingRequest): Promise<Json> | Json;
  /** Called with every message that is not a control message. */
  message(message: Json): void;
  /** Called with a line that is not JSON, before it is reported. */
  stray?(text: string): void;
  problem(problem: ControlProblem): void;
  /** The other side's output has ended. */
  gone(): void;
  /** Nothing can be sent any more: the pipe broke. */
  cut?(): void;
  /** Bytes of one line. */
  readonly maxLine?: number | undefined;
}
