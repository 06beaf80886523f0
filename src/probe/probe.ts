import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { HookscopeError } from '../errors.js';
import { findProgram, isProgram } from '../files/find-program.js';
import { adoptGroup } from '../handlers/command/process-group.js';
import { ownFolder } from '../plugins/own-folder.js';
import { messageOf } from '../values/waiting/promises.js';
import type { ProbedAgent } from './agents/agent.js';
import type { InsideMessage, ProbeObservations, ProbePlan } from './inside.js';
import type { Isolation } from './isolation.js';
import { passedOn } from './place.js';
import { policyFiles } from './policies.js';
import { type ProbeReport, reportOf } from './report.js';
import type { ProbeMode } from './through.js';

/** How long the driving process may take to end its agent when told to stop, in milliseconds. */
const GRACE = 5000;

export interface ProbeOptions {
  readonly agent: ProbedAgent;
  /** Its executable (`findAgent`). */
  readonly path: string;
  readonly modes: readonly ProbeMode[];
  /** Whether to test other events too. */
  readonly everything: boolean;
  /** Another name of the event before the tool. */
  readonly event?: string;
  /** How long the agent may be idle, in milliseconds. */
  readonly patience: number;
  /** undefined: the network stays open, to which the caller has consented. */
  readonly isolation: Isolation | undefined;
  readonly signal: AbortSignal;
  /** Reports progress, line by line. */
  tell(text: string): void;
}

/** The given executable, or the agent's on the PATH. Throws INVALID_OPTIONS if there is none. */
export function findAgent({ title, program }: ProbedAgent, named: string | undefined, env: NodeJS.ProcessEnv): string {
  if (named !== undefined) {
    const path = resolve(named);
    if (isProgram(path)) return path;
    throw new HookscopeError('INVALID_OPTIONS', {
      where: '--agent-path',
      expected: `expected the executable of ${title}, and ${path} is none`,
    });
  }
  const found = findProgram(program, env);
  if (found !== undefined) return found;
  throw new HookscopeError('INVALID_OPTIONS', {
    where: '--probe',
    expected: `expected ${program} on the PATH, and it is not there; name the executable of ${title} with --agent-path`,
  });
}

/**
 * Drives the agent in folders of its own, against a model on loopback, and reports what it observed. A separate process does it,
 * without a network if that is possible. Afterwards no process and no folder is left. Throws PROBE_FAILED if the agent could not be driven.
 */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const { agent, path, isolation } = options;
  const policies = policyFiles(agent);
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-probe-'));
  const remove = (): void => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      options.tell(`${folder} could not be removed: ${messageOf(error)}`);
    }
  };
  process.once('exit', remove);
  try {
    const seen = await drive(options, folder, {
      agent: agent.name,
      path,
      folder,
      modes: options.modes,
      everything: options.everything,
      ...(options.event === undefined ? {} : { event: options.event }),
      patience: options.patience,
      policies: policies.map(({ file }) => file),
    });
    const network = isolation ? { blocked: true, how: isolation.how } : { blocked: false, how: 'open' };
    const date = new Date().toISOString().slice(0, 10);
    return reportOf({ agent: agent.name, program: path, network, policies, seen, date });
  } finally {
    process.off('exit', remove);
    remove();
  }
}

async function drive(
  { agent, isolation, signal, tell }: ProbeOptions,
  cwd: string,
  plan: ProbePlan,
): Promise<ProbeObservations> {
  const [program = '', ...args] = [
    ...(isolation?.words ?? []),
    process.execPath,
    join(ownFolder(), 'dist/probe-inside.js'),
  ];
  const child = spawn(program, args, {
    cwd,
    env: passedOn(process.env),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()));
  const group = child.pid === undefined ? undefined : adoptGroup(child.pid, { atExit: 'tree' });
  const end = async (): Promise<void> => {
    child.stdin.end();
    await Promise.race([gone, sleep(GRACE, undefined, { ref: false })]);
    await group?.end('tree');
  };
  const fail = (problem: string): HookscopeError => new HookscopeError('PROBE_FAILED', { agent: agent.title, problem });
  child.stdin.on('error', () => undefined);
  let complaint = '';
  child.stderr.on('data', (piece: Buffer) => (complaint = (complaint + piece.toString()).slice(-2000)));
  const abort = (): void => void child.stdin.end();
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    child.stdin.write(`${JSON.stringify(plan)}\n`);
    for await (const line of createInterface({ input: child.stdout })) {
      const message = JSON.parse(line) as InsideMessage;
      if (signal.aborted) break;
      if (message.type === 'tell') tell(message.text);
      if (message.type === 'seen') return message.seen;
      if (message.type === 'failed') throw fail(message.message);
      if (message.type === 'ready' && isolation !== undefined && message.open.length > 0)
        throw fail(`its network should be blocked (${isolation.how}), and ${message.open.join(', ')} is open`);
    }
    signal.throwIfAborted();
    throw fail(`the process that drives it has ended${complaint === '' ? '' : `: ${complaint.trim().slice(-500)}`}`);
  } catch (error) {
    throw error instanceof HookscopeError || signal.aborted ? error : fail(messageOf(error));
  } finally {
    signal.removeEventListener('abort', abort);
    await end();
  }
}
