import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../package/sources.js';

const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const rows = [
  ...text('README.md').matchAll(/^\| (?:the )?\[[^\]]+\]\(docs\/adapters\.md#([\w-]+)\) \| (`import .*`) \|$/gm),
];
const slug = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

describe("README's three lines for each framework", () => {
  test('are there for all of them', () => {
    expect(rows.map(([, section]) => section)).toEqual(['the-vercel-ai-sdk', 'openai-agents', 'langchain']);
  });

  // The programs of docs/adapters.md are run, and what they print is compared, by package/docs.
  test.each(rows.map(([, section, cell]) => [section as string, cell as string]))(
    'are lines of a program that runs: %s',
    (section, cell) => {
      const parts = text('docs/adapters.md').split(/^## /m);
      const part = parts.find((one) => slug(one.slice(0, one.indexOf('\n'))) === section) ?? '';
      const program = /^```ts\n([\s\S]*?)^```\n\n```text\n/m.exec(part)?.[1]?.split('\n') ?? [];
      const lines = cell.split('<br>').map((line) => line.slice(1, -1));
      expect(lines).toHaveLength(3);
      expect(lines.filter((line) => !program.includes(line))).toEqual([]);
    },
  );
});
