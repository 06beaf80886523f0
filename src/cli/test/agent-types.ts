import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import { subjectIn } from '../../events/subject.js';
import { servicesOf } from '../../host/internals.js';
import { nearest } from '../../values/nearest.js';
import type { Example } from './examples.js';

/** Claude Code's own, which no file defines. */
const OWN = ['general-purpose', 'Explore', 'Plan'];

/**
 * Throws FILE where an example is of an agent that nobody knows, since hooks that are for one would not be asked, and it could pass by that alone. Where no
 * hook is for agents of one type, any is as good as another.
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

/** Types that hooks are for. */
function typesIn(host: Host): string[] {
  return servicesOf(host)
    .registrar.spawnScopes()
    .flatMap(({ agentType }) => agentType ?? []);
}

/** The names of the files in which a project has its agents. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -'.md'.length)] : []));
}

/** A hook names it in its matcher, on an event that is about agents. */
function isMatched(host: Host, agent: string): boolean {
  const { events, registrar } = servicesOf(host);
  const about = Object.values(events).filter((state) => subjectIn(state?.spec, { agent_type: agent }) === agent);
  const scopes = [...registrar.root.tree()];
  const registered = about.flatMap((state) => scopes.flatMap((scope) => scope.own(state?.spec.name ?? '')));
  return registered.some(({ matcher }) => !matcher.all && matcher.static && matcher.matches(agent));
}
