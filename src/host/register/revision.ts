import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { AddingParts } from './adding.js';
import { shortHash } from './definition.js';
import type { SpawnRegistry } from './spawns.js';

const HASHES = new WeakMap<Registration, string>();

/** A hash of a hook's settings: what it runs, when, and what its failure does. */
export function registrationHash(r: Registration): string {
  const known = HASHES.get(r);
  if (known !== undefined) return known;
  const { matcher, rule, scope, skip, definition, spec, shared } = r;
  const { name, stage, before, after, mode, timeout, onFailure, phase, enforce, once, async, dialect } = r;
  const how = { name, stage, before, after, mode, timeout, onFailure, phase, enforce, once, async, dialect };
  const who = { event: spec.name, scope: scope.kind, type: scope.agentType, skip: skip?.reason };
  const made = shortHash({
    ...how,
    ...who,
    matcher: matcher.code ?? matcher.text,
    rule: rule?.text,
    definition: definition?.hash,
    // Added only if set, so that other hooks keep the hash of earlier versions.
    ...(shared === undefined ? {} : { timeoutFor: 'group' }),
  });
  HASHES.set(r, made);
  return made;
}

/**
 * The configuration as one hash: managed hooks, the host's hooks, hooks by agent type, and how verdicts are merged. Hooks of single
 * sessions and agents are not included. Computed again only after a change.
 */
export function createRevision(
  { tree, options }: AddingParts,
  spawns: SpawnRegistry,
  waiting: () => readonly Scope[],
): () => string {
  const { decisions = 'strictest', merge = 'lineage' } = options;
  let last = '';
  let stamp = -1;
  return () => {
    // Each of the three only grows, so an equal sum means that nothing has changed.
    const now = tree.managed.version + tree.host.version + spawns.changes;
    if (now === stamp) return last;
    const all = [tree.managed, tree.host, ...waiting()];
    const hooks = all.flatMap((scope) => scope.events().flatMap((event) => scope.own(event).map(registrationHash)));
    const made = [...spawns.all()].flatMap(([type, of]) =>
      [...of].flatMap(({ hooks: make }) => (typeof make === 'function' ? [`${type} ${String(make)}`] : [])),
    );
    stamp = now;
    last = shortHash({ hooks: hooks.sort(), made: made.sort(), decisions, merge });
    return last;
  };
}
