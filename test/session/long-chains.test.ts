import { afterEach, expect, test, vi } from 'vitest';
import { Core } from '../../src/session/core.js';
import { allUnderWay } from '../../src/session/steps/close.js';
import type { Session } from '../../src/session/types.js';
import { opened } from './kit.js';

const COUNT = 100;

afterEach(() => {
  vi.restoreAllMocks();
});

test.each(['session is aborted', 'host closes'])(
  'each of many agents that have started one another is interrupted once when the %s',
  async (how) => {
    const abort = new AbortController();
    const { host, session } = await opened({ signal: abort.signal });
    let last: Session = session;
    for (let i = 0; i < COUNT; i++) last = await last.spawn({ id: `a${i}`, agent_type: 'worker' });
    const interrupt = vi.spyOn(Core.prototype, 'interrupt');
    if (how === 'session is aborted') abort.abort();
    else await host.close();
    expect(interrupt.mock.contexts).toHaveLength(COUNT + 1);
    expect(new Set(interrupt.mock.contexts).size).toBe(COUNT + 1);
    await host.close();
  },
);

test('what is under way in a very long chain of agents is found, outermost first', () => {
  const all = Array.from({ length: 20_000 }, (_, i) => ({ calls: i, children: new Set<unknown>() }));
  for (const [i, one] of all.entries()) if (i > 0) all[i - 1]?.children.add(one);
  expect(allUnderWay(all[0] as never)).toEqual(all.map(({ calls }) => calls));
});
