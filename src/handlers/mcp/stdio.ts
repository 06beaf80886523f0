import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { ending } from '../../emit/redact/part.js';
import { within } from '../../values/waiting/timer.js';
import { type Child, launch } from '../command/launch.js';
import { adoptGroup, type ProcessGroup } from '../command/process-group.js';
import { freshMark, markVariable } from '../command/run-mark.js';
import { createLines } from './lines.js';
import type { McpStdioServer } from './server-options.js';

/** Milliseconds in which a server may end by itself once its stdin has ended. */
const GRACE = 500;
/** Milliseconds after which one that was told to end is about to be killed. */
const TOLD = 1_400;
/** Milliseconds for what is still in its stdout when it has ended but a child of it holds that open. */
const DRAIN = 100;
/** Characters of a server's last words that an error repeats. */
const TAIL = 500;

export interface StdioOptions {
  /** Bytes of one message. */
  readonly limit: number;
  /** The server has sent a longer one. */
  readonly onTooLarge: () => void;
  /** It did not end when it was told to, and is killed. */
  readonly onKill: () => void;
}

/**
 * Speaks to a server over its stdin and stdout. The SDK's own transport ends the program that it started, and nothing that
 * this one has started: behind `npx` or a shell the server would go on, and hold the pipes of this process open.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: McpStdioServer;
  readonly #options: StdioOptions;
  #running: { readonly child: Child; readonly group: ProcessGroup; readonly exited: Promise<void> } | undefined;
  #starting: Promise<void> | undefined;
  #ended: Promise<void> | undefined;
  #said = '';

  constructor(server: McpStdioServer, options: StdioOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** The last that it wrote to stderr. */
  words(): string {
    return ending(this.#said, TAIL).trim();
  }

  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const { command, args = [], env, cwd = process.cwd() } = this.#server;
    const mark = freshMark();
    const all = { ...process.env, ...env, ...markVariable(mark) } as Record<string, string>;
    const launched = await launch({ file: command, args, shell: false, cwd, env: all });
    if ('error' in launched) throw launched.error;
    const { child } = launched;
    const group = adoptGroup(child.pid, { mark, atExit: 'tree' });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    this.#running = { child, group, exited };
    this.#listen(child, exited);
  }

  #listen({ stdin, stdout, stderr }: Child, exited: Promise<void>): void {
    const close = (): void => void this.close();
    const { limit, onTooLarge } = this.#options;
    stdout.on('data', createLines(limit, { onLine: (line) => this.#read(line), onTooLong: onTooLarge }));
    // It must never wait for a reader.
    stderr.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString('utf8')).slice(-2 * TAIL);
    });
    // It reads no more: the next call is to find another one.
    stdin.on('error', close);
    for (const stream of [stdout, stderr]) stream.on('error', () => stream.destroy());
    stdout.once('close', close);
    // One more turn of the loop after the time is up, because the pipe could not be read while it was blocked.
    void exited.then(() => setTimeout(() => setImmediate(close), DRAIN));
  }

  #read(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      // Servers print all kinds of things there.
      this.onerror?.(error as Error);
      return;
    }
    this.onmessage?.(message);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#running === undefined || this.#ended !== undefined) throw new Error('Not connected');
      const sent = (error: Error | null | undefined): void => (error ? reject(error) : resolve());
      this.#running.child.stdin.write(serializeMessage(message), sent);
    });
  }

  /** Settles when the server is gone, and all that it started and that can be found. */
  close(): Promise<void> {
    // Later, since what hears of it may close it too.
    this.#ended ??= Promise.resolve().then(() => this.#end());
    return this.#ended;
  }

  async #end(): Promise<void> {
    // Calls that wait fail now, and not when the last process has ended.
    this.onclose?.();
    // It may be told to end before it is known whether it runs.
    await this.#starting?.catch(() => undefined);
    if (this.#running === undefined) return;
    const { child, group, exited } = this.#running;
    child.stdin.end();
    await within(GRACE, exited);
    const ended = group.end('marked');
    if (!(await within(TOLD, ended))) this.#options.onKill();
    await ended;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
  }
}
