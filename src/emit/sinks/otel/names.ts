import type { HandlerVerdict } from '../../record.js';

/**
 * Names of spans, metrics and attributes. The `gen_ai` names come from open-telemetry/semantic-conventions-genai, where all are in development: those of
 * guardrails from its pull request 427 at the commit below (not merged), the others also from its main branch.
 */
export const CONVENTIONS = {
  repository: 'open-telemetry/semantic-conventions-genai',
  commit: '3155df2825f1623e2443c498b1b463d80d8a0efa',
} as const;

export const NAME = {
  operation: 'gen_ai.operation.name',
  conversation: 'gen_ai.conversation.id',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  component: 'gen_ai.guardrail.component.name',
  targetType: 'gen_ai.guardrail.target.type',
  targetSubtype: 'gen_ai.guardrail.target.subtype',
  targetId: 'gen_ai.guardrail.target.id',
  /** The guardrail's verdict. */
  verdict: 'gen_ai.guardrail.verdict.type',
  /** The action taken, if hooks decided. */
  action: 'gen_ai.guardrail.action.type',
  policy: 'gen_ai.guardrail.security.policy.id',
  modified: 'gen_ai.guardrail.security.content.modified',
  error: 'error.type',

  event: 'hookscope.event',
  fireId: 'hookscope.fire.id',
  hostId: 'hookscope.host.id',
  scope: 'hookscope.scope',
  scopeKind: 'hookscope.scope.kind',
  handlerName: 'hookscope.handler.name',
  handlerKind: 'hookscope.handler.kind',
  plugin: 'hookscope.plugin',
  /** The verdict in hookscope's own terms: none, allow, ask, defer, deny, block, continue. */
  ownVerdict: 'hookscope.verdict',
  decidedBy: 'hookscope.decided_by',
  overruled: 'hookscope.overruled',
  ran: 'hookscope.hooks.ran',
  skipped: 'hookscope.hooks.skipped',
  outcome: 'hookscope.outcome',
  exitCode: 'hookscope.exit_code',
  reasked: 'hookscope.reasked',
  background: 'hookscope.background',
  /** The hook is not enforced: its verdict is the one that it would have given. */
  shadow: 'hookscope.shadow',
  status: 'hookscope.tool.status',
  toolRan: 'hookscope.tool.ran',
  deniedBy: 'hookscope.tool.denied_by',
  approver: 'hookscope.tool.approver',
  alarm: 'hookscope.alarm',
  evidence: 'hookscope.alarm.evidence',
  redacted: 'hookscope.redacted',
  /** The end of the work was not seen. */
  unfinished: 'hookscope.unfinished',
} as const;

/** Inputs and outputs: set on spans only with the option `content`. */
export const CONTENT = {
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  verdictReason: 'gen_ai.guardrail.verdict.reason',
  input: 'hookscope.input',
  finalInput: 'hookscope.final_input',
  output: 'hookscope.output',
  stdout: 'hookscope.stdout',
  stderr: 'hookscope.stderr',
  reason: 'hookscope.reason',
  message: 'hookscope.message',
  failure: 'hookscope.failure',
  handlerTitle: 'hookscope.handler.title',
} as const;

export const METRIC = {
  runs: 'hookscope.runs',
  denials: 'hookscope.denials',
  failures: 'hookscope.failures',
  alarms: 'hookscope.alarms',
  duration: 'hookscope.duration',
} as const;

/** A hook's verdict in the conventions' terms. */
export const VERDICT: Readonly<Record<HandlerVerdict, 'allow' | 'deny' | 'escalate'>> = {
  none: 'allow',
  allow: 'allow',
  ask: 'escalate',
  defer: 'escalate',
  deny: 'deny',
  block: 'deny',
};

/** A decision's verdict as an action in the conventions' terms. */
export const ACTION: Readonly<Record<Exclude<HandlerVerdict, 'none'>, 'allow' | 'block' | 'escalate'>> = {
  allow: 'allow',
  ask: 'escalate',
  defer: 'escalate',
  deny: 'block',
  block: 'block',
};
