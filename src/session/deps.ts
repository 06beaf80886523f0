import type { HookRecord, UnstampedRecord } from '../emit/record.js';
import type { Traced, TracedWork } from '../emit/tracing.js';
import type { EventName } from '../events/catalogue.js';
import type { EventSpec } from '../events/spec.js';
import type { Alarms } from '../host/alarms/alarms.js';
import type { Clock } from '../host/call/clock.js';
import type { AnyDecision } from '../host/decide/decision.js';
import type { FireSettings } from '../host/fire-options.js';
import type { Registrar } from '../host/register/registrar.js';
import type { Registration } from '../scopes/registration.js';
import type { HooksByHand } from './by-hand.js';

/** What sessions need from their host. */
export interface SessionDeps {
  fire(event: string, input: Readonly<Record<string, unknown>>, how: FireSettings): Promise<AnyDecision>;
  spec(event: string): EventSpec | undefined;
  readonly registrar: Registrar;
  readonly byHand: HooksByHand;
  readonly maxStopContinuations: number;
  /** The most bytes of JSON that are passed to the model. */
  readonly maxInputBytes: number;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly records: {
    readonly observed: boolean;
    emit(build: () => UnstampedRecord<HookRecord>): void;
    readonly tracing:
      | { readonly hostId: string; begin(work: TracedWork, parent: Traced | undefined): Traced | undefined }
      | undefined;
  };
  /** The hooks that a fire of this session or agent finds for an event. */
  hooksOf(event: EventName, who: SessionIdentity): readonly Registration[];
  /** How often the hooks of the host have changed. */
  changes(): number;
  report(message: string, detail?: unknown): void;
  readonly host: { readonly closed: boolean };
}

/** The identity of a session. */
export interface SessionIdentity {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly agent_id?: string | undefined;
  readonly agent_type?: string | undefined;
  readonly agent_transcript_path?: string | undefined;
}
