import type { Sayable } from '../agents/table.js';
import { context, specificOutput } from './agents/agent.js';
import type { ProbeRun } from './run-agent.js';

/** One answer of a hook on another event, and how to detect that the agent acted on it. */
export interface ProbeAnswer {
  readonly name: string;
  readonly what: Sayable;
  /** Our event; `say` is the output of our hook on it. */
  readonly event: string;
  readonly say: object;
  /** The key in the agent's `says`, for the hook that the agent runs itself. */
  readonly words: string;
  /** The call that it is about, on tool events. */
  readonly call?: string;
  /** The hook answers only once, and not when the loop was already continued. */
  readonly once?: true;
  /** The answer ends the run, so it gets a run of its own. */
  readonly alone?: true;
  /** The answer is given only inside a subagent. */
  readonly inside?: true;
  heard(run: ObservedRun, mark: string): boolean;
  /** Like `heard`, for agents that get another answer in its place. */
  heardAs?(run: ObservedRun, mark: string): boolean;
}

/** A run with the calls that ran. */
export type ObservedRun = ProbeRun & { readonly ran: readonly string[] };

const told: ProbeAnswer['heard'] = ({ asked }, mark) => asked.some(({ text }) => text.includes(mark));
/** Whether the model got the mark in place of the call's output. */
const replaced =
  (call: string): ProbeAnswer['heard'] =>
  ({ asked }, mark) =>
    asked.some(({ results }) => results.some((one) => one.includes(mark))) &&
    !asked.some(({ results }) => results.some((one) => one.includes(`out-${call}`)));
const noModel: ProbeAnswer['heard'] = ({ asked }) => asked.length === 0;
const oneModelCall: ProbeAnswer['heard'] = ({ asked }) => asked.length === 1;

export const SAYINGS: readonly ProbeAnswer[] = [
  {
    name: 'context at the start',
    what: 'context',
    event: 'SessionStart',
    say: context('SessionStart'),
    words: 'session_context',
    heard: told,
  },
  {
    name: 'context with a prompt',
    what: 'context',
    event: 'UserPromptSubmit',
    say: context('UserPromptSubmit'),
    words: 'prompt_context',
    heard: told,
  },
  {
    name: 'context before a tool',
    what: 'context',
    event: 'PreToolUse',
    say: context('PreToolUse'),
    words: 'context_before_tool',
    call: 'before',
    heard: told,
  },
  {
    name: 'a permission request is denied',
    what: 'deny',
    event: 'PermissionRequest',
    say: specificOutput('PermissionRequest', { decision: { behavior: 'deny', message: 'MARK' } }),
    words: 'permission_deny',
    call: 'permission',
    heard: (run, mark) => told(run, mark) && !run.ran.includes('permission'),
  },
  {
    name: 'feedback after a tool',
    what: 'block',
    event: 'PostToolUse',
    say: { decision: 'block', reason: 'MARK' },
    words: 'after_tool_block',
    call: 'feedback',
    // The mark may replace the output or be added to it.
    heard: told,
  },
  {
    name: 'context after a tool',
    what: 'context',
    event: 'PostToolUse',
    say: context('PostToolUse'),
    words: 'after_tool_context',
    call: 'after',
    heard: told,
  },
  {
    name: "another output in a tool's place",
    what: 'rewrite',
    event: 'PostToolUse',
    say: specificOutput('PostToolUse', { updatedToolOutput: 'MARK' }),
    words: 'after_tool_replace',
    call: 'replace',
    heard: replaced('replace'),
  },
  {
    name: 'context for a subagent',
    what: 'context',
    event: 'SubagentStart',
    say: context('SubagentStart'),
    words: 'subagent_context',
    inside: true,
    heard: ({ asked }, mark) => asked.some(({ thread, text }) => thread === 'sub' && text.includes(mark)),
  },
  {
    name: "a subagent's tool is denied",
    what: 'deny',
    event: 'PreToolUse',
    say: specificOutput('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'MARK' }),
    words: 'deny',
    call: 'inside',
    inside: true,
    heard: ({ asked, ran }, mark) =>
      !ran.includes('inside') && asked.some(({ thread, text }) => thread === 'sub' && text.includes(mark)),
  },
  {
    name: 'a subagent goes on',
    what: 'continue',
    event: 'SubagentStop',
    say: { decision: 'block', reason: 'MARK' },
    words: 'subagent_go_on',
    once: true,
    inside: true,
    heard: ({ asked }, mark) => asked.some(({ thread, text }) => thread === 'sub' && text.includes(mark)),
  },
  {
    name: 'go on instead of stopping',
    what: 'continue',
    event: 'Stop',
    say: { decision: 'block', reason: 'MARK' },
    words: 'go_on',
    once: true,
    heard: ({ asked }, mark) => asked.some(({ thread, text }) => thread === 'main' && text.includes(mark)),
  },
  {
    name: 'a prompt is blocked',
    what: 'block',
    event: 'UserPromptSubmit',
    say: { decision: 'block', reason: 'MARK' },
    words: 'prompt_block',
    alone: true,
    heard: noModel,
  },
  {
    name: 'the loop ends with a prompt',
    what: 'stop',
    event: 'UserPromptSubmit',
    say: { continue: false, stopReason: 'MARK' },
    words: 'stop_prompt',
    alone: true,
    heard: noModel,
  },
  {
    name: 'the loop ends at the start',
    what: 'stop',
    event: 'SessionStart',
    say: { continue: false, stopReason: 'MARK' },
    words: 'session_stop',
    alone: true,
    heard: noModel,
  },
  {
    name: 'the loop ends before a tool',
    what: 'stop',
    event: 'PreToolUse',
    say: { continue: false, stopReason: 'MARK' },
    words: 'stop_before_tool',
    call: 'end',
    alone: true,
    heard: (run, mark) => oneModelCall(run, mark) && !run.ran.includes('end'),
    heardAs: (run, mark) => told(run, mark) && !run.ran.includes('end'),
  },
  {
    name: 'the loop ends after a tool',
    what: 'stop',
    event: 'PostToolUse',
    say: { continue: false, stopReason: 'MARK' },
    words: 'stop_after_tool',
    call: 'end',
    alone: true,
    heard: (run, mark) => oneModelCall(run, mark) && run.ran.includes('end'),
  },
  {
    name: 'a call of the model is blocked',
    what: 'block',
    event: 'BeforeModel',
    say: { decision: 'block', reason: 'MARK' },
    words: 'model_call_block',
    alone: true,
    heard: noModel,
  },
  {
    name: "an answer in the model's place",
    what: 'value',
    event: 'BeforeModel',
    say: specificOutput('BeforeModel', {
      llm_response: {
        candidates: [{ content: { role: 'model', parts: ['MARK'] }, finishReason: 'STOP' }],
      },
    }),
    words: 'model_call_answer',
    alone: true,
    heard: (run, mark) => noModel(run, mark) && run.printed.includes(mark),
  },
];
