import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENT_NAMES } from '../../src/agents/agents.js';
import { blocksOf, word } from './doc-blocks.js';
import { openGuards } from './guards.js';
import { ROOT } from './sources.js';

/** Every piece of code or data that a reader may copy: blocks of documents, examples, doc comments' examples. */
function shown(): { where: string; text: string; language: string }[] {
  const all = (folder: string): string[] =>
    (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((path) => join(folder, path));
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const documents = ['README.md', ...all('docs'), ...all('examples')].filter(
    (path) => path.endsWith('.md') && !/node_modules|docs\/api\//.test(path),
  );
  const programs = all('examples').filter(
    (path) => /(?<!\.d)\.(?:ts|js|mjs)$/.test(path) && !path.includes('node_modules'),
  );
  const comments = all('src').filter((path) => path.endsWith('.ts'));
  return [
    ...documents.flatMap((file) =>
      blocksOf(file, read(file))
        .filter(({ lang, words }) => ['ts', 'js', 'json'].includes(lang) && !words.includes('no-run'))
        // An agent's own file has no word for what a failure means.
        .filter((block) => !AGENT_NAMES.includes(word(block, 'of') ?? ''))
        .map(({ line, lang, text }) => ({ where: `${file}:${line}`, text, language: lang })),
    ),
    ...programs.map((file) => ({ where: file, text: read(file), language: 'ts' })),
    ...comments.flatMap((file) =>
      [...read(file).matchAll(/^ *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)].map(([, text = '']) => ({
        where: file,
        text: text.replace(/^ *\* ?/gm, ''),
        language: 'ts',
      })),
    ),
  ];
}

describe('what a reader may copy', () => {
  test('says of every guard what its failure means', () => {
    const pieces = shown();
    expect(pieces.length).toBeGreaterThan(100);
    const open = pieces.flatMap(({ where, text, language }) =>
      openGuards(text, language).map((guard) => `${where}, line ${guard.line}: ${guard.text}`),
    );
    expect(open, 'these guards let the call pass if they fail: give them onFailure').toEqual([]);
  });

  test.each([
    ["host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] })", 1],
    ["host.register({ PreToolUse: [{ onFailure: 'block', hooks: [() => deny('no')] }] })", 0],
    ["host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] }, { onFailure: 'ask' })", 0],
    ["const no = () => deny('no'); const guard = (i) => no(i); host.register({ PreToolUse: [{ hooks: [guard] }] })", 1],
    ["host.register({ PreToolUse: [{ hooks: [command('./guard.sh')] }, { hooks: [log] }] })", 1],
    ["host.register({ UserPromptSubmit: [{ hooks: [() => block('no')] }, { hooks: [command('./log.sh')] }] })", 1],
    [
      "host.register({ PreToolUse: [{ phase: 'observe', hooks: [command('./log.sh')] }], Stop: [{ hooks: [() => block('go on')] }] })",
      0,
    ],
    ["createHost({ onFailure: 'block' }).register({ PreToolUse: [{ hooks: [() => deny('no')] }] })", 0],
  ])('%s has %i', (text, count) => {
    expect(openGuards(text, 'ts')).toHaveLength(count);
  });

  test('is also looked for in data', () => {
    const text = '{ "PreToolUse": [{ "hooks": [{ "type": "command", "command": "./guard.sh" }] }] }';
    expect(openGuards(text, 'json')).toHaveLength(1);
    expect(openGuards(text.replace('"type"', '"onFailure": "block", "type"'), 'json')).toHaveLength(0);
  });
});
