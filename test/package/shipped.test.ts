import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { figures } from '../../bench/weight.js';
import { packed } from './install.js';
import { ROOT } from './sources.js';

/** What `npm pack` puts into the package, without building it. */
let shipped: readonly string[];
beforeAll(async () => {
  shipped = (await packed()).files;
});

/** Links to other files, also those of pictures and of HTML, outside of code. */
function linksIn(markdown: string): string[] {
  const prose = markdown.replace(/^(`{3,}|~{3,}).*\n[\s\S]*?^\1\s*$/gm, '').replace(/`[^`\n]*`/g, '');
  const found = [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)|(?:href|src)="([^"]+)"/gm)];
  return found.map(([, inline, named, html]) => inline ?? named ?? html ?? '');
}

/** Relative links of the shipped documents that lead to nothing that is shipped. */
function deadLinks(shipped: readonly string[], read: (path: string) => string): string[] {
  const files = new Set(shipped);
  const folders = new Set(shipped.flatMap((path) => parents(path)));
  return shipped
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      linksIn(read(path))
        .filter((link) => !/^(?:[a-z]+:|#)/i.test(link))
        .map((link) => decodeURIComponent(link.split('#')[0] as string))
        .filter((link) => {
          const target = posix.normalize(posix.join(posix.dirname(path), link)).replace(/\/$/, '');
          return !files.has(target) && !folders.has(target);
        })
        .map((link) => `${path} -> ${link}`),
    );
}

function parents(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

test('every link of every document that npm ships leads to a file that it ships', () => {
  const documents = shipped.filter((path) => path.endsWith('.md'));
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', 'docs/guide.md', 'CHANGELOG.md']));
  expect(deadLinks(shipped, (path) => readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
});

test('nothing is shipped that was made by a run, or belongs to one machine', () => {
  expect(shipped.filter((path) => /(^|\/)(node_modules|coverage|\.claude|\.git)\/|\.tgz$|\.env$/.test(path))).toEqual(
    [],
  );
  expect(shipped.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('nothing is shipped that another shipped file says too', () => {
  // The API reference is made of the comments in the types, and examples/README.md holds what the examples print.
  expect(shipped.filter((path) => /^docs\/api\/|^examples\/[^/]+\.txt$|\.map$/.test(path))).toEqual([]);
  expect(shipped).toEqual(expect.arrayContaining(['dist/index.d.ts', 'examples/README.md', 'docs/images/path.svg']));
});

test('the package, with what it brings, takes at most so much more than the packages it was to be built on', async () => {
  const [size] = await figures();
  expect(
    size?.value,
    'raise the goal in bench/weight.ts in the commit that needs it, or see what is shipped for nobody',
  ).toBeLessThanOrEqual(size?.below ?? 0);
});

test('dead links are found in every spelling', () => {
  const texts: Readonly<Record<string, string>> = {
    'a.md':
      '[x](b.md) [y](docs) [z](gone.md#x) ![p](gone.svg "title") <a href="gone.html">h</a>\n[r]: gone-too.md\n`[c](code.md)`',
    'docs/b.md': '[up](../a.md) [out](../test/x.md) [web](https://x.example) [here](#x)',
  };
  expect(deadLinks(['a.md', 'b.md', 'docs/b.md'], (path) => texts[path] ?? '')).toEqual([
    'a.md -> gone.md',
    'a.md -> gone.svg',
    'a.md -> gone.html',
    'a.md -> gone-too.md',
    'docs/b.md -> ../test/x.md',
  ]);
});
