import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Block, blocksOf } from './doc-blocks.js';
import { exampleBlocks } from './doc-comments.js';
import { createProject, type Project } from './doc-project.js';
import { ROOT } from './sources.js';

/** The documents whose blocks are run. The API reference is made from the doc comments of the sources, whose examples are `exampleBlocks`. */
function documents(): string[] {
  const under = (folder: string, wanted: (path: string) => boolean): string[] =>
    (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).filter(wanted).map((p) => join(folder, p));
  const folders = readdirSync(ROOT);
  return [
    ...folders.filter((name) => name.endsWith('.md')),
    ...(folders.includes('docs') ? under('docs', (p) => p.endsWith('.md') && !p.startsWith('api/')) : []),
    ...(folders.includes('examples') ? under('examples', (p) => /^(?!.*node_modules).*README\.md$/.test(p)) : []),
  ].sort();
}

const blocks = [
  ...documents().flatMap((file) => blocksOf(file, readFileSync(join(ROOT, file), 'utf8'))),
  ...exampleBlocks(),
];
const optedOut = blocks.filter((block) => block.words.includes('no-run'));
const title = (block: Block): string =>
  `${block.file}:${block.line} ${block.lang}${block.words.includes('no-run') ? ` (not run: ${block.reason})` : ''}`;

describe('the blocks of the documents', () => {
  let project: Project;
  beforeAll(async () => {
    project = await createProject(blocks);
  });
  afterAll(() => project.remove());

  test(`${blocks.length} in all, ${optedOut.length} of them not run`, () => {
    expect(optedOut.filter((block) => block.reason === undefined).map(title)).toEqual([]);
  });

  test.each(blocks.map((block) => [title(block), block] as const))('%s', async (_, block) => {
    expect(await project.check(block)).toEqual([]);
  });
});
