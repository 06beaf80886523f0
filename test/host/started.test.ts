import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import { wrappedHandler } from '../../src/host/register/handler-entry.js';
import { rewrite } from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { all } from '../replay/all.js';
import { generated } from '../seed.js';
import { fires, registerAs, testHost, watch } from './kit.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, session_id: 's', tool_use_id: 't' };

interface Scene {
  readonly kind: 'callback' | 'outside';
  readonly async: boolean | 'two-phase';
  readonly phase: 'decide' | 'observe' | 'rewrite';
  readonly mode: 'series' | 'parallel';
  readonly enforce: boolean;
  readonly once: boolean;
  readonly rewritten: boolean;
  readonly fires: number;
  readonly watched: boolean;
}

/** The handler of a scene. It was accepted, and is another one after its start number `changesAfter`. */
function handlerOf(changesAfter: number, async: Scene['async']) {
  let [isOther, other] = [changesAfter === 0, 0];
  let starts = 0;
  const work = ({ call }: { call: string }): { async?: true } => {
    if (isOther) other++;
    if (++starts === changesAfter) isOther = true;
    return async === false || call === 'async' ? {} : { async: true };
  };
  const outside: Handler = {
    kind: 'command',
    name: 'it',
    load: () => Promise.resolve(),
    run: async (call) => ({ output: work(call) }),
  };
  return {
    callback: { async, handler: (_: unknown, __: unknown, context: { call: string }) => work(context) },
    outside: wrappedHandler({ description: { type: 'command', command: 'it', async }, wrap: () => outside }),
    trustCheckOf: () => () => (isOther ? { file: 'it.sh', why: 'it.sh has changed' } : undefined),
    seen: () => ({ starts, other }),
  };
}

async function run(scene: Scene, changesAfter: number) {
  const { host, reports } = testHost();
  const records = scene.watched ? watch(host) : [];
  const { kind, async, phase, mode, enforce, once } = scene;
  const { trustCheckOf, seen, ...handlers } = handlerOf(changesAfter, async);
  const group = { phase, mode, enforce, once, hooks: [handlers[kind]] };
  registerAs(host, { PreToolUse: [group] }, { trustCheckOf });
  if (scene.rewritten) host.register({ PreToolUse: [{ hooks: [() => rewrite({ command: 'pwd' })] }] });
  for (let i = 0; i < scene.fires; i++) await host.fire('PreToolUse', CALL);
  await host.close();
  const rows = fires(records).flatMap(({ handlers }) => handlers);
  const ends = records.flatMap((one) => ('subtype' in one && one.subtype === 'hook_response' ? [one.failure] : []));
  const failed = [...rows.map(({ failure }) => failure), ...ends].some((failure) => failure?.cause === 'untrusted');
  return { ...seen(), told: reports.some((line) => line.startsWith('untrusted: ')), failed };
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  kind: fc.constantFrom<Scene['kind']>('callback', 'outside'),
  async: fc.constantFrom<Scene['async']>(false, true, 'two-phase'),
  phase: fc.constantFrom<Scene['phase']>('decide', 'observe', 'rewrite'),
  mode: fc.constantFrom<Scene['mode']>('series', 'parallel'),
  enforce: fc.boolean(),
  once: fc.boolean(),
  rewritten: fc.boolean(),
  fires: fc.integer({ min: 1, max: 2 }),
  watched: fc.boolean(),
});

test('however a handler is started, it is not once it is another than was accepted, and fails as untrusted', async () => {
  const most = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const { starts } = await run(scene, Number.POSITIVE_INFINITY);
      for (let accepted = 0; accepted < starts; accepted++) {
        const told = await run(scene, accepted);
        expect(told, `after ${accepted} of ${starts}`).toEqual({
          starts: accepted,
          other: 0,
          told: true,
          failed: scene.watched,
        });
      }
      const way = `${scene.async} ${scene.rewritten}`;
      most.set(way, Math.max(most.get(way) ?? 0, starts / scene.fires));
    }),
    { numRuns: generated(150) },
  );
  // What is started again, is started again here.
  expect(Object.fromEntries(most)).toMatchObject({ 'false true': 2, 'two-phase false': 2, 'true false': 1 });
});

test('a replay that runs callbacks runs none that is another than was accepted', async () => {
  const ran: string[] = [];
  const hostOf = (why?: string) => {
    const { host } = testHost();
    const handler = () => void ran.push(why ?? 'as accepted');
    const trustCheckOf = () => () => (why === undefined ? undefined : { file: 'it.mjs', why });
    registerAs(host, { PreToolUse: [{ name: 'it', hooks: [{ handler }] }] }, { trustCheckOf });
    return host;
  };
  const host = hostOf();
  const records = watch(host);
  await host.fire('PreToolUse', CALL);
  const words: string[] = [];
  for (const why of [undefined, 'it has changed']) {
    const [one] = await all(replay(hostOf(why), records, { runCallbacks: true }));
    words.push(`${one?.now.decision['verdict']}`);
  }
  expect(ran).toEqual(['as accepted', 'as accepted']);
  expect(words).toEqual(['none', 'ask']);
});

test('handlers are started in one file', () => {
  const root = join(import.meta.dirname, '../../src');
  const starting = (readdirSync(root, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => /\bimport\b[^;]*\bcallbackOf\b|\bmakeCall\(/.test(readFileSync(join(root, name), 'utf8')));
  // A replay puts another function in a callback's place, which the host then starts.
  expect(starting.sort()).toEqual(['host/call/start.ts', 'replay/answering.ts', 'replay/answers/called.ts']);
});
