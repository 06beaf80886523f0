// The live page as one file: src/page, the packages that it uses, and its style, with nothing to be loaded (docs/decisions/0020-page.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';

/** What the shared modules import and a page never calls: parts of Node, zod, and what is like a misspelt name, since a page's hooks are clicked on. */
const STUBS = {
  'node:util': 'export const types = {}; export const styleText = (_, text) => text;',
  nearest: 'export const nearest = () => undefined;',
  sha256: "export const sha256 = () => '';",
  // Records are JSON, in which there is no promise.
  'waiting/promises': `
    export const ignoreRejections = () => {};
    export const messageOf = (error) => String(error instanceof Error ? error.message : error);
    export const jsonText = (value) => JSON.stringify(value);`,
  zod: 'export const zod = () => { throw new Error("no schemas here"); }; export const schema = (make) => make;',
};

const stubs = {
  name: 'stubs',
  resolveId(id) {
    const name = /\/values\/(zod|nearest|sha256|waiting\/promises)\.js$/.exec(id)?.[1] ?? id;
    if (Object.hasOwn(STUBS, name)) return `\0${name}`;
    if (id.startsWith('node:')) throw new Error(`src/page comes to import ${id}, which no browser has.`);
    return null;
  },
  load: (id) => STUBS[id.slice(1)] ?? null,
};

/** What the page leaves out of each event: its text is for documents, and without zod there are no schemas. */
const LEFT_OUT = { about: "''", input: '() => {}', output: '() => {}', sample: '() => {}' };
const withoutSchemas = {
  name: 'without schemas',
  transform: {
    filter: { id: /\/src\/events\/groups\/.*\.ts$/ },
    handler(code) {
      let from = 0;
      const parts = eventFields(parseAst(code, { lang: 'ts' })).map(({ key, value: { start, end } }) => {
        const before = code.slice(from, start);
        from = end;
        return before + LEFT_OUT[key.name];
      });
      return { code: parts.join('') + code.slice(from), map: null };
    },
  },
};

/** The fields that are left out, in what `builtIn` is given or a constant holds for it. */
function eventFields(node) {
  if (Array.isArray(node)) return node.flatMap(eventFields);
  if (node === null || typeof node !== 'object') return [];
  if (node.type === 'Property' && Object.hasOwn(LEFT_OUT, node.key.name)) return [node];
  return Object.values(node).flatMap(eventFields);
}

/** No text of it may end the element that it stands in. */
const inScript = (code) => code.replace(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
const squeezed = (css) =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/\s*([{};,>])\s*/g, '$1')
    .replace(/:\s+/g, ':');

/** The text of the file, and the modules that are in it. */
export async function page(root) {
  const made = await rolldown({
    cwd: root,
    input: 'src/page/main.tsx',
    platform: 'browser',
    tsconfig: 'src/page/tsconfig.json',
    plugins: [stubs, withoutSchemas],
    // Of the package diff only the comparison of lines is used: its others would stay, since they change objects when they are loaded.
    treeshake: { moduleSideEffects: [{ test: /node_modules\/diff\//, sideEffects: false }] },
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    transform: {
      target: 'es2023',
      define: { 'globalThis.process': 'undefined', 'process.env.NODE_ENV': '"production"' },
    },
  });
  const { output } = await made.generate({ format: 'iife', minify: true, comments: false });
  await made.close();
  const [{ code, moduleIds }] = output;
  const style = squeezed(readFileSync(join(root, 'src/page/page.css'), 'utf8'));
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>hookscope</title>
<style>${style}</style>
</head>
<body>
<!-- records -->
<script>${inScript(code.trim())}</script>
</body>
</html>
`;
  return { html, chunk: { type: 'chunk', fileName: 'page.html', code: '', moduleIds } };
}
