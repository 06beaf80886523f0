import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { loadHooksFile } from '../../src/plugins/hooks-file.js';
import { createFolder, type Folder, LS } from './folder.js';

let folder: Folder;
beforeEach(() => {
  folder = createFolder();
});
afterEach(() => folder.remove());

const EVENTS = { PreToolUse: [{ matcher: 'B*h', hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] };

test.each([
  ['under "hooks"', { $schema: 'x', description: 'y', hooks: EVENTS }],
  ['at top level', EVENTS],
])('events %s are hooks in the dialect of code', async (_, content) => {
  await using host = createHost();
  host.register(await loadHooksFile(folder.write('hooks.json', content)));
  expect(await host.fire('PreToolUse', LS)).toMatchObject({ verdict: 'deny', reason: 'no' });
});

const UNCLOSED = 'the string before this has no closing quote, or has a quote within it, which is written \\"';
const WORDS = 'JSON has no other words than true, false and null';
const MORE = 'the file holds one value, which ends before this';
const BROKEN = 'this string has no closing quote in its line; a line break in it is written \\n';

test.each([
  ['not JSON', '{\n  "PreToolUse": [,]\n}', 'is not JSON: line 2, column 18: value expected'],
  ['an empty file', ' \n', 'is not JSON: line 2, column 1: it is empty'],
  ['a comment', '{\n  // mine\n  "Stop": [] }', 'is not JSON: line 2, column 3: JSON has no comments'],
  ['a comment above all', '/* mine */\n{}', 'is not JSON: line 1, column 1: JSON has no comments'],
  [
    'a comma at the end of a list',
    '{ "Stop": [1, ] }',
    'is not JSON: line 1, column 15: remove the comma before this ]',
  ],
  ['a comma at the end', '{ "Stop": [],\n}', 'is not JSON: line 2, column 1: remove the comma before this }'],
  ['single quotes', "{ 'Stop': [] }", 'is not JSON: line 1, column 3: names and strings need double quotes'],
  ['no quotes', '{ Stop: [] }', 'is not JSON: line 1, column 3: names and strings need double quotes'],
  ['no quotes, in a name like a word', '{ "a": [], None: [] }', 'column 12: names and strings need double quotes'],
  ['no quotes in a list', '[stop]', 'is not JSON: line 1, column 2: names and strings need double quotes'],
  ['a quote in a text', '{ "a": "echo "hi" }', `column 15: ${UNCLOSED}`],
  ['a quote before a variable', '{ "a": "ls "$A"" }', `column 13: ${UNCLOSED}`],
  ['no closing quote', '{ "a": "Bash,"b": [] }', `line 1, column 15: ${UNCLOSED}`],
  ['a number that has no end', '{ "a": Infinity }', `is not JSON: line 1, column 8: ${WORDS}`],
  ['a word of another language in a list', '[yes]', `is not JSON: line 1, column 2: ${WORDS}`],
  ['a misspelt word', '{ "a": nul }', `is not JSON: line 1, column 8: ${WORDS}`],
  ['a misspelt word in a list', '[true, truee]', `is not JSON: line 1, column 8: ${WORDS}`],
  ['a number that JSON has not', '{ "a": 0x1 }', 'is not JSON: line 1, column 9: invalid symbol'],
  ['text behind the end', '{ "Stop": [] }x', `is not JSON: line 1, column 15: ${MORE}`],
  ['a second value', '{ "Stop": [] }\n{ "Stop": [] }', `line 2, column 1: ${MORE}`],
  ['a bracket too many', '{ "Stop": [] }]', `column 15: ${MORE}`],
  ['a file that breaks off', '{\n "Stop": [\n', 'line 3, column 1: the [ in line 2 is not closed'],
  ['no last bracket', '{\n"Stop": [{ "hooks": ["}"] }]\n', 'the { in line 1 is not closed'],
  [
    'a bracket too many',
    '{ "Stop": [\n{ "hooks": [] } ] ] }',
    'line 2, column 19: no [ is open that this ] would close',
  ],
  ['a file name without quotes', '{ "Stop": off.sh }', 'names and strings need double quotes'],
  ['a bracket too few', '{ "Stop": [\n{ "hooks": [] ]\n}', 'line 2, column 15: the { in line 2 is not closed'],
  ['an escaped quote before it', '{ "a\\"[": [\n1 }', 'the [ in line 1 is not closed'],
  ['a line break in a string', '{ "a": "x\ny" }', `line 1, column 8: ${BROKEN}`],
  ['a string that ends in a backslash', '{ "a": "x\\\ny" }', `line 1, column 8: ${BROKEN}`],
  ['a string that the file does not end', '{ "a": "x', `line 1, column 8: ${BROKEN}`],
  ['marks of a merge', '{\n<<<<<<< HEAD\n"a": 1\n}', 'line 2, column 1: this is left over from a merge'],
  ['marks of a merge around it', '<<<<<<< HEAD\n{}', 'line 1, column 1: this is left over from a merge'],
  ['another sign behind a name', '{ "a"={} }', 'is not JSON: line 1, column 6: invalid symbol'],
  ['no comma', '{ "a": {} b: 1 }', 'is not JSON: line 1, column 11: invalid symbol'],
  ['a word of another language', '{ "Stop": None }', `is not JSON: line 1, column 11: ${WORDS}`],
  ['a word in capitals', '{ "a": True }', `column 8: ${WORDS}`],
  [
    'settings of Gemini CLI',
    '{ "model": {}, "hooks": { "SessionStart": [], "BeforeTool": [] } }',
    "hooks.BeforeTool: is Gemini's name of PreToolUse; for Gemini's own file use --from gemini FILE",
  ],
  ['settings of Claude Code', '{ "model": "x", "hooks": {} }', 'use --settings'],
  ['a list', '[]', 'expected an object of events'],
  ['hooks that are a list', '{"hooks":[]}', 'hooks: expected an object of events'],
  [
    'an event twice',
    '{\n "PreToolUse": [{ "hooks": [{ "type": "command", "command": "exit 2" }] }],\n "Stop": [],\n  "PreToolUse": [] }',
    'line 4, column 3: "PreToolUse" appears here a second time; put both into one',
  ],
  [
    'a key of a handler twice, the second time with escapes',
    '{"PreToolUse":[{"hooks":[{"type":"command","command":"\\"a\\": 1","comm\\u0061nd":"true"}]}]}',
    'line 1, column 65: "command" appears here a second time',
  ],
  ['"hooks" twice', '\uFEFF{"hooks":{"Stop":[]},"hooks":{}}', 'line 1, column 22: "hooks" appears here a second time'],
  [
    'something beside "hooks"',
    '{"hooks":{},"descripton":""}',
    'descripton: is not a known key beside "hooks". Did you mean "description"?',
  ],
])('%s is an error that names the file', async (_, text, message) => {
  const file = folder.write('hooks.json', text);
  const error = (await loadHooksFile(file).catch((e: unknown) => e)) as Error;
  expect(error.message).toContain(file);
  expect(error.message).toContain(message);
});

test('a key twice is found beside a value that nests deeply, and in a file with megabytes of text', async () => {
  const deep = `${'['.repeat(2000)}${']'.repeat(2000)}`;
  const long = JSON.stringify('\\"'.repeat(6_000_000));
  for (const value of [deep, long]) {
    const file = folder.write('hooks.json', `{"Stop":[],"PreToolUse":${value},"Stop":[]}`);
    await expect(loadHooksFile(file)).rejects.toThrow(/key twice|"Stop" appears here a second time/);
    await expect(loadHooksFile(folder.write('hooks.json', `{"Stop":[],"PreToolUse":${value}}`))).resolves.toBeDefined();
  }
});

test('a file that is not there, and one that is a directory', async () => {
  await expect(loadHooksFile(join(folder.path, 'none.json'))).rejects.toThrow('none.json: there is no such file.');
  await expect(loadHooksFile(folder.path)).rejects.toThrow('is a directory, not a file.');
});

test('a host instead of a path is an error that shows a part of it', async () => {
  const error = (await loadHooksFile(createHost() as never).catch((e: unknown) => e)) as Error;
  expect(error.message).toMatch(/^Invalid option loadHooksFile\(path\): expected /);
  expect(error.message.length).toBeLessThan(400);
});
