// Put hooks around an agent of the Vercel AI SDK: its tools, its steps, its end. A Stop hook sends it back to work.
// The model is the SDK's own mock; take a real one, and nothing else changes.
import { generateText, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { addContext, block, createHost, deny, type HookInput } from 'hookscope';
import { drive } from 'hookscope/adapters/ai';
import { z } from 'zod';

const host = createHost();
const noSecrets = (input: HookInput<'PreToolUse'>) => {
  const { path } = input.tool_input as { path: string };
  return path.endsWith('.env') ? deny(`${path} is not for agents.`) : undefined;
};
const saySource = (input: HookInput<'Stop'>) => (input.stop_hook_active ? undefined : block('Say where you read it.'));
host.register({
  PreToolUse: [{ matcher: 'read', onFailure: 'block', hooks: [noSecrets] }],
  PostToolUse: [{ matcher: 'read', hooks: [() => addContext('last changed in May')] }],
  Stop: [{ hooks: [saySource] }],
});

const read = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => `(the text of ${path})`,
});

// What the model says, one reply after the other: words, or files to read.
const replies = [['.env', 'port.md'], 'The port is 8080.', 'The port is 8080, says port.md.'];
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    for (const part of prompt.at(-1)?.content ?? [])
      if (typeof part === 'object' && part.type === 'tool-result') console.log('model gets:', part.output);
    const reply = replies.shift() ?? '';
    const calls = [reply]
      .flat()
      .map((path, i) => ({ toolCallId: `${i}`, toolName: 'read', input: `{"path":"${path}"}` }));
    return {
      content:
        typeof reply === 'string'
          ? [{ type: 'text', text: reply }]
          : calls.map((call) => ({ type: 'tool-call' as const, ...call })),
      finishReason: { unified: typeof reply === 'string' ? 'stop' : 'tool-calls', raw: undefined },
      usage: { inputTokens: {} as never, outputTokens: {} as never },
      warnings: [],
    };
  },
});

// The harness's own rules: reading needs no permission. Without rules or a person to ask, every call would wait for an approval.
const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
const { status, text, rounds } = await drive(session, { prompt: 'Which port?', tools: { read } }, (round) =>
  generateText({ model, ...round }),
);
console.log(`${status} after ${rounds.length} rounds: ${text}`);
await session.close();
await host.close();
