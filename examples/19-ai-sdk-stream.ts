// Stream an agent of the Vercel AI SDK: what a tool shows while it runs, and calls that wait for the user's approval.
// The model is the SDK's own mock; take a real one, and nothing else changes.
import { type ModelMessage, simulateReadableStream, streamText, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createHost, deny } from 'hookscope';
import { drive } from 'hookscope/adapters/ai';
import { z } from 'zod';

const host = createHost();
host.on('PreToolUse', (input) => {
  const { city } = input.tool_input as { city: string };
  return city === 'Atlantis' ? deny('There is no such city.') : undefined;
});
const inputSchema = z.object({ city: z.string() });
const tools = {
  look: tool({
    inputSchema,
    async *execute({ city }) {
      yield `looking at ${city}`;
      yield `21 degrees in ${city}`;
    },
  }),
  fly: tool({ inputSchema, needsApproval: true, execute: ({ city }) => `booked a flight to ${city}` }),
};

// What the model says, one reply after the other: calls of tools, or words.
const replies = [{ look: 'Rome' }, { fly: 'Atlantis' }, { fly: 'Rome' }, 'You fly to Rome.'];
const model = new MockLanguageModelV3({
  doStream: async () => {
    const reply = replies.shift() ?? '';
    const [toolName, city] = Object.entries(reply)[0] ?? ['', ''];
    const call = { type: 'tool-call', toolCallId: city, toolName, input: JSON.stringify({ city }) } as const;
    const text = { type: 'text-delta', id: '0', delta: `${reply}` } as const;
    const words = [{ type: 'text-start', id: '0' } as const, text, { type: 'text-end', id: '0' } as const];
    const unified = typeof reply === 'string' ? 'stop' : 'tool-calls';
    const usage = { inputTokens: {} as never, outputTokens: {} as never };
    const end = { type: 'finish', finishReason: { unified, raw: undefined }, usage } as const;
    return { stream: simulateReadableStream({ chunks: [...(typeof reply === 'string' ? words : [call]), end] }) };
  },
});

const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
let messages: readonly ModelMessage[] = [{ role: 'user', content: 'Take me to Rome.' }];
for (let status = 'unfinished'; status === 'unfinished'; ) {
  ({ status, messages } = await drive(session, { messages, tools }, async (round) => {
    const result = streamText({ model, ...round });
    for await (const part of result.fullStream) {
      if (part.type === 'tool-result') console.log(part.preliminary ? '...' : 'tool:', part.output);
      if (part.type === 'tool-error') console.log('tool:', (part.error as Error).message);
      if (part.type === 'text-delta') console.log(part.text);
    }
    return result;
  }));
  const asked = [messages.at(-1)?.content ?? []].flat().filter((part) => typeof part === 'object');
  const ids = asked.flatMap((part) => (part.type === 'tool-approval-request' ? [part.approvalId] : []));
  for (const _ of ids) console.log('user: yes');
  const content = ids.map((approvalId) => ({ type: 'tool-approval-response' as const, approvalId, approved: true }));
  if (ids.length > 0) messages = [...messages, { role: 'tool', content }];
}
await host.close();
