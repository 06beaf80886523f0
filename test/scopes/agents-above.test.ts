import { expect, test } from 'vitest';
import { agentsAbove } from '../../src/scopes/agents-above.js';
import { Scope } from '../../src/scopes/scope.js';

test('an agent above that has two types under two session names is listed with one, and the other is listed as well', () => {
  const host = new Scope({ id: 'host', kind: 'host' });
  const agent = (id: string, session: string, type?: string, parent = host): Scope => {
    const scope = new Scope({ id, kind: 'agent', session, parent });
    scope.setType(type);
    return scope;
  };
  const ofAll = agent('c', '', undefined, agent('p', '', 'planner'));
  const ofSession = agent('c', 's1');
  const both = [ofAll, ofSession, agent('p', 's1', 'reviewer')] as const;
  expect(agentsAbove({ scope: ofSession, id: 'c', known: true, both })).toEqual(
    expect.arrayContaining([{ agent_type: expect.any(String) }, { agent_id: 'p', agent_type: expect.any(String) }]),
  );
  const types = agentsAbove({ scope: ofSession, id: 'c', known: true, both })?.map(({ agent_type }) => agent_type);
  expect([...(types ?? [])].sort()).toEqual(['planner', 'reviewer']);
});
