import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type Json } from '../../values/shape.js';
import { type ModelApi, type ModelCall, type ModelReply, sendJson } from './api.js';
import { completions } from './completions.js';
import { generateContent } from './gemini.js';
import { messages } from './messages.js';
import { responses } from './responses.js';

const APIS: readonly ModelApi[] = [responses, completions, generateContent, messages];
/** The most bytes of one request; no agent sends more for so short a prompt. */
const MOST = 64 * 1024 * 1024;
/** After this many requests beyond the model's final answer, an agent is taken to never end. */
const AGAIN = 50;

/** What the model does next: calls, one call, a text, or a function of the request. */
export type ModelTurn = ModelReply | ModelCall | ((asked: ScriptedRequest) => ModelReply | ModelCall);
/** The turns by thread: `main`, and for each subagent the name that is in its prompt as `[name]`. */
export type ModelScript = Readonly<Record<string, readonly ModelTurn[]>>;

/** One request, independent of the API. */
export interface ScriptedRequest {
  readonly thread: string;
  /** The whole body of the request, as JSON. */
  readonly text: string;
  readonly tools: readonly string[];
  /** The results of the calls, by their number in the thread. */
  readonly results: readonly string[];
}

export interface Model {
  readonly port: number;
  readonly asked: readonly ScriptedRequest[];
  close(): Promise<void>;
}

/**
 * A model on loopback that plays scripted turns in the formats of four APIs. Requests without tools (for titles and the like) and
 * requests after the last turn get a harmless answer. `active` is called with every request, `endless` when they do not end.
 */
export async function startModel(script: ModelScript, active: () => void, endless: () => void): Promise<Model> {
  const asked: ScriptedRequest[] = [];
  const played = new Map<string, number>();
  const subagents = Object.keys(script).filter((name) => name !== 'main');

  function play(api: ModelApi, body: Json): ModelReply {
    const tools = api.tools(body);
    if (tools.length === 0) return 'ok';
    const said = api.said(body);
    const thread = subagents.find((name) => said.includes(`[${name}]`)) ?? 'main';
    const index = played.get(thread) ?? 0;
    played.set(thread, index + 1);
    const one = { thread, text: JSON.stringify(body), tools, results: api.results(body) };
    asked.push(one);
    const turns = script[thread] ?? [];
    if (index > turns.length + AGAIN) endless();
    const turn = turns[index] ?? 'All done.';
    const next = typeof turn === 'function' ? turn(one) : turn;
    return isCall(next) ? [next] : next;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    active();
    const path = (request.url ?? '').split('?')[0] as string;
    const body = await read(request);
    const api = APIS.find((one) => one.path.test(path));
    if (api !== undefined && isObject(body)) return api.answer(response, play(api, body), body);
    // Answers other requests, such as those for the list of models or a token count.
    sendJson(response, { object: 'list', data: [{ id: 'mock', object: 'model' }], models: [], input_tokens: 100 });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
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

const isCall = (said: ModelReply | ModelCall): said is ModelCall => isObject(said) && 'tool' in said;

async function read(request: IncomingMessage): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MOST) throw new Error('too large');
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || 'null');
}
