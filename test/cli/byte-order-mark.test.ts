import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { readPluginDir } from '../../src/claude-code/files/plugin-dir.js';
import { readExamples } from '../../src/cli/test/examples.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { openFires } from '../../src/replay/open.js';
import { entriesOf } from '../../src/trust/named/package-entry.js';
import { createFolder, type Folder } from '../plugins/folder.js';

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
});
afterAll(() => folder.remove());

const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] };

/** Files that begin with a byte order mark, as some editors of Windows write them, and what is read of each. */
const READERS: [file: string, text: string, read: (file: string) => unknown, found: unknown][] = [
  [
    'a.hooktest.yaml',
    "- call: Bash 'ls'\n  expect: silent\n",
    async (file) => (await readExamples(file, 'a')).map(({ place }) => place),
    ['a:1'],
  ],
  ['package.json', '{ "main": "./guard.js" }', () => entriesOf(folder.path), ['./guard.js']],
  [
    'plugin/.claude-plugin/plugin.json',
    JSON.stringify({ name: 'p', hooks }),
    async () => {
      const { files } = await readPluginDir(`${folder.path}/plugin`, { events: HOOK_EVENTS, onInvalid: 'drop' });
      return files.map(({ dropped, hooks: read }) => [dropped, Object.keys(read)]);
    },
    [[undefined, ['Stop']]],
  ],
  [
    'project/.claude.json',
    JSON.stringify({ hooks }),
    async () => {
      const cwd = `${folder.path}/project`;
      const { findings } = await checkHookFiles({ paths: ['.'], cwd, home: '/nobody', managedDir: '/nowhere' });
      return findings.map(({ rule }) => rule);
    },
    ['not-read'],
  ],
  [
    'session.jsonl',
    `${JSON.stringify({ at_ms: 0, event: 'Stop', input: { session_id: 's' } })}\n`,
    async (file) => {
      const events: string[] = [];
      for await (const { event } of openFires(file)) events.push(event);
      return events;
    },
    ['Stop'],
  ],
];

test.each(READERS)('%s may begin with a byte order mark', async (name, text, read, found) => {
  for (const mark of ['', '\uFEFF']) {
    const file = folder.write(name, `${mark}${text}`);
    expect([mark, await read(file)]).toEqual([mark, found]);
  }
});
