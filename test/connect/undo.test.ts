import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tableOf } from '../../src/connect/agent-hooks.js';
import { planConnect } from '../../src/connect/connect.js';
import { Journal } from '../../src/connect/journal.js';
import { disconnect, disconnectAll } from '../../src/connect/undo.js';
import { generated } from '../seed.js';
import { filesOf } from './texts.js';

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'undo-')));
  journal = new Journal(join(folder, 'state', 'connections.json'));
  for (const name of ['.claude', 'real']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (path: string): string => join(folder, path);
const named = (): string => at('.claude/settings.json');
const read = (path: string): string => readFileSync(path, 'utf8');

/** As the written command begins. */
const COMMAND = "XDG_STATE_HOME=/s /bin/sh '/opt/it is/dist/hookscope-hook.sh' --node /bin/node PreToolUse";
const REQUEST = {
  type: 'http',
  url: 'http://127.0.0.1:4711/hooks/Stop',
  headers: { Authorization: `Bearer ${'x'.repeat(43)}` },
  timeout: 600,
};
const ENTRIES = {
  PreToolUse: { hooks: [{ type: 'command', command: COMMAND, onFailure: 'block' }] },
  Stop: { hooks: [REQUEST] },
};
const OURS = /hookscope-hook|127\.0\.0\.1/;
const COMMENTS = /its,|\/\/ \d+,/g;
const BEFORE = '{\n  "model" : "x", // mine\n  "hooks": { "Stop": [] }\n}\n';

const connect = async (file = named()) => {
  const plan = await planConnect(
    { agent: 'claude-code', file, entries: ENTRIES, layout: { title: 'Claude Code' } },
    journal,
  );
  if (plan.difference !== '' || !plan.isKnown) plan.write();
  return plan;
};

/** How the file is reached when it is connected. */
const STARTS: Record<string, () => void> = {
  'a plain file': () => writeFileSync(named(), BEFORE),
  'a link to a file': () => {
    writeFileSync(at('real/s.json'), BEFORE);
    symlinkSync('../real/s.json', named());
  },
  'a file in a linked folder': () => {
    rmSync(at('.claude'), { recursive: true });
    symlinkSync('real', at('.claude'));
    writeFileSync(named(), BEFORE);
  },
};

/** What happens to it then. */
const CHANGES: Record<string, () => void> = {
  'saved in one step': () => {
    copyFileSync(named(), at('.claude/t'));
    renameSync(at('.claude/t'), named());
  },
  'moved, and linked': () => {
    const text = read(named());
    rmSync(named());
    mkdirSync(at('dotfiles'));
    writeFileSync(at('dotfiles/claude.json'), text);
    symlinkSync('../dotfiles/claude.json', named());
  },
  'in a folder that was moved, and linked': () => {
    renameSync(at('.claude'), at('moved'));
    symlinkSync('moved', at('.claude'));
  },
  'linked to a copy': () => {
    copyFileSync(named(), at('copy.json'));
    rmSync(named());
    symlinkSync(at('copy.json'), named());
  },
};

const EDITS: Record<string, (text: string) => string> = {
  unedited: (text) => text,
  edited: (text) => text.replace('"x"', '"y"'),
};

const all = Object.keys(STARTS).flatMap((start) =>
  Object.keys(CHANGES).flatMap((change) => Object.keys(EDITS).map((edit) => [start, change, edit] as const)),
);
/** What was connected, and what the name leads to now. */
const texts = () =>
  ['.claude/settings.json', 'real/s.json', 'real/settings.json', 'moved/settings.json', 'copy.json']
    .filter((path) => existsSync(at(path)))
    .map((path) => read(at(path)));

describe.each(all)('%s that is connected, then %s (%s)', (start, change, edit) => {
  const edited = EDITS[edit] as (text: string) => string;
  beforeEach(async () => {
    STARTS[start]?.();
    await connect();
    CHANGES[change]?.();
    writeFileSync(named(), edited(read(named())));
  });

  test('has what it had before, byte for byte, once it is undone by its name', async () => {
    const done = await disconnect(named(), journal);
    expect(done?.how).toBe(edit === 'edited' ? 'taken_out' : 'restored');
    expect(read(named())).toBe(edited(BEFORE));
    for (const text of texts()) expect(text).not.toMatch(OURS);
    expect(journal.list()).toEqual([]);
    expect(await disconnect(named(), journal)).toBeUndefined();
  });

  test('is undone with all that the journal names', async () => {
    await disconnectAll(
      journal.list().map(({ file }) => file),
      journal,
    );
    expect(read(named())).toBe(edited(BEFORE));
    for (const text of texts()) expect(text).not.toMatch(OURS);
  });

  test('may be connected again, and is then undone', async () => {
    await connect();
    expect(read(named()).match(/hookscope-hook/g)).toHaveLength(1);
    await disconnect(named(), journal);
    expect(read(named())).toBe(edited(BEFORE));
    for (const text of texts()) expect(text).not.toMatch(OURS);
    expect(journal.list()).toEqual([]);
  });
});

test('a link that leads elsewhere now: that is left, and what it led to is undone', async () => {
  STARTS['a link to a file']?.();
  await connect();
  rmSync(named());
  writeFileSync(at('other.json'), '{ "mine": 1 }');
  symlinkSync('../other.json', named());
  expect(await disconnectAll([named()], journal)).toEqual([
    { file: at('other.json'), how: 'clean' },
    { file: at('real/s.json'), how: 'restored' },
  ]);
  expect([read(at('real/s.json')), read(named())]).toEqual([BEFORE, '{ "mine": 1 }']);
});

test('a file that was not there, and is a copy in the place of a link now, is gone in both places', async () => {
  symlinkSync('../real/new/s.json', named());
  await connect();
  CHANGES['saved in one step']?.();
  const done = await disconnectAll([named()], journal);
  expect(done.map(({ file }) => file)).toEqual([named(), at('real/new/s.json')]);
  expect([existsSync(named()), existsSync(at('real/new'))]).toEqual([false, false]);
});

/** An event that has no hooks says nothing. */
function said(text: string): unknown {
  const { hooks = {}, ...others } = parse(text.replace(/^\uFEFF/, '')) as { hooks?: Record<string, unknown[]> };
  return { ...others, hooks: Object.fromEntries(Object.entries(hooks).filter(([, list]) => list.length > 0)) };
}

describe('without the journal', () => {
  test.each(['', BEFORE, '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./mine.sh"}]}]}}'])(
    'of %j our entries are taken out, and the rest is what it was',
    async (text) => {
      writeFileSync(named(), text);
      await connect();
      rmSync(journal.path);
      expect(await disconnect(named(), journal)).toEqual({ file: named(), how: 'unknown' });
      expect(read(named())).not.toMatch(OURS);
      expect(read(named()).includes('mine')).toBe(text.includes('mine'));
      expect(await disconnect(named(), journal)).toBeUndefined();
    },
  );

  test('every comment stays, and so does the rest, in whatever way it is written', async () => {
    await fc.assert(
      fc.asyncProperty(filesOf(tableOf('claude-code')), async (text) => {
        writeFileSync(named(), text);
        await connect();
        rmSync(journal.path);
        expect((await disconnect(named(), journal))?.how).toBe('unknown');
        const left = read(named());
        expect(said(left)).toEqual(said(text));
        expect(left.match(COMMENTS)).toEqual(text.match(COMMENTS));
        expect(left.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
      }),
      { numRuns: generated(50) },
    );
  });

  test('entries of ours are replaced, and are not taken for the original', async () => {
    writeFileSync(named(), BEFORE);
    await connect();
    rmSync(journal.path);
    writeFileSync(named(), read(named()).replaceAll('/opt/it is', '/opt/old'));
    await connect();
    expect(read(named()).match(/hookscope-hook/g)).toHaveLength(1);
    expect(read(named())).not.toContain('/opt/old');
    expect((await disconnect(named(), journal))?.how).toBe('unknown');
    expect(read(named())).not.toMatch(OURS);
    expect(read(named())).toContain('// mine');
  });

  test('an original of an earlier version that has them is written back without them', async () => {
    writeFileSync(named(), BEFORE);
    await connect();
    const connected = readFileSync(named());
    const [one] = journal.list();
    if (one) journal.keep({ ...one, before: connected.toString('base64') });
    expect((await disconnect(named(), journal))?.how).toBe('unknown');
    expect(read(named())).not.toMatch(OURS);
  });

  test('hooks of the user that look similar stay', async () => {
    const text = JSON.stringify({
      hooks: {
        Stop: [
          { hooks: [{ type: 'command', command: 'hookscope hook Stop' }] },
          { hooks: [{ ...REQUEST, headers: { Authorization: 'Bearer mine' } }] },
          { hooks: [{ ...REQUEST, url: 'http://127.0.0.1:4711/my/hooks' }] },
          { hooks: [{ ...REQUEST, name: 'mine' }] },
        ],
      },
    });
    writeFileSync(named(), text);
    expect(await disconnect(named(), journal)).toBeUndefined();
    await connect();
    await disconnect(named(), journal);
    expect(read(named())).toBe(text);
  });
});

test.each([
  ['no JSON', (text: string) => `${text}]`],
  ['hooks twice', (text: string) => text.replace('{', '{ "hooks": {},')],
])(
  'a file that is %s and has our entries is an error that says how many, with the journal or without',
  async (_, broken) => {
    writeFileSync(named(), BEFORE);
    await connect();
    writeFileSync(named(), broken(read(named())));
    const text = read(named());
    await expect(disconnect(named(), journal)).rejects.toThrow(/settings\.json: .*2 hooks .* still in it/);
    expect(journal.list()).toHaveLength(1);
    rmSync(dirname(journal.path), { recursive: true });
    await expect(disconnect(named(), journal)).rejects.toThrow(/settings\.json: .*2 hooks .* still in it/);
    expect(read(named())).toBe(text);
  },
);

test.each(['[', '[]', '{ "hooks": [] }', '\xff'])('%j that was never connected is nothing to undo', async (text) => {
  writeFileSync(named(), text, 'latin1');
  expect(await disconnect(named(), journal)).toBeUndefined();
});
