import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashOf } from '../../src/server/bound/files.js';
import { KeptTexts } from '../../src/server/bound/kept-texts.js';
import { keyOfScripts } from '../../src/server/bound/scripts.js';
import { MEND_BIT } from '../../src/trust/changes.js';
import { sha256 } from '../../src/values/sha256.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
/** What is shown of a file that had one content when it was bound, and has another now. */
async function shown(before: string | Uint8Array, after: string | Uint8Array | undefined): Promise<string> {
  const path = put('guard.sh', before);
  const kept = new KeptTexts({ files: { [path]: { sha256: hashOf(path), code: false } }, scripts: {} });
  if (after === undefined) rmSync(path);
  else put('guard.sh', after);
  return kept.change(path, (text) => text.replaceAll(/secret-\w+/g, '***'));
}

test('of a text, the lines that differ are shown', async () => {
  const said = await shown('one\ntwo\nthree\n', 'one\n2\nthree\n');
  expect(said.split('\n')).toEqual(['--- guard.sh', '+++ guard.sh', '@@ -1,3 +1,3 @@', ' one', '-two', '+2', ' three']);
});

test('of a script that a command names, too', async () => {
  const path = put('guard.sh', 'exit 2\n');
  const scripts = { [keyOfScripts(folder, join(folder, 'hooks.json'))]: { 'guard.sh': { sha256: hashOf(path) } } };
  const kept = new KeptTexts({ files: {}, scripts });
  put('guard.sh', 'exit 0\n');
  expect(await kept.change(path, (text) => text)).toMatch(/\n-exit 2\n\+exit 0$/);
});

test('of a script that has the same text, that it can no longer be executed', async () => {
  const path = put('guard.sh', 'exit 2\n');
  const found = { 'guard.sh': { sha256: hashOf(path), executable: true as const } };
  const kept = new KeptTexts({ files: {}, scripts: { [keyOfScripts(folder, join(folder, 'hooks.json'))]: found } });
  chmodSync(path, 0o644);
  expect(await kept.change(path, (text) => text)).toBe(
    `it can no longer be executed: ${MEND_BIT}\nits text is the same`,
  );
  put('guard.sh', new Uint8Array([0, 255]));
  const other = `it can no longer be executed: ${MEND_BIT}\n2 bytes, SHA-256 `;
  expect(await kept.change(path, (text) => text)).toContain(other);
  rmSync(path);
  expect(await kept.change(path, (text) => text)).toBe('it is gone');
});

test('secrets are masked, also where nothing else differs', async () => {
  const said = await shown('KEY=secret-1\nexit 2\n', 'KEY=secret-2\nexit 0\n');
  expect(said).toContain('KEY=***');
  expect(said).not.toContain('secret-');
  expect(await shown('KEY=secret-1\n', 'KEY=secret-2\n')).toBe('only what is masked');
});

test('what a terminal would interpret is escaped', async () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
  expect(await shown('a\n', 'a\u001b[2J\u202e\rb\n')).not.toMatch(/[\u001b\u202e\r]/);
});

test('of many lines, only the first are shown, and how many there are', async () => {
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i}\n`).join('');
  const said = await shown('', lines);
  expect(said.split('\n').length).toBeLessThan(65);
  expect(said).toMatch(/\n… \(\d+ lines in all\)$/);
  expect((await shown('', 'x'.repeat(60_000))).length).toBeLessThan(8_100);
});

test('of what is no text, or too large, the size and the hash are shown', async () => {
  const bytes = Uint8Array.of(0, 1, 2, 255);
  expect(await shown('text', bytes)).toBe(`4 bytes, SHA-256 ${sha256(bytes)}`);
  expect(await shown(bytes, 'text')).toBe(`4 bytes, SHA-256 ${sha256('text')}`);
  const large = 'x'.repeat(70_000);
  expect(await shown(large, 'text')).toBe(`4 bytes, SHA-256 ${sha256('text')}`);
  expect(await shown('text', large)).toBe(`70000 bytes, SHA-256 ${sha256(large)}`);
  expect(await shown('text', undefined)).toBe('it is gone');
});

test('a text that had changed before it was kept is not shown as what was bound', async () => {
  const path = put('guard.sh', 'now\n');
  const kept = new KeptTexts({ files: { [path]: { sha256: sha256('before\n'), code: false } }, scripts: {} });
  expect(await kept.change(path, (text) => text)).toBe(`4 bytes, SHA-256 ${sha256('now\n')}`);
});
