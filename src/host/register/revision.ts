import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { AddingParts } from './adding.js';
import { shortHash } from './definition.js';
import type { Spawns } from './spawns.js';

const HASHES = new WeakMap<Registration, string>();

/** All that is written about a hook: what it runs, when, and what its failure does. */
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
    // Only where it is set: the hash of any other hook is that of earlier versions.
    ...(shared === undefined ? {} : { timeoutFor: 'group' }),
  });
  HASHES.set(r, made);
  return made;
}

/**
 * The configuration as one hash: the host's hooks and the managed ones, those that agents of a type get, and how verdicts become one.
 * Hooks of single sessions and agents are no part of it. Made anew only when one of them has changed.
 */
export function createRevision(
  { tree, options }: AddingParts,
  spawns: Spawns,
  waiting: () => readonly Scope[],
): () => string {
  const { decisions = 'strictest', merge = 'lineage' } = options;
  let last = '';
  let stamp = -1;
  return () => {
    // Each of them only grows.
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
