import type { ServerResponse } from 'node:http';
import { isObject, type Json } from '../../values/shape.js';

/** One tool call of the model. `id` is ours where the API lets us choose one. */
export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  /** The group of tools that it is in, where that has a name (Codex). */
  readonly namespace?: string;
}

/** The model's next turn: calls, or a text that ends its turn. */
export type ModelReply = readonly ModelCall[] | string;

/** The API that an agent uses: how its requests are read, and how a turn is written. */
export interface Api {
  readonly path: RegExp;
  /** Names of the tools that the model may call. */
  tools(body: Json): string[];
  /** The results of its calls, in their order. */
  results(body: Json): string[];
  /** What the user, or whoever started a subagent, has said. */
  said(body: Json): string;
  answer(response: ServerResponse, said: ModelReply, body: Json): void;
}

export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Server-sent events, all at once. */
export function sendEvents(
  response: ServerResponse,
  all: readonly (readonly [type: string | undefined, data: unknown])[],
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [type, data] of all)
    response.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${text(data)}\n\n`);
  response.end();
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
