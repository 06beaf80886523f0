import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { loadHooksFile } from '../../src/plugins/hooks-file.js';
import { validateHooks } from '../../src/plugins/validate.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'hookscope-keys-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** The names that every object has, and one that none has, of which the same is said. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);
const UNKNOWN = 'zzqqzzqq';
const FILES = [
  'guards.hooks.json',
  'hookscope.config.json',
  '.claude/settings.json',
  'hooks/hooks.json',
  '.claude/agents/reviewer.md',
  '.codex/hooks.json',
  '.gemini/settings.json',
  '.cursor/hooks.json',
  '.github/hooks/guards.json',
];
const HANDLER = '"type": "command", "command": "exit 2"';
const GROUPS = `[{ "hooks": [{ ${HANDLER} }] }]`;
const PLACES: Readonly<Record<string, (key: string) => string>> = {
  'as the only key': (key) => `{ "${key}": ${GROUPS} }`,
  'as an object': (key) => `{ "${key}": { "PreToolUse": ${GROUPS} } }`,
  'beside "hooks"': (key) => `{ "hooks": { "PreToolUse": ${GROUPS} }, "${key}": ${GROUPS} }`,
  'as an event': (key) => `{ "hooks": { "PreToolUse": ${GROUPS}, "${key}": ${GROUPS} } }`,
  'in a group': (key) => `{ "hooks": { "PreToolUse": [{ "${key}": [1], "hooks": [{ ${HANDLER} }] }] } }`,
  'in a handler': (key) => `{ "hooks": { "PreToolUse": [{ "hooks": [{ ${HANDLER}, "${key}": { "a": 1 } }] }] } }`,
  'as a type': (key) => `{ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "${key}", "command": "exit 2" }] }] } }`,
  'for an agent': (key) => `{ "spawnHooks": { "reviewer": { "${key}": ${GROUPS} } } }`,
};

function write(file: string, json: string): void {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  // JSON is YAML, too.
  writeFileSync(join(cwd, file), file.endsWith('.md') ? `---\n${json.slice(1, -1).trim()}\n---\n` : json);
}

async function said(file: string, json: string): Promise<string[]> {
  write(file, json);
  const { findings } = await checkHookFiles({ paths: [file], cwd, home: join(cwd, 'home'), managedDir: cwd });
  return findings.map(({ rule, level, where, message }) => `${level} ${rule} ${where} ${message}`);
}

test.each(FILES.flatMap((file) => Object.keys(PLACES).map((place) => [file, place] as const)))(
  'of %s, a name that every object has is said what any other is said: %s',
  async (file, place) => {
    const json = PLACES[place] as (key: string) => string;
    const unknown = await said(file, json(UNKNOWN));
    const expected = (key: string): string[] => unknown.map((line) => line.replaceAll(UNKNOWN, key));
    for (const key of NAMES) expect(await said(file, json(key))).toEqual(expected(key));
  },
);

test('what is refused of a hooks file is found by check', async () => {
  const wrong = [
    ...[...NAMES, UNKNOWN].flatMap((key) => Object.values(PLACES).map((json) => json(key))),
    '{ "hooks": [] }',
    `{ "hooks": { "PreToolUse": ${GROUPS} }, "enforce": "all" }`,
    `{ "hooks": { "PreToolUse": ${GROUPS} }, "Enforce": false }`,
  ];
  for (const json of wrong) {
    write('guards.hooks.json', json);
    const file = join(cwd, 'guards.hooks.json');
    const refused = await loadHooksFile(file).then(
      (hooks) => validateHooks(hooks).length > 0,
      () => true,
    );
    expect([json, refused]).toEqual([json, true]);
    const found = (await said('guards.hooks.json', json)).filter((line) => line.startsWith('error invalid-hooks '));
    expect([json, found.length]).toEqual([json, 1]);
  }
});

test.each(NAMES)('a file in a folder %s is no other agent’s', async (name) => {
  expect(await said(`${name}/guards.hooks.json`, `{ "${UNKNOWN}": ${GROUPS} }`)).toHaveLength(1);
});
