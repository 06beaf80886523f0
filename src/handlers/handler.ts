import type { Failure, OnFailure } from '../events/failure.js';
import type { HandlerKind } from '../events/handler-kinds.js';
import type { Dialect, EventSpec } from '../events/spec.js';
import type { TraceCarrier } from '../values/trace-carrier.js';
import type { EndSignal } from '../values/waiting/lazy-signal.js';

/** A handler as data, `{ type: 'command', … }`. */
export type HandlerDescription = Readonly<Record<string, unknown>>;

/** The answer of a handler that is not a callback: parsed, but not yet checked against the event's schema. */
export interface Reply {
  /** The JSON object that the handler answered, or an equivalent one (exit 2 becomes the event's own deny or block). */
  readonly output?: Readonly<Record<string, unknown>>;
  readonly failure?: Failure;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly warnings?: readonly string[];
  /** Set when the handler continues in the background: resolves to its answer when it ends. */
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
  readonly dialect?: Dialect | undefined;
  /** The registration's `async`, if it differs from the handler's own setting because equal hooks were merged. */
  readonly async?: boolean | 'two-phase' | undefined;
  /** Seconds that a background run may take; the handler's own value takes precedence. */
  readonly asyncTimeout?: number | undefined;
  /** The name that the output's `hookEventName` must have. */
  readonly eventName: string;
  /** Aborts on timeout, on the caller's abort and when the host closes. The handler must then clean up and settle soon. */
  readonly signal: AbortSignal;
  /** `signal` for code that needs no real AbortSignal, which is expensive to create. */
  readonly ending: EndSignal;
  /** The project's directory: the host's `session.cwd`, else the input's cwd. */
  readonly projectDir: string;
  /** The agent's environment, if it is another process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The trace context of this run, for other processes. */
  readonly trace?: TraceCarrier | undefined;
  /** Reports a new piece of output; `undefined` without subscribers. */
  readonly progress: ((piece: { stdout?: string; stderr?: string; text?: string }) => void) | undefined;
  /**
   * Tracks a process or task until `done` settles or the host closes. `end` must kill it and settle. `done` may settle some time
   * after the end, so `close` also asks `runs` whether it is still running.
   */
  keep(name: string, done: Promise<unknown>, end: () => Promise<void>, runs?: () => boolean): void;
}

/** A handler that is not a callback, such as a process or a request. Callbacks are called directly. */
export interface Handler {
  readonly kind: HandlerKind;
  /** The name in records if the registration has none, such as the command line or the URL. */
  readonly name: string;
  /** Whether a late answer to this event is a failure that blocks, whatever `onFailure` says. */
  blocksLate?(spec: EventSpec): boolean;
  /** Loads what the first run needs. Await it before the deadline starts. It may be called repeatedly. */
  load?(): Promise<void>;
  run(call: ExternalCall): Promise<Reply>;
}
