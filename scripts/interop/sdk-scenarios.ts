// The real SDK's `query()`, whose hooks are callbacks, running an executable that speaks the protocol: our agent, or the CLI itself.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ScriptedTurn } from './model-server.js';
import { openSandbox, type Sandbox } from './sandbox.js';
import { agentCall, bash, type Scenario, told } from './scenario.js';

type Message = Readonly<Record<string, unknown>> & { readonly type: string };
type Answer = Readonly<Record<string, unknown>>;
type Hook = (
  input: Readonly<Record<string, unknown>>,
  id: string | undefined,
  how: { readonly signal: AbortSignal },
) => Promise<Answer>;
interface Query extends AsyncIterable<Message> {
  interrupt(): Promise<unknown>;
  setPermissionMode(mode: string): Promise<unknown>;
  setModel(model?: string): Promise<unknown>;
}
type QueryFunction = (ask: {
  prompt: string | AsyncIterable<unknown>;
  options: Readonly<Record<string, unknown>>;
}) => Query;

type MakeTool = (name: string, description: string, shape: object, run: () => Promise<Answer>) => unknown;

interface Sdk {
  readonly query: QueryFunction;
  readonly createSdkMcpServer: (options: { name: string; tools: readonly unknown[] }) => unknown;
  readonly tool: MakeTool;
}

export interface SdkPrograms extends Sdk {
  /** What `query()` is told to run. */
  readonly executable: string;
}

/** The SDK in that folder. */
export async function loadSdk(folder: string): Promise<Sdk & { version: string }> {
  const { version, main = 'sdk.mjs' } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { query, createSdkMcpServer, tool } = await import(pathToFileURL(join(folder, main)).href);
  return { query, createSdkMcpServer, tool, version };
}

interface Ask {
  readonly script: readonly ScriptedTurn[];
  /** Of subagents. */
  readonly threads?: Readonly<Record<string, readonly ScriptedTurn[]>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly mode?: string;
  readonly prompts?: readonly string[];
  /** Called with each message and the query. */
  readonly watch?: (message: Message, query: Query) => void;
}

async function run(
  { query, executable }: SdkPrograms,
  { script, threads, options = {}, mode = 'acceptEdits', prompts, watch }: Ask,
  look: (sandbox: Sandbox, messages: readonly Message[]) => Promise<void> | void,
): Promise<void> {
  const sandbox = await openSandbox({ main: script, ...threads });
  const messages: Message[] = [];
  const problems: string[] = [];
  let answered: () => void = () => undefined;
  /** Each prompt after the result of the one before. */
  async function* inTurn(texts: readonly string[]): AsyncGenerator<unknown> {
    for (const content of texts) {
      const result = new Promise<void>((resolve) => {
        answered = resolve;
      });
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
      await result;
    }
  }
  try {
    const stopped = new AbortController();
    const timer = setTimeout(() => stopped.abort(), 30_000);
    const going = query({
      prompt: prompts ? inTurn(prompts) : 'go',
      options: {
        pathToClaudeCodeExecutable: executable,
        cwd: sandbox.project,
        env: sandbox.env,
        model: 'claude-sonnet-4-5',
        permissionMode: mode,
        abortController: stopped,
        stderr: (text: string) => problems.push(text),
        ...options,
      },
    });
    for await (const message of going) {
      messages.push(message);
      watch?.(message, going);
      if (message.type === 'result') answered();
    }
    clearTimeout(timer);
    await look(sandbox, messages);
  } catch (error) {
    if (problems.length > 0) console.error(`  stderr: ${problems.join('').slice(0, 500)}`);
    throw error;
  } finally {
    await sandbox.close();
  }
}

const done = { text: 'done' };
const resultOf = (messages: readonly Message[]): Message =>
  messages.findLast(({ type }) => type === 'result') ?? { type: 'none' };
const specific = (event: string, fields: Answer): Answer => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});

export const sdkScenarios: readonly Scenario<SdkPrograms>[] = [
  {
    name: 'SDK: PreToolUse deny',
    checked: 'the file was not made; the model got the reason; the hook had the call’s input and id',
    run: async (programs) => {
      const saw: unknown[] = [];
      const hook: Hook = async ({ hook_event_name, tool_name, tool_input }, id) => {
        saw.push([hook_event_name, tool_name, (tool_input as { command: string }).command, id]);
        return specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'not today' });
      };
      await run(
        programs,
        {
          script: [bash('echo x > made.txt'), done],
          options: { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } },
        },
        (s, messages) => {
          equal(resultOf(messages)['result'], 'done');
          equal(s.has('made.txt'), false);
          match(told(s, 1), /not today/);
          deepEqual(saw, [['PreToolUse', 'Bash', 'echo x > made.txt', 'toolu_main_0_0']]);
        },
      );
    },
  },
  {
    name: 'SDK: PreToolUse updatedInput',
    checked: 'the rewritten command ran, the original did not',
    run: (programs) => {
      const hook: Hook = async () => specific('PreToolUse', { updatedInput: { command: 'echo y > rewritten.txt' } });
      return run(
        programs,
        { script: [bash('echo x > original.txt'), done], options: { hooks: { PreToolUse: [{ hooks: [hook] }] } } },
        (s) => deepEqual([s.has('original.txt'), s.has('rewritten.txt')], [false, true]),
      );
    },
  },
  {
    name: 'SDK: PostToolUse context',
    checked: 'the tool ran; the context was in the next request',
    run: (programs) => {
      const hook: Hook = async () => specific('PostToolUse', { additionalContext: 'the disk is nearly full' });
      return run(
        programs,
        {
          script: [bash('echo x > made.txt'), done],
          options: { hooks: { PostToolUse: [{ matcher: 'Bash', hooks: [hook] }] } },
        },
        (s) => {
          ok(s.has('made.txt'));
          match(told(s, 1), /the disk is nearly full/);
        },
      );
    },
  },
  {
    name: 'SDK: canUseTool',
    checked: 'denied: no file, the model got the message; allowed with updatedInput: the updated command ran',
    run: async (programs) => {
      const asked: unknown[] = [];
      const canUseTool = async (tool: string, input: { command: string }): Promise<Answer> => {
        asked.push([tool, input.command]);
        if (input.command.includes('first')) return { behavior: 'deny', message: 'the person said no' };
        return { behavior: 'allow', updatedInput: { ...input, command: 'echo x > third.txt' } };
      };
      await run(
        programs,
        {
          mode: 'default',
          script: [bash('echo x > first.txt'), bash('echo x > second.txt'), done],
          prompts: ['go'],
          options: { canUseTool },
        },
        (s) => {
          deepEqual([s.has('first.txt'), s.has('second.txt'), s.has('third.txt')], [false, false, true]);
          match(told(s, 1), /the person said no/);
          deepEqual(asked, [
            ['Bash', 'echo x > first.txt'],
            ['Bash', 'echo x > second.txt'],
          ]);
        },
      );
    },
  },
  {
    name: 'SDK: Stop block, UserPromptSubmit context',
    checked: 'the context was with the prompt; the model was asked once more, with the reason',
    run: (programs) => {
      const stop: Hook = async ({ stop_hook_active }) =>
        stop_hook_active ? {} : { decision: 'block', reason: 'write the changelog first' };
      const prompt: Hook = async () => specific('UserPromptSubmit', { additionalContext: 'it is Sunday' });
      return run(
        programs,
        {
          script: [{ text: 'finished?' }, { text: 'finished!' }],
          options: { hooks: { Stop: [{ hooks: [stop] }], UserPromptSubmit: [{ hooks: [prompt] }] } },
        },
        (s, messages) => {
          equal(resultOf(messages)['result'], 'finished!');
          match(told(s, 0), /it is Sunday/);
          match(told(s, 1), /write the changelog first/);
        },
      );
    },
  },
  {
    name: 'SDK: a hook that throws',
    checked: 'onFailure block: the file was not made; continue: it was; the turn ended well',
    run: async (programs) => {
      for (const onFailure of ['block', 'continue']) {
        const hook: Hook = async () => {
          throw new Error('the guard broke');
        };
        await run(
          programs,
          {
            script: [bash('echo x > made.txt'), done],
            options: { hooks: { PreToolUse: [{ hooks: [hook], onFailure }] } },
          },
          (s, messages) => {
            equal(resultOf(messages)['result'], 'done');
            equal(s.has('made.txt'), onFailure === 'continue', onFailure);
          },
        );
      }
    },
  },
  {
    name: 'SDK: a hook that is late',
    checked: 'its signal fired after its timeout (1 s); the file was not made',
    run: async (programs) => {
      let cancelled = false;
      const hook: Hook = (_input, _id, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            cancelled = true;
            resolve({});
          });
        });
      await run(
        programs,
        {
          script: [bash('echo x > made.txt'), done],
          options: { hooks: { PreToolUse: [{ hooks: [hook], timeout: 1 }] } },
        },
        (s, messages) => {
          equal(resultOf(messages)['result'], 'done');
          deepEqual([cancelled, s.has('made.txt')], [true, false]);
        },
      );
    },
  },
  {
    name: 'SDK: two prompts, interrupt, setPermissionMode, setModel',
    checked:
      'the tool was killed (no file, even when its time had come); in the new mode another was made; the next request went to the other model',
    run: (programs) => {
      let interrupted: Promise<unknown> | undefined;
      return run(
        programs,
        {
          mode: 'default',
          prompts: ['go', 'go on'],
          script: [bash('sleep 2; echo x > slow.txt'), bash('echo x > made.txt'), done],
          options: {
            allowedTools: ['Bash(sleep *)'],
            canUseTool: async (_: string, input: Answer) => allowSlow(input),
          },
          watch: (message, query) => {
            if (message.type !== 'assistant' || interrupted !== undefined) return;
            interrupted = new Promise((resolve) => setTimeout(resolve, 500))
              .then(() => query.setPermissionMode('acceptEdits'))
              .then(() => query.setModel('claude-opus-4-5'))
              .then(() => query.interrupt());
          },
        },
        async (s, messages) => {
          await interrupted;
          await new Promise((resolve) => setTimeout(resolve, 2000));
          deepEqual(
            messages.filter(({ type }) => type === 'result').map(({ subtype }) => subtype),
            ['error_during_execution', 'success'],
          );
          deepEqual([s.has('slow.txt'), s.has('made.txt')], [false, true]);
          equal(s.server.asked[1]?.body.model, 'claude-opus-4-5');
        },
      );
    },
  },
  {
    name: 'SDK: subagents',
    checked: 'only the code-reviewer could not write; hooks had each agent’s id and type, and its context reached it',
    run: async (programs) => {
      const saw: unknown[] = [];
      const ids = new Map<unknown, unknown>();
      const start: Hook = async ({ agent_id, agent_type }) => {
        saw.push(`start ${agent_type}`);
        ids.set(agent_id, agent_type);
        return specific('SubagentStart', { additionalContext: `you are a ${agent_type}` });
      };
      const stop: Hook = async ({ agent_id }) => {
        saw.push(`stop ${ids.get(agent_id)}`);
        return {};
      };
      const readOnly: Hook = async ({ agent_id, agent_type }) => {
        if (agent_type !== ids.get(agent_id)) saw.push(`a call of ${agent_type} with the id of ${ids.get(agent_id)}`);
        if (agent_type !== 'code-reviewer') return {};
        return specific('PreToolUse', {
          permissionDecision: 'deny',
          permissionDecisionReason: 'a reviewer only reads',
        });
      };
      await run(
        programs,
        {
          script: [
            { tools: [agentCall('code-reviewer', 'rev'), agentCall('tester', 'tst')] },
            bash('echo x > main.txt'),
            done,
          ],
          threads: {
            rev: [bash('echo x > rev.txt'), { text: 'reviewed' }],
            tst: [bash('echo x > tst.txt'), { text: 'tested' }],
          },
          options: {
            agents: {
              'code-reviewer': { description: 'reviews', prompt: 'You review.' },
              tester: { description: 'tests', prompt: 'You test.' },
            },
            hooks: {
              SubagentStart: [{ hooks: [start] }],
              SubagentStop: [{ hooks: [stop] }],
              PreToolUse: [{ matcher: 'Bash', hooks: [readOnly] }],
            },
          },
        },
        (s) => {
          deepEqual([s.has('main.txt'), s.has('rev.txt'), s.has('tst.txt')], [true, false, true]);
          match(told(s, 0, 'rev'), /you are a code-reviewer/);
          match(told(s, 1, 'rev'), /a reviewer only reads/);
          match(told(s, 0, 'tst'), /you are a tester/);
          match(told(s, 1), /reviewed[\s\S]*tested|tested[\s\S]*reviewed/);
          deepEqual(saw.sort(), ['start code-reviewer', 'start tester', 'stop code-reviewer', 'stop tester']);
        },
      );
    },
  },
  {
    name: 'SDK: several hooks of one event',
    checked: 'all ran; of allow and deny the deny won: the file was not made; the one of another tool did not run',
    run: async (programs) => {
      const ran: string[] = [];
      const says =
        (name: string, fields: Answer): Hook =>
        async () => {
          ran.push(name);
          return specific('PreToolUse', fields);
        };
      await run(
        programs,
        {
          script: [bash('echo x > made.txt'), done],
          options: {
            hooks: {
              PreToolUse: [
                { matcher: 'Bash', hooks: [says('allow', { permissionDecision: 'allow' })] },
                { matcher: 'Write|Bash', hooks: [says('deny', { permissionDecision: 'deny' }), says('nothing', {})] },
                { matcher: 'Write', hooks: [says('another tool', {})] },
              ],
            },
          },
        },
        (s) => {
          equal(s.has('made.txt'), false);
          deepEqual(ran.sort(), ['allow', 'deny', 'nothing']);
        },
      );
    },
  },
  {
    name: 'SDK: allowedTools, disallowedTools',
    checked:
      'the allowed command ran and nobody was asked; the disallowed one did not; a disallowed tool was not offered to the model',
    run: async (programs) => {
      const asked: unknown[] = [];
      await run(
        programs,
        {
          mode: 'default',
          prompts: ['go'],
          script: [bash('touch allowed.txt'), bash('rm -f x'), bash('touch other.txt'), done],
          options: {
            allowedTools: ['Bash(touch allowed*)'],
            disallowedTools: ['Write', 'Bash(rm *)'],
            canUseTool: async (_: string, { command }: Answer) => {
              asked.push(command);
              return { behavior: 'deny', message: 'no' };
            },
          },
        },
        (s) => {
          deepEqual([s.has('allowed.txt'), s.has('other.txt')], [true, false]);
          deepEqual(asked, ['touch other.txt']);
          const tools = s.server.asked[0]?.body.tools?.map(({ name }) => name) ?? [];
          deepEqual([tools.includes('Bash'), tools.includes('Write')], [true, false]);
        },
      );
    },
  },
  {
    name: 'SDK: an MCP server in its process',
    checked:
      'the model was offered its tool, called it, and got what the function returned; a PreToolUse hook saw the call',
    run: async (programs) => {
      const saw: unknown[] = [];
      const hook: Hook = async ({ tool_name }) => {
        saw.push(tool_name);
        return {};
      };
      const stamp = programs.tool('stamp', 'stamps', {}, async () => ({
        content: [{ type: 'text', text: 'STAMPED 42' }],
      }));
      await run(
        programs,
        {
          prompts: ['go'],
          script: [
            { tools: [{ name: 'ToolSearch', input: { query: 'select:mcp__office__stamp' } }] },
            { tools: [{ name: 'mcp__office__stamp', input: {} }] },
            done,
          ],
          options: {
            allowedTools: ['mcp__office__stamp'],
            mcpServers: { office: programs.createSdkMcpServer({ name: 'office', tools: [stamp] }) },
            hooks: { PreToolUse: [{ matcher: 'mcp__.*', hooks: [hook] }] },
          },
        },
        (s) => {
          match(told(s, 2), /STAMPED 42/);
          deepEqual(saw, ['mcp__office__stamp']);
        },
      );
    },
  },
  {
    name: 'SDK: continue: false, systemMessage',
    checked:
      'the turn ended: the model was not asked again, the result had terminal_reason hook_stopped (Stop: stop_hook_prevented); the message reached the user',
    run: async (programs) => {
      const hook: Hook = async () => ({ continue: false, stopReason: 'enough', systemMessage: 'it is late' });
      for (const [event, asked, terminal_reason, result] of [
        ['PreToolUse', 1, 'hook_stopped', ''],
        ['PostToolUse', 1, 'hook_stopped', ''],
        ['Stop', 2, 'stop_hook_prevented', 'done'],
      ] as const) {
        await run(
          programs,
          { script: [bash('echo x > made.txt'), done], options: { hooks: { [event]: [{ hooks: [hook] }] } } },
          (s, messages) => {
            const last = resultOf(messages);
            deepEqual(
              [last['subtype'], last['terminal_reason'], last['result']],
              ['success', terminal_reason, result],
              event,
            );
            equal(s.server.asked.length, asked, event);
            // The client does not show that of PostToolUse.
            if (event !== 'PostToolUse')
              ok(
                messages.some(({ content }) => String(content).endsWith('says: it is late')),
                event,
              );
          },
        );
      }
    },
  },
];

/** The person allows only what is slow. */
function allowSlow(input: Answer): Answer {
  if (String(input['command']).includes('sleep')) return { behavior: 'allow', updatedInput: input };
  return { behavior: 'deny', message: 'only what is slow' };
}
