import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export type Json = Record<string, unknown>;
export type Piece = string | { readonly fill: string; readonly times: number } | { readonly base64: string };

export const PUPPET = fileURLToPath(new URL('../../fixtures/control/puppet.mjs', import.meta.url));

export interface Order {
  readonly write?: readonly Piece[];
  readonly stderr?: string;
  readonly exit?: number;
  readonly kill?: string;
  readonly closeOutput?: true;
  readonly closeInput?: true;
  readonly deaf?: true;
  readonly stay?: true;
  readonly leave?: true | 'stderr';
}

/** A real program at the other end, whose strings are here. */
export interface Puppet {
  /** What it is started with, last of its arguments. */
  readonly socket: string;
  /** What it was started with; once it has. */
  hello(): Promise<{ pid: number; argv: string[]; env: Record<string, string>; cwd: string }>;
  /** Every line it has read, byte for byte. */
  readonly heard: string[];
  /** What it told of itself. */
  readonly told: Json[];
  /** Carries out an order; resolves when it has. */
  order(order: Order): Promise<void>;
  /** Messages, one a line, in one write. */
  say(...messages: readonly unknown[]): Promise<void>;
  /** The next line that it has not been asked for yet, of that kind. */
  hear(is?: (message: Json) => boolean): Promise<Json>;
  /** Its own request, and the answer to it. */
  ask(id: string, request: Json): Promise<Json>;
  /** The answer that has come to a request of its own, if any. */
  answersTo(id: string): Json[];
  readonly gone: () => boolean;
}

export const isRequest = (subtype: string) => (message: Json) =>
  message['type'] === 'control_request' && (message['request'] as Json)['subtype'] === subtype;
export const isReply = (id: string) => (message: Json) =>
  message['type'] === 'control_response' && (message['response'] as Json)['request_id'] === id;
export const isType = (type: string) => (message: Json) => message['type'] === type;

export const request = (id: string, asked: Json): Json => ({
  type: 'control_request',
  request_id: id,
  request: asked,
});
export const success = (id: unknown, response: Json): Json => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
});
export const refusal = (id: unknown, error: string): Json => ({
  type: 'control_response',
  response: { subtype: 'error', request_id: id, error },
});
export const cancel = (id: unknown): Json => ({ type: 'control_cancel_request', request_id: id });

/** A folder that is gone after the test. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function puppet(): Promise<Puppet> {
  const path = join(scratch(), 's');
  const heard: string[] = [];
  const told: Json[] = [];
  const taken = new Set<number>();
  let socket: Socket | undefined;
  let gone = false;
  let orders = 0;
  let waiting: (() => void)[] = [];
  const stir = (): void => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  /** Until something is so; only what the program says, or its end, can make it so. */
  const when = async (met: () => boolean): Promise<void> => {
    while (!met()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const server: Server = createServer((connection) => {
    socket = connection;
    connection.on('error', () => connection.destroy());
    connection.on('close', () => {
      gone = true;
      stir();
    });
    createInterface({ input: connection, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      const frame = JSON.parse(line) as Json;
      if (typeof frame['line'] === 'string') heard.push(frame['line']);
      else told.push(frame);
      stir();
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    socket?.destroy();
    server.close();
  });

  const hello = async () => {
    await when(() => told[0] !== undefined);
    return told[0] as never;
  };
  const order = async (what: Order): Promise<void> => {
    await hello();
    const done = ++orders;
    socket?.write(`${JSON.stringify({ ...what, done })}\n`);
    await when(() => gone || told.some((frame) => frame['done'] === done));
  };
  const hear = async (is: (message: Json) => boolean = () => true): Promise<Json> => {
    let found = -1;
    await when(() => {
      found = heard.findIndex((line, at) => !taken.has(at) && is(JSON.parse(line) as Json));
      if (found >= 0) taken.add(found);
      return found >= 0;
    });
    return JSON.parse(heard[found] as string) as Json;
  };
  const say = (...messages: readonly unknown[]) =>
    order({ write: [messages.map((message) => `${JSON.stringify(message)}\n`).join('')] });
  return {
    socket: path,
    hello,
    heard,
    told,
    order,
    say,
    hear,
    async ask(id, asked) {
      await say(request(id, asked));
      return (await hear(isReply(id)))['response'] as Json;
    },
    answersTo: (id) => heard.map((line) => JSON.parse(line) as Json).filter(isReply(id)),
    gone: () => gone,
  };
}
