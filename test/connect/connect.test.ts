import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { disconnect, planConnect } from '../../src/connect/connect.js';
import { type ConnectedFile, Journal } from '../../src/connect/journal.js';
import { generated } from '../seed.js';

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'connect-')));
  journal = new Journal(join(folder, 'state', 'connections.json'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LINE = "'/opt/it is/hook' PreToolUse";
const groupsOf = (command = LINE) => ({
  PreToolUse: { hooks: [{ type: 'command', command, onFailure: 'block' }] },
  Stop: { hooks: [{ type: 'command', command }] },
});
const LAYOUT = { title: 'Claude Code' };
const connect = async (file: string, command?: string) => {
  const plan = await planConnect({ agent: 'claude-code', file, entries: groupsOf(command), layout: LAYOUT }, journal);
  plan.write();
  return plan;
};
const settings = (): string => join(folder, 'settings.json');

/** A settings file as people write them: in any indentation and line ends, with comments, with or without hooks. */
const files = fc
  .record({
    others: fc.dictionary(fc.constantFrom('model', 'permissions', 'env', '$schema'), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
    }),
    hooks: fc.option(
      fc.dictionary(
        fc.constantFrom('PreToolUse', 'Stop', 'PostToolUse'),
        fc.array(
          fc.record({
            matcher: fc.constantFrom('Bash', '*'),
            hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() }), { maxLength: 2 }),
          }),
          { maxLength: 2 },
        ),
        { maxKeys: 3 },
      ),
    ),
    first: fc.boolean(),
    indent: fc.constantFrom('  ', '    ', '\t', ''),
    crlf: fc.boolean(),
    mark: fc.boolean(),
    end: fc.constantFrom('', '\n', '\n\n'),
    comment: fc.constantFrom('', '// mine', '/* mine */'),
  })
  .map(({ others, hooks, first, indent, crlf, mark, end, comment }) => {
    const data = hooks === null ? others : first ? { hooks, ...others } : { ...others, hooks };
    const json = JSON.stringify(data, undefined, indent) + end;
    const text = comment === '' ? json : json.replace('{', `{ ${comment}\n`).replace(/\}(\s*)$/, `${comment}\n}$1`);
    return (mark ? '\uFEFF' : '') + (crlf ? text.replaceAll('\n', '\r\n') : text);
  });

const read = (text: string) => parse(text.replace(/^\uFEFF/, '')) as { hooks?: Record<string, { hooks: unknown[] }[]> };

describe('a settings file', () => {
  test('that is connected has our groups behind all that it had, and is restored byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (text) => {
        writeFileSync(settings(), text);
        await connect(settings());
        const connected = readFileSync(settings(), 'utf8');
        const [before, after] = [read(text), read(connected)];
        const { hooks = {}, ...others } = before;
        const expected: Record<string, unknown[]> = { ...hooks };
        for (const [event, group] of Object.entries(groupsOf())) expected[event] = [...(hooks[event] ?? []), group];
        expect(after).toEqual({ ...others, hooks: expected });
        expect(connected.includes('mine')).toBe(text.includes('mine'));
        expect(connected.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
        if (text.includes('\r\n')) expect(connected.replaceAll('\r\n', '')).not.toContain('\n');
        expect(await disconnect(settings(), journal)).toEqual({ file: settings(), how: 'restored' });
        expect(readFileSync(settings(), 'utf8')).toBe(text);
        expect(journal.list()).toEqual([]);
      }),
      { numRuns: generated(50) },
    );
  });

  test('that somebody has changed since keeps the change, and loses only what connect has written', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.string(), async (text, added) => {
        writeFileSync(settings(), text);
        await connect(settings());
        // As the client does when a permission is granted: it writes the whole file anew.
        const changed = { ...read(readFileSync(settings(), 'utf8')), added };
        writeFileSync(settings(), JSON.stringify(changed, undefined, 2));
        expect(await disconnect(settings(), journal)).toEqual({ file: settings(), how: 'taken_out' });
        const left = read(readFileSync(settings(), 'utf8'));
        const { hooks = {}, ...others } = read(text);
        const { hooks: kept = {}, ...rest } = left;
        expect(rest).toEqual({ ...others, added });
        // An event or a list that was empty is nobody's.
        const some = (all: typeof hooks) =>
          Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
        expect(some(kept)).toEqual(some(hooks));
      }),
      { numRuns: generated(35) },
    );
  });

  test('that is connected again has the new groups alone, and is still restored to what it was at first', async () => {
    const text = '{\n  "hooks": { "Stop": [] } // none yet\n}\n';
    writeFileSync(settings(), text);
    await connect(settings(), 'old hook');
    await connect(settings());
    const { hooks } = read(readFileSync(settings(), 'utf8'));
    expect(hooks).toEqual({ Stop: [groupsOf().Stop], PreToolUse: [groupsOf().PreToolUse] });
    expect(
      (await planConnect({ agent: 'claude-code', file: settings(), entries: groupsOf(), layout: LAYOUT }, journal))
        .difference,
    ).toBe('');
    await disconnect(settings(), journal);
    expect(readFileSync(settings(), 'utf8')).toBe(text);
  });

  test('that was not there is gone again, with the folders that were made for it', async () => {
    const file = join(folder, 'home', '.claude', 'settings.json');
    mkdirSync(join(folder, 'home'));
    const plan = await connect(file);
    expect(plan.difference).toContain('+');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await disconnect(file, journal))?.how).toBe('removed');
    expect(existsSync(join(folder, 'home', '.claude'))).toBe(false);
    expect(existsSync(join(folder, 'home'))).toBe(true);
    // A folder that has got something else in it stays.
    await connect(file);
    writeFileSync(join(folder, 'home', '.claude', 'notes'), '');
    await disconnect(file, journal);
    expect(existsSync(join(folder, 'home', '.claude', 'notes'))).toBe(true);
  });

  test('that was not there, and was written anew, is gone as well once nothing else is in it', async () => {
    await connect(settings());
    writeFileSync(settings(), JSON.stringify(read(readFileSync(settings(), 'utf8'))));
    expect((await disconnect(settings(), journal))?.how).toBe('removed');
    expect(existsSync(settings())).toBe(false);
  });

  test('that is gone is no error', async () => {
    await connect(settings());
    rmSync(settings());
    expect((await disconnect(settings(), journal))?.how).toBe('gone');
    expect(await disconnect(settings(), journal)).toBeUndefined();
  });

  test('behind a link is written where it is, and keeps its mode', async () => {
    const real = join(folder, 'dotfiles.json');
    writeFileSync(real, '{}');
    chmodSync(real, 0o640);
    symlinkSync(real, settings());
    expect((await connect(settings())).file).toBe(real);
    expect(read(readFileSync(real, 'utf8')).hooks).toBeDefined();
    expect(statSync(real).mode & 0o777).toBe(0o640);
    await disconnect(settings(), journal);
    expect(readFileSync(real, 'utf8')).toBe('{}');
    expect(readFileSync(settings(), 'utf8')).toBe('{}');
  });

  test('behind a link that leads nowhere yet is made where that leads; the link stays, and the file is gone again', async () => {
    const real = join(folder, 'dotfiles/settings.json');
    symlinkSync('dotfiles/settings.json', settings());
    expect((await connect(settings())).file).toBe(real);
    expect([readlinkSync(settings()), existsSync(real)]).toEqual(['dotfiles/settings.json', true]);
    expect((await disconnect(settings(), journal))?.how).toBe('removed');
    expect([readlinkSync(settings()), existsSync(dirname(real))]).toEqual(['dotfiles/settings.json', false]);
    // What it led to was removed by somebody.
    await connect(settings());
    rmSync(real);
    expect((await disconnect(settings(), journal))?.how).toBe('gone');
    rmSync(settings());
    symlinkSync('settings.json', settings());
    await expect(connect(settings())).rejects.toThrow(/settings\.json/);
    expect(readlinkSync(settings())).toBe('settings.json');
  });

  test('that nobody may write, and one of megabytes, are restored byte for byte', async () => {
    const large = `{\n${Array.from({ length: 3000 }, (_, i) => `  "k${i}": "${'x'.repeat(1000)}",\n`).join('')}  "z": 1 // end\n}\n`;
    for (const [text, mode] of [
      ['{"a":1}', 0o400],
      [large, 0o644],
    ] as const) {
      writeFileSync(settings(), text);
      chmodSync(settings(), mode);
      await connect(settings());
      expect(readFileSync(settings(), 'utf8')).not.toBe(text);
      expect((await disconnect(settings(), journal))?.how).toBe('restored');
      expect(readFileSync(settings(), 'utf8')).toBe(text);
      expect(statSync(settings()).mode & 0o777).toBe(mode);
      rmSync(settings());
    }
  });

  test('with one of our handlers in a group of the user’s loses that handler alone', async () => {
    await connect(settings());
    const mine = { type: 'command', command: './mine.sh' };
    const [group] = Object.values(groupsOf());
    writeFileSync(settings(), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [mine, ...(group?.hooks ?? [])] }] } }));
    await disconnect(settings(), journal);
    expect(read(readFileSync(settings(), 'utf8'))).toEqual({ hooks: { PreToolUse: [{ hooks: [mine] }] } });
  });

  test('that ends with a comma has it again when it was edited meanwhile', async () => {
    for (const text of ['{\n  "model": "x",\n}\n', '{ "hooks": { "Stop": [], }, "model": "x", }', '{ "hooks": {}, }']) {
      writeFileSync(settings(), text);
      await connect(settings());
      const edited = (was: string): string => was.replace('"x"', '"another"').replace(/^\{/, '{ "mine": 1,');
      writeFileSync(settings(), edited(readFileSync(settings(), 'utf8')));
      await disconnect(settings(), journal);
      expect(readFileSync(settings(), 'utf8')).toBe(edited(text));
      rmSync(settings());
    }
  });

  test('is left as it is where it changed between the difference and the writing', async () => {
    writeFileSync(settings(), '{}');
    const plan = await planConnect(
      { agent: 'claude-code', file: settings(), entries: groupsOf(), layout: LAYOUT },
      journal,
    );
    writeFileSync(settings(), '{ "model": "x" }');
    expect(() => plan.write()).toThrow(/changed in the meantime/);
    expect(readFileSync(settings(), 'utf8')).toBe('{ "model": "x" }');
    expect(journal.list()).toEqual([]);
  });

  test('may be connected while its undo was cut short: it is put right by the next one', async () => {
    writeFileSync(settings(), '{}');
    await connect(settings());
    // Killed after the file was written back, before the journal was.
    writeFileSync(settings(), '{}');
    await connect(settings());
    await disconnect(settings(), journal);
    expect(readFileSync(settings(), 'utf8')).toBe('{}');
  });

  /** A command that is killed as soon as the journal says what it will do, or as soon as it has made the folders. */
  class Killed extends Journal {
    override keep(connection: ConnectedFile): void {
      super.keep(connection);
      throw new Error('killed');
    }
  }
  const killed = async (file: string, command?: string): Promise<void> => {
    const entries = groupsOf(command);
    const plan = await planConnect({ agent: 'claude-code', file, entries, layout: LAYOUT }, new Killed(journal.path));
    expect(() => plan.write()).toThrow('killed');
  };

  test('is restored byte for byte where connecting was killed before it was written, the first time or a later one', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.boolean(), fc.boolean(), async (text, before, after) => {
        writeFileSync(settings(), text);
        if (before) await connect(settings(), 'earlier');
        await killed(settings(), 'later');
        if (after) await connect(settings(), 'last');
        expect((await disconnect(settings(), journal))?.how).toBe('restored');
        expect(readFileSync(settings(), 'utf8')).toBe(text);
      }),
      { numRuns: generated(15) },
    );
    rmSync(settings());
    const file = join(folder, 'home', '.claude', 'settings.json');
    await killed(file);
    mkdirSync(dirname(file), { recursive: true });
    expect((await disconnect(file, journal))?.how).toBe('gone');
    expect(existsSync(join(folder, 'home'))).toBe(false);
    await connect(file, 'earlier');
    await killed(file, 'later');
    expect((await disconnect(file, journal))?.how).toBe('removed');
    expect(existsSync(join(folder, 'home'))).toBe(false);
  });

  test('loses what a killed command had begun to write beside it, and nothing else', async () => {
    for (const text of [undefined, '{}\n']) {
      if (text !== undefined) writeFileSync(settings(), text);
      await connect(settings());
      const written = readFileSync(settings());
      const draft = (name: string, data: string | Buffer): void => writeFileSync(`${settings()}.${name}`, data);
      draft('99999998.tmp', '');
      draft('99999999.tmp', written.subarray(0, 50));
      draft('99999997.tmp', 'of somebody else');
      draft(`${process.pid}.tmp`, '');
      draft(`${process.ppid}.tmp`, written);
      draft('old', written);
      await disconnect(settings(), journal);
      const names = readdirSync(folder).filter((name) => name.startsWith('settings.json.'));
      const left = ['99999997.tmp', `${process.ppid}.tmp`, 'old'].map((name) => `settings.json.${name}`);
      expect(names.sort()).toEqual(left.sort());
      for (const name of names) rmSync(join(folder, name));
    }
  });

  test.each([[undefined], ['earlier']])(
    'that cannot be written is as if it had not been tried (connected before: %s)',
    async (earlier) => {
      const file = join(folder, 'home', 'settings.json');
      mkdirSync(dirname(file));
      writeFileSync(file, '{}');
      if (earlier !== undefined) await connect(file, earlier);
      const [text, kept] = [readFileSync(file, 'utf8'), journal.list()];
      const plan = await planConnect({ agent: 'claude-code', file, entries: groupsOf(), layout: LAYOUT }, journal);
      // Where the new file would be made there is one that nobody replaces.
      mkdirSync(`${file}.${process.pid}.tmp`);
      expect(() => plan.write()).toThrow(/cannot be written/);
      expect([readFileSync(file, 'utf8'), journal.list()]).toEqual([text, kept]);
    },
  );

  test('leaves no folder that was made for two, in whatever order they are undone', async () => {
    const both = [join(folder, 'new', 'one', 'settings.json'), join(folder, 'new', 'two', 'deep', 'settings.json')];
    for (const order of [both, both.toReversed()]) {
      for (const file of both) await connect(file);
      for (const file of order) await disconnect(file, journal);
      expect(existsSync(join(folder, 'new'))).toBe(false);
    }
  });

  test.each([
    ['a list', '[]', /object was expected/],
    ['no JSON', '{ "hooks": ', /line 1/],
    ['hooks that are a list', '{ "hooks": [] }', /"hooks" is expected to be an object/],
    [
      'an event that is no list',
      '{\n "hooks": { "Stop": {} } }',
      /line 2, column 13: "hooks.Stop" is expected to be a list/,
    ],
    ['hooks twice', '{ "hooks": {}, "hooks": {} }', /"hooks" appears here a second time/],
    ['an event twice', '{ "hooks": { "Stop": [], "Stop": [] } }', /"Stop" appears here a second time/],
    ['values as deep as none are', `${'['.repeat(5000)}${']'.repeat(5000)}`, /deep/],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), /UTF-8/],
  ])('that holds %s is left as it is', async (_, text, message) => {
    writeFileSync(settings(), text);
    await expect(connect(settings())).rejects.toThrow(message);
    await expect(connect(settings())).rejects.toMatchObject({ code: 'FILE' });
    expect(readFileSync(settings())).toEqual(Buffer.from(text));
    expect(journal.list()).toEqual([]);
  });

  test('is not touched where what it takes to restore it cannot be kept', async () => {
    writeFileSync(settings(), '{}');
    writeFileSync(join(folder, 'state'), 'a file where a folder is needed');
    await expect(connect(settings())).rejects.toThrow(/connections.json/);
    expect(readFileSync(settings(), 'utf8')).toBe('{}');
  });
});

describe('the journal', () => {
  test('is not locked by a command that was killed', async () => {
    mkdirSync(dirname(journal.path));
    writeFileSync(`${journal.path}.lock`, '99999999');
    await connect(settings());
    expect(existsSync(`${journal.path}.lock`)).toBe(false);
  });

  test('is its owner’s alone, and refused where others could have written it', async () => {
    await connect(settings());
    expect(statSync(journal.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
    chmodSync(journal.path, 0o666);
    await expect(disconnect(settings(), journal)).rejects.toThrow(/other users may write it/);
  });

  test.each(['', '[]', '{"version":2,"connections":[]}', '{"version":1,"connections":[{}]}'])(
    'that is %j is an error that says what to do',
    (text) => {
      mkdirSync(join(folder, 'state'));
      writeFileSync(journal.path, text, { mode: 0o600 });
      expect(() => journal.list()).toThrow(/move it away/);
    },
  );
});
