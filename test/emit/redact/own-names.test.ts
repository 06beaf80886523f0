import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { HookProgress } from '../../../src/emit/record.js';
import { createRedactor, type Redactor } from '../../../src/emit/redact/redactor.js';
import { progressRecord } from '../../../src/emit/run-records.js';
import { generated, randomFrom, SEED } from '../../seed.js';
import { RUN } from '../samples.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-own-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
const NAMES = ['iban', 'x-internal', 'user', 'größe', 'note_2'];
const redactor = createRedactor({ keyFile, keys: NAMES });

const random = randomFrom(SEED);
const below = (most: number): number => Math.floor(random() * most);
const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;

/** What is part of each secret text, and of each secret number. */
const SECRET = 'zq';
const NUMBER = 73_519_000;
const word = (): string => `${SECRET}${below(1000)}`;

const TEXTS: readonly (() => string)[] = [
  word,
  () => `${word()} of ${word()} and ${word()}`,
  () => `${word()} said "${word()}" to ${word()}`,
  () => `it's ${word()}'s`,
  () => `C:\\new\\${word()}\\`,
  () => `${word()}\n${word()}: ${word()}\n  ${word()}`,
  () => `${word()}, ${word()}; ${word()}} ] ${word()}`,
  () => `${word()}: # ${word()}`,
  () => `größe ${word()} 名前\t${word()}`,
  () => `${word()}=${word()}&${word()}`,
  () => Array.from({ length: 900 }, word).join(' '),
  () => word().repeat(1200),
];
const text = (): string => one(TEXTS)();
const plain = (): unknown => (below(3) === 0 ? NUMBER + below(1000) : below(8) === 0 ? -NUMBER - 0.5 : text());

function value(depth: number): unknown {
  const kind = below(depth > 2 ? 3 : 6);
  if (kind < 3) return plain();
  if (kind === 3)
    return Array.from({ length: one([1, 2, 5, 150]) }, () => (below(4) === 0 ? value(depth + 2) : word()));
  if (kind === 4) return Array.from({ length: 1 + below(3) }, () => value(depth + 1));
  return Object.fromEntries(
    Array.from({ length: 1 + below(4) }, (_, i) => [`${one(['a', 'b c', 'é'])}${i}`, value(depth + 1)]),
  );
}

const isText = (of: unknown): of is string => typeof of === 'string';
const inShell = (of: string): string => `'${of.replaceAll("'", `'\\''`)}'`;
const inMarkup = (of: unknown): string =>
  typeof of === 'object' && of !== null
    ? Object.entries(of)
        .map(([, inner]) => `\n  <item>${inMarkup(inner)}</item>`)
        .join('')
    : String(of).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** What is written with a name and a value, and around it neighbours with other names; undefined: such a value cannot be written so. */
const WRITINGS: Readonly<Record<string, (name: string, of: unknown) => string | undefined>> = {
  JSON: (name, of) => JSON.stringify({ a: 'keep1', [name]: of, b: 'keep2' }),
  'JSON in lines': (name, of) => JSON.stringify({ a: 'keep1', [name]: of, b: 'keep2' }, null, 2),
  'JSON deep in lines': (name, of) => JSON.stringify([{ a: 'keep1', c: [{ [name]: of, b: 'keep2' }] }], null, 4),
  'JSON in a text': (name, of) => JSON.stringify({ t: JSON.stringify({ a: 'keep1', [name]: of, b: 'keep2' }) }),
  'JSON in lines in a text': (name, of) =>
    JSON.stringify({ t: JSON.stringify({ a: 'keep1', [name]: of, b: 'keep2' }, null, 1) }),
  'JSON in a text in a text': (name, of) =>
    JSON.stringify({ s: JSON.stringify({ t: JSON.stringify({ a: 'keep1', [name]: of, b: 'keep2' }) }) }),
  YAML: (name, of) => stringify({ a: 'keep1', [name]: of, b: 'keep2' }),
  'YAML in YAML': (name, of) => stringify({ x: [{ [name]: of, a: 'keep1' }, { b: 'keep2' }] }),
  'YAML with long lines': (name, of) => stringify({ a: 'keep1', [name]: of, b: 'keep2' }, { lineWidth: 0 }),
  'YAML in a text': (name, of) =>
    JSON.stringify(of).includes('\\\\')
      ? undefined
      : JSON.stringify({ t: stringify({ a: 'keep1', [name]: of, b: 'keep2' }) }),
  variables: (name, of) =>
    isText(of) ? `a=keep1\n${name}=${inShell(of)}\nb=keep2\n` : `a=keep1\nexport ${name}=${NUMBER}\nb=keep2`,
  'variables in double quotes': (name, of) =>
    isText(of) ? `a=keep1\n${name}="${of.replace(/[\\"$`]/g, '\\$&')}"\nb=keep2\n` : undefined,
  options: (name, of) =>
    isText(of) ? `pay --a keep1 --${name} ${inShell(of)} --b keep2` : `pay --${name} ${NUMBER} keep1 --b keep2`,
  'options with a sign': (name, of) =>
    isText(of) ? `pay --a=keep1 --${name}=${inShell(of)} --b=keep2` : `pay [--${name}=${NUMBER}] keep1 --b=keep2`,
  'lists of options': (name, of) =>
    isText(of) ? JSON.stringify(['pay', '--a', 'keep1', `--${name}`, of, '--b', 'keep2'], null, 1) : undefined,
  elements: (name, of) => `<r>\n<a>keep1</a>\n<${name}>${inMarkup(of)}</${name}>\n<b>keep2</b>\n</r>`,
  attributes: (name, of) => (isText(of) ? `<r a="keep1" ${name}="${inMarkup(of)}" b="keep2"/>` : undefined),
  'lines of a log': (name, of) =>
    `2026-01-01T10:00:00 INFO a=keep1 ${name}=${JSON.stringify(of)} b=keep2\n2026-01-01T10:00:01 INFO c`,
  headers: (name, of) => (isText(of) && !/\n|: |=/.test(of) ? `A: keep1\n${name}: ${of}\nB: keep2` : undefined),
};

let runs = 0;
function inPieces(redact: Redactor, pieces: readonly string[]): string {
  const run = { ...RUN, hookId: `own-${++runs}` };
  return pieces
    .map((stdout) => redact.redact(progressRecord(run, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h')) as HookProgress)
    .map(({ stdout }) => stdout)
    .join('');
}

const left = (shown: string): string | undefined =>
  /.{0,40}(?:zq|73_?519).{0,40}/.exec(shown.replace(/hmac:\w{16}/g, ''))?.[0];

test.each(Object.entries(WRITINGS))(
  'no value of a name of the user is left, whole or in pieces, and its neighbours are: %s',
  (_, write) => {
    for (let i = 0; i < generated(25); i++) {
      const written = write(one(NAMES), value(0));
      if (written === undefined) continue;
      const all = `${written}\nend\n`;
      const size = one([1, 7, 100, 3000]) + below(5);
      const shown = {
        whole: redactor.text(all),
        'by lines': inPieces(redactor, all.match(/.*\n/g) ?? []),
        'by characters': inPieces(
          redactor,
          all.match(new RegExp(`[^]{1,${Math.max(size, Math.ceil(all.length / 25))}}`, 'gu')) ?? [],
        ),
      };
      for (const [how, said] of Object.entries(shown)) {
        expect(left(said), `${how}: ${all.slice(0, 1500)}`).toBeUndefined();
        // Of a line that is longer than what is held back, its end may be masked with the value.
        const isHeld = how === 'whole' || written.split('\n').every((line) => line.length < 4096);
        for (const keep of isHeld ? ['keep1', 'keep2'] : [])
          if (all.includes(keep)) expect(said, `${how}: ${all.slice(0, 1500)}`).toContain(keep);
      }
    }
  },
);
