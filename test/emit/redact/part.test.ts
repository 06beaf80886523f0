import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hear } from '../../../src/agents/hear.js';
import { codex } from '../../../src/agents/tables/codex.js';
import { clipped } from '../../../src/claude-code/control/peer/problem.js';
import { beginning, ending } from '../../../src/emit/redact/part.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { promptHandler } from '../../../src/handlers/model/handler.js';
import { readModelAnswer } from '../../../src/handlers/model/model.js';
import { canonical, headOf } from '../../../src/host/alarms/canonical.js';
import { alarmMessage, shortReason } from '../../../src/host/alarms/words.js';
import { createSpill } from '../../../src/host/call/large-output.js';
import { SAMPLES } from './secrets.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-part-'));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key') });
const spill = createSpill(() => undefined);
afterAll(() => {
  spill.clear();
  rmSync(folder, { recursive: true });
});

const alarm = (reason: string): string => alarmMessage('not_honoured', { tool: 'Bash', id: 't', denial: { reason } });
const heard = (text: string): string => {
  const row = codex.events.find(({ name }) => name === 'PreToolUse');
  return hear(codex, row as never, { stdout: '', stderr: text, exitCode: 1 }).failure?.message ?? '';
};
const asked = (text: string): string => promptHandler({ type: 'prompt', prompt: text }, undefined).name as string;
const answered = (text: string): string => {
  const found = readModelAnswer(text);
  return 'failure' in found ? found.failure.message : '';
};

/** Every place that cuts a text before it is masked: at how many characters, and what is left of the text. */
const PLACES: readonly (readonly [name: string, at: number, cut: (text: string) => string])[] = [
  ['the message of an alarm', 119, alarm],
  ['the reason in an alarm', 1_000, (text) => shortReason(text) as string],
  ['the input in an alarm', 4_096, (text) => headOf(canonical(text) as never)],
  ['the preview of a long output', 2_000, (text) => spill.text(text.padEnd(10_001, ' y'), 's')],
  ['what an agent would read of a hook', 200, heard],
  ['a message about the other side', 200, clipped],
  ['the name of a prompt', 79, asked],
  ['the answer of a model', 200, answered],
  ['any text', 120, (text) => beginning(text, 120)],
];

/** Of the secret, the longest piece that a text has. What a prefix says is no secret. */
function shown(secret: string, text: string): string {
  let longest = '';
  for (let from = 0; from < secret.length; from++)
    while (text.includes(secret.slice(from, from + longest.length + 1)) && from + longest.length < secret.length)
      longest = secret.slice(from, from + longest.length + 1);
  return longest;
}

/** `github_pat_`, `discord.com/api/webhooks/`: what is public of one. */
const FEW = 5;
const publicPart = (secret: string): number =>
  /^(?:hooks\.slack\.com\/services\/|open\.feishu\.cn\/open-apis\/bot\/v2\/hook\/|access_token\$production\$|A{21}|[\w-]{0,14}[_-])/.exec(
    secret,
  )?.[0].length ?? 0;

const WORDS = 'so much was said before it ';

test.each(PLACES)('%s never holds half a secret', (_, at, cut) => {
  const found: string[] = [];
  for (const { shape, text, secret } of SAMPLES) {
    const start = text.indexOf(secret);
    const step = Math.max(1, Math.floor(secret.length / 12));
    for (let inside = 1; inside < secret.length; inside += step) {
      const before = at - start - inside;
      // The cut is `inside` the secret; behind it the text goes on.
      const filler = WORDS.repeat(Math.ceil(Math.max(0, before) / WORDS.length)).slice(0, Math.max(0, before - 1));
      const told = redactor.text(cut(`${filler}\n${text} ${'and so on '.repeat(120)}`));
      const piece = shown(secret, told.replace(/\[redacted [^\]]*\]/g, ''));
      if (piece.length > Math.max(FEW, publicPart(secret))) found.push(`${shape}, ${inside}: ${piece}`);
    }
  }
  expect(found).toEqual([]);
});

test('the end of a text holds no half of a secret either', () => {
  for (const { text, secret } of SAMPLES) {
    const whole = `${WORDS}${text} ${'x '.repeat(100)}`;
    const end = whole.indexOf(secret) + secret.length;
    for (const inside of [1, 4, Math.floor(secret.length / 2), secret.length - 1]) {
      const told = redactor.text(ending(whole, whole.length - end + inside));
      expect(shown(secret, told.replace(/\[redacted [^\]]*\]/g, '')).length, told).toBeLessThanOrEqual(FEW);
    }
  }
});

test('a text that was cut in the middle of an address is masked to its mark', () => {
  expect(redactor.text('see postgres://admin:Hunter2Secre…')).toMatch(
    /^see postgres:\/\/admin:\[redacted secret hmac:\w+\]…$/,
  );
  expect(redactor.text('see http://localhost:8080…')).toBe('see http://localhost:8080…');
});

test('what needs no cut stays as it is, and what has no secret is cut at a word, or at its length', () => {
  expect(beginning('a b c', 5)).toBe('a b c');
  expect(beginning('one two three four', 12)).toBe('one two…');
  expect(beginning('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(beginning('x'.repeat(50), 10, '')).toBe('x'.repeat(10));
  expect(ending('one two three four', 12)).toBe(' three four');
  expect(ending('x'.repeat(50), 10)).toBe('x'.repeat(10));
});
