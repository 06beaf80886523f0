import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { FleetEngine, OpenQuestion, Posted, SentRecord } from '../../src/fleet/engine.js';

/** One fleet to try an engine on. */
export interface Ground {
  /** An engine of the same fleet, as another process would have it. */
  open(name: string): Promise<FleetEngine>;
  /** Nobody can be reached, until the undo is called. */
  cut(): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (found: Uint8Array | undefined): string | undefined =>
  found === undefined ? undefined : new TextDecoder().decode(found);

/** Waits for what is to come. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 100_000; performance.now() < end; ) {
    if (await holds()) return;
    await sleep(10);
  }
  throw new Error(`it never came: ${holds}`);
}

async function all(entries: AsyncIterable<SentRecord>): Promise<SentRecord[]> {
  const found: SentRecord[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

/** What every engine does. */
export function engineContract(name: string, ground: () => Promise<Ground>): void {
  describe(`the engine ${name}`, () => {
    let here: Ground | undefined;
    const opened: FleetEngine[] = [];
    const engine = async (as: string): Promise<FleetEngine> => {
      here ??= await ground();
      const made = await here.open(as);
      opened.push(made);
      await until(() => made.connected);
      await made.prepare();
      return made;
    };
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
      await here?.end();
      here = undefined;
    });

    test('shows what stands in a channel first, and then each change, to everybody', async () => {
      const [operator, host] = [await engine('operator'), await engine('host')];
      const seen: (string | undefined)[] = [];
      host.policy.watch('stable', (posted) => seen.push(text(posted?.bytes)));
      await until(() => seen.length === 1);
      expect(seen).toEqual([undefined]);
      const first = await operator.policy.post('stable', bytes('one'), 0);
      await until(() => seen.length === 2);
      await operator.policy.post('stable', bytes('two'), first);
      await until(() => seen.length === 3);
      expect(seen).toEqual([undefined, 'one', 'two']);
      const late: (string | undefined)[] = [];
      (await engine('late')).policy.watch('stable', (posted) => late.push(text(posted?.bytes)));
      await until(() => late.length === 1);
      expect(late).toEqual(['two']);
      expect((await operator.policy.history('stable')).map((posted) => text(posted.bytes))).toEqual(['one', 'two']);
    });

    test('keeps channels apart, and tells nobody who has stopped', async () => {
      const operator = await engine('operator');
      const seen: string[] = [];
      const see = (channel: string) => (posted: Posted | undefined) => {
        if (posted) seen.push(`${channel} ${text(posted.bytes)}`);
      };
      operator.policy.watch('a', see('a'));
      const stop = operator.policy.watch('b', see('b'));
      await operator.policy.post('a', bytes('1'), 0);
      const b = await operator.policy.post('b', bytes('1'), 0);
      await until(() => seen.length === 2);
      stop();
      stop();
      await operator.policy.post('b', bytes('2'), b);
      await operator.policy.post('c', bytes('1'), 0);
      const told: string[] = [];
      operator.policy.watch('c', () => told.push('c'));
      await until(() => told.length === 1);
      expect(seen.sort()).toEqual(['a 1', 'b 1']);
    });

    test('refuses a post on top of one that its sender has not seen', async () => {
      const operator = await engine('operator');
      const first = await operator.policy.post('stable', bytes('one'), 0);
      await expect(operator.policy.post('stable', bytes('other'), 0)).rejects.toMatchObject({ code: 'FLEET_FAILED' });
      await operator.policy.post('stable', bytes('two'), first);
      await expect(operator.policy.post('stable', bytes('other'), first)).rejects.toThrow(/posted to it meanwhile/);
      expect((await operator.policy.history('stable')).length).toBe(2);
    });

    test('keeps each decision once, in order, by its id', async () => {
      const [a, b] = [await engine('a'), await engine('b')];
      for (let i = 0; i < 20; i++) await a.decisions.append('a', `fire-${i}`, bytes(`${i}`));
      await a.decisions.append('a', 'fire-3', bytes('3'));
      await b.decisions.append('b', 'fire-b', bytes('b'));
      const found = await all(b.decisions.read(0));
      expect(found.map(({ host, id }) => `${host} ${id}`)).toEqual([
        ...Array.from({ length: 20 }, (_, i) => `a fire-${i}`),
        'b fire-b',
      ]);
      expect(text(found[4]?.bytes)).toBe('4');
      const rest = await all(b.decisions.read((found[18] as SentRecord).place));
      expect(rest.map(({ id }) => id)).toEqual(['fire-19', 'fire-b']);
      expect(await all(b.decisions.read((rest[1] as SentRecord).place))).toEqual([]);
    });

    test('reads on while it is asked to', async () => {
      const host = await engine('host');
      await host.decisions.append('host', '1', bytes('1'));
      const stop = new AbortController();
      const seen: string[] = [];
      const reading = (async () => {
        for await (const { id } of host.decisions.read(0, stop.signal)) seen.push(id);
      })();
      await until(() => seen.length === 1);
      await host.decisions.append('host', '2', bytes('2'));
      await until(() => seen.length === 2);
      stop.abort();
      await reading;
      expect(seen).toEqual(['1', '2']);
    });

    test('shows the last word of each host', async () => {
      const host = await engine('host');
      await host.state.share('a', bytes('one'));
      await host.state.share('b', bytes('one'));
      await host.state.share('a', bytes('two'));
      const found = (await (await engine('operator')).state.all()).map(
        (shared) => `${shared.host} ${text(shared.bytes)}`,
      );
      expect(found.sort()).toEqual(['a two', 'b one']);
    });

    test('shows them also while they speak', async () => {
      const [host, operator] = [await engine('host'), await engine('operator')];
      let speaking = true;
      const spoken = (async () => {
        for (let i = 0; speaking; i++) await host.state.share(i % 2 === 0 ? 'a' : 'b', bytes(`${i}`));
      })();
      try {
        for (let i = 0; i < 40; i++) expect((await operator.state.all()).length).toBeLessThanOrEqual(2);
      } finally {
        speaking = false;
        await spoken;
      }
    });

    test('shows questions that wait, also to who comes later, and that they are gone', async () => {
      const [host, before] = [await engine('host'), await engine('before')];
      const seen: [string, OpenQuestion[]][] = [['before', []]];
      before.ask.watch((question) => seen[0]?.[1].push(question));
      const close = host.ask.open('host', 'q1', bytes('may I?'), () => bytes('taken'));
      await until(() => seen[0]?.[1].length === 1);
      seen.push(['after', []]);
      (await engine('after')).ask.watch((question) => seen[1]?.[1].push(question));
      await until(() => seen[1]?.[1].length === 1);
      close();
      close();
      await until(() => seen.every(([, questions]) => questions.length === 2));
      for (const [, [open, gone]] of seen) {
        expect(open).toMatchObject({ host: 'host', id: 'q1' });
        expect(text(open?.bytes)).toBe('may I?');
        expect(gone).toEqual({ host: 'host', id: 'q1' });
      }
    });

    test('puts a question in place of the one with its id, and whoever watches hears of it', async () => {
      const [host, operator] = [await engine('host'), await engine('operator')];
      const seen: (string | undefined)[] = [];
      operator.ask.watch((question) => seen.push(text(question.bytes)));
      const first = host.ask.open('host', 'q1', bytes('may I?'), () => bytes('first'));
      await until(() => seen.length === 1);
      const second = host.ask.open('host', 'q1', bytes('it is settled'), () => bytes('second'));
      first();
      await until(() => seen.length === 2);
      expect(text(await operator.ask.answer('host', 'q1', bytes('yes')))).toBe('second');
      second();
      await until(() => seen.length === 3);
      expect(seen).toEqual(['may I?', 'it is settled', undefined]);
    });

    test('hands answers to who asks, and its word back', async () => {
      const [host, one, other] = [await engine('host'), await engine('one'), await engine('other')];
      const answers: string[] = [];
      const close = host.ask.open('host', 'q1', bytes('may I?'), (answer) => {
        answers.push(text(answer) as string);
        return bytes(answers.length === 1 ? 'counts' : 'too late');
      });
      host.ask.open('host', 'q2', bytes('and this?'), () => bytes('of q2'));
      await until(() =>
        one.ask.answer('host', 'q2', bytes('?')).then(
          () => true,
          () => false,
        ),
      );
      expect(text(await one.ask.answer('host', 'q1', bytes('yes')))).toBe('counts');
      expect(text(await other.ask.answer('host', 'q1', bytes('no')))).toBe('too late');
      close();
      await expect(one.ask.answer('host', 'q1', bytes('yes'))).rejects.toThrow(/nobody waits/);
      await expect(one.ask.answer('nobody', 'q1', bytes('yes'))).rejects.toThrow(/nobody waits/);
      expect(answers).toEqual(['yes', 'no']);
    });

    test('lets a question go with its host', async () => {
      const [host, operator] = [await engine('host'), await engine('operator')];
      host.ask.open('host', 'q1', bytes('may I?'), () => bytes('taken'));
      await until(() =>
        operator.ask.answer('host', 'q1', bytes('?')).then(
          () => true,
          () => false,
        ),
      );
      await host.close();
      await expect(operator.ask.answer('host', 'q1', bytes('yes'))).rejects.toThrow(/nobody waits/);
    });

    test('says when nobody can be reached, refuses what is not certain, and goes on where it was', async () => {
      const [host, operator] = [await engine('host'), await engine('operator')];
      const first = await operator.policy.post('stable', bytes('one'), 0);
      const seen: (string | undefined)[] = [];
      host.policy.watch('stable', (posted) => seen.push(text(posted?.bytes)));
      await until(() => seen.length === 1);
      const changes: boolean[] = [];
      host.onChange(() => changes.push(host.connected));
      const heal = await (here as Ground).cut();
      await until(() => !host.connected);
      await expect(host.decisions.append('host', '1', bytes('1'))).rejects.toMatchObject({ code: 'FLEET_FAILED' });
      await expect(host.state.share('host', bytes('1'))).rejects.toMatchObject({ code: 'FLEET_FAILED' });
      await heal();
      await until(() => host.connected && operator.connected);
      expect(changes).toEqual([false, true]);
      // It says again what is there, so that nothing can have been missed.
      await until(() => seen.length === 2);
      await operator.policy.post('stable', bytes('two'), first);
      await until(() => seen.length === 3);
      await host.decisions.append('host', '1', bytes('1'));
      expect((await all(operator.decisions.read(0))).map(({ id }) => id)).toEqual(['1']);
      expect(seen).toEqual(['one', 'one', 'two']);
    });
  });
}
