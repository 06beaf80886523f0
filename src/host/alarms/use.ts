import type { HookscopeError } from '../../errors.js';
import { lineageOf, SESSION_DEPTH } from '../../scopes/lineage.js';
import { agentTypeOf, type ScopeLookup, type ScopeRef } from '../../scopes/tree.js';
import { isText, type Json, textOf } from '../../values/shape.js';
import type { AnyDecision } from '../decide/decision.js';
import type { EventState, Services } from '../services.js';
import type { Alarms, ToolUse } from './alarms.js';
import type { AskingScope } from './asks.js';

/** A fire of any event that may be about a tool call. */
interface AnyCallFire {
  readonly services: Services;
  readonly input: Json;
  /** Absent if the fire was refused before its scope was looked up. */
  readonly found: ScopeLookup | undefined;
  readonly options:
    | {
        readonly scope?: ScopeRef | undefined;
        readonly toolUseID?: string | undefined;
        readonly everyTool?: boolean | undefined;
        /** Set for a shadow, whose result is no decision about the call. */
        readonly shadowOf?: string | undefined;
      }
    | undefined;
}

/** A fire about a tool call. */
export interface CallFire extends AnyCallFire {
  readonly state: EventState;
}

/** A fire that has ended. */
interface EndedFire extends CallFire {
  /** Whether calls that were allowed unchanged are remembered too. */
  readonly remembers: boolean;
  readonly cancelled: HookscopeError | undefined;
}

/** Remembers the outcome of a fire that decides whether a call may run, and with which input. */
export function rememberDecision(fire: EndedFire, decision: AnyDecision): void {
  const { callRole } = fire.state.spec;
  if (callRole === undefined || fire.cancelled !== undefined || fire.options?.shadowOf !== undefined) return;
  if (callRole === 'judges') noteAsk(fire, decision);
  if (callRole === 'judges' && !fire.remembers && mayRun(decision)) return;
  const { alarms } = fire.services;
  const use = useOf(fire);
  if (!use) return;
  const input = readable(fire.input);
  if (callRole === 'answers') answered(fire, use, decision, input);
  else if (callRole === 'judges' && use.id !== undefined) alarms.judged(use as ToolUse, decision, input);
}

/** Notes whose hooks ask about the call, with the input that it would run with. */
function noteAsk(fire: EndedFire, decision: AnyDecision): void {
  const { asks } = fire.services.alarms;
  if (decision.verdict !== 'ask' && !asks.some) return;
  const use = useOf(fire);
  if (use === undefined) return;
  const input = decision.updatedInput === undefined ? readable(fire.input) : decision.updatedInput;
  asks.note(use, input, decision.verdict === 'ask' ? outermostAsk(fire, decision) : undefined);
}

/** The host's scope, taken for that of a raw tap, and of a hook that is gone. */
const HOST: AskingScope = { kind: 'host', depth: 1 };

/** The outermost scope with a hook that asks, by its answer or its failure. */
function outermostAsk({ found, state }: CallFire, { decidedBy, outcomes, failures }: AnyDecision): AskingScope {
  const asking = new Set([
    ...(decidedBy === undefined ? [] : [decidedBy]),
    ...outcomes.filter((said) => said.decision === 'ask').map(({ id }) => id),
    ...failures.filter(({ blocked }) => blocked).map(({ id }) => id),
  ]);
  const lineage = found === undefined ? [] : [...lineageOf(found)];
  const scopes = [...asking].map((hook) => {
    const place = lineage.find(([scope]) => scope.own(state.spec.name).some(({ id }) => id === hook));
    if (place === undefined) return HOST;
    const [{ kind, id }, depth] = place;
    return { kind, id, depth };
  });
  return scopes.reduce((outer, one) => (one.depth < outer.depth ? one : outer), scopes[0] ?? HOST);
}

/** Where hooks have asked in this process about the call that this fire asks about: the depth here of their outermost scope. */
export function depthOfAsk(fire: CallFire): number | undefined {
  const { asks } = fire.services.alarms;
  const use = asks.some ? useOf(fire) : undefined;
  const asking = use === undefined ? [] : asks.scopesOf(use, readable(fire.input));
  if (asking.length === 0) return undefined;
  // Agents above may have ended since, which moves a scope further out. If the scope itself has, each agent may have been further in.
  const lineage = fire.found === undefined ? [] : [...lineageOf(fire.found)];
  const depths = asking.map(({ kind, id, depth }) => {
    const here = lineage.find(([one]) => one.kind === kind && one.id === id);
    return here?.[1] ?? Math.min(depth, SESSION_DEPTH);
  });
  return Math.min(...depths);
}

/** Not denied, and not rewritten. */
const mayRun = (decision: AnyDecision): boolean => decision.verdict !== 'deny' && decision.updatedInput === undefined;

/** The fire is decided, so a getter that throws now changes nothing. */
function readable(input: Json): unknown {
  try {
    return input['tool_input'];
  } catch {
    return undefined;
  }
}

function answered({ services: { alarms } }: CallFire, use: PossibleUse, decision: AnyDecision, input: unknown): void {
  if (decision.verdict === 'deny' || decision.interrupt)
    alarms.refused(use, { by: 'hook', reason: decision.reason }, input);
  else if (decision.verdict === 'allow')
    alarms.granted(use, input, decision.updatedInput === undefined ? undefined : { value: decision.updatedInput });
}

/** The fire was rejected: unless it was aborted, that counts as a denial. */
export function undecided(fire: CallFire, error: HookscopeError): void {
  if (fire.options?.shadowOf !== undefined) return;
  const use = fire.state.spec.callRole === 'judges' ? useOf(fire) : undefined;
  if (use?.id === undefined) return;
  if (error.code === 'ABORTED') fire.services.alarms.withdrawn(use as ToolUse);
  else fire.services.alarms.rejected(use as ToolUse, error.message);
}

/** The event is evidence that a call has run. */
export function ran(fire: CallFire): void {
  const use = useOf(fire);
  if (use?.id === undefined) return;
  const input = 'tool_input' in fire.input ? { value: fire.input['tool_input'] } : undefined;
  fire.services.alarms.ran(use as ToolUse, { by: fire.state.spec.name, input });
}

/** The call has failed or was denied. One that was interrupted may go on later, under the same id. */
export function callEnded(fire: CallFire): void {
  const { asks } = fire.services.alarms;
  const use = asks.some && !isInterrupt(fire.input) ? useOf(fire) : undefined;
  if (use !== undefined) asks.settle(use);
}

/** An input that cannot be read says nothing, so what was asked stands. */
function isInterrupt(input: Json): boolean {
  try {
    return input['is_interrupt'] === true;
  } catch {
    return true;
  }
}

/** An agent that had ended has fired an event. If the event is about a tool call, an alarm is raised. */
export function reopened(fire: AnyCallFire, event: string): void {
  const use = useOf(fire);
  if (use?.id !== undefined) fire.services.alarms.reopened(use as ToolUse, event);
}

type PossibleUse = Omit<ToolUse, 'id'> & { readonly id: string | undefined };

/** The tool call that an event is about. Never throws, although the getters of an unchecked input may. */
function useOf({ services, input, found, options: how }: AnyCallFire): PossibleUse | undefined {
  try {
    const ref = how?.scope;
    const session =
      (typeof ref === 'object' ? ref.session : undefined) ?? input['session_id'] ?? services.session.session_id;
    const agent = ref === undefined ? input['agent_id'] : typeof ref === 'string' ? ref : ref.agent;
    const id = how?.toolUseID ?? input['tool_use_id'];
    const tool = input['tool_name'];
    if (!isText(session) || !isText(tool)) return undefined;
    return {
      session,
      agent: isText(agent) ? agent : undefined,
      agentType: agent === undefined ? undefined : (textOf(input['agent_type']) ?? (found && agentTypeOf(found))),
      id: isText(id) && id !== '' ? id : undefined,
      tool,
      scope: found?.id ?? 'session',
      // A session driver asks about every call of the agents it drives.
      every: how?.everyTool === true || (found?.known === true && found.scope.heldBySession),
    };
  } catch {
    return undefined;
  }
}

/** Remembers the answer of the user or approver to a question about a call. The second argument is the question, as the input of its event. */
export function rememberAnswer(
  alarms: Alarms,
  { session_id: session, agent_id: agent, tool_use_id: id, tool_name: tool, tool_input: input }: Json,
  answer: {
    readonly behavior: 'allow' | 'deny';
    readonly updatedInput?: unknown;
    readonly message?: string | null | undefined;
  },
): void {
  if (!isText(session) || !isText(tool) || !isText(id)) return;
  const use = { session, agent: isText(agent) ? agent : undefined, id, tool, scope: 'session' };
  if (answer.behavior === 'deny') alarms.refused(use, { by: 'person', reason: answer.message ?? undefined }, input);
  else alarms.granted(use, input, answer.updatedInput == null ? undefined : { value: answer.updatedInput });
}
