import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { processes } from '../handlers/shell-call.js';
import { once } from '../once.js';

const ROOT = new URL('../../', import.meta.url);
const EXAMPLE = new URL('examples/agent/', ROOT).pathname;
export const AGENT = `${EXAMPLE}agent.mjs`;

/** In a process of its own, as `built.ts` says. */
const BUNDLE = `
  import { rolldown } from 'rolldown';
  const [input, dirname, dir] = process.argv.slice(1);
  const asBuilt = {
    name: 'hookscope stays as it is built',
    resolveId: (id) => (/^hookscope(?=$|\\/)/.test(id) ? { id: import.meta.resolve(id), external: true } : undefined),
  };
  const define = { 'import.meta.dirname': JSON.stringify(dirname) };
  const bundle = await rolldown({ input, platform: 'node', plugins: [asBuilt], transform: { define } });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', minify: { mangle: false } });
`;
/**
 * The agent in one file with the packages that it imports, hookscope aside: a start of the example itself spends most of its time on
 * their hundreds of files. Once a run.
 */
export const bundledAgent = (): Promise<string> =>
  once('example-agent', async (folder) => {
    const args = ['--input-type=module', '--eval', BUNDLE, AGENT, EXAMPLE, folder];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    const program = join(folder, 'agent.mjs');
    chmodSync(program, 0o755);
    return program;
  });

export type Json = Readonly<Record<string, unknown>>;
export interface Turn {
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly input: Json }[];
}
interface Question extends Json {
  readonly model: string;
  readonly messages: readonly Json[];
}
type StartModel = (file: string, seen: (question: Question) => unknown) => Promise<{ url: string; close(): unknown }>;

export const bash = (command: string) => ({ name: 'Bash', input: { command } });
export const acceptEdits = ['--permission-mode', 'acceptEdits'];
/** Whether a process runs whose command line holds that. */
export const running = (marker: string): boolean => processes(marker).length > 0;
export async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** A folder to work in, and a model that says what the scenario says and keeps what it was asked. */
export interface Place {
  readonly folder: string;
  /** `bundledAgent`. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the model was asked, in order, with the messages as text. */
  readonly asked: { readonly agent: string; readonly model: string; readonly text: string }[];
  has(file: string): boolean;
  /** From now on the model answers nothing. */
  silence(): void;
  closeModel(): Promise<void>;
}

export async function place(scenario: Readonly<Record<string, readonly Turn[]>>): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'driven-agent-'));
  const home = mkdtempSync(join(tmpdir(), 'driven-home-'));
  const file = join(home, 'scenario.json');
  writeFileSync(file, JSON.stringify(scenario));
  const asked: Place['asked'] = [];
  let silent: Promise<void> | undefined;
  const path = new URL('examples/agent/scripted-model.mjs', ROOT).href;
  const { startScriptedModel } = (await import(path)) as { startScriptedModel: StartModel };
  const server = await startScriptedModel(file, ({ metadata, model, messages }) => {
    asked.push({ agent: String((metadata as Json)['user_id']), model, text: JSON.stringify(messages) });
    return silent;
  });
  let closing: Promise<void> | undefined;
  const closeModel = (): Promise<void> => {
    closing ??= Promise.resolve(server.close()).then(() => undefined);
    return closing;
  };
  onTestFinished(async () => {
    await closeModel();
    for (const path of [folder, home]) rmSync(path, { recursive: true, force: true });
  });
  const { PATH = '' } = process.env;
  return {
    folder,
    program: await bundledAgent(),
    env: { PATH, HOME: home, ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: server.url },
    asked,
    has: (name) => existsSync(join(folder, name)),
    silence: () => {
      silent = new Promise(() => undefined);
    },
    closeModel,
  };
}

export const ARGS = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

export interface Driven {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything it has printed, a message a line. */
  readonly lines: Json[];
  readonly ended: Promise<number | null>;
  say(message: object): void;
  /** The first message like that, waited for. */
  hear(wanted: (message: Json) => boolean): Promise<Json>;
}

/** The agent as a program of its own, driven by lines that are written by hand. */
export function drive({ folder, env, program }: Place, args: readonly string[] = []): Driven {
  const child = spawn(process.execPath, [program, ...ARGS, ...args], { cwd: folder, env });
  const lines: Json[] = [];
  let arrived: () => void = () => undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Json);
    arrived();
  });
  let stderr = '';
  child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    lines,
    ended,
    say: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
    async hear(wanted) {
      for (;;) {
        const found = lines.find(wanted);
        if (found) return found;
        const more = new Promise<boolean>((resolve) => {
          arrived = () => resolve(true);
        });
        if (!(await Promise.race([more, ended.then(() => false)])) && !lines.some(wanted))
          throw new Error(
            `it ended without that; it wrote: ${stderr}\n${lines.map((l) => JSON.stringify(l)).join('\n')}`,
          );
      }
    },
  };
}
