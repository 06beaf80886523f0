import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';

type Part = Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;
export type Reply = string | { readonly [tool: string]: unknown };

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** What one reply is: words, or calls by the tool's name, with ids that count up unless the name has one, `remove@c`. */
function contentOf(reply: Reply, ids: () => string) {
  if (typeof reply === 'string') return [{ type: 'text' as const, text: reply }];
  return Object.entries(reply).map(([name, input]) => ({
    type: 'tool-call' as const,
    toolCallId: /@(\w+)/.exec(name)?.[1] ?? ids(),
    toolName: name.split(/[#@]/)[0] as string,
    input: JSON.stringify(input),
  }));
}

const finishOf = (reply: Reply) => ({
  unified: typeof reply === 'string' ? ('stop' as const) : ('tool-calls' as const),
  raw: undefined,
});

/** The SDK's own mock model, which gives one reply after the other. */
export const scripted = (...replies: readonly Reply[]): MockLanguageModelV3 => modelOf(replies, finishOf);

/** It says of each of its replies that it is of the other kind. */
export const mistaken = (...replies: readonly Reply[]): MockLanguageModelV3 =>
  modelOf(replies, (reply) => finishOf(typeof reply === 'string' ? {} : ''));

function modelOf(replies: readonly Reply[], finish: typeof finishOf): MockLanguageModelV3 {
  let said = 0;
  let calls = 0;
  const ids = (): string => `call-${++calls}`;
  const next = (): Reply => replies[said++] ?? 'nothing more';
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const reply = next();
      return { content: contentOf(reply, ids), finishReason: finish(reply), usage, warnings: [] };
    },
    doStream: async () => {
      const reply = next();
      const chunks = contentOf(reply, ids).flatMap((part): Part[] =>
        part.type === 'tool-call'
          ? [part]
          : [
              { type: 'text-start' as const, id: '0' },
              { type: 'text-delta' as const, id: '0', delta: part.text },
              { type: 'text-end' as const, id: '0' },
            ],
      );
      const end: Part = { type: 'finish', finishReason: finish(reply), usage };
      return {
        stream: simulateReadableStream({ chunks: [...chunks, end], initialDelayInMs: null, chunkDelayInMs: null }),
      };
    },
  });
}

/** What the model got in its nth call. */
export function prompt(model: MockLanguageModelV3, call: number) {
  const given = [...model.doGenerateCalls, ...model.doStreamCalls][call]?.prompt ?? [];
  const outputs = given
    .flatMap((message) => (message.role === 'tool' ? message.content : []))
    .flatMap((part) => (part.type === 'tool-result' ? [part.output] : []));
  const users = given.flatMap((message) =>
    message.role === 'user' ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  return { system: given.find((message) => message.role === 'system')?.content, outputs, users };
}
