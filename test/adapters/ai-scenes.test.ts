import {
  APICallError,
  generateText,
  isLoopFinished,
  type ModelMessage,
  stepCountIs,
  streamText,
  type ToolSet,
  tool,
} from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { agentTool, drive } from '../../src/adapters/ai.js';
import type { Session } from '../../src/session/types.js';
import { playScenes } from './scenes/play.js';
import { Cannot, type Cast, type Heard, type Outcome, type Player, type Reply, type Stage } from './scenes/scene.js';

type Part = Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;
type Options = Parameters<MockLanguageModelV3['doGenerate']>[0];

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const failure = ({ status, message }: { readonly status: number; readonly message: string }) =>
  new APICallError({ message, url: 'http://model', requestBodyValues: {}, statusCode: status, isRetryable: false });

/** The SDK's own mock model, which does one thing after the other and notes what it was given. */
function scripted(script: readonly Reply[], stage: Stage, heard: Heard[]): MockLanguageModelV3 {
  let said = 0;
  let calls = 0;
  const next = async ({ prompt, abortSignal }: Options) => {
    abortSignal?.throwIfAborted();
    heard.push(hear(prompt));
    const reply = script[said++] ?? 'nothing more';
    if (reply === 'hangs') {
      stage.onHang();
      await new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(abortSignal.reason)));
    }
    if (typeof reply === 'string')
      return { content: [{ type: 'text' as const, text: reply }], finish: 'stop' as const };
    if ('status' in reply) throw failure(reply);
    const content = reply.map(([toolName, input]) => ({
      type: 'tool-call' as const,
      toolCallId: `call-${++calls}`,
      toolName,
      input: JSON.stringify(input),
    }));
    return { content, finish: 'tool-calls' as const };
  };
  return new MockLanguageModelV3({
    doGenerate: async (options) => {
      const { content, finish } = await next(options);
      return { content, finishReason: { unified: finish, raw: undefined }, usage, warnings: [] };
    },
    doStream: async (options) => {
      const { content, finish } = await next(options);
      const chunks = content.flatMap((part): Part[] =>
        part.type === 'tool-call'
          ? [part]
          : [
              { type: 'text-start' as const, id: '0' },
              { type: 'text-delta' as const, id: '0', delta: part.text },
              { type: 'text-end' as const, id: '0' },
            ],
      );
      const end: Part = { type: 'finish', finishReason: { unified: finish, raw: undefined }, usage };
      return {
        stream: simulateReadableStream({ chunks: [...chunks, end], initialDelayInMs: null, chunkDelayInMs: null }),
      };
    },
  });
}

function hear(prompt: Options['prompt']): Heard {
  const lines = prompt.flatMap((message): string[] => {
    if (message.role === 'user')
      return message.content.map((part) => `user: ${part.type === 'text' ? part.text : part.type}`);
    if (message.role !== 'tool') return [];
    return message.content.flatMap((part) => (part.type === 'tool-result' ? [`tool: ${words(part.output)}`] : []));
  });
  return { system: prompt.find((message) => message.role === 'system')?.content as string | undefined, lines };
}

function words(output: { readonly type: string; readonly value?: unknown; readonly reason?: string }): string {
  if (output.type === 'execution-denied') return output.reason ?? '';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
}

function play(stage: Stage): Player {
  if (Object.keys(stage.handoffs).length > 0) throw new Cannot(NO_HANDOFFS.why);
  if (stage.tools.some((one) => one.name === 'askUser')) throw new Cannot(NO_CONTROL_FLOW.why);
  const heard: Record<string, Heard[]> = { main: [] };
  let messages: readonly ModelMessage[] = [];

  const toolsOf = (session: Session, cast: Cast): ToolSet => ({
    ...Object.fromEntries(
      cast.tools.map(({ name, description, schema, run }) => [
        name,
        tool({
          description,
          inputSchema: schema,
          execute: (input, { abortSignal }) => run(input as Record<string, unknown>, { signal: abortSignal }),
        }),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(cast.agents).map(([name, agent]) => [
        name,
        agentTool(session, {
          agent_type: name,
          description: `Does the work of ${name}.`,
          run: async (child, prompt, { signal }) =>
            (await turn({ session: child, cast: agent, name, prompt, signal })).text,
        }),
      ]),
    ),
  });

  const turn = ({ session, cast, name, prompt, signal }: Turn) => {
    const given = heard[name] ?? [];
    heard[name] = given;
    const model = models[name] ?? scripted(cast.script, stage, given);
    models[name] = model;
    const options = {
      ...(prompt === undefined ? {} : { prompt }),
      ...(name === 'main' ? { messages, system: stage.system } : {}),
      tools: toolsOf(session, cast),
      onAsk: stage.onAsk,
      stopWhen: stage.maxSteps === undefined ? isLoopFinished() : stepCountIs(stage.maxSteps),
    };
    return stage.streams
      ? drive(session, options, (round) =>
          streamText({ model, abortSignal: signal, onError: () => undefined, ...round }),
        )
      : drive(session, options, (round) => generateText({ model, abortSignal: signal, ...round }));
  };
  const models: Record<string, MockLanguageModelV3> = {};

  const main = async (prompt: string | undefined): Promise<Outcome> => {
    const {
      status,
      text,
      reason,
      capped,
      messages: all,
    } = await turn({
      session: stage.session,
      cast: stage,
      name: 'main',
      prompt,
      signal: stage.signal,
    });
    messages = all;
    return { status, text, ...(reason === undefined ? {} : { reason }), ...(capped ? { capped } : {}) };
  };
  return {
    say: main,
    answer: (approved) => {
      const asked = messages.flatMap((message) =>
        message.role === 'assistant' && typeof message.content !== 'string' ? message.content : [],
      );
      const content = asked.flatMap((part) =>
        part.type === 'tool-approval-request'
          ? [{ type: 'tool-approval-response' as const, approvalId: part.approvalId, approved }]
          : [],
      );
      messages = [...messages, { role: 'tool', content }];
      return main(undefined);
    },
    heard: (agent) => heard[agent] ?? [],
  };
}

interface Turn {
  readonly session: Session;
  readonly cast: Cast;
  readonly name: string;
  readonly prompt: string | undefined;
  readonly signal: AbortSignal;
}

const NO_CONTROL_FLOW = {
  why: 'A tool of the SDK that throws has failed: it has no control flow of this kind.',
  cannot: true,
} as const;
const NO_HANDOFFS = { why: 'The SDK has no handoffs.', cannot: true } as const;

playScenes({
  framework: 'the AI SDK',
  differences: {
    "the framework's own control flow passes through a tool, which goes on with the answer": NO_CONTROL_FLOW,
    'a handoff gives the conversation to an agent with a scope of its own': NO_HANDOFFS,
    'a handoff that a hook denies does not happen': NO_HANDOFFS,
  },
  play,
});
