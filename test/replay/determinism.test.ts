import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import type { FireRecord } from '../../src/index.js';
import { canonicalDecision, difference } from '../../src/replay/changes/canonical.js';
import { replay } from '../../src/replay.js';
import { generated, SEED } from '../seed.js';
import { all } from './all.js';
import { fresh, live, sceneOf } from './scenes.js';

const SESSIONS = generated(30);
const dir = mkdtempSync(join(tmpdir(), 'determinism-'));
afterAll(() => rmSync(dir, { recursive: true }));

const decisionsOf = (fires: readonly FireRecord[]) =>
  fires
    .filter(({ shadow_of: shadow }) => shadow === undefined)
    .map(({ event, decision, handlers }) => ({
      event,
      decision: canonicalDecision(decision as never, (id) => handlers.find((row) => row.id === id)?.name ?? id),
    }));

describe(`${SESSIONS} random sessions`, { timeout: 300_000 }, () => {
  test('recorded to a file of lines and to a database, and replayed under the same configuration, are decided as they were', async () => {
    for (let i = 0; i < SESSIONS; i++) {
      const scene = sceneOf(SEED * 1000 + i);
      const files = [join(dir, `${i}.ndjson`), join(dir, `${i}.db`)] as const;
      const sinks = [ndjsonSink(files[0]), sqliteSink(files[1])];
      const { fires } = await live(scene, false, (host) => {
        for (const sink of sinks) sink.attach(host.events$);
      });
      for (const sink of sinks) await sink.close();
      const was = decisionsOf(fires);
      for (const file of files) {
        const host = fresh(scene);
        const replayed = await all(replay(host, file));
        const named = `session ${i} of seed ${SEED}, ${file}`;
        expect(
          replayed.flatMap(({ now, fire }) =>
            now.unknown.map((hook) => ({ event: fire.event, input: fire.input, ...hook })),
          ),
          named,
        ).toEqual([]);
        expect(
          replayed.map(({ fire, now }) => ({ event: fire.event, decision: now.decision })),
          named,
        ).toEqual(JSON.parse(JSON.stringify(was)));
        expect(
          replayed.filter(({ changed }) => changed !== undefined),
          named,
        ).toEqual([]);
        await host.close();
      }
    }
  });

  test('with every rule changed: what differs is what differs between two hosts side by side', async () => {
    let changes = 0;
    for (let i = 0; i < SESSIONS; i++) {
      const scene = sceneOf(SEED * 1000 + i);
      const [before, after] = [await live(scene), await live(scene, true)];
      const [was, is] = [decisionsOf(before.fires), decisionsOf(after.fires)];
      const host = fresh(scene, true);
      const replayed = await all(replay(host, before.fires));
      const named = `session ${i} of seed ${SEED}`;
      expect(replayed.length, named).toBe(was.length);
      for (const [at, { now, changed, fire }] of replayed.entries()) {
        const place = `${named}, fire ${at}, ${fire.event}`;
        expect(now.unknown, place).toEqual([]);
        expect(now.decision, place).toEqual(is[at]?.decision);
        expect(changed, place).toBe(difference(was[at]?.decision as never, is[at]?.decision as never));
        if (changed !== undefined) changes += 1;
      }
      await host.close();
    }
    expect(changes).toBeGreaterThan(SESSIONS);
  });
});
