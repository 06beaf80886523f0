import { describe, expect, it } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { checkOrder } from '../../src/host/register/before.js';
import { order } from '../../src/scopes/order.js';
import type { Registration } from '../../src/scopes/registration.js';
import { Scope } from '../../src/scopes/scope.js';

/** A registration that counts how often somebody looks at where it belongs. */
function counting(id: string, looked: { times: number }, event = 'PreToolUse', before: string[] = []): Registration {
  return {
    id,
    name: id,
    spec: { name: event },
    before,
    after: [],
    groups: [],
    get stage() {
      looked.times++;
      return 0;
    },
  } as unknown as Registration;
}

describe('what hooks cost that come and go', () => {
  for (const [how, turn] of [
    ['in the order they came', (list: Registration[]) => list],
    ['the last first', (list: Registration[]) => [...list].reverse()],
  ] as const) {
    it(`looks at 16,000 once each, not once more for every other, and lets them go ${how}`, () => {
      const looked = { times: 0 };
      const scope = new Scope({ id: 'host', kind: 'host' });
      const all = Array.from({ length: 16_000 }, (_, i) => counting(`h${i}`, looked));
      for (const r of all) {
        checkOrder(scope, [r], () => undefined);
        scope.add([r]);
      }
      expect(looked.times).toBe(0);
      expect(scope.own('PreToolUse')).toEqual(all);
      expect(looked.times).toBeLessThan(16_000 * 4);
      const half = all.filter((_, i) => i % 2 === 0);
      looked.times = 0;
      for (const r of turn(half)) scope.remove([r]);
      expect(looked.times).toBe(0);
      expect(scope.own('PreToolUse').map((r) => r.id)).toEqual(all.filter((_, i) => i % 2).map((r) => r.id));
      for (const r of turn(all.filter((_, i) => i % 2))) scope.remove([r]);
      expect([scope.events(), scope.own('PreToolUse')]).toEqual([[], []]);
    });
  }

  it('leaves whoever has read the list with what was in it', () => {
    const scope = new Scope({ id: 'host', kind: 'host' });
    const [a, b, c] = ['a', 'b', 'c'].map((id) => counting(id, { times: 0 })) as [
      Registration,
      Registration,
      Registration,
    ];
    scope.add([a, b]);
    const read = scope.own('PreToolUse');
    scope.add([c]);
    scope.remove([a]);
    expect(read.map((r) => r.id)).toEqual(['a', 'b']);
    expect(scope.own('PreToolUse').map((r) => r.id)).toEqual(['b', 'c']);
  });

  it('changes nothing where one of several events has a circle', () => {
    const scope = new Scope({ id: 'host', kind: 'host' });
    const some = (id: string, event?: string, before?: string[]): Registration =>
      counting(id, { times: 0 }, event, before);
    scope.add([some('x')]);
    const bad = [some('n'), some('a', 'Stop', ['b']), some('b', 'Stop', ['a'])];
    expect(() => scope.add(bad)).toThrow(RangeError);
    expect([scope.events(), scope.own('PreToolUse').map((r) => r.id)]).toEqual([['PreToolUse'], ['x']]);
  });

  it('places thousands by name with a few looks at each', () => {
    const looked = { times: 0 };
    const all = Array.from({ length: 2_000 }, (_, i) =>
      counting(`h${i}`, looked, 'PreToolUse', i ? [`h${i - 1}`] : []),
    );
    expect(order(all).map((r) => r.id)).toEqual(all.map((r) => r.id).reverse());
    expect(looked.times).toBeLessThan(2_000 * 8);
  });

  it('runs them in the order they came in, whatever came and went', async () => {
    const host = createHost();
    const ran: number[] = [];
    const undos = Array.from({ length: 100 }, (_, i) =>
      host.register({ Notification: [{ stage: i % 3, hooks: [() => void ran.push(i)] }] }),
    );
    for (let i = 0; i < 100; i += 7) undos[i]?.();
    await host.fire('Notification', { message: 'm', notification_type: 'n' } as never);
    const left = Array.from({ length: 100 }, (_, i) => i).filter((i) => i % 7 !== 0);
    expect(ran).toEqual([...left].sort((a, b) => (a % 3) - (b % 3) || a - b));
  });
});
