import type { Bus } from '../../emit/bus.js';
import type { CallInfo, HandlerRecord, HandlerVerdict, Piece } from '../../emit/record.js';
import { nextId, stampedFireRecord } from '../../emit/record.js';
import { progressRecord, responseRecord, startedRecord } from '../../emit/run-records.js';
import type { HookscopeError } from '../../errors.js';
import type { EventSpec } from '../../events/define.js';
import type { Outcome } from '../../events/outcome.js';
import type { Registration } from '../../scopes/registration.js';
import type { Attempt, CallReporter, FireReporter } from '../call/attempt.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';
import type { FireFacts } from '../fire/facts.js';
import { unreadable } from '../fire/input.js';
import type { Services } from '../services.js';

/** Reports one fire on the bus. Made only when there is a subscriber. */
export class BusFireReporter implements FireReporter {
  readonly fire: FireFacts;
  readonly bus: Bus;
  /** What all of its calls share. */
  readonly hookName: string;
  readonly sessionId: string;
  readonly agentId: string | undefined;

  constructor(fire: FireFacts, bus: Bus) {
    const { spec, subject, input } = fire;
    this.fire = fire;
    this.bus = bus;
    this.hookName = spec.namedBySubject && subject ? `${spec.name}:${subject}` : spec.name;
    this.sessionId = textOf(input, 'session_id') ?? '';
    this.agentId = textOf(input, 'agent_id');
  }

  started(registration: Registration): CallReporter {
    const told = new BusCallReporter(this, registration);
    this.bus.emitStamped((seq, time) => startedRecord(told, seq, time));
    return told;
  }

  /** The end of the fire. `error`: it was not decided (aborted, closed). */
  ended(
    decision: AnyDecision,
    handlers: readonly HandlerRecord[],
    finalInput: Readonly<Record<string, unknown>>,
    error?: string,
  ): void {
    const { fire } = this;
    this.bus.emitStamped((seq, time) =>
      stampedFireRecord(
        {
          fire_id: fire.id,
          event: fire.spec.name,
          scope: fire.scopeId,
          scope_known: fire.found.known,
          session_id: this.sessionId,
          agent_id: this.agentId,
          tool_use_id: fire.toolUseID,
          input: fire.input,
          final_input: finalInput === fire.input ? undefined : finalInput,
          decision,
          handlers,
          conflicts: decision.conflicts,
          decisions: fire.services.decisions,
          out_of_scope: fire.services.outOfScope(fire.spec, fire.plan.size),
          error,
        },
        seq,
        time,
        fire.services.maxInputBytes,
      ),
    );
  }
}

/** Reports one call of one handler on the bus. */
class BusCallReporter implements CallReporter, CallInfo {
  readonly hookId: string;
  readonly hookName: string;
  readonly event: string;
  readonly sessionId: string;
  readonly fireId: string;
  readonly scope: string;
  readonly agentId: string | undefined;
  readonly toolUseId: string | undefined;
  readonly plugin: string | undefined;
  readonly handler: CallInfo['handler'];
  readonly handlerId: string;
  readonly name: string;
  readonly source: CallInfo['source'];
  readonly statusMessage: string | undefined;
  readonly #bus: Bus;
  #over = false;

  constructor({ fire, bus, hookName, sessionId, agentId }: BusFireReporter, registration: Registration) {
    this.#bus = bus;
    this.hookId = nextId();
    this.hookName = hookName;
    this.event = fire.spec.name;
    this.sessionId = sessionId;
    this.fireId = fire.id;
    this.scope = fire.scopeId;
    this.agentId = agentId;
    this.toolUseId = fire.toolUseID;
    this.plugin = registration.plugin;
    this.handler = registration.kind;
    this.handlerId = registration.id;
    this.name = registration.name;
    this.source = registration.source;
    this.statusMessage = registration.statusMessage;
  }

  progress(piece: Piece): void {
    if (!this.#over) this.#bus.emitStamped((seq, time) => progressRecord(this, piece, seq, time));
  }

  responded(result: Attempt): void {
    this.#over = true;
    this.#bus.emitStamped((seq, time) =>
      responseRecord(
        this,
        {
          stdout: result.stdout,
          stderr: result.stderr,
          output:
            result.stdout === undefined && result.outcome !== undefined
              ? JSON.stringify(result.outcome.output)
              : undefined,
          exitCode: result.exitCode,
          durationMs: result.durationMs ?? 0,
          decision: handlerVerdict(result.outcome),
          failure: result.failure && { ...result.failure },
        },
        seq,
        time,
      ),
    );
  }
}

function handlerVerdict(outcome: Outcome | undefined): HandlerVerdict | undefined {
  return outcome?.verdict ?? (outcome?.block ? 'block' : undefined);
}

/** Reports a fire that was rejected before any hook was asked: its input was unreadable or invalid. */
export function reportRefused(services: Services, spec: EventSpec, input: unknown, code: string): void {
  const isObject = typeof input === 'object' && input !== null;
  const agent = textOf(input, 'agent_id');
  services.bus.emitStamped((seq, time) =>
    stampedFireRecord(
      {
        fire_id: nextId(),
        event: spec.name,
        scope: agent ?? 'session',
        scope_known: agent === undefined,
        session_id: textOf(input, 'session_id') ?? services.session.session_id ?? '',
        agent_id: agent,
        tool_use_id: textOf(input, 'tool_use_id'),
        input: isObject ? (input as Readonly<Record<string, unknown>>) : {},
        decision: makeDecision(spec, undefined, []),
        handlers: [],
        conflicts: [],
        decisions: services.decisions,
        out_of_scope: 0,
        error: code,
      },
      seq,
      time,
      services.maxInputBytes,
    ),
  );
}

/** Its input threw when it was looked at while the fire was under way. */
export function reportUnreadable(
  { services, spec, input, reporter }: FireFacts & { readonly reporter: FireReporter | undefined },
  error: unknown,
): HookscopeError {
  const refused = unreadable(spec.name, error);
  if (reporter) reportRefused(services, spec, input, refused.code);
  return refused;
}

/** A text of an input that may throw when it is read. */
function textOf(input: unknown, key: string): string | undefined {
  try {
    const value = (input as Readonly<Record<string, unknown>>)[key];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
