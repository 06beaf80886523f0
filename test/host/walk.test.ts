import { describe, expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/record.js';
import { INPUTS } from './inputs.js';
import { only, testHost, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;

describe('a walk along the plan', () => {
  test.each(['series', 'parallel'] as const)('asks a predicate once before each call (%s)', async (mode) => {
    const { host } = testHost();
    const asked: string[] = [];
    const group = (name: string, answer: boolean): object => ({
      mode,
      matcher: () => {
        asked.push(name);
        return answer;
      },
      hooks: [() => undefined],
    });
    host.register({ PreToolUse: [group('a', true), group('b', false), group('c', true)] } as never);
    await host.fire('PreToolUse', PRE);
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  test('counts as waves only those in which somebody is asked', async () => {
    const { host } = testHost();
    const seen = watch(host);
    const nobody = { mode: 'parallel', hooks: [() => undefined], matcher: () => false } as const;
    host.register({
      PreToolUse: [nobody, { hooks: [() => undefined] }, nobody, { mode: 'parallel', hooks: [() => undefined] }],
    } as never);
    await host.fire('PreToolUse', PRE);
    const { handlers } = only(seen.filter((r): r is FireRecord => r.type === 'hook_fire'));
    expect(handlers.map((row) => row.wave)).toEqual([null, 0, null, 1]);
  });
});
