import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readBundle } from '../../../src/fleet/bundle/bundle.js';
import type { SigningKey } from '../../../src/fleet/bundle/keys.js';
import { isEnforcedIn } from '../../../src/host/plan/shadows.js';
import { sha256 } from '../../../src/values/sha256.js';
import { generated, randomFrom, SEED } from '../../seed.js';
import { bundleOf, denies, newKey, ownFolder, script } from '../bundles.js';
import { until } from '../contract.js';
import { channel, ground } from '../ground.js';

const [RUNS, STEPS] = [generated(6), 60];
/** As many bundles of a channel as a real broker keeps. */
const KEPT = 32;
const POOL = Array.from({ length: 4 }, newKey) as [SigningKey, ...SigningKey[]];
const STRANGER = newKey();

/** What the posts come to, written down as docs/fleet.md says it, without the code that is tested. */
class Model {
  keys: readonly string[] = [POOL[0].id];
  #floor = 0;
  #last = '';
  /** Digests of what a key had signed that counted when it was posted. */
  readonly trusted = new Set<string>();
  /** What is in force, by host. */
  readonly #main = new Map<string, string>();
  readonly #canary = new Map<string, string>();

  get floor(): number {
    return this.#floor;
  }

  post(bytes: Uint8Array, isMain: boolean, takes: ReadonlyMap<string, boolean>): void {
    let bundle: ReturnType<typeof readBundle>;
    try {
      bundle = readBundle(bytes);
    } catch {
      return;
    }
    const { sequence, keys, canary } = bundle.manifest;
    const digest = sha256(bytes);
    const isSigned = this.keys.some(bundle.isSignedBy) && (keys ?? []).every(bundle.isSignedBy);
    if (isSigned) this.trusted.add(digest);
    if (!isSigned || isMain !== (canary === undefined) || (!isMain && keys !== undefined)) return;
    if (sequence <= this.#floor && digest !== this.#last) return;
    if (this.#floor > 0 && sequence > this.#floor + 10_000) return;
    [this.#floor, this.#last, this.keys] = [sequence, digest, [...new Set(keys ?? this.keys)]];
    const isRefused = [...bundle.files.values()].some((file) => file.toString().includes('"command"'));
    for (const [host, takesAll] of takes) {
      const isTaken = takesAll || !isRefused;
      if (isMain) this.#canary.delete(host);
      if (isMain && isTaken) this.#main.set(host, digest);
      if (!isMain && isTaken && isEnforcedIn(canary as number, host)) this.#canary.set(host, digest);
    }
  }

  inForce(host: string): string | undefined {
    return this.#canary.get(host) ?? this.#main.get(host);
  }
}

test.each(Array.from({ length: RUNS }, (_, i) => SEED + i))(
  'hosts that are there, away, started again and late come to what the posts come to, seed %s',
  async (seed) => {
    const random = randomFrom(seed);
    const below = (n: number): number => Math.floor(random() * n);
    const some = <T>(of: readonly T[]): T => of[below(of.length)] as T;
    const { broker, join, push } = ground();
    const { allow, allows, hook } = script();
    allows(true);
    const names = ['there', 'picky', 'one', 'two', 'late-1', 'late-2', 'late-3', 'late-picky'];
    const takes = new Map(names.map((name) => [name, !name.includes('picky')]));
    const model = new Model();
    const [posted, hosts, folders] = [[] as { bytes: Uint8Array; at: string }[], new Map(), new Map<string, string>()];
    /** Posts for all hosts, how many of them each host has heard of, and whether those before were lost at the broker. */
    const [main, heard, purged] = [[0], new Map<string, number>(), { is: false }];
    const enter = async (host: string): Promise<void> => {
      const folder = folders.get(host) ?? ownFolder();
      folders.set(host, folder);
      const file = takes.get(host) ? allow : `${folder}/none.json`;
      hosts.set(host, await join({ host, folder, keys: [POOL[0].id], allow: file, logger: () => undefined }));
      await agrees(host);
    };
    const leave = async (host: string): Promise<void> => {
      const { team, host: own } = hosts.get(host);
      hosts.delete(host);
      await team.close();
      await own.close();
    };
    const agrees = async (host: string): Promise<void> => {
      const { team } = hosts.get(host);
      const of = () => channel(team);
      const missed = (main[0] as number) - (heard.get(host) ?? 0);
      const isNew = !heard.has(host);
      // Where as many were posted as are kept, a host may find that it cannot know who signs now.
      const mayStop = missed >= KEPT || (isNew && ((main[0] as number) > KEPT || purged.is));
      const isStopped = () => mayStop && /no longer keeps all that was posted/.test(of()?.refused?.reason ?? '');
      const isRight = () =>
        of()?.digest === model.inForce(host) && (of()?.counted ?? of()?.sequence ?? 0) === model.floor;
      if (isNew && purged.is) await until(() => of()?.asks === undefined || of()?.refused !== undefined);
      else await until(() => isRight() || isStopped());
      if (of()?.digest !== undefined) expect(model.trusted).toContain(of()?.digest);
      if (isRight()) heard.set(host, main[0] as number);
    };
    const send = async (bytes: Uint8Array, at: string): Promise<void> => {
      await push(bytes, at, async () => {
        // A change of keys counts as soon as it is kept; whoever has a former key posts before its bundle is there.
        model.post(bytes, true, takes);
        const old = POOL.filter(({ id }) => !model.keys.includes(id));
        for (let i = old.length > 0 ? below(4) : 0; i > 0; i--) {
          const [isCanary, name] = [random() < 0.3, `t${model.floor}-${i}`];
          const about = { revision: name, ...(isCanary && { canary: 0.9 }) };
          const stolen = bundleOf(model.floor + i, { 'acme/a.json': denies(`${name} *`, 'no') }, [some(old)], about);
          await send(stolen, isCanary ? 'stable.canary' : 'stable');
        }
      });
      posted.push({ bytes, at });
      const posts = broker.posts.get(at) ?? [];
      broker.posts.set(at, posts.slice(-KEPT));
      if (at === 'stable') main[0] = (main[0] as number) + 1;
      model.post(bytes, at === 'stable', takes);
    };
    const make = (i: number): [Uint8Array, string] => {
      const kind = random();
      if (posted.length > 0 && kind < 0.15) return [some(posted).bytes, some(posted).at];
      if (kind < 0.18) return [Buffer.from('garbage'), some(['stable', 'stable.canary'])];
      const good = POOL.filter(({ id }) => model.keys.includes(id));
      const revoked = POOL.filter(({ id }) => !model.keys.includes(id));
      const by = kind < 0.3 && revoked.length > 0 ? [some(revoked)] : kind < 0.35 ? [STRANGER] : [some(good)];
      const isCanary = random() < 0.2;
      const change = !isCanary && random() < 0.12 ? POOL.filter(() => random() < 0.5) : [];
      const keys = change.length > 0 && by[0] !== STRANGER ? { keys: change.map(({ id }) => id) } : {};
      const leap = random();
      const sequence = Math.max(
        1,
        model.floor + (leap < 0.75 ? 1 : leap < 0.85 ? -below(5) : leap < 0.95 ? 3 : 20_000),
      );
      const files = {
        'acme/a.json': random() < 0.15 ? { hooks: { PreToolUse: [{ hooks: [hook] }] } } : denies(`p${i} *`, 'no'),
      };
      const about = { revision: `p${i}`, ...keys, ...(isCanary && { canary: some([0.2, 0.5, 0.9]) }) };
      const signers = [...new Set([...by, ...('keys' in keys ? change : [])])];
      return [bundleOf(sequence, files, signers, about), isCanary ? 'stable.canary' : 'stable'];
    };
    // Every team begins so.
    await send(bundleOf(1, { 'acme/a.json': denies('p *', 'no') }, [POOL[0]]), 'stable');
    for (const host of ['there', 'picky', 'one', 'two']) await enter(host);
    for (let i = 0; i < STEPS; i++) {
      const dice = random();
      if (dice < 0.8) await send(...make(i));
      else if (dice < 0.82) {
        // What is purged before a host has read it does not exist for that host.
        for (const host of hosts.keys()) await agrees(host);
        broker.posts.delete(some(['stable', 'stable.canary']));
        broker.changed();
        purged.is = true;
      } else if (dice < 0.9) {
        const host = some(['one', 'two', ...names.filter((name) => name.startsWith('late') && hosts.has(name))]);
        await (hosts.has(host) ? leave(host) : enter(host));
      } else if (dice < 0.93) {
        const host = names.find((name) => name.startsWith('late') && !folders.has(name));
        if (host !== undefined) await enter(host);
      } else if (dice < 0.96) {
        broker.away = true;
        broker.away = false;
      } else for (const host of ['there', 'picky']) await agrees(host);
    }
    for (const host of names) if (!hosts.has(host)) await enter(host);
    await send(
      bundleOf(
        model.floor + 1,
        { 'acme/a.json': denies('end *', 'no') },
        POOL.filter(({ id }) => model.keys.includes(id)),
      ),
      'stable',
    );
    for (const host of names) await agrees(host);
    expect(existsSync(`${folders.get('there')}/acme/there/stable.bundle.json`)).toBe(true);
  },
  120_000,
);
