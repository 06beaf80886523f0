import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createRedactor, type Redactor } from '../../../src/emit/redact/redactor.js';
import type { RedactOptions } from '../../../src/index.js';
import { fire } from '../samples.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-function-state-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
const made = (mask: (value: string, path: string) => unknown, options: RedactOptions = {}): Redactor =>
  createRedactor({ keyFile, ...options, mask: mask as NonNullable<RedactOptions['mask']> });

interface Stored {
  readonly input: { readonly tool_input: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>;
  readonly decision: Readonly<Record<string, unknown>>;
  readonly redacted?: { readonly count: number };
}
const stored = (redactor: Redactor, fields: Readonly<Record<string, unknown>>): Stored =>
  redactor.redact(fire(1, fields as never)) as never;

test.each([
  ['text()', (redactor: Redactor) => redactor.text('password=hunter22')],
  ['redact()', (redactor: Redactor) => redactor.redact(fire(2, { input: { tool_input: { q: 'x' } } as never }))],
])('a function may call %s of its own redactor: paths, numbers and the count stay right', (_, call) => {
  let isCalling = false;
  const redactor: Redactor = made(
    (value) => {
      if (value !== 'go' || isCalling) return;
      isCalling = true;
      call(redactor);
      isCalling = false;
    },
    { paths: ['input.tool_input.deep.z'], patterns: [/\b42\d+\b/] },
  );
  const tool_input = { password: 'hunter22', deep: { a: 'go', n: 4242, z: 'chosen' } };
  const { input, redacted } = stored(redactor, { input: { tool_input } });
  const masked = expect.stringMatching(/^\[redacted /);
  expect(input.tool_input).toEqual({ password: masked, deep: { a: 'go', n: masked, z: masked } });
  expect(redacted?.count).toBe(3);
});

test('a promise that the function throws, and that fails, fails nothing else', async () => {
  const failed: unknown[] = [];
  const heard = (error: unknown): void => void failed.push(error);
  process.on('unhandledRejection', heard);
  const redactor = made(() => {
    throw Promise.reject(new Error('no'));
  });
  expect(redactor.text('hello')).toMatch(/^\[redacted /);
  await setImmediate();
  process.off('unhandledRejection', heard);
  expect(failed).toEqual([]);
});

test('the function is not asked about an empty text, which stays empty', () => {
  const redactor = made((value) => `<${value}>`);
  expect(redactor.text('')).toBe('');
  expect(stored(redactor, { input: { tool_input: { a: '', b: ['', 'x'] } } }).input.tool_input).toEqual({
    a: '',
    b: ['', '<x>'],
  });
});

const FIELDS = {
  input: {
    tool_input: { a_very_long_name_here: 1, another_very_long_name: 2, short: 3 },
    permission_suggestions: [1],
    last_assistant_message: 'm',
  },
  decision: { additionalContext: 'c', systemMessages: ['s'] },
};

test('the function is not asked about the known fields of an event or an answer', () => {
  const { input, decision } = stored(
    made((value) => value.toUpperCase()),
    FIELDS,
  );
  expect(Object.keys(input)).toEqual(Object.keys(FIELDS.input));
  expect(Object.keys(decision)).toEqual(Object.keys(FIELDS.decision));
  expect(Object.keys(input.tool_input)).toEqual(['A_VERY_LONG_NAME_HERE', 'ANOTHER_VERY_LONG_NAME', 'short']);
});

test.each(['***', 'short'])('no key that the function renames to %s replaces another one', (said) => {
  const { input } = stored(
    made(() => said),
    FIELDS,
  );
  expect(Object.values(input.tool_input)).toEqual([1, 2, 3]);
});
