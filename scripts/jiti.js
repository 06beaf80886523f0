// jiti as it is, but for its Babel, which only TypeScript needs: 1.5 MB that nobody reads, a fifth of it when compressed.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';

const JITI = fileURLToPath(new URL('../node_modules/jiti', import.meta.url));
/** How jiti.mjs loads its Babel, once a process. */
const LOADS = 'createRequire(import.meta.url)("../dist/babel.cjs")';
const IMPORTS = `
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { brotliDecompressSync } from "node:zlib";
`;

/** @param {string} to */
export function copyJiti(to) {
  for (const folder of ['lib', 'dist']) mkdirSync(join(to, folder), { recursive: true });
  cpSync(join(JITI, 'dist/jiti.cjs'), join(to, 'dist/jiti.cjs'));
  writeFileSync(join(to, 'dist/babel.cjs.br'), brotliCompressSync(readFileSync(join(JITI, 'dist/babel.cjs'))));
  const code = readFileSync(join(JITI, 'lib/jiti.mjs'), 'utf8');
  if (code.split(LOADS).length !== 2) throw new Error('jiti loads its Babel in another way than is known here');
  writeFileSync(join(to, 'lib/jiti.mjs'), `${IMPORTS}${code.replace(LOADS, 'loadBabel()')}\n${loadBabel}\n`);
}

/** What `require` does, in the built jiti.mjs, where it stands as it stands here. */
function loadBabel() {
  try {
    const file = fileURLToPath(new URL('../dist/babel.cjs.br', import.meta.url));
    const code = brotliDecompressSync(readFileSync(file)).toString();
    const names = ['exports', 'require', 'module', '__filename', '__dirname'];
    const module = { exports: {} };
    const run = compileFunction(code, names, { filename: file });
    run.call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
    if (typeof module.exports !== 'function') throw new Error('it is not the compiler');
    return module.exports;
  } catch (error) {
    const [why] = String(error instanceof Error ? error.message : error).split('\n', 1);
    throw new Error(`dist/vendor/jiti/dist/babel.cjs.br of hookscope cannot be loaded: ${why}`, { cause: error });
  }
}
