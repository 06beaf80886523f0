import type { TraceCarrier } from '../values/trace-carrier.js';
import type { RecordStream } from './sink.js';

/** Work that a host begins, described by names and ids only: it holds nothing of an input and no command line. */
export type TracedWork =
  /** A fire. It ends with the FireRecord that has this `fire_id`. */
  | {
      readonly kind: 'fire';
      readonly fire_id: string;
      /** As in its record. */
      readonly host_id?: string | undefined;
      readonly event: string;
      readonly session_id: string;
      readonly agent_id?: string | undefined;
      readonly agent_type?: string | undefined;
      /** On events about a tool. */
      readonly tool_name?: string | undefined;
      readonly tool_use_id?: string | undefined;
    }
  /** A call of a hook. It ends with its HookResponse; its effect is in the fire's record. */
  | {
      readonly kind: 'call';
      readonly hook_id: string;
      readonly handler_id: string;
      /** The hook's given name, or its kind: the default name of a command hook is its command line. */
      readonly name: string;
      readonly handler: string;
      readonly plugin?: string | undefined;
      readonly scope_kind: string;
      /** Whether the hook may deny. */
      readonly isGate: boolean;
    }
  /** A tool call that a session drives. It ends with its ToolCallRecord. */
  | {
      readonly kind: 'tool';
      /** As in its record. */
      readonly host_id?: string | undefined;
      readonly session_id: string;
      readonly agent_id?: string | undefined;
      readonly agent_type?: string | undefined;
      readonly tool_name: string;
      readonly tool_use_id: string;
    }
  /** A session, or an agent of one. It ends with `end()`. */
  | {
      readonly kind: 'agent';
      readonly session_id: string;
      readonly agent_id?: string | undefined;
      readonly agent_type?: string | undefined;
    };

/** A piece of work that is traced. */
export interface Traced {
  /** Calls `work` within this piece's trace context and returns its result. */
  run<T>(work: () => T): T;
  /** The trace context to pass to another process; undefined: nothing is recorded. */
  readonly carrier: TraceCarrier | undefined;
  /** Ends the piece, if no record marks its end. */
  end(): void;
}

/**
 * Traces a host's work as it runs, so that spans of hooks are children of it: the host option `tracing`, such as `otelSink()`. Called
 * synchronously; the first time it throws, it is detached, the logger reports it, and the work continues untraced.
 */
export interface Tracing {
  /**
   * Begins a piece within `parent`; without it, within the caller's active context, or else `incoming`. undefined: it is not traced.
   */
  begin(work: TracedWork, parent: Traced | undefined, incoming: TraceCarrier | undefined): Traced | undefined;
  /** Takes the host's records until the returned function is called, as a sink does. */
  attach(events$: RecordStream): () => void;
  /** Exports what it still holds; called when the host has closed, which waits for it as long as its `closeTimeout`, at most two seconds. */
  flush(): Promise<void>;
}

/** Calls `work` within the context of the traced piece, if there is one. */
export const within = <T>(traced: Traced | undefined, work: () => T): T =>
  traced === undefined ? work() : traced.run(work);
