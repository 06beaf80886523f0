import { createHost } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { preToolUse as input } from './recorded.js';

const OTHERS = 10_000;

/** Firing in one agent's scope, alone and among others that are alive, each with a hook of its own. */
function inOwnScope(name: string, others: number): Candidate {
  const host = createHost();
  const hook = (): { PreToolUse: [{ hooks: [() => Promise<undefined>] }] } => ({
    PreToolUse: [{ hooks: [async () => undefined] }],
  });
  host.registerScoped('own', hook());
  for (let i = 0; i < others; i++) host.registerScoped(`other-${i}`, hook());
  return { name, run: () => host.fire('PreToolUse', input, { scope: 'own' }) };
}

export const cases: Case[] = [
  {
    name: '10,000 other scopes alive',
    goal: 1.1,
    candidates: () => [inOwnScope('alone', 0), inOwnScope('among 10,000', OTHERS)],
    floor: 'alone',
    subject: 'among 10,000',
  },
];
