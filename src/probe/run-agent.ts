import { spawn } from 'node:child_process';
import { adoptGroup } from '../handlers/command/process-group.js';
import { freshMark, markVariable } from '../handlers/command/run-mark.js';
import { timerMs } from '../values/waiting/timer.js';
import type { ProbedAgent } from './agents/agent.js';
import { type ModelScript, type ScriptedRequest, startModel } from './model/model.js';
import type { ProbeFolders } from './place.js';

/** The most characters of an agent's output that are kept; the middle is cut out. */
const KEPT = 100_000;
/** A run is killed after this many times `patience`. */
const LONGEST = 15;

/** The agent to drive, and how long it may be idle. */
export interface ProbeDriver {
  readonly agent: ProbedAgent;
  /** Its executable. */
  readonly path: string;
  /** How long the agent may be idle, in milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
  /** Creates new folders for a run. */
  open(): ProbeFolders;
  /** Called after each run with its output. */
  heard(printed: string): void;
  /** Called with a problem that is not a hook's answer. */
  problem(text: string): void;
}

export interface ProbeRun {
  readonly asked: readonly ScriptedRequest[];
  /** The program's output, shortened in the middle. */
  readonly printed: string;
  /** Whether it hung and had to be killed. */
  readonly hung: boolean;
  /** Its exit code or signal. */
  readonly end: string;
}

export interface ProbeRunOptions {
  readonly place: ProbeFolders;
  readonly script: ModelScript;
  /** A command for each event, by the agent's own names. */
  readonly hooks: Readonly<Record<string, string>>;
  /** The time limit of a hook in seconds. */
  readonly seconds: number;
}

/** Runs the real program once, with one prompt. All processes that it started are ended with it. */
export async function runProbed(
  driven: ProbeDriver,
  { place, script, hooks, seconds }: ProbeRunOptions,
): Promise<ProbeRun> {
  const { agent } = driven;
  let watched: RunMonitor = { alive: () => undefined, over: () => undefined };
  const model = await startModel(
    script,
    () => watched.alive(),
    () => watched.over(),
  );
  try {
    for (const [file, text] of Object.entries(agent.files(model.port, hooks, seconds))) place.write(file, text);
    const env = { ...place.env, ...agent.env(model.port, place.folder) };
    const args = agent.args('say hello');
    const run = await watch(driven, { args, env, cwd: place.project }, (found) => (watched = found));
    driven.heard(run.printed);
    return { ...run, asked: model.asked };
  } finally {
    await model.close();
  }
}

/** The version that the program reports; `unknown` if it reports none. */
export async function versionOf(driven: ProbeDriver): Promise<string> {
  const { project, env, folder } = driven.open();
  const options = { args: ['--version'], env: { ...env, ...driven.agent.env(1, folder) }, cwd: project };
  const { printed } = await watch(driven, options, () => undefined);
  driven.heard(printed);
  return versionIn(printed);
}

/** The version in a program's output. A long suffix is cut, because a program may print anything. */
export function versionIn(printed: string): string {
  const found = /\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][\w.-]*\w)?/.exec(printed)?.[0] ?? 'unknown';
  return found.length <= LONGEST_VERSION ? found : `${found.slice(0, LONGEST_VERSION - 1)}…`;
}

const LONGEST_VERSION = 60;

/** How the model tells the watcher of a run about it. */
interface RunMonitor {
  alive(): void;
  /** The run will never end by itself. */
  over(): void;
}

interface AgentLaunch {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Runs the program until it ends, or is idle for too long. */
async function watch(
  { path, patience, signal }: ProbeDriver,
  { args, env, cwd }: AgentLaunch,
  onStart: (watched: RunMonitor) => void,
): Promise<Omit<ProbeRun, 'asked'>> {
  signal.throwIfAborted();
  const mark = freshMark();
  const child = spawn(path, args, {
    cwd,
    env: { ...env, ...markVariable(mark) },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  if (child.pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    throw new Error(`It could not be started: ${error.message}.`);
  }
  const group = adoptGroup(child.pid, { mark, atExit: 'tree' });
  child.stdin.on('error', () => undefined);
  child.stdin.end();
  let printed = '';
  let hung = false;
  const stop = (): void => void group.end('marked');
  const over = (): void => {
    hung = true;
    stop();
  };
  let timer = setTimeout(over, timerMs(patience));
  const longest = setTimeout(over, timerMs(patience * LONGEST));
  const alive = (): void => {
    clearTimeout(timer);
    if (!hung) timer = setTimeout(over, timerMs(patience));
  };
  onStart({ alive, over });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      alive();
      printed += piece.toString();
      if (printed.length > KEPT) printed = `${printed.slice(0, KEPT / 2)} … ${printed.slice(-KEPT / 4)}`;
    });
  signal.addEventListener('abort', stop);
  // `exit`, not `close`, because processes that it started may hold its output open.
  const [code, by] = await new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('exit', (...end) => resolve(end)),
  );
  clearTimeout(timer);
  clearTimeout(longest);
  signal.removeEventListener('abort', stop);
  await group.end('marked');
  signal.throwIfAborted();
  return {
    printed,
    hung,
    end: hung ? `did nothing for ${patience / 1000} s` : `ended with ${by ?? `exit code ${code}`}`,
  };
}
