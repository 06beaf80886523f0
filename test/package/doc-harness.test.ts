import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, printed } from './doc-blocks.js';
import { createProject, type Project } from './doc-project.js';

const F = '```';

/** One case a heading: a document's text and what its blocks' problems must look like, in order. */
const CASES: readonly [name: string, markdown: string, problems: readonly (RegExp | undefined)[]][] = [
  [
    'typescript that prints what is shown',
    `${F}ts\nconst n: number = 2;\nconsole.log(n);\n${F}\n\nIt prints:\n\n${F}text\n2\n${F}`,
    [undefined],
  ],
  [
    'typescript that prints something else',
    `${F}ts\nconsole.log(3);\n${F}\n${F}text\n2\n${F}`,
    [/shown:\n2\nprinted:\n3/],
  ],
  ['typescript with a wrong type', `Text.\n\n${F}ts\n\nconst n: number = 'two';\n${F}`, [/^line 5: TS2322/]],
  ['typescript that throws', `${F}ts\nthrow new Error('no');\n${F}`, [/exit code 1/]],
  ['typescript that imports an unknown name', `${F}ts\nimport { nothing } from 'node:fs';\n${F}`, [/TS2305/]],
  [
    'a block that continues the one before',
    `${F}ts\nconst n = 1;\nconsole.log('a');\n${F}\n\n${F}ts continued\nconsole.log(n);\n${F}\n${F}text\n1\n${F}`,
    [undefined, undefined],
  ],
  [
    'a wrong type in a continued block',
    `${F}ts\nconst n = 1;\n${F}\n\n${F}ts continued\nn.length;\n${F}`,
    [undefined, /^line 6: TS2339/],
  ],
  ['javascript', `${F}js\nconsole.log(1);\n${F}\n${F}text\n2\n${F}`, [/shown/]],
  [
    'commands and what they print',
    `${F}console\n$ echo a; echo b\na\nb\n$ printf '%s\\n' \\\n>   c\nc\n${F}`,
    [undefined],
  ],
  ['a command that prints something else', `${F}console\n$ true\n$ echo a\nb\n${F}`, [/shown:\nb\nprinted:\na/]],
  ['a command that fails', `${F}sh\n$ false\n$ true\n${F}`, [/\$ false: exit 1/]],
  ['a command that fails as it should', `${F}sh exit=2\n$ true\n$ exit 2\n${F}`, [undefined]],
  ['a last command that exits as it should', `${F}sh exit=3\n$ true\n$ (exit 3)\n${F}`, [undefined]],
  [
    'hookscope that prints something else',
    `${F}console\n$ hookscope --version\n0.0.0\n${F}`,
    [/shown:\n0\.0\.0\nprinted:\n\d/],
  ],
  [
    'hookscope that fails, and says why',
    `${F}console\n$ hookscope page 'a b'\n$ hookscope --version\n${F}`,
    [/\$ hookscope page 'a b': exit 1\nhookscope: [^\n]*a b: /],
  ],
  ['hookscope that exits as it should', `${F}console exit=1\n$ hookscope page gone\n${F}`, [undefined]],
  [
    'hookscope whose errors are not shown',
    `${F}console exit=1\n$ hookscope page gone 2>&-\ngone\n${F}`,
    [/printed:\n$/],
  ],
  [
    'hookscope whose lines are counted',
    `${F}console\n$ hookscope page gone 2>&1 | grep -c 'gone'\n2\n${F}`,
    [/printed:\n1\n$/],
  ],
  [
    'hookscope that has no line to count',
    `${F}console exit=1\n$ hookscope --version 2>&1 | grep -c 'gone'\n0\n${F}`,
    [undefined],
  ],
  [
    'hookscope that is given a text',
    `${F}console exit=1\n$ echo '7' | hookscope fire Stop --input - --no-config\n8\n${F}`,
    [/printed:\nhookscope: standard input: expected [^\n]*, got 7\./],
  ],
  ['hookscope among other words of the shell', `${F}console\n$ hookscope --version | wc -l\n1\n${F}`, [undefined]],
  [
    'a program of the repository that is not there',
    `${F}console cwd=repo\n$ node examples/none.mjs\n${F}`,
    [/exit code 1.*\n[\s\S]*ERR_MODULE_NOT_FOUND/],
  ],
  ['a script without prompts', `${F}sh\nfalse\n${F}`, [/exit code 1/]],
  [
    'a file that a command reads',
    `${F}json file=a/b.json\n{"x": 1}\n${F}\n\n${F}sh\n$ cat a/b.json\n{"x": 1}\n${F}`,
    [undefined, undefined],
  ],
  [
    'a program written and called',
    `${F}sh file=say.sh\n#!/bin/sh\necho said\n${F}\n\n${F}sh\n$ ./say.sh\nsaid\n${F}`,
    [undefined, undefined],
  ],
  ['broken json', `${F}json\n{,}\n${F}`, [/not JSON/]],
  ['lines of json, one broken', `${F}jsonl\n{}\n{\n${F}`, [/not JSON/]],
  ['an unknown language', `${F}tsx\n${F}`, [/unknown language "tsx"/]],
  ['a word with a slip', `${F}ts norun\n${F}`, [/unknown words after the language: norun/]],
  ['no-run without a reason', `${F}sh no-run\nfalse\n${F}`, [/needs its reason/]],
  ['no-run with a reason', `<!-- no-run: needs the network -->\n${F}sh no-run\nfalse\n${F}`, [undefined]],
  ['no-run is still typed', `<!-- no-run: waits for ever -->\n${F}ts no-run\nconst n: number = '';\n${F}`, [/TS2322/]],
  ['a diagram and a text of its own', `${F}mermaid\ngraph\n${F}\n\n${F}text\na tree\n${F}`, [undefined, undefined]],
];

describe('a block of a document', () => {
  const blocks = CASES.map(([name, markdown]) => blocksOf(`${name}.md`, markdown));
  let project: Project;
  beforeAll(async () => {
    project = await createProject(blocks.flat());
  });
  afterAll(() => project.remove());

  test.each(CASES.map(([name, , problems], i) => [name, problems, i] as const))('%s', async (_, problems, i) => {
    const found = [];
    for (const block of blocks[i] ?? []) found.push((await project.check(block)).join('\n'));
    expect(found).toEqual(problems.map((p) => (p === undefined ? '' : expect.stringMatching(p))));
  });
});

test.each([
  ['a\nb', 'a\nb\n', true],
  ['a\nb', 'a\nb\nc', false],
  ['a…c', 'abbbc', true],
  ['a…c', 'ab\nc', false],
  ['a\n…\nc', 'a\nc', true],
  ['a\n…\nc', 'a\nb\nb\nc', true],
  ['a\n…', 'a\nb', true],
  ['(a.b)', '(axb)', false],
])('%j shown and %j printed: %s', (expected, actual, same) => {
  expect(printed(expected, actual)).toBe(same);
});
