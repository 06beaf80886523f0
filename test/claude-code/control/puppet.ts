import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export type Json = Record<string, unknown>;
export type Piece = string | { readonly fill: string; readonly times: number } | { readonly base64: string };

export const PUPPET = fileURLToPath(new URL('../../fixtures/control/puppet.mjs', import.meta.url));
/** A shell that only passes on what it reads and what it is to write: a twentieth of what it costs to start Node. */
export const RELAY = fileURLToPath(new URL('../../fixtures/control/relay.sh', import.meta.url));

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
  /** The program. */
  readonly path: string;
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

/** What any of them can do, on top of how it carries out orders; `heard` and `told` are filled by `met`. */
function puppetOf(path: string, socket: string, order: Puppet['order'], state: State): Puppet {
  const { heard, told, when } = state;
  const taken = new Set<number>();
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
    path,
    socket,
    async hello() {
      await when(() => told[0] !== undefined);
      return told[0] as never;
    },
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
    gone: () => state.gone,
  };
}

/** What has come from a program so far. */
class State {
  readonly heard: string[] = [];
  readonly told: Json[] = [];
  socket: Socket | undefined;
  gone = false;
  #waiting: (() => void)[] = [];

  stir(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const wake of woken) wake();
  }

  /** Until something is so; only what the program says, or its end, can make it so. */
  when = async (met: () => boolean): Promise<void> => {
    while (!met()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  };

  /** Waits for the program, which says its lines over one connection, until the test is finished. */
  async listen(at: string | number, line: (text: string) => void): Promise<Server> {
    const server = createServer((connection) => {
      this.socket = connection;
      connection.on('error', () => connection.destroy());
      connection.on('close', () => {
        this.gone = true;
        this.stir();
      });
      createInterface({ input: connection, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (text) => {
        line(text);
        this.stir();
      });
    });
    await new Promise<void>((resolve) =>
      typeof at === 'string' ? server.listen(at, resolve) : server.listen(at, '127.0.0.1', resolve),
    );
    onTestFinished(() => {
      this.socket?.destroy();
      server.close();
    });
    return server;
  }
}

/** One that does all that it is ordered to. */
export async function puppet(): Promise<Puppet> {
  const path = join(scratch(), 's');
  const state = new State();
  await state.listen(path, (text) => {
    const frame = JSON.parse(text) as Json;
    if (typeof frame['line'] === 'string') state.heard.push(frame['line']);
    else state.told.push(frame);
  });
  let orders = 0;
  const order = async (what: Order): Promise<void> => {
    await state.when(() => state.told[0] !== undefined);
    const done = ++orders;
    state.socket?.write(`${JSON.stringify({ ...what, done })}\n`);
    await state.when(() => state.gone || state.told.some((frame) => frame['done'] === done));
  };
  return puppetOf(PUPPET, path, order, state);
}

/** One that only says what it is told to, and ends with its input: for what is said, where the program itself is not the subject. */
export async function relay(): Promise<Puppet> {
  const state = new State();
  const server = await state.listen(0, (text) => {
    if (state.told[0] === undefined) state.told.push({ pid: Number(text) });
    else state.heard.push(text);
  });
  const order = async ({ write = [], ...more }: Order): Promise<void> => {
    if (Object.keys(more).length > 0) throw new Error('it only writes; `puppet()` does more');
    await state.when(() => state.told[0] !== undefined);
    for (const piece of write) {
      await new Promise<void>((resolve) => state.socket?.write(bytesOf(piece), () => setImmediate(resolve)));
    }
  };
  return puppetOf(RELAY, String((server.address() as AddressInfo).port), order, state);
}

function bytesOf(piece: Piece): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece);
  return 'base64' in piece ? Buffer.from(piece.base64, 'base64') : Buffer.alloc(piece.times, piece.fill);
}
