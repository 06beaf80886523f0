import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { ending } from '../../emit/redact/total.js';
import { hookVariables } from '../../values/user-folders.js';
import { doneWithin } from '../../values/waiting/timer.js';
import { type Child, launch } from '../command/launch.js';
import { adoptGroup, type ProcessGroup } from '../command/process-group.js';
import { freshMark, markVariable } from '../command/run-mark.js';
import { createLines } from './lines.js';
import type { McpStdioServer } from './server-options.js';

/** Milliseconds that a server has to end by itself once its stdin is closed. */
const GRACE = 500;
/** Milliseconds of ending after which a server counts as killed; just below the 1.5 s between SIGTERM and SIGKILL. */
const TOLD = 1_400;
/** How long, in milliseconds, stdout is read after the server has ended while a child holds it open. */
const DRAIN = 100;
/** How many characters of the end of stderr an error quotes. */
const TAIL = 500;

export interface StdioOptions {
  /** The most bytes of one message. */
  readonly limit: number;
  /** Called when the server sends a longer message. */
  readonly onTooLarge: () => void;
  /** Called when the server does not end on request and is killed. */
  readonly onKill: () => void;
}

/**
 * Talks to a server over its stdin and stdout. The SDK's own transport ends only the program that it started and not that program's
 * children: a server started through `npx` or a shell would live on and hold this process's pipes open.
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

  /** The end of the server's stderr. */
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
    const all = { ...hookVariables(), ...env, ...markVariable(mark) } as Record<string, string>;
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
    // Read continuously, so that the server never blocks on a full pipe.
    stderr.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString('utf8')).slice(-2 * TAIL);
    });
    // The server no longer reads, so the next call must start a new one.
    stdin.on('error', close);
    for (const stream of [stdout, stderr]) stream.on('error', () => stream.destroy());
    stdout.once('close', close);
    // If the event loop was blocked, the timer fires before the pipe is read, so it gets one more turn.
    void exited.then(() => setTimeout(() => setImmediate(close), DRAIN));
  }

  #read(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      // Servers often print other things to stdout.
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

  /** Settles when the server and those of its processes that can be found are gone. */
  close(): Promise<void> {
    // Deferred, because `onclose` may call close() again before `#ended` is set.
    this.#ended ??= Promise.resolve().then(() => this.#end());
    return this.#ended;
  }

  async #end(): Promise<void> {
    // Waiting calls fail now instead of when the last process has ended.
    this.onclose?.();
    // close() may be called while the server is still starting.
    await this.#starting?.catch(() => undefined);
    if (this.#running === undefined) return;
    const { child, group, exited } = this.#running;
    child.stdin.end();
    await doneWithin(GRACE, exited);
    const ended = group.end('marked');
    if (!(await doneWithin(TOLD, ended))) this.#options.onKill();
    await ended;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
  }
}
