import { expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { CATALOGUE } from '../../src/events/catalogue.js';
import { createExternalServices } from '../../src/handlers/external.js';
import type { Plan } from '../../src/host/plan/plan.js';
import { PlanStore } from '../../src/host/plan/plans.js';
import { readRegistrations } from '../../src/host/register/register.js';
import type { Matcher } from '../../src/matching/matcher.js';
import type { Scope } from '../../src/scopes/scope.js';
import { ScopeTree } from '../../src/scopes/tree.js';

const PreToolUse = CATALOGUE.PreToolUse;
const silent = (): undefined => undefined;

/** Scopes and plans without a host, so that a plan can be held against the one before. */
function store(merge: 'lineage' | 'all' = 'lineage') {
  const tree = new ScopeTree('', true);
  const plans = new PlanStore(tree, merge);
  const add = (scope: Scope, matcher?: Matcher): (() => void) => {
    const read = readRegistrations(
      { PreToolUse: [{ hooks: [silent] }] },
      {
        scope,
        source: { kind: 'code' },
        timeout: 60,
        place: () => undefined,
        onFailure: 'continue',
        spec: () => PreToolUse,
        events: ['PreToolUse'],
        nextId: (name) => name,
        external: createExternalServices({}),
        warn: (message) => expect.fail(message),
      },
    );
    const made = matcher ? read.map((r) => ({ ...r, matcher })) : read;
    scope.add(made);
    plans.count(made, 1);
    return () => {
      scope.remove(made);
      plans.count(made, -1);
    };
  };
  return { tree, add, plan: (scope: Scope): Plan => plans.of(PreToolUse).get(scope) };
}

test('a scope keeps its plan while ten thousand others are opened, filled and ended', () => {
  const { tree, add, plan } = store();
  add(tree.host);
  const own = tree.open('own');
  add(own);
  const before = plan(own);
  for (let i = 0; i < 10_000; i++) {
    const other = tree.open(`other-${i}`);
    add(other);
    if (i % 100 === 0) expect(plan(other)).not.toBe(before);
    if (i % 100 === 1) expect(plan(own)).toBe(before);
    if (i % 2 === 0) tree.close(`other-${i}`);
  }
  expect(plan(own)).toBe(before);
  expect(before.registrations.map((r) => r.scope)).toEqual([tree.host, own]);
});

test('scopes without hooks of their own share the plan of their parent, however many there are', () => {
  const { tree, add, plan } = store();
  add(tree.host);
  const plans = new Set(Array.from({ length: 1000 }, (_, i) => plan(tree.open(`agent-${i}`))));
  expect([...plans]).toEqual([plan(tree.host)]);
});

test('a change in a scope or above it makes a new plan, once', () => {
  const { tree, add, plan } = store();
  const child = tree.open('child');
  const seen = [plan(child)];
  const undo = add(tree.host);
  seen.push(plan(child));
  add(child);
  seen.push(plan(child));
  undo();
  seen.push(plan(child));
  expect(seen.map((p) => p.size)).toEqual([0, 1, 2, 1]);
  expect(new Set(seen).size).toBe(4);
  expect(plan(child)).toBe(seen.at(-1));
});

test('asks a matcher once for a subject, and remembers a bounded number of them', () => {
  const { tree, add, plan } = store();
  const asked: unknown[] = [];
  const counting: Matcher = {
    all: false,
    static: true,
    text: 'counting',
    matches: (subject) => asked.push(subject) > 0,
  };
  add(tree.host, counting);
  const known = plan(tree.host);
  expect(known.candidates('Bash')).toBe(known.candidates('Bash'));
  expect(asked).toEqual(['Bash']);
  const names = Array.from({ length: 10_000 }, (_, i) => `tool-${i}`);
  for (const name of names) known.candidates(name);
  asked.length = 0;
  for (const name of names) known.candidates(name);
  expect(asked.length).toBeGreaterThan(9_000);
  asked.length = 0;
  known.candidates(names.at(-1));
  expect(asked).toEqual([]);
});

test("with merge 'all' an ended scope's hooks run no more, and a new one's do", async () => {
  const host = createHost({ merge: 'all' });
  const ran: string[] = [];
  const say = (name: string) => () => {
    ran.push(name);
    return undefined;
  };
  const fire = async (): Promise<string[]> => {
    ran.length = 0;
    await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} });
    return [...ran];
  };
  host.registerScoped('a', { PreToolUse: [{ hooks: [say('a')] }] });
  host.registerScoped('b', { PreToolUse: [{ hooks: [say('b')] }] });
  expect(await fire()).toEqual(['a', 'b']);
  host.unregisterScoped('a');
  expect(await fire()).toEqual(['b']);
  host.registerScoped('c', { PreToolUse: [{ hooks: [say('c')] }] });
  expect(await fire()).toEqual(['b', 'c']);
});
