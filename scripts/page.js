// The live page as one file: src/page, the packages that it uses, and its style, with nothing to be loaded (docs/decisions/0020-page.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** What of Node and of zod the shared modules name and a page never calls. */
const STUBS = {
  'node:util': 'export const types = {}; export const styleText = (_, text) => text;',
  zod: 'export const zod = () => { throw new Error("no schemas here"); }; export const schema = (make) => make;',
};

const stubs = {
  name: 'stubs',
  resolveId(id) {
    const name = id.endsWith('/values/zod.js') ? 'zod' : id;
    if (Object.hasOwn(STUBS, name)) return `\0${name}`;
    if (id.startsWith('node:')) throw new Error(`src/page comes to import ${id}, which no browser has.`);
    return null;
  },
  load: (id) => STUBS[id.slice(1)] ?? null,
};

/** What each event is about is for documents: a page does not show it. */
const ABOUT = /\babout:\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/g;
const withoutAbout = {
  name: 'without about',
  transform: {
    filter: { id: /\/src\/events\/groups\/.*\.ts$/ },
    handler: (code) => ({ code: code.replace(ABOUT, "about: ''"), map: null }),
  },
};

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
    plugins: [stubs, withoutAbout],
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
