// A model on loopback that plays scripted turns in the words of three APIs: Responses (Codex), Chat Completions (Copilot), Gemini's own.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One tool call of the model. `id` is ours where the API lets us choose one. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The group of tools that it is in, where that has a name (Codex). */
  readonly namespace?: string;
}

/** What the model says next: a call, or a text that ends its turn. */
export type Said = Call | string;
export type Turn = Said | ((asked: Asked) => Said);

/** One request, whatever the API. */
export interface Asked {
  readonly thread: string;
  /** Everything that the model was given, as JSON. */
  readonly text: string;
  /** Names of the tools it may call. */
  readonly tools: readonly string[];
  /** What came back of each call, by its number in the thread. */
  readonly results: readonly string[];
}

export interface Model {
  readonly port: number;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

interface Api {
  readonly path: RegExp;
  tools(body: Json): string[];
  results(body: Json): string[];
  /** What a user, or who has started a subagent, has said. */
  said(body: Json): string;
  answer(response: ServerResponse, turn: Said, model: string): void;
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function events(response: ServerResponse, all: readonly (readonly [type: string | undefined, data: unknown])[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [type, data] of all)
    response.write(
      `${type === undefined ? '' : `event: ${type}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
  response.end();
}

const RESPONSES: Api = {
  path: /\/v1\/responses$/,
  tools: ({ tools }) => list(tools).map(({ name, type }) => text(name ?? type)),
  results: ({ input }) =>
    list(input)
      .filter(({ type }) => /_call_output$/.test(text(type)))
      .map(({ output }) => text(output)),
  said: ({ input }) => JSON.stringify(list(input).filter(({ role }) => role === 'user')),
  answer(response, turn) {
    const item =
      typeof turn === 'string'
        ? { type: 'message', role: 'assistant', id: 'msg', content: [{ type: 'output_text', text: turn }] }
        : {
            type: 'function_call',
            id: `fc_${turn.id}`,
            call_id: turn.id,
            name: turn.tool,
            arguments: JSON.stringify(turn.input),
            ...(turn.namespace === undefined ? {} : { namespace: turn.namespace }),
          };
    const usage = {
      input_tokens: 10,
      input_tokens_details: null,
      output_tokens: 5,
      output_tokens_details: null,
      total_tokens: 15,
    };
    events(response, [
      ['response.created', { type: 'response.created', response: { id: 'resp' } }],
      ['response.output_item.done', { type: 'response.output_item.done', item }],
      ['response.completed', { type: 'response.completed', response: { id: 'resp', usage } }],
    ]);
  },
};

const COMPLETIONS: Api = {
  path: /\/chat\/completions$/,
  tools: ({ tools }) => list(tools).map(({ function: f }) => text((f as Json | undefined)?.['name'])),
  results: ({ messages }) =>
    list(messages)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => text(content)),
  said: ({ messages }) => JSON.stringify(list(messages).filter(({ role }) => role === 'user')),
  answer(response, turn, model) {
    const said =
      typeof turn === 'string'
        ? { role: 'assistant', content: turn }
        : {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                index: 0,
                id: turn.id,
                type: 'function',
                function: { name: turn.tool, arguments: JSON.stringify(turn.input) },
              },
            ],
          };
    const chunk = (delta: object, finish_reason: string | null): object => ({
      id: 'chatcmpl',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason }],
    });
    events(response, [
      [undefined, chunk(said, null)],
      [
        undefined,
        {
          ...chunk({}, typeof turn === 'string' ? 'stop' : 'tool_calls'),
          usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        },
      ],
      [undefined, '[DONE]'],
    ]);
  },
};

const GEMINI: Api = {
  path: /:(?:streamG|g)enerateContent/,
  tools: ({ tools }) =>
    list(tools).flatMap(({ functionDeclarations }) => list(functionDeclarations).map(({ name }) => text(name))),
  results: ({ contents }) =>
    list(contents).flatMap(({ parts }) =>
      list(parts).flatMap(({ functionResponse: r }) => (r === undefined ? [] : [text((r as Json)['response'])])),
    ),
  said: ({ contents }) => JSON.stringify(list(contents).filter(({ role }) => role === 'user')),
  answer(response, turn) {
    const part =
      typeof turn === 'string' ? { text: turn } : { functionCall: { id: turn.id, name: turn.tool, args: turn.input } };
    events(response, [
      [
        undefined,
        {
          candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
          usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
        },
      ],
    ]);
  },
};

const APIS = [RESPONSES, COMPLETIONS, GEMINI];

/**
 * Starts it. A thread is the list whose name stands as `[name]` in what a user has said, the last in the script first; else `main`. A request
 * without tools (titles and the like) gets a harmless answer, and so does what comes after the last turn.
 */
export async function startModel(script: Readonly<Record<string, readonly Turn[]>>): Promise<Model> {
  const asked: Asked[] = [];
  const played = new Map<string, number>();
  const names = Object.keys(script).reverse();
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] as string;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const api = APIS.find((one) => one.path.test(path));
    if (api === undefined || request.method !== 'POST') {
      if (process.env['INTEROP_DEBUG']) console.error('model:', request.method, path);
      const models = { data: [{ id: 'mock', object: 'model' }], object: 'list', models: [] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(models));
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
    const tools = api.tools(body);
    const all = JSON.stringify(body);
    const said = api.said(body);
    if (process.env['INTEROP_DEBUG']) console.error('model:', path, tools.length, all.length);
    if (tools.length === 0) return api.answer(response, 'ok', 'mock');
    const thread = names.find((name) => name !== 'main' && said.includes(`[${name}]`)) ?? 'main';
    const index = played.get(thread) ?? 0;
    played.set(thread, index + 1);
    const one = { thread, text: all, tools, results: api.results(body) };
    asked.push(one);
    const turn = script[thread]?.[index] ?? 'All done.';
    api.answer(response, typeof turn === 'function' ? turn(one) : turn, 'mock');
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
