import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { checkOrder } from '../../src/host/register/before.js';
import { namesOf, order } from '../../src/scopes/order.js';
import type { Registration } from '../../src/scopes/registration.js';
import { Scope } from '../../src/scopes/scope.js';
import { generated } from '../seed.js';

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

/** What it returns, or the message of the circle it throws. */
function circleOr<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether adding them is refused: for a circle, or for one that is placed by a name that it alone has. */
function wrongly(added: readonly Registration[], list: readonly Registration[], wanted: unknown): string {
  const isOwn = (r: Registration): boolean =>
    [...r.before, ...r.after].includes(r.name) &&
    ![...list, ...added].some((o) => o !== r && o.stage === r.stage && namesOf(o).has(r.name));
  return typeof wanted === 'string' || added.some(isOwn) ? 'string' : 'undefined';
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

  /** How each of many is placed by name. */
  const placings: Readonly<Record<string, (i: number, count: number) => Partial<Registration>>> = {
    'one after another, which is there': (i) => (i === 1 ? { after: ['h0'] } : {}),
    'one after another, which is not': (i) => (i === 0 ? { after: ['nobody'] } : {}),
    'each after the one before it': (i) => (i ? { after: [`h${i - 1}`] } : {}),
    'each before the one before it': (i) => (i ? { before: [`h${i - 1}`] } : {}),
    'all after one that comes last': (i, count) => (i === count - 1 ? {} : { after: [`h${count - 1}`] }),
    'all before one that nobody is': () => ({ before: ['h'] }),
    'all between two': (i) => (i < 2 ? {} : { after: ['h0'], before: ['h1'] }),
    'half of them after the other half, by its group': (i) => (i % 2 ? { after: ['half'] } : { groups: ['half'] }),
    'a chain that ends before one of the first': (i) =>
      i ? { after: [`h${i - 1}`], before: ['end'] } : { name: 'end' },
  };

  it.each(Object.entries(placings))('takes no more looks at each of many with %s', (_, placed) => {
    const looks = (count: number): number => {
      const looked = { times: 0 };
      const scope = new Scope({ id: 'host', kind: 'host' });
      const all = Array.from({ length: count }, (_, i) => {
        const r = counting(`h${i}`, looked);
        const how = placed(i, count);
        return Object.defineProperties(r, Object.getOwnPropertyDescriptors(how)) as Registration;
      });
      for (const r of all) {
        checkOrder(scope, [r], () => undefined);
        scope.add([r]);
      }
      const sorted = scope.own('PreToolUse').map(({ id }) => id);
      expect(sorted).toEqual(order(all).map(({ id }) => id));
      for (const r of all) scope.remove([r]);
      expect(scope.events()).toEqual([]);
      return looked.times;
    };
    // A logarithm of four times as many is a few more; each compared with all others would be sixteen times as much.
    expect(looks(4_000) / looks(1_000)).toBeLessThan(5);
  });

  it('comes to the order and the circles of sorting with every hook that is added, whatever is removed between', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const names = fc.array(name, { maxLength: 1 });
    const hook = fc.record({ name, groups: names, stage: fc.constantFrom(0, 0, 0, 1), before: names, after: names });
    const step = fc.oneof(fc.array(hook, { minLength: 1, maxLength: 3 }), fc.nat(9), fc.constant('read' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const scope = new Scope({ id: 'host', kind: 'host' });
        let list: readonly Registration[] = [];
        let made = 0;
        for (const one of steps) {
          if (one === 'read') expect(scope.own('PreToolUse').map(({ id }) => id)).toEqual(list.map(({ id }) => id));
          else if (typeof one === 'number') {
            const gone = list.slice(one, one + 1);
            scope.remove(gone);
            list = list.filter((r) => !gone.includes(r));
          } else {
            const added = one.map(
              (h) => ({ ...h, id: `${made++}`, spec: { name: 'PreToolUse' } }) as unknown as Registration,
            );
            const wanted = circleOr(() => order([...list, ...added]));
            expect(typeof circleOr(() => checkOrder(scope, added, () => undefined))).toBe(wrongly(added, list, wanted));
            expect(circleOr(() => scope.add(added)) ?? wanted).toEqual(wanted);
            if (typeof wanted !== 'string') list = wanted;
          }
        }
        expect(scope.own('PreToolUse')).toEqual(list);
      }),
      { numRuns: generated(300) },
    );
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
