import type { Failure, OnFailure } from '../events/failure.js';
import type { HandlerKind } from '../events/handler-kinds.js';
import type { EventSpec } from '../events/spec.js';
import type { TraceCarrier } from '../values/trace-carrier.js';
import type { EndSignal } from '../values/waiting/lazy-signal.js';

/** A handler as data, `{ type: 'command', … }`. */
export type HandlerDescription = Readonly<Record<string, unknown>>;

/** The answer of a handler that is not a callback: read, but not yet checked against the event. Never thrown. */
export interface Reply {
  /** The JSON object that it answered, or an equivalent one (exit 2 becomes the event's own deny or block). */
  readonly output?: Readonly<Record<string, unknown>>;
  readonly failure?: Failure;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly warnings?: readonly string[];
  /** It went to the background: its answer when it ends. */
  readonly later?: Promise<Reply>;
}

/** The arguments of a handler's run. `input` is a plain copy of the event input: do not change it. */
export interface ExternalCall {
  readonly spec: EventSpec;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input as JSON. */
  readonly json: string;
  readonly toolUseID: string | undefined;
  readonly fireId: string;
  readonly scope: string;
  readonly call: 'first' | 'reask' | 'async';
  readonly onFailure: OnFailure;
  /** Whether the registration sends it to the background, if that differs from the handler's own setting (copies were merged). */
  readonly async?: boolean | 'two-phase' | undefined;
  /** Seconds for a background run; the handler's own value goes first. */
  readonly asyncTimeout?: number | undefined;
  /** The name its hookEventName must carry. */
  readonly eventName: string;
  /** Fires on timeout, on the caller's abort and when the host closes. After it the handler must clean up and settle soon. */
  readonly signal: AbortSignal;
  /** The same for code that needs no real AbortSignal, which is expensive to make. */
  readonly ending: EndSignal;
  /** The project's directory: the host's `session.cwd`, else the input's cwd. */
  readonly projectDir: string;
  /** The agent's environment, if it is another process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The trace context of this run, for other processes. */
  readonly trace?: TraceCarrier | undefined;
  /** Reports a new piece of output; `undefined` without subscribers. */
  readonly progress: ((piece: { stdout?: string; stderr?: string; text?: string }) => void) | undefined;
  /** Keeps a running thing until it ends or the host closes; `end` must kill it and settle. `runs` is asked at the close, where `done` settles later than it ends. */
  keep(name: string, done: Promise<unknown>, end: () => Promise<void>, runs?: () => boolean): void;
}

/** A handler that runs outside the loop (a process, a request); callbacks are called directly. */
export interface Handler {
  readonly kind: HandlerKind;
  /** Its name in records if the registration has none: the command line, the URL. */
  readonly name: string;
  /** Equal keys mean the same hook (docs/semantics.md 5, dedup). */
  readonly dedupKey?: string;
  /** Whether a late answer to this event is a failure that blocks, whatever `onFailure` says. */
  blocksLate?(spec: EventSpec): boolean;
  /** Loads what the first run needs. To be awaited before its deadline starts; safe to call often. */
  load?(): Promise<void>;
  run(call: ExternalCall): Promise<Reply>;
}
