// 23 hooks before the shell tool: what the real agent does after each, asked by the agent itself and through hookscope.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { thinCommand } from '../../../src/server/client/thin.js';
import {
  type Case,
  casesOf,
  commandOf,
  dispatcher,
  HOOK_SECONDS,
  hasReason,
  hooksFileOf,
  reasonOf,
  recordedOf,
  writeCases,
} from './cases.js';
import type { Call } from './model.js';
import { openPlace, type Place, type Program, type Run, runProgram } from './programs.js';

/** The agent alone; `hookscope hook` by itself, once for each call; the same with a warm server. */
export const MODES = ['direct', 'stateless', 'server'] as const;
export type Mode = (typeof MODES)[number];

const HOOKSCOPE = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

/** What became of one call. */
export interface Outcome {
  readonly did: 'ran' | 'blocked' | 'rewritten' | 'hung' | 'not called';
  /** Why it was refused was in what the model received. */
  readonly told: boolean;
}

/** The command that the agent's configuration has for an event, through hookscope. */
export function throughUs(program: Program, place: Place, event: string, hooks: string): string {
  return thinCommand(event, { as: program.name, set: { hooks: [hooks] }, cwd: place.project, env: { ...place.env } });
}

/** A warm server with these hooks, until `end`. */
export function serve(place: Place, hooks: string): Promise<{ end(): Promise<void> }> {
  const args = [HOOKSCOPE, 'serve', '--hooks', hooks];
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: place.project,
    env: { ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return new Promise((resolve, reject) => {
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (/^hookscope serves on/m.test(text)) resolve({ end });
      });
    void ended.then(() => reject(new Error(`hookscope serve ended: ${text}`)));
  });
}

/** What was done and had not been decided, as the records say: there is none, or something is wrong. */
export async function noAlarms(place: Place): Promise<void> {
  const options = { cwd: place.project, env: { ...place.env } };
  const { stdout } = await promisify(execFile)(process.execPath, [HOOKSCOPE, 'history', '--alarms', '--json'], options);
  if (stdout.trim() !== '') throw new Error(`an alarm: ${stdout.trim().split('\n')[0]}`);
}

/** One run for all of them, and one for the question that nobody is there to answer. */
export async function beforeTool(
  program: Program,
  path: string,
  mode: Mode,
  event = recordedOf(program.name).before_tool.event,
): Promise<Readonly<Record<string, Outcome>>> {
  const own = casesOf(mode === 'direct' ? program.name : 'codex');
  const outcomes: Record<string, Outcome> = {};
  for (const cases of [own.filter(({ name }) => name !== 'ask'), own.filter(({ name }) => name === 'ask')])
    Object.assign(outcomes, await play(program, path, mode, event, cases));
  return outcomes;
}

async function play(
  program: Program,
  path: string,
  mode: Mode,
  event: string,
  cases: readonly Case[],
): Promise<Record<string, Outcome>> {
  const place = openPlace();
  const scripts = writeCases(place, cases);
  const hooks = place.write('hooks.json', JSON.stringify(hooksFileOf(scripts)));
  const direct = `sh ${place.write('direct.sh', dispatcher(scripts))}`;
  const command = mode === 'direct' ? direct : throughUs(program, place, event, hooks);
  const server = mode === 'server' ? await serve(place, hooks) : undefined;
  try {
    const main = cases.map((one, i): Call => ({ id: `call_${i}`, ...program.shell(commandOf(one)) }));
    const run = await runProgram({
      program,
      path,
      place,
      script: { main },
      hooks: { [event]: command },
      seconds: mode === 'direct' ? HOOK_SECONDS : 30,
      ...(cases.length === 1 ? { most: 30 } : {}),
    });
    if (server) await noAlarms(place);
    const lines = place.read('ran').split('\n');
    if (process.env['INTEROP_DEBUG']) console.error(run.output.slice(-3000));
    return Object.fromEntries(cases.map((one, i) => [one.name, outcomeOf(one, i, run, lines)]));
  } finally {
    await server?.end();
    place.remove();
  }
}

function outcomeOf(one: Case, index: number, { asked, hung }: Run, lines: readonly string[]): Outcome {
  const results = asked.at(-1)?.results ?? [];
  const received = results[index] ?? '';
  const told = hasReason(one) && received.includes(reasonOf(one));
  if (asked.length <= index) return { did: 'not called', told };
  if (lines.includes(`${one.name} ran`)) return { did: 'ran', told };
  if (received.includes('hello-rewritten')) return { did: 'rewritten', told };
  return { did: hung && results.length <= index ? 'hung' : 'blocked', told };
}
