import type { TraceCarrier } from '../values/trace-carrier.js';
import type { RecordStream } from './sink.js';

/** Something that a host begins, by names and ids: nothing of an input, and no command line. */
export type TracedWork =
  /** A fire. It ends with the record that has this `fire_id`. */
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
  /** One call of a hook. It ends with its HookResponse; its effect is in the fire's record. */
  | {
      readonly kind: 'call';
      readonly hook_id: string;
      readonly handler_id: string;
      /** Its name; without a given name its kind, since such a hook is called by its command line. */
      readonly name: string;
      readonly handler: string;
      readonly plugin?: string | undefined;
      readonly scope_kind: string;
      /** It may deny. */
      readonly isGate: boolean;
    }
  /** A call of a tool that a session drives. It ends with its record. */
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
  /** A session, or an agent of one. `end` ends it. */
  | {
      readonly kind: 'agent';
      readonly session_id: string;
      readonly agent_id?: string | undefined;
      readonly agent_type?: string | undefined;
    };

/** A piece of work that is followed. */
export interface Traced {
  /** Calls it within this piece's context, and returns what it returns. */
  run<T>(work: () => T): T;
  /** The trace context for another process; undefined: nothing is recorded. */
  readonly carrier: TraceCarrier | undefined;
  /** It is over, where no record says so. */
  end(): void;
}

/**
 * Follows a host's work while it is done, so that what hooks do is seen as part of it: the host option `tracing`, such as `otelSink()`. Called
 * synchronously; the first time that it throws it is detached, the logger is informed, and the work continues without it.
 */
export interface Tracing {
  /**
   * Something begins within `parent`; without one, within what the caller is in, or else `incoming`. undefined: it is not followed.
   */
  begin(work: TracedWork, parent: Traced | undefined, incoming: TraceCarrier | undefined): Traced | undefined;
  /** Takes the host's records until the undo is called, as a sink does. */
  attach(events$: RecordStream): () => void;
  /** The host has closed: hands on what it still holds. Waited for as long as the host's `closeTimeout`, and two seconds at most. */
  flush(): Promise<void>;
}

/** Calls it within the context of what is followed, if anything is. */
export const within = <T>(traced: Traced | undefined, work: () => T): T =>
  traced === undefined ? work() : traced.run(work);
