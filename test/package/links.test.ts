import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './sources.js';

const NOT_OURS = ['node_modules', 'dist', 'coverage', 'fixtures', '.git'];

/** The documents of a folder and those below it. Not one call for the whole tree: most files are those of packages. */
function documentsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.includes(entry.name) ? [] : documentsIn(path);
    return path.endsWith('.md') ? [path] : [];
  });
}
const documents = documentsIn('.').sort();

/** The text without fenced blocks and code spans, whose brackets are no links. */
function prose(markdown: string): string {
  return markdown.replace(/^(`{3,}|~{3,}).*\n[\s\S]*?^\1\s*$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The anchors of a document's headings, as GitHub makes them, and those it writes itself. */
function anchors(markdown: string): Set<string> {
  const found = new Set<string>();
  const text = markdown.replace(/^(`{3,}|~{3,}).*\n[\s\S]*?^\1\s*$/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#+ +(.+?) *$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let n = 1; found.has(unique); n += 1) unique = `${anchor}-${n}`;
    found.add(unique);
  }
  for (const [, id = ''] of text.matchAll(/<a id="([^"]+)">/g)) found.add(id);
  return found;
}

/** Links to files that are not there, and to headings that are not in them. */
function brokenLinks(file: string, markdown: string): string[] {
  return [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    const target = join(ROOT, dirname(file), path);
    if (!existsSync(target)) return [link];
    if (anchor === undefined || (path !== '' && !target.endsWith('.md'))) return [];
    const text = path === '' ? markdown : readFileSync(target, 'utf8');
    return anchors(text).has(anchor) ? [] : [link];
  });
}

describe('the documents', () => {
  test.each(documents)('%s links to what is there', (file) => {
    expect(brokenLinks(file, readFileSync(join(ROOT, file), 'utf8'))).toEqual([]);
  });
});

test('a link to a missing file, a missing heading and a missing heading elsewhere is found, and no other', () => {
  const text = [
    '# A heading, `with code` & more',
    '[a](../README.md) [b](no.md) [c](#a-heading-with-code--more) [d](#b) [e](../README.md#nothing) [f](https://x.example/y)',
    '```ts\n[g](no.md)\n```',
    '`[h](no.md)`',
  ].join('\n\n');
  expect(brokenLinks('docs/x.md', text)).toEqual(['no.md', '#b', '../README.md#nothing']);
});
