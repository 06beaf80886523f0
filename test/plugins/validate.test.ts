import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { addContext, deny, rewrite } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import { command } from '../../src/handlers/command/spec.js';
import { rule } from '../../src/handlers/rule/spec.js';
import { validateHooks, validateOutput } from '../../src/plugins/validate.js';

const fn = (): undefined => undefined;
const events = { Deploy: defineEvent({ input: z.object({ target: z.string() }), subject: 'target', fold: 'gate' }) };

describe('validateHooks', () => {
  test('finds nothing wrong with hooks that can be registered, and runs none of them', () => {
    let calls = 0;
    const count = (): void => {
      calls += 1;
    };
    const everywhere = Object.fromEntries(
      HOOK_EVENTS.map((event) => [event, [{ hooks: [count, { handler: count }] }]]),
    );
    expect(validateHooks(everywhere)).toEqual([]);
    expect(validateHooks({ PreToolUse: [{ matcher: /x/, if: 'Bash(git *)', hooks: [command('true')] }] })).toEqual([]);
    expect(calls).toBe(0);
  });

  test('finds every problem, each at its place', () => {
    const problems = validateHooks({
      PreToolUse: [
        { matcher: 'Bash', hooks: [fn, { type: 'comand', command: 'x' }, fn, { handler: 1 }] },
        { timout: 5, hooks: [fn] },
        { hooks: 'x' },
        7,
      ],
      PreTolUse: [],
      Stop: {},
    });
    expect(problems.map((p) => p.where)).toEqual([
      'PreToolUse[0].hooks[1].type',
      'PreToolUse[0].hooks[3].handler',
      'PreToolUse[1].timout',
      'PreToolUse[2].hooks',
      'PreToolUse[3]',
      'PreTolUse',
      'Stop',
    ]);
    expect(problems[0]?.message).toContain('Did you mean "command"?');
    expect(problems[2]?.message).toContain('Did you mean "timeout"?');
    expect(problems[5]?.message).toContain('Did you mean "PreToolUse"?');
  });

  test('finds what is wrong with a group beside what is wrong with its handlers', () => {
    const problems = validateHooks({
      PreToolUse: [
        {
          matcher: '^x',
          timeout: -1,
          before: [1],
          if: 'Bash(',
          foo: 1,
          hooks: [5, { handler: fn, timeout: -1 }, fn, { handler: fn, name: '' }],
        },
      ],
      Stop: [{ phase: 'rewrite', enforce: 2, hooks: [fn] }],
      PreToolUs: [{ timeout: -1, hooks: [] }],
    });
    expect(problems.map((p) => p.where)).toEqual([
      'PreToolUse[0].matcher',
      'PreToolUse[0].timeout',
      'PreToolUse[0].before',
      'PreToolUse[0].if',
      'PreToolUse[0].foo',
      'PreToolUse[0].hooks[0]',
      'PreToolUse[0].hooks[1].timeout',
      'PreToolUse[0].hooks[3].name',
      'Stop[0].enforce',
      'PreToolUs',
    ]);
  });

  test('what only a handler and its group together are is wrong with the group', () => {
    const hooks = { PreToolUse: [{ phase: 'observe', hooks: [rule('deny', 'no')] }] };
    expect(validateHooks(hooks).map((p) => p.where)).toEqual(['PreToolUse[0].phase']);
  });

  test.each([
    ['no object', 'x', 'hooks'],
    ['before: of the wrong type', { Stop: [{ hooks: [fn] }, { before: [1], hooks: [fn] }] }, 'Stop[1].before'],
    [
      'before: in a circle',
      {
        Stop: [
          { name: 'a', before: 'b', hooks: [fn] },
          { name: 'b', before: 'a', hooks: [fn] },
        ],
      },
      expect.stringMatching(/before: /),
    ],
  ])('%s', (_, hooks, where) => {
    expect(validateHooks(hooks)).toEqual([{ where, message: expect.any(String) }]);
  });

  test('before: somebody of that name is right', () => {
    expect(
      validateHooks({
        Stop: [
          { before: 'b', hooks: [fn] },
          { name: 'b', hooks: [fn] },
        ],
      }),
    ).toEqual([]);
  });

  test('knows events of your own', () => {
    expect(validateHooks({ Deploy: [{ hooks: [fn] }] }, { events })).toEqual([]);
    expect(validateHooks({ Deploy: [{ hooks: [fn] }] })).toMatchObject([{ where: 'Deploy' }]);
  });
});

describe('validateOutput', () => {
  test.each([
    ['PreToolUse', deny('no')],
    ['pre-tool-use', rewrite({ command: 'ls' })],
    ['SessionStart', addContext('x')],
    ['Stop', { decision: 'block', reason: 'go on' }],
    ['Stop', undefined],
    ['Stop', null],
    ['PreToolUse', { async: true }],
  ])('%s may answer %j', (event, output) => {
    expect(validateOutput(event, output)).toEqual({ ok: true, problems: [], warnings: [] });
  });

  test.each([
    ['PreToolUse', { hookSpecificOutput: { permissionDecision: 'no' } }, /hookSpecificOutput\.permissionDecision/],
    ['PreToolUse', { hookSpecificOutput: { hookEventName: 'Stop' } }, /hookEventName: expected "PreToolUse"/],
    ['Stop', { continue: 'yes' }, /continue: expected boolean/],
    ['Stop', 'text', /expected an object/],
  ])('%s may not answer %j', (event, output, problem) => {
    expect(validateOutput(event, output)).toEqual({
      ok: false,
      problems: [expect.stringMatching(problem)],
      warnings: [],
    });
  });

  test('what does nothing is a warning with the nearest name', () => {
    const { ok, warnings } = validateOutput('PreToolUse', { sistemMessage: 'x' });
    expect(ok).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/"sistemMessage".*"systemMessage"/)]);
  });

  test('an event of your own, and one that nobody knows', () => {
    expect(validateOutput('Deploy', deny('no'), { events }).ok).toBe(true);
    expect(() => validateOutput('Deploi', {}, { events })).toThrow('Did you mean "Deploy"?');
  });
});
