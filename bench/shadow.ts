import { setImmediate as nextTurn } from 'node:timers/promises';
import { allow, createHost, deny, type Hooks } from 'hookscope';
import { type Candidate, type Case, spread } from './harness.js';
import { preToolUse } from './recorded.js';

/** Some throw, some take their time, some object, some are silent. */
const TRIED = [
  async () => {
    throw new Error('it is being tried out');
  },
  () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 5)),
  () => deny('not here'),
  () => undefined,
];
const twenty = Array.from({ length: 20 }, (_, i) => TRIED[i % TRIED.length]);
const shadows = { PreToolUse: [{ hooks: twenty }], PostToolUse: [{ hooks: twenty }] } as Hooks;

type Doing = (host: ReturnType<typeof createHost>) => Promise<() => Promise<unknown>>;

/** Between two runs a program does other things: what was tried out ends. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}

/**
 * Times what the agent waits for; what is tried out runs afterwards, and is not counted. Both candidates run before each, so that
 * neither comes back to warmer code than the other.
 */
function waited(name: string, run: () => Promise<unknown>, both: readonly (() => Promise<unknown>)[]): Candidate {
  let each = 0;
  const batch = async (count: number): Promise<void> => {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      for (const one of i % 2 === 0 ? both : both.toReversed()) {
        await one();
        await settle();
      }
      const from = process.hrtime.bigint();
      await run();
      times.push(Number(process.hrtime.bigint() - from));
      await settle();
    }
    // A run that the machine interrupts says nothing.
    each = spread(times).median;
  };
  return { name, run, batch, each: () => each };
}

function hostWith(hooks: Hooks, enforce?: number) {
  const host = createHost({ logger: () => undefined });
  host.register(hooks);
  if (enforce !== undefined) host.register(shadows, { enforce });
  return host;
}

const fire: Doing = async (host) => () => host.fire('PreToolUse', preToolUse);
const call: Doing = async (host) => {
  const session = await host.openSession({ watch: false, permission_mode: 'bypassPermissions' });
  let id = 0;
  return () => session.tool({ id: `t${id++}`, name: 'Bash', input: { command: 'ls' }, execute: async () => 'done' });
};

const ten = (hook: () => Promise<unknown>): Hooks => {
  const hooks = Array.from({ length: 10 }, () => hook) as never;
  return { PreToolUse: [{ hooks }], PostToolUse: [{ hooks: [async () => undefined] }] };
};
const quiet = ten(async () => undefined);
const saying = ten(async () => allow('reviewed'));

const tried = (name: string, hooks: Hooks, doing: Doing, enforce: number): Case => ({
  name: `${name}, and 20 that are tried out (enforce: ${enforce})`,
  goal: 1.1,
  candidates: async () => {
    const both = [await doing(hostWith(hooks)), await doing(hostWith(hooks, enforce))] as const;
    return [waited('without them', both[0], both), waited('with them', both[1], both)];
  },
  floor: 'without them',
  subject: 'with them',
  wall: true,
  warmUp: 20,
  rounds: 30,
});

export const cases: Case[] = [
  tried('a tool call of a session, 10 silent hooks', quiet, call, 0),
  tried('a tool call of a session, 10 silent hooks', quiet, call, 0.0001),
  tried('a tool call of a session, 10 answer allow()', saying, call, 0),
  tried('one fire, 10 silent hooks', quiet, fire, 0),
  tried('one fire, 10 answer allow()', saying, fire, 0),
];
