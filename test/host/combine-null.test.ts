import { expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../src/events/catalogue.js';
import { HELPER_KEYS } from '../../src/events/output/helper-keys.js';
import { addContext, allow, combine, stop } from '../../src/events/output/helpers.js';
import { outputShape, topFields } from '../../src/events/output/shape.js';
import type { EventSpec } from '../../src/events/spec.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// A null that is an error in an answer of its own is one in each part of combine, whatever the other part says.

type Json = Record<string, unknown>;

function nullsOn(event: HookEvent): Json[] {
  const { specific } = outputShape(specOf(event) as EventSpec);
  const inside = [...specific.keys()].map((key) => ({ hookSpecificOutput: { hookEventName: event, [key]: null } }));
  return [...[...topFields().keys(), ...HELPER_KEYS].map((key) => ({ [key]: null })), ...inside];
}

const OTHERS: readonly Json[] = [
  addContext('c'),
  allow('fine'),
  stop('end'),
  { systemMessage: 'm' },
  { reason: 'R' },
] as Json[];

test.each(HOOK_EVENTS)('%s: a null in a part is the error that it is alone', async (event) => {
  let said: unknown;
  const { host } = testHost();
  host.register(anyHooks({ [event]: [{ hooks: [() => said], onFailure: 'block' }] }));
  const failures = async (answer: unknown): Promise<number> => {
    said = answer;
    return (await fireAny(host, event, inputOf(event))).failures.length;
  };
  const silent: string[] = [];
  for (const part of nullsOn(event)) {
    if ((await failures(part)) === 0) continue;
    for (const other of OTHERS)
      if ((await failures(combine(other as never, part as never))) === 0) silent.push(JSON.stringify([other, part]));
  }
  expect(silent).toEqual([]);
});
