// The end that asks. Claude Code's side of the control protocol by ours, on stdio; and by hand, with nothing but JSON lines, on a
// socket, which is what Node makes the pipes of a child of: both between the same two processes, so the system treats them alike.
import { createConnection } from 'node:net';
import { createHost } from 'hookscope';
import { serveControl } from 'hookscope/claude-code';

const socket = createConnection(process.argv.at(-1));
let buffer = '';
let job;
let left = 0;
/** Each line is written, read back and parsed before the next. */
socket.setEncoding('utf8').on('data', (chunk) => {
  buffer += chunk;
  if (!chunk.endsWith('\n')) return;
  const message = JSON.parse(buffer);
  buffer = '';
  if (message.type === 'user') {
    job = message;
    left = message.count;
  }
  socket.write(left-- > 0 ? `${JSON.stringify(job.line)}\n` : '{"type":"result"}\n');
});

const host = createHost({ logger: (message) => process.stderr.write(`${message}\n`) });
const server = serveControl({ input: process.stdin, output: process.stdout, host });
/** A prompt asks for so many fires of an input, one after the other. */
for await (const { count, input, denied } of server.messages) {
  for (let i = 0; i < count; i++) {
    const { verdict } = await host.fire('PreToolUse', input);
    if ((verdict === 'deny') !== denied) throw new Error(`The fire came out as ${verdict}`);
  }
  await server.send({ type: 'result', count });
}
socket.end();
