import { expect, test } from 'vitest';
import { lineageOf } from '../../src/scopes/lineage.js';
import type { Scope } from '../../src/scopes/scope.js';
import { type ScopeLookup, ScopeTree } from '../../src/scopes/tree.js';
import { generated, randomFrom, SEED } from '../seed.js';

const IDS = ['a', 'b', 'c', 'd', 'e'] as const;
const SESSIONS = ['own', 's1'] as const;

/** Agents of two session names, each below any that is open under the same name. So under both, agents may be above each other. */
function randomTree(random: () => number): ScopeTree {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const tree = new ScopeTree('own', true);
  for (let i = 0; i < 12; i++) {
    const session = pick(SESSIONS);
    const agent = pick(IDS);
    if (tree.get({ session, agent })) continue;
    const open = [...tree.agents()].filter((one) => one.session === session).map(({ id }) => id);
    const parent = pick([undefined, ...open, ...open]);
    tree.open({ session, agent }, parent === undefined ? {} : { parent: { session, agent: parent } });
  }
  return tree;
}

/** All agents above each, under either name. */
function agentsAbove(scopes: Iterable<Scope>): ReadonlyMap<string, ReadonlySet<string>> {
  const above = new Map<string, Set<string>>();
  for (const { kind, id, parent } of scopes) {
    if (kind !== 'agent') continue;
    const direct = above.get(id) ?? new Set();
    above.set(id, parent?.kind === 'agent' ? direct.add(parent.id) : direct);
  }
  // The loop also reaches the agents that it adds.
  for (const all of above.values()) for (const one of all) for (const next of above.get(one) ?? []) all.add(next);
  return above;
}

test('an agent is further in than each that is above it, also where others are above each other, and the agent of the fire is the innermost', () => {
  const random = randomFrom(SEED);
  let circles = 0;
  for (let i = 0; i < generated(2_000); i++) {
    const tree = randomTree(random);
    for (const id of IDS) {
      const found: ScopeLookup = tree.find({ session: 's1', agent: id }, undefined, undefined);
      const scopes = lineageOf(found);
      const depths = new Map([...scopes].flatMap(([one, depth]) => (one.kind === 'agent' ? [[one.id, depth]] : [])));
      const above = agentsAbove(scopes.keys());
      const words = JSON.stringify([id, [...above].map(([one, all]) => [one, depths.get(one), ...all])]);
      for (const [inner, all] of above) {
        if (all.has(inner)) circles++;
        for (const outer of all)
          if (inner === id ? outer !== id : !above.get(outer)?.has(inner))
            expect(depths.get(outer), `${words}: ${outer} above ${inner}`).toBeLessThan(depths.get(inner) ?? 0);
      }
    }
  }
  expect(circles).toBeGreaterThan(100);
});
