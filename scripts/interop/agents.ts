// The real Codex, Copilot, Gemini and Claude Code, driven by what `hookscope doctor --probe AGENT --everything` does; their results are kept for docs/agents.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ProbedAgent } from '../../src/probe/agents/agent.js';
import { PROBED } from '../../src/probe/agents/agents.js';
import { findIsolation, type Isolation } from '../../src/probe/isolation.js';
import { type Results, resultsOf } from '../../src/probe/markdown.js';
import { findAgent, probe } from '../../src/probe/probe.js';
import type { ProbeReport } from '../../src/probe/report.js';
import { MODES, type ProbeMode } from '../../src/probe/through.js';

const RESULTS = fileURLToPath(new URL('./results.json', import.meta.url));

export const readResults = (): readonly Results[] => JSON.parse(readFileSync(RESULTS, 'utf8')) as Results[];

export type Tell = (name: string, checked: string, version: string, problems: readonly string[]) => void;

/** Plays them all, tells what is not as it should be, and keeps what was seen where that is asked. */
export async function playAgents(
  paths: Readonly<Record<string, string>>,
  only: string,
  write: boolean,
  tell: Tell,
): Promise<void> {
  const kept = new Map(readResults().map((one) => [one.name, one]));
  const found = await findIsolation(process.env);
  if ('why' in found && Object.keys(paths).length > 0) throw new Error(`The network cannot be blocked: ${found.why}.`);
  for (const agent of PROBED) {
    const path = paths[agent.name];
    if (path === undefined || !agent.title.toLowerCase().includes(only.toLowerCase())) continue;
    const report = await played(agent, path, found as Isolation, MODES);
    tell(agent.title, 'hooks before the shell tool, and on other events', report.version, problemsOf(report));
    if (agent.alsoNamed !== undefined) {
      const again = await played(agent, path, found as Isolation, ['server'], agent.alsoNamed);
      tell(`${agent.title}, ${agent.alsoNamed}`, 'hooks before the shell tool', again.version, problemsOf(again));
    }
    kept.set(agent.name, resultsOf(report));
  }
  const ordered = PROBED.flatMap(({ name }) => kept.get(name) ?? []);
  if (write) writeFileSync(RESULTS, `${JSON.stringify(ordered, undefined, 2)}\n`);
}

function played(
  agent: ProbedAgent,
  path: string,
  isolation: Isolation,
  modes: readonly ProbeMode[],
  event?: string,
): Promise<ProbeReport> {
  return probe({
    agent,
    path: findAgent(agent, path, process.env),
    modes,
    everything: event === undefined,
    ...(event === undefined ? {} : { event }),
    patience: 60_000,
    isolation,
    signal: new AbortController().signal,
    tell: (text) => console.log(`       ${text}`),
  });
}

/** What is lost, and what this version does not do as the recorded one. */
const problemsOf = ({ problems, hears_more: more, hears_less: less }: ProbeReport): readonly string[] => [
  ...problems,
  ...more.map((what) => `hears more than recorded: ${what}`),
  ...less.map((what) => `hears less than recorded: ${what}`),
];
