import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import { subjectIn } from '../../events/subject.js';
import { servicesOf } from '../../host/internals.js';
import { nearest } from '../../values/nearest.js';
import type { Example } from './examples.js';

/** Claude Code's own types of agents, which no file defines. */
const OWN = ['general-purpose', 'Explore', 'Plan'];

/**
 * Throws FILE if an example names an unknown type of agent: with a misspelled type, the hooks for that type are not asked, and the example could pass for that
 * reason alone. If no hook is for one type of agent, any name is accepted.
 */
export function checkAgents(examples: readonly Example[], host: Host, dir: string): void {
  const types = typesIn(host);
  if (types.length === 0) return;
  const known = [...new Set([...types, ...filesIn(join(dir, '.claude/agents')), ...OWN])];
  for (const { agent, place } of examples) {
    if (agent === undefined || known.includes(agent) || isMatched(host, agent)) continue;
    const near = nearest(agent, known);
    const problem = `agent: "${agent}" is no type of agent that is known here; there are ${known.join(', ')}`;
    throw new HookscopeError('FILE', {
      file: place,
      problem: near === undefined ? problem : `${problem}. Did you mean "${near}"?`,
    });
  }
}

/** The types of agents that have hooks of their own. */
function typesIn(host: Host): string[] {
  return servicesOf(host)
    .registrar.spawnScopes()
    .flatMap(({ agentType }) => agentType ?? []);
}

/** The agents that a project defines, by the names of their files. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -'.md'.length)] : []));
}

/** Whether a hook names the agent in its matcher, on an event that is about agents. */
function isMatched(host: Host, agent: string): boolean {
  const { events, registrar } = servicesOf(host);
  const about = Object.values(events).filter((state) => subjectIn(state?.spec, { agent_type: agent }) === agent);
  const scopes = [...registrar.root.tree()];
  const registered = about.flatMap((state) => scopes.flatMap((scope) => scope.own(state?.spec.name ?? '')));
  return registered.some(({ matcher }) => !matcher.all && matcher.static && matcher.matches(agent));
}
