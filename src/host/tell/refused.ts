import type { GuardedTracing } from '../../emit/guarded-tracing.js';
import { type HandlerRecord, nextId, stampedFireRecord } from '../../emit/record.js';
import type { Traced } from '../../emit/tracing.js';
import { type HookscopeError, isHookscopeError } from '../../errors.js';
import { unreadable } from '../../events/guard.js';
import type { EventSpec } from '../../events/spec.js';
import type { FireReporter } from '../call/attempt.js';
import type { FireFacts } from '../call/facts.js';
import { makeDecision } from '../decide/decision.js';
import type { FireSettings } from '../fire-options.js';
import type { Services } from '../services.js';

const NOBODY: readonly HandlerRecord[] = Object.freeze([]);

/** Reports a fire that was rejected before any hook was asked: its input was unreadable or invalid. */
export function reportRefused(services: Services, spec: EventSpec, input: unknown, code: string, begun?: string): void {
  const isObject = typeof input === 'object' && input !== null;
  const agent = textIn(input, 'agent_id');
  const { tracing } = services.bus;
  const id = begun ?? nextId();
  if (tracing !== undefined && begun === undefined) beginFire(tracing, spec, id, input, {});
  const record = {
    fire_id: id,
    event: spec.name,
    scope: agent ?? 'session',
    scope_known: agent === undefined,
    session_id: textIn(input, 'session_id') ?? services.session.session_id ?? '',
    agent_id: agent,
    tool_use_id: textIn(input, 'tool_use_id'),
    input: isObject ? (input as Readonly<Record<string, unknown>>) : {},
    decision: makeDecision(spec, undefined, []),
    handlers: () => NOBODY,
    conflicts: [],
    decisions: services.decisions,
    out_of_scope: 0,
    policies: services.policies,
    stateless: services.stateless,
    error: code,
  };
  services.bus.emitStamped(stampedFireRecord, record, services.maxInputBytes);
}

/** The error of a fire that failed before any hook was asked. Any error that is not a HookscopeError was thrown by a getter of the input. */
export function refusalError(
  services: Services,
  { name, spec }: { readonly name: string; readonly spec: EventSpec | undefined },
  input: unknown,
  thrown: unknown,
): HookscopeError {
  const error = isHookscopeError(thrown) ? thrown : unreadable(name, thrown);
  if (services.bus.observed && spec !== undefined) reportRefused(services, spec, input, error.code);
  return error;
}

/** Reports a fire whose input threw when it was read, while the fire was under way. */
export function reportUnreadable(
  { services, spec, input, reporter, id }: FireFacts & { readonly reporter: FireReporter | undefined },
  error: unknown,
): HookscopeError {
  const refused = unreadable(spec.name, error);
  if (reporter) reportRefused(services, spec, input, refused.code, id);
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
