import { describe, expect, test } from 'vitest';
import { block, combine, deny, stop } from '../../src/index.js';
import { inputOf } from './inputs.js';
import { fireAny, testHost } from './kit.js';

test.each([
  ['deny', deny('no')],
  ['stop', stop('enough')],
  ['block', block('not yet')],
  ['combine', combine(deny('no'), stop('enough'))],
])('a decision that was thrown is a failure that says to return it: %s', async (_, decision) => {
  const { host } = testHost({ logger: () => undefined });
  host.on('PreToolUse', () => {
    throw decision;
  });
  const { verdict, failures } = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
  expect(verdict).toBe('none');
  expect(failures).toMatchObject([
    { cause: 'threw', message: 'a decision was thrown, which decides nothing: return it, as in return deny(…)' },
  ]);
  await host.close();
});

test('an object that is no decision is described as it was', async () => {
  const { host } = testHost({ logger: () => undefined });
  host.on('PreToolUse', () => {
    throw new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw new Error('no');
        },
      },
    );
  });
  const { failures } = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
  expect(failures[0]?.message).not.toContain('a decision');
  await host.close();
});

const MESSAGE = 'the message of it';
const frozen = (value: object): object => Object.freeze(value);

/** What is thrown, and what is said of it. Nothing in it is an answer. */
const THROWN: Readonly<Record<string, readonly [value: unknown, says: RegExp]>> = {
  'a text': ['deny', /deny/],
  'an empty text': ['', /./],
  'a number': [2, /2/],
  'a bigint': [2n, /2/],
  'a symbol': [Symbol('deny'), /deny/],
  null: [null, /null/],
  undefined: [undefined, /undefined/],
  false: [false, /false/],
  'a function': [() => deny('no'), /./],
  'an object with a message': [{ message: MESSAGE }, /the message of it/],
  'an object with a message and continue': [
    { message: MESSAGE, continue: false, stopReason: 'no' },
    /the message of it/,
  ],
  'an object with a message and a decision': [
    { message: MESSAGE, decision: 'block', reason: 'no' },
    /the message of it/,
  ],
  'a frozen object with a message': [frozen({ message: MESSAGE, continue: false }), /the message of it/],
  'a proxy of an object with a message': [new Proxy({ message: MESSAGE, continue: false }, {}), /the message of it/],
  'an error': [new Error(MESSAGE), /the message of it/],
  'a frozen error': [frozen(new Error(MESSAGE)), /the message of it/],
  'an error with continue': [Object.assign(new Error(MESSAGE), { continue: false }), /the message of it/],
  'an error with an output': [
    Object.assign(new Error(MESSAGE), { hookSpecificOutput: { permissionDecision: 'allow' } }),
    /the message of it/,
  ],
  'an error with a cause': [new Error(MESSAGE, { cause: new Error('the cause of it') }), /the message of it/],
  'an error that is its own cause': [
    (() => {
      const error = new Error(MESSAGE);
      error.cause = error;
      return error;
    })(),
    /the message of it/,
  ],
  'several errors': [new AggregateError([new Error('one'), new Error('two')], MESSAGE), /the message of it/],
  'several errors without a message': [new AggregateError([new Error('one'), new Error('two')]), /./],
  'a proxy of an error': [new Proxy(new Error(MESSAGE), {}), /the message of it/],
};

describe.each(['PreToolUse', 'PermissionRequest', 'Stop', 'UserPromptSubmit', 'PostToolUse', 'Notification'] as const)(
  'on %s',
  (event) => {
    test.each(Object.entries(THROWN))(
      'what is thrown is a failure, and never an answer: %s',
      async (_, [value, says]) => {
        for (const onFailure of ['continue', 'block'] as const) {
          const { host } = testHost({ onFailure, logger: () => undefined });
          const ran: string[] = [];
          host.on(event, () => {
            throw value;
          });
          host.on(event, () => void ran.push('next'));
          const right = testHost({ onFailure, logger: () => undefined }).host;
          right.on(event, () => {
            throw new Error('usual');
          });
          const [decision, usual] = [
            await fireAny(host, event, inputOf(event)),
            await fireAny(right, event, inputOf(event)),
          ];
          const { failures, verdict, blocked, continue: goesOn } = decision;
          expect(failures).toMatchObject([{ cause: 'threw', message: expect.stringMatching(says) }]);
          // It decides what any error decides by the policy, and nothing of its own.
          expect({ verdict, blocked, goesOn }).toEqual({
            ...{ verdict: usual.verdict, blocked: usual.blocked, goesOn: usual.continue },
          });
          if (onFailure === 'continue')
            expect({ blocked: blocked ?? false, goesOn }).toEqual({ blocked: false, goesOn: true });
          expect(ran).toEqual(['next']);
          await host.close();
          await right.close();
        }
      },
    );
  },
);

test.each([
  ['specific output', { message: MESSAGE, hookSpecificOutput: { permissionDecision: 'allow' } }],
  ['specific output, frozen', frozen({ hookSpecificOutput: frozen({ permissionDecision: 'allow' }) })],
])('an object with %s allows nothing by being thrown', async (_, value) => {
  const { host } = testHost({ logger: () => undefined });
  host.on('PreToolUse', () => {
    throw value;
  });
  const { verdict, failures } = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
  expect(verdict).toBe('none');
  expect(failures).toMatchObject([{ cause: 'threw', message: expect.stringMatching(/./) }]);
  await host.close();
});
