import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { whyNotRun } from '../../src/plugins/not-run.js';
import { createFolder, type Folder } from './folder.js';

let folder: Folder;
/** Imports by Node itself: vitest would parse the file first. */
let load: (file: string) => Promise<unknown>;
beforeEach(() => {
  folder = createFolder();
  const loader = folder.write('load.cjs', 'module.exports = (file) => import(file);');
  load = createRequire(import.meta.url)(loader);
});
afterEach(() => folder.remove());

test.each<[what: string, files: Record<string, string>, why: RegExp]>([
  [
    'the file itself',
    { 'c.mjs': 'export const a = 1;\nexport const b = = 2;' },
    /Unexpected token '=', at line 2, column 18$/,
  ],
  [
    'the file itself, behind a line for the shell',
    { 'c.mjs': '#!/usr/bin/env node\nexport default {\n' },
    /Unexpected end of input, at line 3, column 1$/,
  ],
  [
    'a file that an imported one imports',
    { 'c.mjs': "import './l.mjs';", 'l.mjs': "import './c.mjs';\nexport * from './broken.mjs';" },
    /Unexpected token '=', at line 1, column 23 of \S+broken\.mjs$/,
  ],
  [
    'an export that is missing',
    { 'c.mjs': "// once: import { x } from './broken.mjs';\nimport { nope } from './a.mjs';" },
    /does not provide an export named 'nope', at line 2, column 10$/,
  ],
  [
    'JSON, beside a comment',
    { 'c.mjs': "// was: import('./broken.mjs')\nexport default { a: JSON.parse('{bad') };" },
    /JSON at position 1[^,]*$/,
  ],
  [
    'JSON, behind an import that was caught',
    { 'c.mjs': "try { await import('./broken.mjs'); } catch {}\nJSON.parse('{bad');" },
    /JSON at position 1[^,]*$/,
  ],
  [
    'a regular expression, beside a text',
    { 'c.mjs': `import { a } from './a.mjs';\nconst text = "import x from './broken.mjs'";\nnew RegExp('(');` },
    /Unterminated group$/,
  ],
  [
    'a function of a text',
    { 'c.mjs': "const x = \"from './broken.mjs'\";\nnew Function('export const a = = 1');" },
    /^[^,]*$/,
  ],
  [
    'an error of its own that says the same',
    { 'c.mjs': "try { await import('./broken.mjs'); } catch {}\nthrow new SyntaxError(\"Unexpected token '='\");" },
    /Unexpected token '='$/,
  ],
  [
    'a file of a package, beside one with another error that was caught',
    {
      'c.mjs': "try { await import('./broken.mjs'); } catch {}\nawait import('pkg');",
      'node_modules/pkg/package.json': '{"name":"pkg","exports":"./i.mjs"}',
      'node_modules/pkg/i.mjs': 'export const b = );',
    },
    /Unexpected token '\)'$/,
  ],
  [
    'one of two files in which it is the same',
    { 'c.mjs': "import './broken.mjs';\nimport './broken2.mjs';", 'broken2.mjs': 'export const b = = 1' },
    /Unexpected token '='$/,
  ],
])('a syntax error is told with a place only where it is certain to be there: %s', async (_, files, why) => {
  folder.write('broken.mjs', 'export const broken = = 1;');
  folder.write('a.mjs', 'export const a = 1;');
  for (const [name, text] of Object.entries(files)) folder.write(name, text);
  const file = join(folder.path, 'c.mjs');
  const error = await load(file).catch((e: unknown) => e);
  expect(await whyNotRun(error, file)).toMatch(why);
});
