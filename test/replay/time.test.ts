import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { deny, type FireRecord, type Hooks } from '../../src/index.js';
import { payload } from '../../src/testing.js';
import { bash, hostOf, lived, words } from './kit.js';

const one = async () => void (await sleep(1));
const two = async () => void (await sleep(2));
const fresh = () => undefined;
const CALL = ['PreToolUse', bash('ls')] as const;

/** Guards that have so many seconds, each or together. */
const on = (timeout: number, timeoutFor: 'group' | 'handler', ...hooks: unknown[]): Hooks =>
  ({ PreToolUse: [{ name: 'guard', timeout, timeoutFor, onFailure: 'block', hooks }] }) as Hooks;

/** A recorded call whose hooks took so many milliseconds. */
async function took(hooks: Hooks, ...ms: number[]): Promise<FireRecord[]> {
  const { fires } = await lived(hostOf(hooks), CALL);
  return fires.map((fire) => ({
    ...fire,
    handlers: fire.handlers.map((row, i) => ({ ...row, duration_ms: ms[i] as number })),
  }));
}

describe('an answer that took 200 ms', () => {
  test('is known as long as its hook has as much time', async () => {
    const fires = await took(on(5, 'handler', one), 200);
    expect(await words(hostOf(on(0.3, 'handler', one)), fires)).toEqual(['none']);
    expect(await words(hostOf(on(0.1, 'handler', one)), fires)).toEqual(['unknown']);
    expect(await words(hostOf(on(0, 'group', one)), fires)).toEqual(['none']);
  });

  test('is known under the configuration that decided it, however exact its clock was', async () => {
    const hooks = on(0.19, 'group', one);
    expect(await words(hostOf(hooks), await took(hooks, 200))).toEqual(['none']);
    // The hash of a configuration says that too.
    expect(await words(hostOf(on(0.19, 'handler', one)), await took(hooks, 200))).toEqual(['unknown']);
  });
});

describe('two answers of 200 ms each', () => {
  test('are known as long as their group has time for both', async () => {
    const fires = await took(on(5, 'group', one, two), 200, 200);
    expect(await words(hostOf(on(0.5, 'group', one, two)), fires)).toEqual(['none']);
    expect(await words(hostOf(on(0.3, 'group', one, two)), fires)).toEqual(['unknown']);
    expect(await words(hostOf(on(0.3, 'handler', one, two)), fires)).toEqual(['none']);
  });

  test('are not known after a hook of the group whose answer, and time, is not known', async () => {
    const group = (timeoutFor: 'group' | 'handler', ...hooks: unknown[]): Hooks =>
      ({ PreModelSwitch: [{ name: 'guard', timeout: 5, timeoutFor, hooks }] }) as Hooks;
    const denies = () => deny('no');
    const { fires } = await lived(hostOf(group('group', denies)), ['PreModelSwitch', payload.preModelSwitch()]);
    expect(await words(hostOf(group('handler', fresh, denies)), fires)).toEqual(['deny']);
    expect(await words(hostOf(group('group', denies, fresh)), fires)).toEqual(['deny']);
    expect(await words(hostOf(group('group', fresh, denies)), fires)).toEqual(['unknown']);
  });
});

test('a hook that had no time left in its group may answer where the group is another one', async () => {
  const never = () => new Promise<void>(() => undefined);
  const { fires } = await lived(hostOf(on(0.03, 'group', two, never)), CALL);
  expect(fires[0]?.handlers[1]).toMatchObject({ failure: { cause: 'timeout' } });
  expect(await words(hostOf(on(0.03, 'group', two, never)), fires)).toEqual(['deny']);
  expect(await words(hostOf(on(0.03, 'group', never)), fires)).toEqual(['unknown']);
  const [fire] = fires as [FireRecord];
  const short = { ...fire, handlers: fire.handlers.map((row) => ({ ...row, duration_ms: 10 })) };
  expect(await words(hostOf(on(0.03, 'handler', never)), [short])).toEqual(['unknown']);
});
