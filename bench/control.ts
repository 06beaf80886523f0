import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createHost, deny } from 'hookscope';
import { connectClaude } from 'hookscope/claude-code';
import type { Candidate, Case } from './harness.js';
import { preToolUse } from './recorded.js';

const AGENT = fileURLToPath(new URL('control-agent.mjs', import.meta.url));
const CODE = `  if (found.name === "main") console.log('it is here', { line: 12 });\n`;

type Answer = Readonly<Record<string, unknown>>;

/** A call with that many bytes of a file's text in its input. */
function writing(bytes: number) {
  const content = CODE.repeat(Math.ceil(bytes / CODE.length)).slice(0, bytes);
  return { ...preToolUse, tool_name: 'Write', tool_input: { file_path: '/home/dev/project/a.ts', content } };
}

type Input = ReturnType<typeof writing>;

/** Both ends are ours: a host there asks over the wire, a host here answers. */
async function ours(input: Input, denied: boolean): Promise<Candidate> {
  const host = createHost();
  host.register({ PreToolUse: [{ hooks: [() => (denied ? deny('not here') : undefined)] }] });
  const client = await connectClaude({ host, executable: AGENT });
  client.messages$.subscribe();
  const batch = async (count: number): Promise<void> => {
    for await (const _ of client.query({ type: 'user', count, input, denied }));
  };
  return { name: 'hookscope', run: () => batch(1), batch };
}

/** Lines of the same size over the same kind of pipe, each parsed and its reply written; an echo, or a reply of the size of ours. */
function bare(name: string, input: Input, reply?: Answer): Candidate {
  const child = spawn(process.execPath, [AGENT, 'bare'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let buffer = '';
  let done: (() => void) | undefined;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    buffer += chunk;
    if (!chunk.endsWith('\n')) return;
    const message = JSON.parse(buffer) as Answer;
    buffer = '';
    if (message['type'] === 'result') done?.();
    else child.stdin.write(`${JSON.stringify(reply ?? message)}\n`);
  });
  const request = { subtype: 'hook_callback', callback_id: 'hook_0', input, tool_use_id: input.tool_use_id };
  const line = { type: 'control_request', request_id: 'req_100000_abcdef', request };
  const batch = (count: number): Promise<void> =>
    new Promise((resolve) => {
      done = resolve;
      child.stdin.write(`${JSON.stringify({ type: 'user', count, line })}\n`);
    });
  return { name, run: () => batch(1), batch };
}

function roundTrip(size: string, bytes: number, denied: boolean): Case {
  const input = writing(bytes);
  const said = denied
    ? {
        hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
      }
    : {};
  const response = { subtype: 'success', request_id: 'req_100000_abcdef', response: said };
  return {
    name: `a callback over a pipe, ${size}, ${denied ? 'denied' : 'silent'}`,
    goal: 2,
    candidates: async () => [
      bare('echo', input),
      bare('a reply of our size', input, { type: 'control_response', response }),
      await ours(input, denied),
    ],
    floor: 'echo',
    subject: 'hookscope',
    rounds: 60,
  };
}

/** What our two ends of the control protocol add to the pipe between them. */
export const cases: Case[] = [
  roundTrip('1 KB', 450, true),
  roundTrip('1 KB', 450, false),
  roundTrip('100 KB', 100_000, true),
  roundTrip('100 KB', 100_000, false),
];
