import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { createJiti, JitiOptions } from 'jiti';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './sources.js';

/** jiti as it is built, with its compiler of TypeScript compressed. */
const BUILT = join(ROOT, 'dist/vendor/jiti');
const COMPILER = 'dist/babel.cjs.br';
const packed = readFileSync(join(BUILT, COMPILER));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-compiler-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function compilerIn(place: string): Promise<(source: string) => string> {
  const built: { createJiti: typeof createJiti } = await import(pathToFileURL(join(place, 'lib/jiti.mjs')).href);
  const options: JitiOptions = { fsCache: false };
  const jiti = built.createJiti(pathToFileURL(place).href, options);
  return (source) => jiti.transform({ source, filename: '/x.ts', ts: true, async: true });
}

test('the compiler that is built is that of jiti, and compiles the same', async () => {
  expect(brotliDecompressSync(packed).equals(readFileSync(join(ROOT, 'node_modules/jiti/dist/babel.cjs')))).toBe(true);
  const [plain, built] = [await compilerIn(join(ROOT, 'node_modules/jiti')), await compilerIn(BUILT)];
  const examples = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.ts'));
  const sources = [
    ...examples.map((file) => readFileSync(join(ROOT, 'examples', file), 'utf8')),
    'export const x: = 1;',
    'enum A { ä = "𝒳" }\nexport { A };',
    '@f class X { constructor(private y: number) {} }',
  ];
  expect(examples.length).toBeGreaterThan(10);
  for (const source of sources) expect(built(source)).toBe(plain(source));
});

test('it is read once a process', async () => {
  cpSync(BUILT, join(folder, 'once'), { recursive: true });
  const compile = await compilerIn(join(folder, 'once'));
  const code = compile('const x: number = 1;');
  expect(code).toContain('const x = 1;');
  rmSync(join(folder, 'once', COMPILER));
  expect(compile('const x: number = 1;')).toBe(code);
});

test.each([
  ['gone', undefined, 'ENOENT'],
  ['empty', Buffer.alloc(0), ''],
  ['cut at its first bytes', packed.subarray(0, 10), ''],
  ['cut in its middle', packed.subarray(0, packed.length / 2), ''],
  ['cut at its last byte', packed.subarray(0, -1), ''],
  ['text', Buffer.from('module.exports = 1;'), ''],
  ['no program', brotliCompressSync('not a program'), 'Unexpected identifier'],
  ['another program', brotliCompressSync('module.exports = {};'), 'it is not the compiler'],
  ['a program that fails', brotliCompressSync('throw new Error("first\\nsecond")'), 'first'],
])('an error names the file of the compiler that is %s, and what is put right is read', async (state, bytes, why) => {
  const place = join(folder, state.replaceAll(' ', '-'));
  cpSync(BUILT, place, { recursive: true });
  const file = join(place, COMPILER);
  if (bytes === undefined) rmSync(file);
  else writeFileSync(file, bytes);
  const compile = await compilerIn(place);
  const message = `dist/vendor/jiti/${COMPILER} of hookscope cannot be loaded: ${why}`;
  expect(() => compile('const x: number = 1;')).toThrow(message);
  writeFileSync(file, packed);
  expect(compile('const x: number = 1;')).toContain('const x = 1;');
});

test.each([
  ['gone', undefined, 'Cannot find module'],
  ['cut', 'module.exports = {', 'Unexpected'],
  ['another program', 'module.exports = {};', 'it has no analyse()'],
])('an error names the file that looks for exponential expressions, if it is %s', async (state, text, why) => {
  const place = join(folder, `analyser ${state}`);
  for (const part of ['dist', 'package.json']) cpSync(join(ROOT, part), join(place, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
  const file = join(place, 'dist/vendor/scslre.cjs');
  if (text === undefined) rmSync(file);
  else writeFileSync(file, text);
  const { createHost }: typeof import('../../src/index.js') = await import(
    pathToFileURL(join(place, 'dist/index.js')).href
  );
  const host = createHost();
  const hooks = [() => undefined];
  expect(() => host.register({ PreToolUse: [{ matcher: /^(\w+_?)+$/, hooks }] })).toThrow(
    `dist/vendor/scslre.cjs of hookscope cannot be loaded: ${why}`,
  );
  await host.close();
});
