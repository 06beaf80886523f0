import type { GuardedTracing } from '../../emit/guarded-tracing.js';
import { nextId, type RecordCopy, stampedFireRecord } from '../../emit/record.js';
import type { Traced } from '../../emit/tracing.js';
import { type HookscopeError, isHookscopeError } from '../../errors.js';
import { unreadable } from '../../events/guard.js';
import type { EventSpec } from '../../events/spec.js';
import { agentTypeOf, type ScopeLookup } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import type { FireReporter } from '../call/attempt.js';
import type { FireFacts } from '../call/facts.js';
import type { HostCore } from '../core.js';
import { makeDecision } from '../decide/decision.js';
import type { FireSettings } from '../fire-options.js';
import type { EventState } from '../services.js';
import { recordUnasked } from './record.js';

/** A fire that was rejected before any hook was asked. */
interface RefusedFire {
  readonly services: HostCore;
  readonly spec: EventSpec;
  readonly input: unknown;
  readonly found?: ScopeLookup | undefined;
  readonly options?: FireSettings | undefined;
  /** The fire's id, if it had begun. */
  readonly begun?: string;
}

/** Reports such a fire: it was aborted, or its input was unreadable or invalid. Every hook of its scope is listed as not asked. */
export function reportRefused(fire: RefusedFire, code: string): void {
  const { services, spec, input, options, begun } = fire;
  const isObject = typeof input === 'object' && input !== null;
  const { tracing } = services.bus;
  const id = begun ?? nextId();
  if (tracing !== undefined && begun === undefined) beginFire(tracing, spec, id, input, {});
  const found = fire.found ?? scopeOf(fire);
  const ref = options?.scope;
  const session = (typeof ref === 'object' ? ref.session : undefined) ?? textIn(input, 'session_id');
  const state = services.events[spec.name] as EventState;
  const plan = state.plans.of(found).in(session);
  const taps = state.hook?.foreign ? state.hook.taps() : [];
  const onSide = (early: boolean) => taps.filter((tap) => tap.early === early).map(({ registration }) => registration);
  const all = [...onSide(true), ...plan.registrations, ...onSide(false)];
  const record = {
    fire_id: id,
    event: spec.name,
    scope: found.id,
    scope_known: found.known,
    session_id: session ?? services.session.session_id ?? '',
    agent_id: textIn(input, 'agent_id'),
    tool_use_id: textIn(input, 'tool_use_id'),
    input: isObject ? (input as Readonly<Record<string, unknown>>) : {},
    decision: makeDecision(spec, undefined, []),
    handlers: (copy: RecordCopy) => recordUnasked(all, copy),
    conflicts: [],
    decisions: services.decisions,
    out_of_scope: services.outOfScope(spec, plan.size, agentTypeOf(found)),
    policies: services.policies,
    stateless: services.stateless,
    error: code,
  };
  services.bus.emitStamped(stampedFireRecord, record, services.maxInputBytes);
}

/** Where it would have run; nothing is opened for it. */
function scopeOf({ services, input, options }: RefusedFire): ScopeLookup {
  const { agents } = services.registrar;
  try {
    return agents.find(input as Json, options?.scope).found;
  } catch {
    // A getter of the input throws: of its scopes only those are known that any input has.
    return agents.find(undefined, options?.scope).found;
  }
}

/** The error of a fire that failed before any hook was asked. Any error that is not a HookscopeError was thrown while the input was read. */
export function refusalError(
  services: HostCore,
  name: string,
  input: unknown,
  thrown: unknown,
  options: FireSettings | undefined,
): HookscopeError {
  const error = isHookscopeError(thrown) ? thrown : unreadable(name, thrown);
  const spec = typeof name === 'string' ? services.events[name]?.spec : undefined;
  if (services.bus.observed && spec !== undefined) reportRefused({ services, spec, input, options }, error.code);
  return error;
}

/** Reports a fire whose input threw when it was read, while the fire was under way. */
export function reportUnreadable(
  fire: FireFacts & { readonly services: HostCore; readonly reporter: FireReporter | undefined },
  error: unknown,
): HookscopeError {
  const { services, spec, input, found, options, reporter, id: begun } = fire;
  const refused = unreadable(spec.name, error);
  if (reporter) reportRefused({ services, spec, input, found, options, begun }, refused.code);
  return refused;
}

/** Begins a fire's trace span, with only the fields that may be shown to readers who must not see the input. */
export function beginFire(
  tracing: GuardedTracing,
  spec: EventSpec,
  id: string,
  input: unknown,
  { traced, incoming, toolUseID }: Pick<FireSettings, 'traced' | 'incoming' | 'toolUseID'>,
): Traced | undefined {
  const work = {
    kind: 'fire',
    fire_id: id,
    host_id: tracing.hostId,
    event: spec.name,
    session_id: textIn(input, 'session_id') ?? '',
    agent_id: textIn(input, 'agent_id'),
    agent_type: textIn(input, 'agent_type'),
    tool_name: spec.tool ? textIn(input, 'tool_name') : undefined,
    tool_use_id: toolUseID ?? textIn(input, 'tool_use_id'),
  } as const;
  return tracing.begin(work, traced, incoming);
}

/** A string of an input that may throw when it is read. */
export function textIn(input: unknown, key: string): string | undefined {
  try {
    const value = (input as Readonly<Record<string, unknown>>)[key];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
