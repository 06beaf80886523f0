// A Messages API on loopback that plays scripted turns, one list a thread, and remembers what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One assistant message: text, then tool calls; `delay` in seconds before it is sent. */
export interface Turn {
  readonly text?: string;
  readonly tools?: readonly ToolCall[];
  readonly delay?: number;
}

export type ScriptedTurn = Turn | ((request: ModelRequest) => Turn);

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

export interface ModelRequest {
  readonly model: string;
  readonly system?: string | readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly stream?: boolean;
}

export interface Asked {
  readonly thread: string;
  readonly body: ModelRequest;
}

export interface ModelServer {
  readonly url: string;
  /** Requests that played a scripted turn, in order. */
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** All text of a message's content, tool results included. */
export function textOf(content: string | readonly Block[] | undefined): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((block) => block.text ?? textOf(block.content)).join('\n');
}

/**
 * Starts the server. `script.main` is played to the main thread; every other list to the subagent whose first
 * message holds `[name]`. A request without tools (titles, summaries of the client) gets a harmless answer.
 */
export async function startModelServer(
  script: Readonly<Record<string, readonly ScriptedTurn[]>>,
): Promise<ModelServer> {
  const asked: Asked[] = [];
  const played = new Map<string, number>();

  function nextTurn(request: ModelRequest): { turn: Turn; id: string } {
    if ((request.tools ?? []).length === 0) return { turn: { text: 'ok' }, id: 'side' };
    const first = textOf(request.messages[0]?.content);
    const thread = Object.keys(script).find((name) => name !== 'main' && first.includes(`[${name}]`)) ?? 'main';
    const index = played.get(thread) ?? 0;
    played.set(thread, index + 1);
    asked.push({ thread, body: request });
    const turn = script[thread]?.[index] ?? { text: 'nothing more to say' };
    return { turn: typeof turn === 'function' ? turn(request) : turn, id: `${thread}_${index}` };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST' || !path?.startsWith('/v1/messages')) return sendJson(response, {});
    if (path.endsWith('/count_tokens')) return sendJson(response, { input_tokens: 100 });
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest;
    const { turn, id } = nextTurn(body);
    if (turn.delay !== undefined) await new Promise((resolve) => setTimeout(resolve, (turn.delay ?? 0) * 1000));
    const message = toMessage(turn, id, body.model);
    if (body.stream === true) sendEvents(response, message);
    else sendJson(response, message);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Content = { type: 'text'; text: string } | ({ type: 'tool_use'; id: string } & ToolCall);

interface Message {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly Content[];
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly usage: Readonly<Record<string, number>>;
}

function toMessage(turn: Turn, id: string, model: string): Message {
  const tools = turn.tools ?? [];
  const content: Content[] = turn.text === undefined ? [] : [{ type: 'text', text: turn.text }];
  tools.forEach((call, index) => {
    content.push({ type: 'tool_use', id: `toolu_${id}_${index}`, name: call.name, input: call.input });
  });
  const usage = { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const stop_reason = tools.length > 0 ? 'tool_use' : 'end_turn';
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, message: Message): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (type: string, data: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  message.content.forEach((block, index) => {
    const text = block.type === 'text';
    send('content_block_start', { index, content_block: text ? { ...block, text: '' } : { ...block, input: {} } });
    const delta = text
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  });
  send('message_delta', {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: 10 },
  });
  send('message_stop', {});
  response.end();
}
