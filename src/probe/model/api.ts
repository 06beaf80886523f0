import type { ServerResponse } from 'node:http';
import { isObject, type Json } from '../../values/shape.js';

/** One tool call of the model. `id` is used where the API lets us choose one. */
export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  /** The namespace of the tool, if it has one (Codex). */
  readonly namespace?: string;
}

/** The model's next turn: calls, or a text that ends the turn. */
export type ModelReply = readonly ModelCall[] | string;

/** The API that an agent uses: how its requests are read, and how a turn is written. */
export interface ModelApi {
  readonly path: RegExp;
  /** Names of the tools that the model may call. */
  tools(body: Json): string[];
  /** The results of its calls, in order. */
  results(body: Json): string[];
  /** The prompt of the user or, for a subagent, of its parent. */
  said(body: Json): string;
  answer(response: ServerResponse, said: ModelReply, body: Json): void;
}

export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Sends all server-sent events at once. */
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
