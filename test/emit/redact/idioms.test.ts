import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { hookProgress } from '../../../src/emit/run-records.js';
import { fire, RUN } from '../samples.js';
import { CHOSEN, leftOf } from './classes.js';
import { IDIOMS } from './idioms.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-idioms-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key') });

/** As it is, between other lines, and as JSON writes it, once and twice. */
const AROUND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `ok\n${text}\nok\n`,
  (text) => JSON.stringify({ command: text }),
  (text) => JSON.stringify({ body: JSON.stringify({ command: text }) }),
];

let runs = 0;
/** What is told of a text that comes in two pieces. */
function told(text: string, at: number): string {
  const run = { ...RUN, hookId: `run-${++runs}` };
  return [text.slice(0, at), text.slice(at)]
    .map((stdout) => redactor.redact({ seq: 1, time: '2025-01-31T09:15:01.500Z', ...hookProgress(run, { stdout }) }))
    .map((record) => (record as { stdout: string }).stdout)
    .join('');
}

/** Splits are so many characters apart; with HOOKSCOPE_GENERATED a text is split everywhere. */
const STEP = process.env['HOOKSCOPE_GENERATED'] === undefined ? 11 : 1;

describe.each(Object.entries(IDIOMS))('what programs and files say of secrets is masked: %s', (_, idioms) => {
  test('however it is written', () => {
    for (const idiom of idioms)
      for (const secret of CHOSEN)
        for (const around of AROUND) {
          const text = around(idiom.replaceAll('§', secret));
          const masked = redactor.text(text);
          if (leftOf(masked, secret) !== undefined || redactor.text(masked) !== masked)
            expect.fail(`${text}\n${masked}\n${redactor.text(masked)}`);
        }
  });

  test('in the fields of a record', () => {
    for (const idiom of idioms) {
      const text = idiom.replaceAll('§', CHOSEN[2]);
      const record = fire(1, {
        input: { tool_input: { command: text, env: [text], deep: { [text]: text } } } as never,
      });
      const masked = JSON.stringify(redactor.redact(record));
      if (leftOf(masked, CHOSEN[2]) !== undefined) expect.fail(`${text}\n${masked}`);
    }
  });

  test('split over two pieces', () => {
    for (const [i, idiom] of idioms.entries()) {
      const all = `before\n${idiom.replaceAll('§', CHOSEN[2])}\nafter\n`;
      for (let at = 1 + (i % STEP); at < all.length; at += STEP) {
        const seen = told(all, at);
        if (leftOf(seen, CHOSEN[2]) !== undefined) expect.fail(`at ${at}: ${all}\n${seen}`);
      }
    }
  });
});

describe('the values of a Secret of Kubernetes', () => {
  const value = 'c2VjcmV0IG9mIHN0YWdpbmc=';
  const yaml = `apiVersion: v1\ndata:\n  db: ${value}\n  other: |\n    ${value}\nkind: Secret\nmetadata:\n  name: a\n`;
  const ITEMS = `apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    db: ${value}\n  kind: Secret\n  metadata:\n    name: a\nkind: List\n`;
  const manifest = { apiVersion: 'v1', data: { db: value }, kind: 'Secret', metadata: { name: 'a' } };
  test.each([
    yaml,
    `kind: Secret\napiVersion: v1\nmetadata:\n  name: a\nstringData:\n  db: ${value}\n`,
    `a: b\n---\n${yaml}---\n${yaml}`,
    ITEMS,
    JSON.stringify(manifest),
    JSON.stringify(manifest, null, 4),
    JSON.stringify({ kind: 'List', items: [manifest] }, null, 2),
  ])('are masked, whole and in two pieces: %j', (text) => {
    for (const around of AROUND) expect(redactor.text(around(text)), around(text)).not.toContain('c2Vjc');
    for (let at = 1; at < text.length; at++) expect(told(`${text}\n`, at), `at ${at}`).not.toContain('c2Vjc');
    expect(redactor.text(text)).toContain('metadata');
  });

  test('are masked in data, and what else has such keys is not', () => {
    const input = (tool_input: unknown): string =>
      JSON.stringify(redactor.redact(fire(1, { input: { tool_input } as never })));
    expect(input({ a: [manifest] })).not.toContain('c2Vjc');
    expect(input({ a: [{ ...manifest, kind: 'ConfigMap' }] })).toContain('c2Vjc');
    for (const text of [yaml, ITEMS, JSON.stringify(manifest, null, 4)].map((one) =>
      one.replace('Secret', 'ConfigMap'),
    ))
      expect(redactor.text(text)).toBe(text);
  });
});
