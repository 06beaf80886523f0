import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type Json } from '../../values/shape.js';
import { type Api, type ModelCall, type ModelReply, sendJson } from './api.js';
import { completions } from './completions.js';
import { generateContent } from './gemini.js';
import { messages } from './messages.js';
import { responses } from './responses.js';

const APIS: readonly Api[] = [responses, completions, generateContent, messages];
/** Bytes of one request: more is no request of an agent that has been asked to say hello. */
const MOST = 64 * 1024 * 1024;
/** So often an agent asks once more after the model has said that all is done: then it will never end. */
const AGAIN = 50;

/** What is played next: calls, one call, a text, or what depends on what was asked. */
export type ModelTurn = ModelReply | ModelCall | ((asked: ModelRequest) => ModelReply | ModelCall);
/** By thread: `main`, and for each subagent the name that stands as `[name]` in its prompt. */
export type ModelScript = Readonly<Record<string, readonly ModelTurn[]>>;

/** One request, whatever the API. */
export interface ModelRequest {
  readonly thread: string;
  /** Everything that the model was given, as JSON. */
  readonly text: string;
  readonly tools: readonly string[];
  /** What came back of each call, by its number in the thread. */
  readonly results: readonly string[];
}

export interface Model {
  readonly port: number;
  readonly asked: readonly ModelRequest[];
  close(): Promise<void>;
}

/**
 * A model on loopback that plays scripted turns in the words of four APIs. A request without tools (titles and the like)
 * gets a harmless answer, and so does what comes after the last turn. `active` is called with every request, `endless` when they will not end.
 */
export async function startModel(script: ModelScript, active: () => void, endless: () => void): Promise<Model> {
  const asked: ModelRequest[] = [];
  const played = new Map<string, number>();
  const subagents = Object.keys(script).filter((name) => name !== 'main');

  function play(api: Api, body: Json): ModelReply {
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
    // Models that there are, tokens that a prompt has, and whatever else is asked before work begins.
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
