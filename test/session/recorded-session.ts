import { readFileSync } from 'node:fs';
import type { Host } from '../../src/create-host.js';
import type { HookEvent } from '../../src/events/catalogue.js';
import type { HostOptions } from '../../src/host/options.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import type { Content } from '../../src/session/tool/content.js';
import type { Session } from '../../src/session/types.js';
import { testHost } from '../host/kit.js';
import { type Input, type Seen, spy } from './kit.js';

/** Every hook input of a whole session of the real client, in order. */
export function readRecording(name: string): Seen[] {
  const lines = readFileSync(new URL(`../fixtures/sessions/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Seen);
}

interface Batched {
  readonly tool_name: string;
  readonly tool_input: Input;
  readonly tool_use_id: string;
  readonly tool_response: Content;
}

interface ReplayOptions {
  readonly host?: HostOptions;
  /** Is handed the host before the session opens. */
  prepare?(host: Host): void;
  /** Is told what came of every step: all that the harness, and by it the agent, gets to see. */
  tell?(session: Session, event: HookEvent, answer: unknown): Promise<void>;
}

/** Takes a session through what the recording says that model, tools and persons did; gives back what our hooks saw. */
export async function replay(
  recording: readonly Seen[],
  { prepare, tell, host: options }: ReplayOptions = {},
): Promise<Seen[]> {
  const { host } = testHost(options);
  prepare?.(host);
  const seen = spy(host);
  const main = recording.filter(({ input }) => input['agent_id'] === undefined);
  const [first] = main as [Seen];
  const { session_id, transcript_path, cwd, source, model } = first.input as Record<string, string>;
  const session = await host.openSession({
    session_id,
    transcript_path,
    cwd,
    source,
    model,
    ask: () => ({ behavior: 'allow' }),
  });
  await tell?.(session, 'SessionStart', session.started);
  await play(session, recording, main.slice(1), tell);
  await host.close();
  return seen;
}

/** The events of one scope, each done as the harness would have. What the driver fires by itself is passed over. */
async function play(
  session: Session,
  recording: readonly Seen[],
  own: readonly Seen[],
  tell: ReplayOptions['tell'],
): Promise<void> {
  for (const [i, { event, input }] of own.entries()) {
    const step = { session, recording, own: own.slice(0, i + 1), input, rest: own.slice(i + 1), tell };
    const answer: unknown = await STEPS[event]?.(step);
    await tell?.(session, event, answer);
  }
}

interface Step {
  readonly tell: ReplayOptions['tell'];
  readonly session: Session;
  readonly recording: readonly Seen[];
  /** Of this scope, up to this event. */
  readonly own: readonly Seen[];
  readonly rest: readonly Seen[];
  readonly input: Input;
}

const text = (value: unknown): string => String(value);

const STEPS: Partial<Record<HookEvent, (step: Step) => unknown>> = {
  InstructionsLoaded: ({ session, input }) =>
    session.instructionsLoaded({
      file_path: text(input['file_path']),
      memory_type: text(input['memory_type']),
      load_reason: text(input['load_reason']),
    }),
  UserPromptSubmit: ({ session, input }) =>
    session.prompt(text(input['prompt']), { prompt_id: text(input['prompt_id']) }),
  PostToolBatch: ({ session, recording, own, input, tell }) => {
    const calls = input['tool_calls'] as Batched[];
    return session.toolBatch(
      calls.map((call) => recordedCall({ session, recording, own, tell }, call, calls.length > 1)),
    );
  },
  Stop: ({ session, input }) => session.stop(stopOptions(input)),
  SubagentStop: ({ session, input }) => session.stop(stopOptions(input)),
  PreCompact: ({ session, input, rest }) => {
    const summary = rest.find((e) => e.event === 'PostCompact')?.input['compact_summary'];
    const model = rest.find((e) => e.event === 'SessionStart')?.input['model'];
    return session.compact({
      trigger: input['trigger'] as 'manual',
      custom_instructions: input['custom_instructions'] as string,
      model: model as string,
      run: () => text(summary),
    });
  },
  SessionEnd: ({ session, input }) => session.close(text(input['reason'])),
};

function stopOptions(input: Input) {
  return {
    lastMessage: text(input['last_assistant_message']),
    backgroundTasks: input['background_tasks'] as unknown[],
    sessionCrons: input['session_crons'] as unknown[],
  };
}

/** The call as the model made it, with rules, a person and a tool that do what they did then. */
function recordedCall(
  { session, recording, own, tell }: Pick<Step, 'session' | 'recording' | 'own' | 'tell'>,
  call: Batched,
  concurrent: boolean,
): ToolCall {
  const { tool_name: name, tool_input, tool_use_id: id, tool_response } = call;
  const of = (event: HookEvent): Input | undefined =>
    own.find((e) => e.event === event && e.input['tool_use_id'] === id)?.input;
  const before = of('PreToolUse');
  const after = of('PostToolUse');
  const failure = of('PostToolUseFailure');
  const from = own.findIndex((e) => e.event === 'PreToolUse' && e.input['tool_use_id'] === id);
  const asked = own[from + 1]?.event === 'PermissionRequest' ? own[from + 1]?.input : undefined;
  const told = own[from + 2]?.event === 'Notification' ? own[from + 2]?.input : undefined;
  const denied = after || failure ? undefined : text(tool_response);
  return {
    name,
    id,
    input: before?.['tool_input'] ?? tool_input,
    concurrent,
    permission: () => {
      if (!asked) return denied === undefined ? { behavior: 'allow' } : { behavior: 'deny', message: denied };
      return { behavior: 'ask', suggestions: (asked['permission_suggestions'] as unknown[] | undefined) ?? [] };
    },
    ask: async () => {
      if (told)
        await session.notify({ message: text(told['message']), notification_type: text(told['notification_type']) });
      return denied === undefined ? { behavior: 'allow' } : { behavior: 'deny', message: denied };
    },
    execute: async () => {
      if (name === 'Agent') await runAgent(session, recording, tool_input, tell);
      if (failure) throw new Error(text(failure['error']));
      return after?.['tool_response'];
    },
    render: () => tool_response,
  };
}

/** The Agent tool: the agent whose type was asked for. */
async function runAgent(
  session: Session,
  recording: readonly Seen[],
  { subagent_type }: Input,
  tell: ReplayOptions['tell'],
): Promise<void> {
  const start = recording.find((e) => e.event === 'SubagentStart' && e.input['agent_type'] === subagent_type)?.input;
  const own = recording.filter((e) => e.input['agent_id'] === start?.['agent_id']);
  const child = await session.spawn({
    agent_type: text(subagent_type),
    id: text(start?.['agent_id']),
    agent_transcript_path: text(own.at(-1)?.input['agent_transcript_path']),
  });
  await tell?.(child, 'SubagentStart', child.started);
  await play(child, recording, own.slice(1), tell);
}
