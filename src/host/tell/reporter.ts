import type { Bus } from '../../emit/bus.js';
import type {
  CallInfo,
  FireRecord,
  HandlerRecord,
  HandlerVerdict,
  HookRecord,
  Numbers,
  OutputChunk,
  RecordCopy,
  RecordedAnswer,
} from '../../emit/record.js';
import { isoAt, nextId, stampedFireRecord } from '../../emit/record.js';
import { progressRecord, responseRecord, startedRecord } from '../../emit/run-records.js';
import type { Traced } from '../../emit/tracing.js';
import type { Outcome } from '../../events/output/outcome.js';
import { shownName } from '../../events/tool-calls.js';
import { wellFormedJson } from '../../plain.js';
import { agentsAbove } from '../../scopes/agents-above.js';
import type { Registration } from '../../scopes/registration.js';
import { agentTypeOf } from '../../scopes/tree.js';
import type { Attempt, CallReporter, FireReporter } from '../call/attempt.js';
import type { FireFacts } from '../call/facts.js';
import type { AnyDecision } from '../decide/decision.js';
import type { FireSettings } from '../fire-options.js';
import { beginFire, textIn } from './refused.js';
import { asShadow, type FireEnd, wouldSay } from './shadow.js';

/** The input after the walk, and its earlier versions. */
interface FinalInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly rewrites: { readonly values: readonly unknown[] } | undefined;
}

type FiredFields = NonNullable<FireRecord['fired']>;

/** Options of the fire that differ from the defaults, for its record. */
function firedAs({ doneBy, keepsKeys, guards, canAsk }: FireSettings): FiredFields | undefined {
  if (doneBy === undefined && !keepsKeys && guards === undefined && canAsk !== false) return undefined;
  return Object.freeze({
    ...(doneBy !== undefined && { done_by: doneBy }),
    ...(keepsKeys && { keeps_keys: true as const }),
    ...(guards !== undefined && { guards }),
    ...(canAsk === false && { can_ask: false as const }),
  });
}

/** Reports one fire on the bus. Made only when there is a subscriber. */
export class BusFireReporter implements FireReporter {
  readonly fire: FireFacts;
  readonly bus: Bus;
  readonly clock: { now(): number } = performance;
  /** The fields that all of its calls share. */
  readonly hookName: string;
  readonly sessionId: string;
  readonly agentId: string | undefined;
  /** The policies in force when the plan was made; they may change during the fire. */
  readonly policies: FireRecord['policies'] | undefined;
  /** Undefined: the fire is not traced. */
  readonly traced: Traced | undefined;
  /** Set at the end of the fire: handlers that answer later ran in the background. */
  hasEnded = false;

  constructor(fire: FireFacts, bus: Bus) {
    const { spec, subject, input } = fire;
    this.fire = fire;
    this.bus = bus;
    this.hookName = spec.namedBySubject && subject ? `${spec.name}:${shownName(subject)}` : spec.name;
    this.sessionId = textIn(input, 'session_id') ?? '';
    this.agentId = textIn(input, 'agent_id');
    this.policies = fire.services.policies;
    const { traced, incoming } = fire.options;
    this.traced =
      bus.tracing && beginFire(bus.tracing, spec, fire.id, input, { traced, incoming, toolUseID: fire.toolUseID });
  }

  started(registration: Registration): CallReporter {
    const told = new BusCallReporter(this, registration);
    if (this.traced !== undefined) told.traced = this.begin(registration, told.hookId);
    this.bus.emitStamped(tellStarted, told, undefined);
    return told;
  }

  private begin(r: Registration, hookId: string): Traced | undefined {
    const work = {
      kind: 'call',
      hook_id: hookId,
      handler_id: r.id,
      name: r.isNamed ? r.name : r.kind,
      handler: r.kind,
      plugin: r.plugin,
      scope_kind: r.scope.kind,
      isGate: r.spec.fold === 'gate',
    } as const;
    return this.bus.tracing?.begin(work, this.traced);
  }

  /** Reports the end of the fire. `error`: it ended without a decision (aborted, closed). */
  ended(
    decision: AnyDecision,
    handlers: (copy: RecordCopy) => readonly HandlerRecord[],
    final: FinalInput,
    error?: string,
    settled?: { readonly answered: RecordedAnswer; readonly decision: AnyDecision },
  ): void {
    const { fire } = this;
    this.hasEnded = true;
    const { values } = final.rewrites ?? {};
    const { shadowOf } = fire.options;
    const isUnused = shadowOf !== undefined || error !== undefined;
    const told: FireEnd = shadowOf === undefined ? { decision, handlers } : asShadow(fire.spec, decision, handlers);
    const record = {
      fire_id: fire.id,
      event: fire.spec.name,
      scope: fire.scopeId,
      scope_known: fire.found.known,
      session_id: this.sessionId,
      agent_id: this.agentId,
      agents_above: agentsAbove(fire.found),
      tool_use_id: fire.toolUseID,
      input: fire.input,
      // A shadow's rewrite never runs; it is in `would_decide`. Nothing runs with that of a rejected fire.
      final_input: final.input === fire.input || isUnused ? undefined : final.input,
      versions:
        values === undefined || values.length < (error ? 1 : 2) ? undefined : values.slice(0, error ? undefined : -1),
      // No spread here: each field after a spread costs a call into the engine's runtime.
      decision: told.decision,
      handlers: told.handlers,
      would: told.would,
      would_decide: told.wouldDecide,
      conflicts: told.decision.conflicts,
      decisions: fire.services.decisions,
      out_of_scope: shadowOf === undefined ? outOfScope(fire) : 0,
      revision: fire.services.revision(),
      policies: this.policies,
      fired: firedAs(fire.options),
      stateless: fire.services.stateless,
      shadow_of: shadowOf,
      losses: fire.options.losses?.(settled?.decision ?? decision),
      answered: settled?.answered,
      error,
    };
    this.bus.emitStamped(stampedFireRecord, record, fire.services.maxInputBytes);
  }
}

function tellStarted(call: BusCallReporter, _: undefined, numbers: Numbers): HookRecord {
  return startedRecord(call, numbers.next(), isoAt(call.of.clock.now()), numbers.hostId);
}

function tellProgress(call: BusCallReporter, piece: OutputChunk, numbers: Numbers): HookRecord {
  return progressRecord(call, piece, numbers.next(), isoAt(call.of.clock.now()), numbers.hostId);
}

function tellResponse(call: BusCallReporter, result: Attempt, numbers: Numbers): HookRecord {
  const { stdout, stderr, outcome, exitCode, durationMs = 0, failure } = result;
  const said = outcome?.verdict ?? (outcome?.block ? ('block' as const) : undefined);
  const told = {
    stdout,
    stderr,
    output: stdout === undefined && outcome !== undefined ? textOf(outcome) : undefined,
    exitCode,
    durationMs,
    // The answer of a hook that is not enforced is not part of a decision.
    decision: call.shadow ? undefined : said,
    would: call.shadow ? call.would(result) : undefined,
    failure: failure && { ...failure },
  };
  return responseRecord(call, told, numbers.next(), isoAt(call.endedAt), numbers.hostId);
}

function textOf(outcome: Outcome): string {
  return outcome.printed ?? wellFormedJson(outcome.output);
}

/** Reports one call of one handler on the bus. */
class BusCallReporter implements CallReporter, CallInfo {
  readonly hookId: string = nextId();
  traced: Traced | undefined = undefined;
  readonly of: BusFireReporter;
  private readonly registration: Registration;
  /** The end by `performance.now()`; below 0: not finished. */
  endedAt = -1;

  constructor(of: BusFireReporter, registration: Registration) {
    this.of = of;
    this.registration = registration;
  }

  get hookName(): string {
    return this.of.hookName;
  }
  get event(): string {
    return this.of.fire.spec.name;
  }
  get sessionId(): string {
    return this.of.sessionId;
  }
  get fireId(): string {
    return this.of.fire.id;
  }
  get scope(): string {
    return this.of.fire.scopeId;
  }
  get agentId(): string | undefined {
    return this.of.agentId;
  }
  get toolUseId(): string | undefined {
    return this.of.fire.toolUseID;
  }
  get plugin(): string | undefined {
    return this.registration.plugin;
  }
  get handler(): CallInfo['handler'] {
    return this.registration.kind;
  }
  get handlerId(): string {
    return this.registration.id;
  }
  get name(): string {
    return this.registration.name;
  }
  get source(): CallInfo['source'] {
    return this.registration.source;
  }
  get shadow(): boolean {
    return this.of.fire.options.shadowOf !== undefined;
  }
  /** The verdict that the hook would have had if it were enforced. */
  would({ outcome, failure }: Attempt): HandlerVerdict {
    const { registration } = this;
    const { spec, subject } = this.of.fire;
    return this.of.hasEnded ? 'none' : wouldSay(spec, subject, { registration, outcome, failure });
  }
  get statusMessage(): string | undefined {
    return this.registration.statusMessage;
  }

  progress(piece: OutputChunk): void {
    if (this.endedAt < 0) this.of.bus.emitStamped(tellProgress, this, piece);
  }

  responded(result: Attempt, at: number = this.of.clock.now()): void {
    this.endedAt = at;
    this.of.bus.emitStamped(tellResponse, this, result);
  }
}

/** The number of hooks that `explain` would list with the reason `scope`. */
const outOfScope = ({ services, spec, plan, found }: FireFacts): number =>
  services.outOfScope(spec, plan.size, agentTypeOf(found));
