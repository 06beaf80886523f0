import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost, deny } from 'hookscope';
import { type ClaudeClient, connectClaude } from 'hookscope/claude-code';
import type { Candidate, Case } from './harness.js';
import { preToolUse } from './recorded.js';

const AGENT = fileURLToPath(new URL('control-agent.mjs', import.meta.url));
const CODE = `  if (found.name === "main") console.log('it is here', { line: 12 });\n`;

const ID = 'req_100000_abcdef';
const REASON = 'not here';

type Answer = Readonly<Record<string, unknown>>;

/** A call with that many bytes of a file's text in its input. */
function writing(bytes: number) {
  const content = CODE.repeat(Math.ceil(bytes / CODE.length)).slice(0, bytes);
  return { ...preToolUse, tool_name: 'Write', tool_input: { file_path: '/home/dev/project/a.ts', content } };
}

type Input = ReturnType<typeof writing>;

/** A program that we are connected to twice: by the protocol, whose client is ours, and by a bare socket. */
async function connect(denied: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-bench-'));
  const path = join(folder, 's');
  const server = createServer();
  const connected = once(server.listen(path), 'connection') as Promise<[Socket]>;
  const host = createHost();
  host.register({ PreToolUse: [{ hooks: [() => (denied ? deny(REASON) : undefined)] }] });
  const client = await connectClaude({ host, executable: AGENT, args: [path] });
  client.messages$.subscribe();
  const [socket] = await connected;
  server.close();
  rmSync(folder, { recursive: true });
  return { client, socket };
}

/** What makes the line a prompt. */
const GO = { role: 'user', content: 'go' } as const;

/** A host there asks over the wire, a host here answers. */
function ours(client: ClaudeClient, input: Input, denied: boolean): Candidate {
  const batch = async (count: number): Promise<void> => {
    for await (const _ of client.query({ type: 'user', message: GO, count, input, denied }));
  };
  return { name: 'hookscope', run: () => batch(1), batch };
}

/** Lines of the same size, each parsed and answered: by itself, as an echo does, or by a reply of the size of ours. */
function bare(name: string, socket: Socket, input: Input, reply?: Answer): Candidate {
  const request = { subtype: 'hook_callback', callback_id: 'hook_0', input, tool_use_id: input.tool_use_id };
  const line = { type: 'control_request', request_id: ID, request };
  const batch = (count: number): Promise<void> =>
    new Promise((resolve) => {
      let buffer = '';
      const onData = (chunk: string): void => {
        buffer += chunk;
        if (!chunk.endsWith('\n')) return;
        const message = JSON.parse(buffer) as Answer;
        buffer = '';
        if (message['type'] !== 'result') {
          socket.write(`${JSON.stringify(reply ?? message)}\n`);
          return;
        }
        socket.off('data', onData);
        resolve();
      };
      socket.setEncoding('utf8').on('data', onData);
      socket.write(`${JSON.stringify({ type: 'user', count, line })}\n`);
    });
  return { name, run: () => batch(1), batch };
}

function roundTrip(size: string, bytes: number, denied: boolean): Case {
  const input = writing(bytes);
  const specific = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: REASON };
  const said = denied ? { hookSpecificOutput: specific } : {};
  const response = { subtype: 'success', request_id: ID, response: said };
  return {
    name: `a callback over a pipe, ${size}, ${denied ? 'denied' : 'silent'}`,
    goal: 2,
    async candidates() {
      const { client, socket } = await connect(denied);
      return [
        bare('echo', socket, input),
        bare('a reply of our size', socket, input, { type: 'control_response', response }),
        ours(client, input, denied),
      ];
    },
    floor: 'echo',
    subject: 'hookscope',
    rounds: 60,
    wall: true,
  };
}

/** What our two ends of the control protocol add to the pipe between them. */
export const cases: Case[] = [
  roundTrip('1 KB', 450, true),
  roundTrip('1 KB', 450, false),
  roundTrip('100 KB', 100_000, true),
  roundTrip('100 KB', 100_000, false),
];
