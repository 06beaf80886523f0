// How each agent is run without a network and a person: a home and a project of its own, a scripted model, one hook for each event.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Asked, type Call, startModel, type Turn } from './model.js';

/** What differs from agent to agent. */
export interface Program {
  readonly name: 'codex' | 'copilot' | 'gemini';
  readonly title: string;
  /** The tools of a shell and for a subagent, in its words. */
  shell(command: string): Pick<Call, 'tool' | 'input'>;
  /** The calls that start a subagent with a prompt and wait for it; undefined: hooks are told of none. */
  readonly subagent?: (prompt: string) => readonly Turn[];
  /** Another name of the event before a tool, under which the payload is another (Copilot). */
  readonly alsoNamed?: string;
  /** Events of ours that it does not fire where no person is. */
  readonly unasked?: readonly string[];
  /** Files of its configuration, with a command for each event. `seconds`: what the agent gives a hook. */
  files(port: number, hooks: Readonly<Record<string, string>>, seconds: number): Readonly<Record<string, string>>;
  env(port: number, root: string): Readonly<Record<string, string>>;
  args(prompt: string): readonly string[];
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 1);
const mapped = (hooks: Readonly<Record<string, string>>, of: (command: string) => unknown): object =>
  Object.fromEntries(Object.entries(hooks).map(([event, command]) => [event, [of(command)]]));

const codex: Program = {
  name: 'codex',
  title: 'Codex CLI',
  unasked: ['PermissionRequest'],
  shell: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
  subagent: (message) => [
    { id: 'spawn', tool: 'spawn_agent', namespace: 'multi_agent_v1', input: { message } },
    ({ text }) => ({
      id: 'wait',
      tool: 'wait_agent',
      namespace: 'multi_agent_v1',
      input: { targets: [/agent_id\W+([0-9a-f-]{36})/.exec(text)?.[1]], timeout_ms: 60_000 },
    }),
  ],
  files: (port, hooks, timeout) => ({
    'config/config.toml': `model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
`,
    'config/hooks.json': json({
      hooks: mapped(hooks, (command) => ({ hooks: [{ type: 'command', command, timeout }] })),
    }),
  }),
  env: (_, root) => ({ CODEX_HOME: join(root, 'config') }),
  args: (prompt) => [
    'exec',
    '--dangerously-bypass-hook-trust',
    '--dangerously-bypass-approvals-and-sandbox',
    '--skip-git-repo-check',
    '--json',
    prompt,
  ],
};

const copilot: Program = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  alsoNamed: 'PreToolUse',
  shell: (command) => ({ tool: 'bash', input: { command, description: 'd' } }),
  subagent: (prompt) => [
    {
      id: 'spawn',
      tool: 'task',
      input: { agent_type: 'explore', name: 'sub', description: 'd', prompt, mode: 'sync' },
    },
  ],
  files: (_, hooks, timeoutSec) => ({
    'project/.github/hooks/interop.json': json({
      version: 1,
      hooks: mapped(hooks, (bash) => ({ type: 'command', bash, timeoutSec })),
    }),
  }),
  env: (port, root) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_MODEL: 'mock',
    COPILOT_ALLOW_ALL: 'true',
    COPILOT_HOME: join(root, 'config'),
  }),
  args: (prompt) => ['-p', prompt, '--output-format', 'json', '--trust-folder'],
};

const gemini: Program = {
  name: 'gemini',
  title: 'Gemini CLI',
  shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'd' } }),
  files: (_, hooks, seconds) => ({
    'home/.gemini/settings.json': json({
      security: { auth: { selectedType: 'gemini-api-key' } },
      hooks: mapped(hooks, (command) => ({ hooks: [{ type: 'command', command, timeout: seconds * 1000 }] })),
    }),
  }),
  env: (port) => ({
    GEMINI_API_KEY: 'x',
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  args: (prompt) => ['-m', 'gemini-2.5-flash', '--yolo', '-p', prompt, '--output-format', 'json'],
};

export const PROGRAMS: readonly Program[] = [codex, copilot, gemini];

/** A run's folders. */
export interface Place {
  readonly root: string;
  readonly project: string;
  /** The environment of everything that runs in it. */
  readonly env: Readonly<Record<string, string>>;
  write(path: string, text: string): string;
  /** A file of the project; '' where it is not there. */
  read(file: string): string;
  remove(): void;
}

export function openPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), 'hookscope-interop-'));
  for (const folder of ['home', 'config', 'project', 'state']) mkdirSync(join(root, folder));
  mkdirSync(join(root, 'run'), { mode: 0o700 });
  return {
    root,
    project: join(root, 'project'),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: join(root, 'home'),
      XDG_STATE_HOME: join(root, 'state'),
      XDG_RUNTIME_DIR: join(root, 'run'),
      XDG_CONFIG_HOME: join(root, 'home/.config'),
      XDG_CACHE_HOME: join(tmpdir(), 'hookscope-interop-cache'),
      TERM: 'dumb',
      NO_COLOR: '1',
    },
    write(path, text) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    read(file) {
      const path = join(root, 'project', file);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface Run {
  readonly asked: readonly Asked[];
  /** What the program printed. */
  readonly output: string;
  /** It had to be ended. */
  readonly hung: boolean;
}

export interface RunOptions {
  readonly program: Program;
  readonly path: string;
  readonly place: Place;
  readonly script: Readonly<Record<string, readonly Turn[]>>;
  /** A command for each event, by the agent's own names. */
  readonly hooks: Readonly<Record<string, string>>;
  /** What the agent gives a hook. */
  readonly seconds: number;
  /** Seconds after which it hangs. */
  readonly most?: number;
}

/** One run of the real program, with one prompt. */
export async function runProgram({
  program,
  path,
  place,
  script,
  hooks,
  seconds,
  most = 240,
}: RunOptions): Promise<Run> {
  const model = await startModel(script);
  for (const [file, text] of Object.entries(program.files(model.port, hooks, seconds))) place.write(file, text);
  const env = { ...place.env, ...program.env(model.port, place.root) };
  const child = spawn(path, program.args('say hello'), { cwd: place.project, env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()));
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, most * 1000);
  await ended(child);
  clearTimeout(timer);
  await model.close();
  return { asked: model.asked, output, hung };
}

/** Its own end: what it has started may hold its output open. */
const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('exit', resolve));

export async function versionOf(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['--version']);
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim();
}
