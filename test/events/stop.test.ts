import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CATALOGUE } from '../../src/events/catalogue.js';
import { idleStop } from '../../src/events/output/warnings.js';
import { createHost, defineEvent, HOOK_EVENTS, type HookEvent, stop, validateOutput } from '../../src/index.js';
import { SAMPLES } from '../../src/testing/samples.js';

// Where an answer that ends the loop has nothing to end, whoever gives it is told.

const IDLE = /continue: false ends no loop on (\w+); all that it does is that later hooks do not run/;
const ANSWERS = {
  'stop()': () => stop(),
  'stop with a reason': () => stop('enough'),
  'stop beside something else': () => ({ ...stop('enough'), systemMessage: 'x' }),
  'the same in words': () => ({ continue: false as const, stopReason: 'enough' }),
};

describe.each(Object.entries(ANSWERS))('%s', (_, answer) => {
  test.each(HOOK_EVENTS)('on %s either ends something or is warned about', async (event) => {
    const logged: string[] = [];
    await using host = createHost({ logger: (message) => logged.push(message) });
    host.on(event, answer as never);
    const decision = await host.fire(event, SAMPLES[event] as never).catch(() => undefined);
    const ends = decision?.continue === false || (decision as { verdict?: string } | undefined)?.verdict === 'deny';
    const { ok, warnings } = validateOutput(event, answer());
    expect([ok, warnings]).toEqual([true, ends ? [] : [expect.stringMatching(IDLE)]]);
    expect(logged.filter((message) => IDLE.test(message))).toHaveLength(ends ? 0 : 1);
  });
});

test('an event of your own says by endsLoop whether it ends one', async () => {
  const input = z.object({});
  const events = {
    Told: defineEvent({ input, fold: 'observe' }),
    Ending: defineEvent({ input, fold: 'observe', endsLoop: true }),
    Idle: defineEvent({ input, fold: 'block', endsLoop: false }),
    Gate: defineEvent({ input, fold: 'gate', endsLoop: false }),
  };
  const told = Object.keys(events).filter((event) => validateOutput(event, stop(), { events }).warnings.length > 0);
  expect(told).toEqual(['Told', 'Idle']);
});

test('nothing is said of true, nor of what is not an end', () => {
  for (const output of [{ continue: true }, {}, { systemMessage: 'x' }])
    expect(validateOutput('SessionEnd', output).warnings).toEqual([]);
});

test('from a file it does not deny, and skips no hook', () => {
  const told = (event: HookEvent) => idleStop(CATALOGUE[event], { continue: false }, 'claude');
  expect(told('PreModelSwitch')).toEqual(['continue: false does nothing on PreModelSwitch']);
  expect(told('SessionEnd')).toEqual(['continue: false does nothing on SessionEnd']);
  expect([told('PreToolUse'), told('Stop')]).toEqual([[], []]);
});
