import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { CallInfo, HookProgress, OutputChunk, RunResult } from '../../../src/emit/record.js';
import { createRedactor, type Redactor } from '../../../src/emit/redact/redactor.js';
import { progressRecord, responseRecord } from '../../../src/emit/run-records.js';
import { RUN } from '../samples.js';
import { CHOSEN, CLASSES, leftOf, spelled } from './classes.js';
import { PEM, SAMPLES } from './secrets.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-stream-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
const TIME = '2025-01-31T09:15:01.500Z';
const progress = (run: CallInfo, piece: OutputChunk): HookProgress => progressRecord(run, piece, 1, TIME, 'h');
const response = (run: CallInfo, result: RunResult) => responseRecord(run, result, 1, TIME, 'h');

/** Splits are this many characters apart; with HOOKSCOPE_GENERATED each secret is split everywhere. */
const STEP = process.env['HOOKSCOPE_GENERATED'] === undefined ? 3 : 1;

let runs = 0;

/** What is told of pieces of one run, and what its response says; without `whole` it has none. */
function told(
  redactor: Redactor,
  pieces: readonly OutputChunk[],
  whole?: OutputChunk,
): { pieces: HookProgress[]; end: string } {
  const run = { ...RUN, hookId: `run-${++runs}` };
  const records = pieces.map((piece) => redactor.redact(progress(run, piece)) as HookProgress);
  if (whole === undefined) return { pieces: records, end: '' };
  const whatEnds = redactor.redact(response(run, { durationMs: 1, ...whole, output: whole.text }));
  return { pieces: records, end: JSON.stringify(whatEnds) };
}

const joined = (records: readonly HookProgress[], field: 'stdout' | 'stderr' | 'output'): string =>
  records.map((record) => record[field]).join('');

describe('a secret split over two pieces', () => {
  const redactor = createRedactor({ keyFile });

  test.each(SAMPLES)('is masked wherever it is split, in stdout, stderr and progress: $shape', ({ text, secret }) => {
    const all = `before\n${text}\nafter\n`;
    const masked = redactor.text(all);
    const written = JSON.stringify(secret).slice(1, -1);
    for (const [i, field] of (['stdout', 'stderr', 'text'] as const).entries()) {
      // Each is such a stream of its own: one is split everywhere, the others each at another third of the places.
      for (let at = 1 + i; at < all.length; at += field === 'stdout' ? 1 : STEP) {
        const { pieces, end } = told(redactor, [{ [field]: all.slice(0, at) }, { [field]: all.slice(at) }], {
          [field]: all,
        });
        const seen = joined(pieces, field === 'text' ? 'output' : field);
        if (seen !== masked) expect(seen, `${field} at ${at}`).toBe(masked);
        if (end.includes(written)) expect(end, `${field} at ${at}`).not.toContain(written);
      }
    }
  });

  test.each(Object.entries(CLASSES))('is masked wherever it is split, by its place: %s', (_, spellings) => {
    for (const [i, { text, secret }] of spellings.flatMap((spelling) => spelled(spelling, [CHOSEN[1]])).entries()) {
      const all = `before\n${text}\nafter\n`;
      const masked = redactor.text(all);
      // Another third of the places for each spelling.
      for (let at = 1 + (i % STEP); at < all.length; at += STEP) {
        const { pieces } = told(redactor, [{ stdout: all.slice(0, at) }, { stdout: all.slice(at) }]);
        const seen = joined(pieces, 'stdout');
        if (seen !== masked) expect(seen, `split at ${at}`).toBe(masked);
      }
      const each = told(
        redactor,
        [...all].map((one) => ({ stdout: one })),
      );
      expect(leftOf(joined(each.pieces, 'stdout'), secret)).toBeUndefined();
    }
  });

  test('is masked in pieces of one character, and in the joint output with what the other stream says between', () => {
    for (const { text, secret, shape } of SAMPLES) {
      const all = `${text}\n`;
      const { pieces } = told(
        redactor,
        [...all].map((one) => ({ stdout: one, stderr: '.' })),
        { stdout: all },
      );
      expect(joined(pieces, 'stdout'), shape).toBe(redactor.text(all));
      const shown = joined(pieces, 'output');
      expect(shown).toBe(redactor.text(all));
      expect(shown).not.toContain(secret);
    }
  });

  test.each([
    ['PASS §\r\nafter\n', 'between the two characters that end its line'],
    ['expect "word:"\nsend "§\r"\nafter\n', 'behind a carriage return that is part of it'],
    ['mysql --password \\\r\n§\nafter\n', 'where its line goes on'],
  ])('is masked wherever a line ends with a carriage return: %j, %s', (text) => {
    const all = text.replace('§', CHOSEN[2]);
    const masked = redactor.text(all);
    expect(leftOf(masked, CHOSEN[2])).toBeUndefined();
    for (let at = 1; at < all.length; at++) {
      const { pieces } = told(redactor, [{ stdout: all.slice(0, at) }, { stdout: all.slice(at) }], { stdout: all });
      expect(joined(pieces, 'stdout'), `at ${at}`).toBe(masked);
    }
  });

  test('of which the end never came is not told at all', () => {
    const { pieces } = told(redactor, [{ stdout: 'ok\nexport API_TOKEN=letm' }, { stdout: 'ein' }], {});
    expect(joined(pieces, 'output')).toBe('ok\n');
  });
});

describe('what is held back', () => {
  const redactor = createRedactor({ keyFile });

  test('comes with the next piece; no record is made, left out or changed in its other fields', () => {
    const { pieces } = told(
      redactor,
      [{ stdout: 'one\ntw' }, { stdout: 'o\n' }, { stdout: 'three' }, { stdout: '\n' }],
      {},
    );
    expect(pieces.map(({ stdout }) => stdout)).toEqual(['one\n', 'two\n', '', 'three\n']);
    expect(pieces.map(({ output }) => output)).toEqual(['one\n', 'two\n', '', 'three\n']);
    expect(pieces.every(({ redacted }) => redacted === undefined)).toBe(true);
  });

  test('is bounded: of a line that does not end all but its end is told, masked', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const line = `${'word '.repeat(3000)}${secret}${' word'.repeat(3000)}`;
    const parts = line.match(/.{1,1000}/g) ?? [];
    const { pieces } = told(
      redactor,
      parts.map((stdout) => ({ stdout })),
      {},
    );
    const seen = joined(pieces, 'stdout');
    expect(redactor.text(line).startsWith(seen)).toBe(true);
    expect(line.length - seen.length).toBeLessThan(10_000);
    expect(seen).toContain('[redacted github-token');
  });

  test('a private key of any length is, until it ends', () => {
    const long = PEM.replace('\n', `\n${'QUJD'.repeat(40_000)}\n`);
    const parts = `a\n${long}\nb\n`.match(/[\s\S]{1,997}/g) ?? [];
    const { pieces } = told(
      redactor,
      parts.map((stderr) => ({ stderr })),
      {},
    );
    const seen = joined(pieces, 'stderr');
    expect(seen).not.toContain('QUJD');
    expect(seen).toMatch(/^a\n\[redacted private-key hmac:[0-9a-f]{16}\]\s*b\n$/);
  });

  test('of a run that ended is forgotten; of two runs each has its own', () => {
    const a = { ...RUN, hookId: 'a' };
    const b = { ...RUN, hookId: 'b' };
    const piece = (run: typeof RUN, stdout: string) =>
      (redactor.redact(progress(run, { stdout })) as HookProgress).stdout;
    expect([piece(a, 'x'), piece(b, 'y'), piece(a, '1\n'), piece(b, '2\n')]).toEqual(['', '', 'x1\n', 'y2\n']);
    piece(a, 'left');
    redactor.redact(response(a, { durationMs: 1 }));
    expect(piece(a, 'new\n')).toBe('new\n');
  });
});

test('of more hooks than are followed at once, the one that has been silent for longest is forgotten', () => {
  const redactor = createRedactor({ keyFile });
  const say = (hookId: string, stdout: string): string =>
    (redactor.redact(progress({ ...RUN, hookId }, { stdout, stderr: '', text: '' })) as HookProgress).stdout;
  say('first', 'the first ');
  say('silent', 'the silent ');
  for (let i = 0; i < 998; i++) say(`other-${i}`, 'x');
  say('first', 'hook ');
  say('one more', 'x');
  expect(say('first', 'has said this\n')).toBe('the first hook has said this\n');
  expect(say('silent', 'has lost this\n')).toBe('has lost this\n');
});
