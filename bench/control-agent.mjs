// The end of the pipe that asks: Claude Code's side of the control protocol by ours, or by hand with nothing but JSON lines.
import { createHost } from 'hookscope';
import { serveControl } from 'hookscope/claude-code';

/** A prompt asks for so many fires of an input, one after the other. */
async function serve() {
  const host = createHost({ logger: (message) => process.stderr.write(`${message}\n`) });
  const server = serveControl({ input: process.stdin, output: process.stdout, host });
  for await (const { count, input, denied } of server.messages) {
    for (let i = 0; i < count; i++) {
      const { verdict } = await host.fire('PreToolUse', input);
      if ((verdict === 'deny') !== denied) throw new Error(`The fire came out as ${verdict}`);
    }
    await server.send({ type: 'result', count });
  }
}

/** The same lines without a protocol: each is written, read back and parsed before the next. */
function ask() {
  let buffer = '';
  let job;
  let left = 0;
  const next = () => {
    if (left-- > 0) process.stdout.write(`${JSON.stringify(job.line)}\n`);
    else process.stdout.write('{"type":"result"}\n');
  };
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    buffer += chunk;
    if (!chunk.endsWith('\n')) return;
    const message = JSON.parse(buffer);
    buffer = '';
    if (message.type === 'user') {
      job = message;
      left = message.count;
    }
    next();
  });
}

if (process.argv[2] === 'bare') ask();
else await serve();
