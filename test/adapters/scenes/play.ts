import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../../src/create-host.js';
import { ndjsonSink } from '../../../src/emit/sinks/ndjson.js';
import { anyHooks, testHost } from '../../host/kit.js';
import { ROOT } from '../../package/sources.js';
import { type Input, type Seen, spy } from '../../session/kit.js';
import {
  Cannot,
  type Cast,
  type Deed,
  type Driver,
  type Expected,
  type Heard,
  type Outcome,
  type Scene,
} from './scene.js';
import { SCENES } from './scenes.js';
import { sceneTools } from './tools.js';

type SceneAgent = Pick<Scene, 'script' | 'tools' | 'agents'>;

/** Every scene with the framework, streaming and not. A difference that is declared must be one. */
export function playScenes(driver: Driver): void {
  describe(`${driver.framework}:`, () => {
    test.each(SCENES.map((scene) => [scene.name, scene] as const))('%s', async (name, scene) => {
      const difference = driver.differences[name];
      for (const streams of [false, true]) {
        if (difference && 'cannot' in difference) {
          await expect(play(driver, scene, streams), difference.why).rejects.toThrow(Cannot);
          continue;
        }
        const came = await play(driver, scene, streams);
        const expected = sorted(scene, scene.expect);
        if (difference === undefined) expect(came, `streams: ${streams}`).toEqual(expected);
        else {
          expect(came, `${difference.why} streams: ${streams}`).toEqual(
            sorted(scene, { ...scene.expect, ...difference.expect }),
          );
          expect(came, `${name} is as for everybody, and no difference: ${difference.why}`).not.toEqual(expected);
        }
      }
    });

    test('is what docs/adapters.md says of it', () => {
      const [head, , ...rows] = sceneTable();
      const column = head?.indexOf(driver.framework) ?? -1;
      expect(column).toBeGreaterThan(0);
      expect(rows.length).toBeGreaterThan(15);
      const names = rows.map(([name]) => name);
      const shown = SCENES.filter(({ name }) => names.includes(name) || driver.differences[name] !== undefined);
      const expected = shown.map(({ name }) => [name, driver.differences[name]?.why ?? 'yes']);
      expect(rows.map((row) => [row[0], row[column]])).toEqual(expected);
    });

    test('declares differences of scenes that there are', () => {
      const names = SCENES.map((scene) => scene.name);
      expect(Object.keys(driver.differences).filter((name) => !names.includes(name))).toEqual([]);
    });
  });
}

/** The table of docs/adapters.md, row by row: its head, a line, and the scenes. */
function sceneTable(): string[][] {
  const lines = readFileSync(join(ROOT, 'docs/adapters.md'), 'utf8').split('\n');
  const table = lines.slice(lines.findIndex((line) => line.startsWith('| Scene |')));
  const end = table.findIndex((line) => !line.startsWith('| '));
  return table.slice(0, end).map((row) => row.slice(2, -2).split(' | '));
}

async function play(driver: Driver, scene: Scene, streams: boolean): Promise<Expected> {
  const { host } = testHost();
  const folder = scene.secret === undefined ? undefined : await mkdtemp(join(tmpdir(), 'scene-'));
  const sink = folder === undefined ? undefined : ndjsonSink(join(folder, 'records.ndjson'));
  sink?.attach(host.events$);
  const seen = spy(host);
  register(host, scene);
  const did: string[] = [];
  const caller = new AbortController();
  const deed = (what: Deed | undefined): void => {
    if (what === 'abort') caller.abort();
    if (what === 'interrupt') void session.interrupt();
    if (what === 'close the host') void host.close();
  };
  const onHang = () => setTimeout(() => deed(scene.meanwhile), 5);
  const ask = () => {
    if (scene.person !== 'hangs') return { behavior: scene.person as 'allow' };
    onHang();
    return new Promise<undefined>(() => undefined);
  };
  const tools = sceneTools(driver, did, onHang);
  const rules = scene.rules ?? 'allow';
  const session = await host.openSession({
    ...(rules === 'none' ? {} : { permission: () => ({ behavior: rules, message: `rules: ${rules}` }) }),
    ...(scene.person ? { ask } : {}),
    ...(scene.maxStops === undefined ? {} : { maxStopContinuations: scene.maxStops }),
  });
  seen.length = 0;
  const cast = ({ script, tools: names = ['read', 'write'], agents = {} }: SceneAgent): Cast => ({
    script,
    tools: names.map((name) => tools[name] as NonNullable<(typeof tools)[string]>),
    agents: castAll(agents),
  });
  const castAll = (agents: Readonly<Record<string, SceneAgent>> = {}) =>
    Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, cast(agent)]));
  const { signal } = caller;
  const { system, maxSteps } = scene;
  const stage = {
    ...cast(scene),
    handoffs: castAll(scene.handoffs),
    session,
    system,
    maxSteps,
    onAsk: scene.shows && (() => undefined),
    signal,
    streams,
    onHang,
  };
  const player = driver.play(stage);
  deed(scene.before);
  const outcomes: Outcome[] = [];
  for (const prompt of scene.prompts ?? ['Go']) outcomes.push(await outcome(player.say(prompt)));
  if (scene.answer) outcomes.push(await outcome(player.answer(scene.answer === 'approve')));
  await host.close();
  const heard = heardBy(scene, (agent) => player.heard(agent));
  if (scene.secret !== undefined && folder !== undefined) {
    await sink?.close();
    const file = join(folder, 'records.ndjson');
    expect(existsSync(file) && readFileSync(file, 'utf8')).not.toContain(scene.secret);
    await rm(folder, { recursive: true });
    expect(JSON.stringify([heard, outcomes])).not.toContain(scene.secret);
  }
  const agents = [...new Set(seen.map(({ input }) => input['agent_id']))];
  const apart = scene.apart ? agents.map((agent) => seen.filter(({ input }) => input['agent_id'] === agent)) : [seen];
  return sorted(scene, { events: apart.flatMap(told), heard, outcomes, did });
}

function register(host: Host, { hooks = [] }: Scene): void {
  for (const { on, matcher, agent, say = [], always, throws, onFailure = 'continue' } of hooks) {
    let calls = 0;
    const hook = () => {
      if (throws !== undefined) throw new Error(throws);
      return always ?? say[calls++];
    };
    const group = { [on]: [{ name: 'scene', onFailure, ...(matcher ? { matcher } : {}), hooks: [hook] }] };
    if (agent === undefined) host.register(anyHooks(group));
    else host.spawnHooks(agent, anyHooks(group) as never);
  }
}

async function outcome(turn: Promise<Outcome>): Promise<Outcome> {
  try {
    return await turn;
  } catch (error) {
    if (error instanceof Cannot) throw error;
    return { rejects: (error as Error).message };
  }
}

/** What is new in each model call. */
function heardBy(scene: Scene, of: (agent: string) => readonly Heard[]): Expected['heard'] {
  const names = ['main', ...agentNames(scene), ...Object.keys(scene.handoffs ?? {})];
  const all = names.map((name) => [name, news(of(name))] as const);
  return Object.fromEntries(all.filter(([name, calls]) => name === 'main' || calls.length > 0));
}

function agentNames({ agents = {} }: SceneAgent): string[] {
  return Object.entries(agents).flatMap(([name, agent]) => [name, ...agentNames(agent)]);
}

function news(calls: readonly Heard[]): string[][] {
  return calls.map(({ system, lines }, i) => {
    const before = calls[i - 1];
    const known = before?.lines.every((line, at) => line === lines[at]) ? before.lines.length : 0;
    return [...(system === before?.system || !system ? [] : [`system: ${system}`]), ...lines.slice(known)].map(short);
  });
}

const short = (text: string): string => (text.length > 300 ? `${text.slice(0, 40)}… (${text.length})` : text);

/** Calls of one model turn run beside each other: each call's events are put together, in the order of their ids. */
function told(seen: readonly Seen[]): string[] {
  const sorted: Seen[] = [];
  let calls: Seen[] = [];
  const flush = () => {
    sorted.push(...calls.sort((a, b) => idOf(a).localeCompare(idOf(b))));
    calls = [];
  };
  let by: unknown;
  for (const one of withIds(seen)) {
    if (idOf(one) === '' || by !== one.input['agent_id']) flush();
    by = one.input['agent_id'];
    if (idOf(one) === '') sorted.push(one);
    else calls.push(one);
  }
  flush();
  return sorted.filter(({ event }) => event !== 'SessionEnd').map(label);
}

const idOf = ({ input }: Seen): string => String(input['tool_use_id'] ?? '');

/** A question has no id: it belongs to the call of that tool that was judged last. */
function withIds(seen: readonly Seen[]): Seen[] {
  const last = new Map<string, unknown>();
  return seen.map((one) => {
    const key = `${String(one.input['agent_id'])} ${String(one.input['tool_name'])}`;
    if (one.event === 'PreToolUse') last.set(key, one.input['tool_use_id']);
    return one.event === 'PermissionRequest' ? { ...one, input: { ...one.input, tool_use_id: last.get(key) } } : one;
  });
}

function label({ event, input }: Seen): string {
  const who = input['agent_type'] === undefined ? '' : `${String(input['agent_type'])}: `;
  return `${who}${[event, ...details(input)].filter((word) => word !== '').join(' ')}`;
}

function details(input: Input): string[] {
  if (Array.isArray(input['tool_calls']))
    return [(input['tool_calls'] as { tool_name: string }[]).map((call) => call.tool_name).join(', ')];
  if (input['tool_name'] !== undefined) {
    const { tool_name, tool_input, tool_response, error, is_interrupt, reason } = input;
    const said = is_interrupt ? '(interrupt)' : (error ?? tool_response ?? reason);
    const values = Object.values(tool_input as object).map((value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    );
    return [
      String(tool_name),
      ...values,
      ...(said === undefined ? [] : [`-> ${short(typeof said === 'string' ? said : JSON.stringify(said))}`]),
    ];
  }
  const { prompt, error, error_details, stop_hook_active } = input;
  return [prompt, error, error_details, stop_hook_active === true ? 'again' : undefined].flatMap((word) =>
    word === undefined ? [] : [String(word)],
  );
}

function sorted(scene: Scene, expected: Expected): Expected {
  if (!scene.apart) return expected;
  const agentOf = (line: string) => /^(\w+): /.exec(line)?.[1] ?? '';
  return {
    ...expected,
    events: [...expected.events].sort((a, b) => agentOf(a).localeCompare(agentOf(b))),
    did: [...expected.did].sort(),
  };
}
