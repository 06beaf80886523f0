import type { Attributes } from '@opentelemetry/api';
import { specOf } from '../../../events/catalogue.js';
import { wellFormed } from '../../../plain.js';
import { isObject, type Json } from '../../../values/shape.js';
import { type HookAnswer, rewriteOf } from '../../reading/answers.js';
import type {
  AlarmRecord,
  FireRecord,
  HandlerRecord,
  HandlerVerdict,
  HookResponse,
  ToolCallRecord,
} from '../../record.js';
import { beginning as beginningOf } from '../../redact/total.js';
import type { TracedWork } from '../../tracing.js';
import type { SpanStart } from './masked.js';
import { ACTION, CONTENT, NAME, VERDICT } from './names.js';

type WorkOf<Kind extends TracedWork['kind']> = Extract<TracedWork, { kind: Kind }>;

/** The most characters of a text on a span. */
const LONGEST = 32_768;

const isToolEvent = (event: string): boolean => specOf(event)?.tool === true;

/** The session that the work belongs to, and the agent if there is one. */
function whose({ session_id, agent_id, agent_type }: Omit<WorkOf<'agent'>, 'kind'>): Attributes {
  const attributes: Attributes = { [NAME.conversation]: session_id };
  if (agent_id !== undefined) attributes[NAME.agentId] = agent_id;
  if (agent_type !== undefined) attributes[NAME.agentName] = agent_type;
  return attributes;
}

/** A span's name and the attributes that are set at its start, so that samplers see them. */
export function spanStart(work: TracedWork, fire: TracedWork | undefined): SpanStart {
  switch (work.kind) {
    case 'agent':
      return {
        does: 'invoke_agent',
        what: work.agent_type,
        attributes: { [NAME.operation]: 'invoke_agent', ...whose(work) },
      };
    case 'tool':
      return {
        does: 'execute_tool',
        what: work.tool_name,
        attributes: {
          [NAME.operation]: 'execute_tool',
          ...whose(work),
          [NAME.toolName]: work.tool_name,
          [NAME.toolCallId]: work.tool_use_id,
        },
      };
    case 'fire': {
      const attributes = whose(work);
      attributes[NAME.event] = work.event;
      attributes[NAME.fireId] = work.fire_id;
      if (work.tool_name !== undefined) attributes[NAME.toolName] = work.tool_name;
      if (work.tool_use_id !== undefined) attributes[NAME.toolCallId] = work.tool_use_id;
      return { does: 'hook', what: work.event, attributes };
    }
    case 'call':
      return callBeginning(work, fire?.kind === 'fire' ? fire : undefined);
  }
}

function callBeginning(work: WorkOf<'call'>, fire: WorkOf<'fire'> | undefined): SpanStart {
  // Assigned key by key: this runs for each call of a hook, and a literal with spreads takes several times as long.
  const attributes: Attributes = fire === undefined ? {} : whose(fire);
  attributes[NAME.handlerName] = work.name;
  attributes[NAME.handlerKind] = work.handler;
  attributes[NAME.scopeKind] = work.scope_kind;
  if (fire !== undefined) attributes[NAME.event] = fire.event;
  if (work.plugin !== undefined) attributes[NAME.plugin] = work.plugin;
  if (!work.isGate) return { does: 'hook', what: work.name, attributes };
  attributes[NAME.operation] = 'run_guardrail';
  attributes[NAME.component] = work.name;
  // A gate is called before the action, so its target is always an input.
  attributes[NAME.targetType] = 'input';
  if (fire !== undefined && isToolEvent(fire.event)) attributes[NAME.targetSubtype] = 'tool_call';
  if (fire?.tool_use_id !== undefined) attributes[NAME.targetId] = fire.tool_use_id;
  if (work.plugin !== undefined) attributes[NAME.policy] = work.plugin;
  return { does: 'run_guardrail', what: work.name, attributes };
}

/** The result of a fire. `decider`: the name to show for the hook that decided. */
export function fireEnd(record: FireRecord, decider: string | undefined): Attributes {
  const { decision, handlers } = record;
  const skipped = handlers.filter(({ status }) => status === 'skipped').length;
  const attributes: Attributes = {
    [NAME.scope]: record.scope,
    [NAME.ran]: handlers.length - skipped,
    [NAME.skipped]: skipped,
    [NAME.overruled]: decision.overruled.length,
  };
  if (record.host_id !== undefined) attributes[NAME.hostId] = record.host_id;
  if (record.shadow_of !== undefined) attributes[NAME.shadow] = true;
  if (record.error !== undefined) attributes[NAME.error] = record.error;
  else {
    attributes[NAME.ownVerdict] = decided(record);
    setAction(attributes, record);
  }
  if (decider !== undefined) attributes[NAME.decidedBy] = decider;
  return attributes;
}

function decided({ decision: { verdict, blocked, continues }, would }: FireRecord): HandlerVerdict | 'continue' {
  if (would !== undefined) return would;
  if (verdict !== undefined) return verdict;
  if (blocked) return 'block';
  return continues ? 'continue' : 'none';
}

/** Sets the action of a gate. There is none if no hook decided or the hook is not enforced: then something else decides about the call later. */
function setAction(
  attributes: Attributes,
  { decision, shadow_of: shadowOf, final_input: final, error }: FireRecord,
): void {
  const { fold, verdict = 'none' } = decision;
  if (fold !== 'gate' || verdict === 'none' || shadowOf !== undefined || error !== undefined) return;
  attributes[NAME.action] = verdict === 'allow' && final !== undefined ? 'modify' : ACTION[verdict];
}

/** The answer of one call, and its effect. `row`: the hook's row in the fire, for its last call only. `answer`: this call's answer, if the row does not tell it. */
export function callEnd(
  { outcome, decision, would, shadow, failure, exit_code }: HookResponse,
  fire: FireRecord | undefined,
  row: HandlerRecord | undefined,
  answer: HookAnswer | undefined,
): Attributes {
  const word = shadow ? (row?.would ?? would) : (row?.verdict ?? decision);
  const rewrites =
    answer === undefined
      ? row !== undefined && fire !== undefined && isRewrite(row.output, fire)
      : answer.rewrite !== undefined;
  const attributes: Attributes = { [NAME.outcome]: outcome, [NAME.ownVerdict]: word ?? 'none' };
  if (failure !== undefined) attributes[NAME.error] = failure.cause;
  if (exit_code !== undefined) attributes[NAME.exitCode] = exit_code;
  if (row?.reasked !== undefined) attributes[NAME.reasked] = row.reasked;
  if (shadow) attributes[NAME.shadow] = true;
  if (row?.status === 'background') attributes[NAME.background] = true;
  if (fire === undefined || fire.decision.fold !== 'gate') return attributes;
  // A failed hook has no verdict, unless its failure counts as an answer.
  if (failure === undefined || (word !== undefined && word !== 'none')) {
    const verdict = VERDICT[word ?? 'none'];
    attributes[NAME.verdict] = verdict === 'allow' && rewrites ? 'modify' : verdict;
  }
  setAction(attributes, fire);
  if (rewrites) attributes[NAME.modified] = fire.final_input !== undefined && !shadow && !answer?.rewrite?.dropped;
  return attributes;
}

/** Whether an answer asks to replace the input or output. */
export function isRewrite(output: unknown, fire: FireRecord): boolean {
  const spec = specOf(fire.event);
  if (spec !== undefined) return rewriteOf(output, spec, fire) !== undefined;
  const own = isObject(output) ? output['hookSpecificOutput'] : undefined;
  const places = [output, own, isObject(own) ? own['decision'] : undefined];
  return places.some((place) => isObject(place) && place['updatedInput'] !== undefined);
}

export function toolEnd(record: ToolCallRecord): Attributes {
  return {
    [NAME.status]: record.status,
    [NAME.toolRan]: record.ran,
    ...(record.denied_by === undefined ? {} : { [NAME.deniedBy]: record.denied_by }),
    ...(record.approver === undefined ? {} : { [NAME.approver]: record.approver }),
    ...(record.status === 'failed' ? { [NAME.error]: '_OTHER' } : {}),
  };
}

export function alarmOf(record: AlarmRecord): SpanStart {
  const { alarm, tool_name, tool_use_id, evidence, denied_by } = record;
  return {
    does: 'alarm',
    what: alarm,
    attributes: {
      ...whose(record),
      [NAME.toolName]: tool_name,
      [NAME.toolCallId]: tool_use_id,
      [NAME.alarm]: alarm,
      [NAME.evidence]: evidence,
      [NAME.error]: alarm,
      ...(denied_by === undefined ? {} : { [NAME.deniedBy]: denied_by }),
    },
  };
}

/** The contents of a fire for its span: inputs and the reason. */
export function fireContent({ input, final_input, decision }: FireRecord): Attributes {
  return texts({ [CONTENT.input]: input, [CONTENT.finalInput]: final_input, [CONTENT.reason]: decision.reason });
}

export function callContent(
  { name, stdout, stderr, output, failure }: HookResponse,
  fire: FireRecord | undefined,
): Attributes {
  return texts({
    [CONTENT.handlerTitle]: name,
    [CONTENT.stdout]: stdout || undefined,
    [CONTENT.stderr]: stderr || undefined,
    [CONTENT.output]: output || undefined,
    [CONTENT.failure]: failure?.message,
    ...(fire?.decision.fold === 'gate' ? { [CONTENT.verdictReason]: fire.decision.reason } : {}),
  });
}

/** The contents of a tool call, taken from a fire about it: its final arguments and the tool's result. */
export function toolContent(record: FireRecord): Attributes {
  const { tool_input, tool_response } = (record.final_input ?? record.input) as Json;
  return texts({ [CONTENT.toolArguments]: tool_input, [CONTENT.toolResult]: tool_response });
}

export const messageContent = ({ message, reason }: AlarmRecord): Attributes =>
  texts({ [CONTENT.message]: message, [CONTENT.reason]: reason });

export const reasonContent = ({ reason }: ToolCallRecord): Attributes => texts({ [CONTENT.reason]: reason });

function texts(values: Readonly<Record<string, unknown>>): Attributes {
  const attributes: Attributes = {};
  for (const [key, value] of Object.entries(values)) {
    const text = textOf(value);
    if (text !== undefined) attributes[key] = wellFormed(beginningOf(text, LONGEST));
  }
  return attributes;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle or a bigint; records made by a host have neither.
    return undefined;
  }
}
