import { HookscopeError } from '../../errors.js';
import { plain, plainJson } from '../../plain.js';
import type { ProbedAgent } from '../../probe/agents/agent.js';
import { probedAgent } from '../../probe/agents/agents.js';
import { findIsolation, type Isolation } from '../../probe/isolation.js';
import { findAgent, probe } from '../../probe/probe.js';
import type { ProbeReport } from '../../probe/report.js';
import { wrongOption } from '../../values/options.js';
import type { Flags } from '../options.js';
import { createPaint } from '../run/view.js';
import type { Terminal } from '../terminal.js';
import { markdownOf, textOf } from './probe-words.js';

export type ProbeFlags = Flags<
  'probeAgent' | 'agentPath' | 'everything' | 'patience' | 'openNetwork' | 'markdown' | 'json'
>;

/** The shortest `--patience`, in milliseconds: a hook of the probe that the agent waits for takes 20 s. */
const LEAST = 25_000;

/** Exits with 1 if there is no result, or if an answer is lost when hookscope is asked between agent and hooks. */
export async function probeCommand(name: string, flags: ProbeFlags, terminal: Terminal): Promise<number> {
  if (flags.json && flags.markdown) {
    const expected = 'expected one of them, got both';
    throw wrongOption('--json, --markdown', expected);
  }
  const agent = probedAgent(name);
  if (process.platform === 'win32')
    throw new HookscopeError('PROBE_FAILED', { agent: agent.title, problem: 'its hooks here are scripts of /bin/sh' });
  const patience = flags.patience ?? 60_000;
  if (patience < LEAST)
    throw wrongOption(
      '--patience',
      `expected at least ${LEAST / 1000}s, since hooks that it is asked about take 20s, got ${patience / 1000}s`,
    );
  const path = findAgent(agent, flags.agentPath, process.env);
  const isolation = await isolationFor(agent, path, flags, terminal);
  if (isolation === 'no') return 1;
  const report = await probe({
    agent,
    path,
    modes: flags.everything ? ['direct', 'stateless', 'server'] : ['direct', 'stateless'],
    everything: flags.everything === true,
    patience,
    isolation,
    signal: terminal.signal,
    tell: terminal.tell,
  });
  await terminal.print(printed(report, flags, terminal));
  return report.problems.length > 0 ? 1 : 0;
}

function printed(report: ProbeReport, { json, markdown }: ProbeFlags, { color }: Terminal): string {
  if (json) return plainJson(report);
  return markdown ? markdownOf(report) : textOf(report, createPaint(color));
}

/** Undefined: the network stays open with the user's consent. `'no'`: the user declined. */
async function isolationFor(
  { title }: ProbedAgent,
  path: string,
  { openNetwork }: ProbeFlags,
  { ask, tell }: Terminal,
): Promise<Isolation | undefined | 'no'> {
  const found = await findIsolation(process.env);
  if ('words' in found) return found;
  const problem = `the network cannot be blocked here, since ${plain(found.why)}`;
  if (openNetwork) {
    tell(`${problem}: ${title} runs with it.`);
    return undefined;
  }
  if (ask === undefined)
    throw new HookscopeError('PROBE_FAILED', {
      agent: title,
      problem: `${problem}; --open-network drives it all the same, with dummy keys`,
    });
  tell(`${problem}. ${title} (${plain(path)}) would have it, with a home of its own and dummy keys.`);
  return /^y(?:es)?$/i.test((await ask('Drive it all the same? [y/N] ')).trim()) ? undefined : 'no';
}
