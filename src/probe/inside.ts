import { rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '../values/waiting/promises.js';
import { probedAgent } from './agents/agents.js';
import { beforeTool, type CallOutcomes } from './before-tool.js';
import { type AnswerReception, otherEvents } from './other-events.js';
import { openPlace } from './place.js';
import { type ProbeDriver, versionOf } from './run-agent.js';
import type { ProbeMode } from './through.js';

/** What to run and observe. */
export interface ProbePlan {
  readonly agent: string;
  /** Its executable. */
  readonly path: string;
  /** The folder in which each run gets its own folders. */
  readonly folder: string;
  readonly modes: readonly ProbeMode[];
  /** Whether to test other events too. */
  readonly everything: boolean;
  /** Another name of the event before the tool. */
  readonly event?: string;
  /** How long the agent may be idle, in milliseconds. */
  readonly patience: number;
  /** Paths of policy files; `named` of the result lists those that the agent mentions. */
  readonly policies: readonly string[];
}

/** What was observed. */
export interface ProbeObservations {
  readonly version: string;
  readonly before_tool: Readonly<Partial<Record<ProbeMode, CallOutcomes>>>;
  readonly other_events: Readonly<Partial<Record<ProbeMode, Readonly<Record<string, AnswerReception>>>>>;
  /** How often the agent was started. */
  readonly runs: number;
  /** The policy files that the agent has mentioned in its output. */
  readonly named: readonly string[];
  /** Problems that are not a hook's answer. */
  readonly problems: readonly string[];
}

/** A line of output from the process that drives the agent. */
export type InsideMessage =
  | { readonly type: 'ready'; readonly open: readonly string[] }
  | { readonly type: 'tell'; readonly text: string }
  | { readonly type: 'seen'; readonly seen: ProbeObservations }
  | { readonly type: 'failed'; readonly message: string };

const say = (message: InsideMessage): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** The network interfaces of this process besides loopback. */
const open = (): string[] =>
  Object.entries(networkInterfaces()).flatMap(([name, all]) => (all?.some(({ internal }) => !internal) ? [name] : []));

async function play(plan: ProbePlan, signal: AbortSignal): Promise<ProbeObservations> {
  const agent = probedAgent(plan.agent);
  const named = new Set<string>();
  const problems = new Set<string>();
  let runs = 0;
  const driven: ProbeDriver = {
    agent,
    path: plan.path,
    patience: plan.patience,
    signal,
    open: () => openPlace(join(plan.folder, String(runs++)), process.env),
    problem: (text) => void problems.add(text),
    heard: (printed) => {
      for (const one of plan.policies) if (printed.includes(one)) named.add(one);
    },
  };
  const version = await versionOf(driven);
  say({ type: 'tell', text: `${agent.title} ${version} (${plan.path})` });
  const before: Partial<Record<ProbeMode, CallOutcomes>> = {};
  const others: Partial<Record<ProbeMode, Readonly<Record<string, AnswerReception>>>> = {};
  for (const mode of plan.modes) {
    say({ type: 'tell', text: `${WORDS[mode]} …` });
    before[mode] = await beforeTool(driven, mode, plan.event);
    if (plan.everything) others[mode] = await otherEvents(driven, mode);
  }
  return { version, before_tool: before, other_events: others, runs, named: [...named], problems: [...problems] };
}

const WORDS: Readonly<Record<ProbeMode, string>> = {
  direct: 'hooks of its own',
  stateless: 'the same through hookscope',
  server: 'the same through a hookscope server',
};

const stop = new AbortController();
const lines = createInterface({ input: process.stdin });
// Closed when the parent process is gone, or has no more work.
lines.on('close', () => stop.abort());
lines.once('line', (line) => {
  say({ type: 'ready', open: open() });
  const plan = JSON.parse(line) as ProbePlan;
  play(plan, stop.signal)
    .then((seen) => say({ type: 'seen', seen }))
    .catch((error: unknown) => say({ type: 'failed', message: messageOf(error) }))
    .finally(() => {
      // The process that created the folder may be gone.
      if (stop.signal.aborted) rmSync(plan.folder, { recursive: true, force: true, maxRetries: 3 });
      lines.close();
    });
});
