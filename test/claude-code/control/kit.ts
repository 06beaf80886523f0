import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { connectClaude } from '../../../src/claude-code/control/client/client.js';
import type { ClaudeClient } from '../../../src/claude-code/control/client/info.js';
import type { ConnectOptions } from '../../../src/claude-code/control/client/options.js';
import { type ControlServer, type ServeOptions, serveControl } from '../../../src/claude-code/control/server/server.js';
import type { Host } from '../../../src/create-host.js';
import type { ControlProblemRecord, HookRecord } from '../../../src/emit/record.js';
import { isRequest, type Json, type Puppet, puppet, relay, success } from './puppet.js';

/** What the recorded program answers to `initialize`, without its lists. */
export const READY = {
  commands: [],
  agents: [],
  models: [],
  hooks_applied: true,
  hook_on_failure_supported: true,
  claude_code_version: '2.1.330',
};

export interface Connected {
  readonly client: ClaudeClient;
  readonly claude: Puppet;
  /** The request it was set up with. */
  readonly setUp: Json;
  /** The id of our callback for an event. */
  callback(event: string): string;
  /** Asks that callback; the answer's `response`. */
  fire(event: string, input: Json, more?: Json): Promise<Json>;
  /** The request that asks that callback. */
  asking(event: string, input: Json, more?: Json): Json;
}

export type Options = Omit<ConnectOptions, 'host'>;

/** A client whose program has said it is ready, and says what it is told to; it is closed after the test. */
export async function connect(host: Host, options: Options = {}, ready: Json = READY): Promise<Connected> {
  return connectTo(await relay(), host, options, ready);
}

/** The same with a program that does more than that: it ends when and how it is told to, writes to stderr, closes a pipe. */
export async function connectPuppet(host: Host, options: Options = {}, ready: Json = READY): Promise<Connected> {
  return connectTo(await puppet(), host, options, ready);
}

async function connectTo(claude: Puppet, host: Host, options: Options, ready: Json): Promise<Connected> {
  const connecting = connectClaude({
    host,
    executable: claude.path,
    cwd: process.cwd(),
    ...options,
    args: [...(options.args ?? []), claude.socket],
  });
  const setUp = await Promise.race([claude.hear(isRequest('initialize')), connecting.then(never)]);
  await claude.say(success(setUp['request_id'], ready));
  const client = await connecting;
  onTestFinished(async () => {
    await client.close();
  });
  const callback = (event: string): string => {
    const hooks = (setUp['request'] as Json)['hooks'] as Record<string, { hookCallbackIds: string[] }[]>;
    const id = hooks[event]?.[0]?.hookCallbackIds[0];
    if (id === undefined) throw new Error(`no callback for ${event}`);
    return id;
  };
  const asking = (event: string, input: Json, more: Json = {}): Json => ({
    subtype: 'hook_callback',
    callback_id: callback(event),
    input: { ...BASE, hook_event_name: event, ...input },
    ...more,
  });
  let asked = 0;
  return {
    client,
    claude,
    setUp,
    callback,
    asking,
    fire: (event, input, more) => claude.ask(`q${++asked}`, asking(event, input, more)),
  };
}

export const BASE = { session_id: 'S1', transcript_path: '/t/S1.jsonl', cwd: '/w', permission_mode: 'default' };

export const bash = (command: string, id = 'toolu_1'): Json => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: id,
});

const never = (): never => {
  throw new Error('it was connected before it was set up');
};

export const isProblem = (record: HookRecord): record is ControlProblemRecord =>
  'subtype' in record && record.subtype === 'control_problem';

/** Everything a host tells, from now on. */
export function tapped(host: Host): HookRecord[] {
  const seen: HookRecord[] = [];
  host.events$.subscribe((record) => seen.push(record));
  return seen;
}

export const problems = (seen: readonly HookRecord[]): ControlProblemRecord[] => seen.filter(isProblem);

/** Every message of a query. */
export async function all<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const message of messages) list.push(message);
  return list;
}

export interface Served {
  readonly server: ControlServer;
  /** The other side, which drives ours. */
  readonly sdk: Puppet;
  readonly child: ChildProcess;
}

/** Our end for an agent, with a real program at the other end of real pipes: one that says what it is told to, or `puppet`. */
export async function serve(
  host: Host,
  options: Omit<ServeOptions, 'host' | 'input' | 'output'> = {},
  other: () => Promise<Puppet> = relay,
): Promise<Served> {
  const sdk = await other();
  const command = sdk.path.endsWith('.mjs') ? [process.execPath, sdk.path] : [sdk.path];
  const child = spawn(command[0] as string, [...command.slice(1), sdk.socket], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const server = serveControl({ input: child.stdout, output: child.stdin, host, ...options });
  return { server, sdk, child };
}
