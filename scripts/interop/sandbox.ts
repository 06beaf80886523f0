// A scratch folder with a home, a configuration and a project of its own: the programs see nothing of this machine's user.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type ClaudeClient, type ClaudeMessage, type ConnectOptions, connectClaude } from '../../src/claude-code.js';
import { createHost, type HookAlarm, type Hooks, type Host } from '../../src/index.js';
import { type ModelServer, type ScriptedTurn, startModelServer } from './model-server.js';

export interface Programs {
  /** The CLI's executable. */
  readonly claude: string;
}

export interface Sandbox {
  readonly project: string;
  readonly server: ModelServer;
  /** The whole environment of a program that runs in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a file of the project exists. */
  has(file: string): boolean;
  read(file: string): Promise<string>;
  close(): Promise<void>;
}

/** `files`: path in the project -> text. */
export async function openSandbox(
  script: Readonly<Record<string, readonly ScriptedTurn[]>>,
  files: Readonly<Record<string, string>> = {},
): Promise<Sandbox> {
  const root = await mkdtemp(join(tmpdir(), 'hookscope-interop-'));
  const project = join(root, 'project');
  for (const folder of ['home', 'config', 'tmp', 'project']) await mkdir(join(root, folder));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
  const server = await startModelServer(script);
  return {
    project,
    server,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: join(root, 'home'),
      CLAUDE_CONFIG_DIR: join(root, 'config'),
      CLAUDE_CODE_TMPDIR: join(root, 'tmp'),
      TMPDIR: join(root, 'tmp'),
      ANTHROPIC_API_KEY: 'dummy',
      ANTHROPIC_BASE_URL: server.url,
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    has: (file) => existsSync(join(project, file)),
    read: (file) => readFile(join(project, file), 'utf8'),
    close: async () => {
      await server.close();
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export interface Talk extends Sandbox {
  readonly host: Host;
  readonly client: ClaudeClient;
  /** What was done and had not been decided, so far. */
  readonly alarms: readonly HookAlarm[];
  /** One prompt; all messages up to and with its result. */
  ask(prompt: string): Promise<ClaudeMessage[]>;
}

export type TalkOptions = Omit<ConnectOptions, 'host' | 'executable' | 'env' | 'cwd'> & {
  readonly script: Readonly<Record<string, readonly ScriptedTurn[]>>;
  readonly hooks?: Hooks;
  readonly files?: Readonly<Record<string, string>>;
  /** Called before the program starts. */
  readonly watch?: (host: Host) => void;
  /** Makes the project a git repository with one commit. */
  readonly git?: boolean;
  /** Of the session; default `acceptEdits`, in which a redirection into the project asks nobody. */
  readonly mode?: string;
  /** It looks at the alarms itself; else there must be none. */
  readonly alarms?: true;
};

/** The real program in a sandbox, under a host with these hooks. */
export async function talk(
  programs: Programs,
  {
    script,
    hooks = {},
    files,
    watch,
    git = false,
    mode = 'acceptEdits',
    alarms: expected,
    args = [],
    ...options
  }: TalkOptions,
  play: (talk: Talk) => Promise<void>,
): Promise<void> {
  const sandbox = await openSandbox(script, files);
  if (git) await makeRepository(sandbox);
  const warnings: string[] = [];
  const alarms: HookAlarm[] = [];
  const host = createHost({
    logger: (text) => warnings.push(String(text)),
    onAlarm: (alarm) => void alarms.push(alarm),
  });
  host.register(hooks, { name: 'interop' });
  watch?.(host);
  const client = await connectClaude({
    host,
    executable: programs.claude,
    env: sandbox.env,
    cwd: sandbox.project,
    args: ['--model', 'claude-sonnet-4-5', '--permission-mode', mode, ...args],
    ...options,
  });
  const ask = async (prompt: string): Promise<ClaudeMessage[]> => {
    const messages: ClaudeMessage[] = [];
    for await (const message of client.query(prompt)) messages.push(message);
    return messages;
  };
  try {
    await play({ ...sandbox, host, client, alarms, ask });
    if (!expected && alarms.length > 0) throw new Error(`an alarm: ${alarms[0]?.message}`);
  } catch (error) {
    if (warnings.length > 0) console.error(`  warnings: ${warnings.join(' | ')}`);
    throw error;
  } finally {
    await client.close();
    await host.close();
    await sandbox.close();
  }
}

async function makeRepository({ project, env }: Sandbox): Promise<void> {
  const run = promisify(execFile);
  const person = ['-c', 'user.name=nobody', '-c', 'user.email=nobody@example.com'];
  await run('git', ['init', '--quiet'], { cwd: project, env });
  await run('git', [...person, 'commit', '--quiet', '--allow-empty', '--message', 'x'], { cwd: project, env });
}

/** The result that ends a turn. */
export const resultOf = (messages: readonly ClaudeMessage[]): ClaudeMessage => messages.at(-1) ?? { type: 'none' };
