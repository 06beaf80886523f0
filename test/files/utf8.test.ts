import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { readExamples } from '../../src/cli/test/examples.js';
import { createHost } from '../../src/create-host.js';
import { decodeText } from '../../src/files/utf8.js';
import { readContents } from '../../src/fleet/policy/contents.js';
import { loadAgentHooks } from '../../src/foreign/load.js';
import { loadConfig } from '../../src/plugins/config-file.js';
import { loadHooksFile } from '../../src/plugins/hooks-file.js';
import { closeAll, createProject, memoryStore, type Project } from '../claude-code/project.js';

// What another editor saves: the same letters as other bytes. A matcher would then mean something else.

const UTF8 = (text: string): Buffer => Buffer.from(text);
const big = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const ENCODINGS: Readonly<Record<string, readonly [encode: (text: string) => Buffer, said: RegExp]>> = {
  'Latin-1': [
    (text) => Buffer.from(text, 'latin1'),
    /line 2, column \d+: a byte \(0xf6\) that is not UTF-8; save the file as UTF-8/,
  ],
  'cut short': [
    (text) =>
      Buffer.concat([UTF8(text.slice(0, text.indexOf('ö'))), Buffer.of(0xc3), UTF8(text.slice(text.indexOf('ö') + 1))]),
    /line 2, column \d+: a byte \(0xc3\) that is not UTF-8/,
  ],
  'UTF-16': [(text) => Buffer.from(`\uFEFF${text}`, 'utf16le'), /is UTF-16; save it as UTF-8/],
  'UTF-16, the other way': [(text) => big(`\uFEFF${text}`), /is UTF-16/],
  'UTF-16 without a mark': [(text) => Buffer.from(text, 'utf16le'), /is UTF-16/],
  'UTF-16 without a mark, the other way': [big, /is UTF-16/],
};
const encodings = Object.entries(ENCODINGS).map(([name, [encode, said]]) => ({ name, encode, said }));

const EVENTS = '"PreToolUse": [{ "matcher": "geh\u00f6rt", "hooks": [{ "type": "command", "command": "exit 2" }] }]';
const OWN = `{\n ${EVENTS} }`;
const SETTINGS = `{\n "hooks": { ${EVENTS} } }`;
const MARKDOWN = `---\ndescription: geh\u00f6rt\nhooks:\n  PreToolUse:\n    - hooks: [{ type: command, command: exit 2 }]\n---\nText.\n`;
const EXAMPLES = `# \n- { call: "Bash 'geh\u00f6rt'", expect: silent }\n`;

afterEach(closeAll);

function put(project: Project, path: string, bytes: Buffer): string {
  const file = join(project.dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  return file;
}

/** The hooks of a file that somebody has named: whoever reads it says why not. */
const NAMED: Readonly<Record<string, readonly [path: string, text: string, read: (file: string) => Promise<unknown>]>> =
  {
    'a file of hooks': ['a.json', OWN, loadHooksFile],
    'a configuration': ['hookscope.config.json', SETTINGS, (file) => loadConfig(file)],
    'examples of a test': ['a.hooktest.yaml', EXAMPLES, (file) => readExamples(file, file)],
    'a file of another agent': [
      'hooks.json',
      SETTINGS,
      async (file) => {
        const host = createHost();
        await loadAgentHooks({ host, agent: 'codex', file }).finally(() => host.close());
      },
    ],
  };

describe.each(Object.entries(NAMED))('%s that is not UTF-8', (_, [path, text, read]) => {
  test.each(encodings)('is refused: $name', async ({ encode, said }) => {
    const project = createProject();
    await read(put(project, path, UTF8(text)));
    const file = put(project, path, encode(text));
    await expect(read(file)).rejects.toThrow(said);
    await expect(read(file)).rejects.toMatchObject({ code: 'FILE', details: { file } });
  });
});

test.each(encodings)('a policy of a fleet: $name', async ({ encode, said }) => {
  const policy = `{\n "hooks": { "PreToolUse": [{ "hooks": [{ "type": "rule", "if": "Write(geh\u00f6rt)", "decision": "deny", "reason": "no" }] }] } }`;
  const bundle = (bytes: Buffer) => ({ name: 'b', files: new Map([['a.json', bytes]]) }) as never;
  await readContents(bundle(UTF8(policy)));
  await expect(readContents(bundle(encode(policy)))).rejects.toThrow(said);
});

const FOUND: readonly (readonly [path: string, text: string])[] = [
  ['.claude/settings.json', SETTINGS],
  ['.claude/settings.local.json', SETTINGS],
  ['.claude/agents/a.md', MARKDOWN],
  ['.claude/commands/c.md', MARKDOWN],
  ['.claude/skills/s/SKILL.md', MARKDOWN],
  ['plugin/hooks/hooks.json', SETTINGS],
  ['plugin/.claude-plugin/plugin.json', SETTINGS],
  ['settings.json', SETTINGS],
];

describe.each(FOUND)('%s that is not UTF-8', (path, text) => {
  test.each(encodings)('is not used, and both the loader and check say so: $name', async ({ encode, said }) => {
    const project = createProject();
    const load = async () => {
      const { sources, problems } = await project.load({
        plugins: path.startsWith('plugin/') ? [{ dir: join(project.dir, 'plugin'), trusted: true }] : [],
        settings: path === 'settings.json' ? [file] : [],
      });
      return {
        statuses: sources.filter((one) => one.file === file).map(({ status }) => status),
        problems: problems.filter(({ rule }) => rule === 'unreadable'),
      };
    };
    const check = async () => {
      const { findings } = await checkHookFiles({
        paths: ['.'],
        cwd: project.dir,
        home: '/nobody',
        managedDir: '/nowhere',
      });
      return findings.filter(({ rule }) => rule === 'unreadable');
    };
    const file = put(project, path, UTF8(text));
    expect([await load(), await check()]).toEqual([{ statuses: ['loaded'], problems: [] }, []]);
    put(project, path, encode(text));
    expect(await load()).toMatchObject({
      statuses: ['dropped'],
      problems: [{ file, message: expect.stringMatching(said) }],
    });
    if (path === 'settings.json') return;
    const line = String(said).includes('line 2') ? 2 : 1;
    expect(await check()).toMatchObject([{ file: path, line, message: expect.stringMatching(said) }]);
  });
});

test.each(encodings)(
  'hooks that were accepted do not change by it: they fail until it is mended: $name',
  async ({ encode }) => {
    const project = createProject();
    const store = memoryStore();
    put(
      project,
      '.claude/settings.json',
      UTF8(SETTINGS.replace('"matcher": "geh\u00f6rt", ', '"matcher": "Bash|geh\u00f6rt", ')),
    );
    await project.acceptAll(store);
    put(project, '.claude/settings.json', encode(SETTINGS));
    const { fire } = await project.load({ trust: store });
    expect((await fire()).handlers).toMatchObject([{ status: 'failed', failure: { cause: 'untrusted' } }]);
  },
);

describe('what is left alone', () => {
  const LATIN1 = Buffer.from('gehört', 'latin1');

  test('below the frontmatter of a Markdown file another encoding does no harm, nor where there are no hooks', async () => {
    const project = createProject();
    put(project, '.claude/agents/a.md', Buffer.concat([UTF8(MARKDOWN), LATIN1]));
    put(project, '.claude/agents/b.md', Buffer.concat([UTF8('---\nname: '), LATIN1, UTF8('\n---\n')]));
    put(project, '.claude/commands/c.md', LATIN1);
    put(project, '.claude/commands/d.md', Buffer.from('\uFEFFText', 'utf16le'));
    const { sources, problems } = await project.load();
    const file = join(project.dir, '.claude/agents/a.md');
    expect([sources.map((one) => [one.file, one.status]), problems]).toEqual([[[file, 'loaded']], []]);
    const where = { cwd: project.dir, home: '/nobody', managedDir: '/nowhere' };
    const { findings } = await checkHookFiles({ paths: ['.'], ...where });
    expect(findings.filter(({ rule }) => rule === 'unreadable')).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['letters of all kinds', 'aöß€𝄞\u0000'],
    ['a byte order mark', '\uFEFF{}'],
    ['the letter that stands for a wrong one', '{ "a": "\uFFFD" }'],
  ])('%s is UTF-8', (_, text) => {
    expect(decodeText(Buffer.from(text))).toEqual({ text });
  });

  test('the first wrong byte is found behind letters of more bytes, and behind U+FFFD itself', () => {
    const before = 'a\n𝄞\uFFFDß\uFFFD';
    for (const wrong of [[0xff], [0xef, 0xbf], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const { text, wrong: found } = decodeText(Buffer.concat([Buffer.from(before), Buffer.from(wrong)]));
      expect(found?.at).toBe(before.length);
      expect(found?.message).toContain(`line 2, column 6: a byte (0x${wrong[0]?.toString(16)})`);
      expect(text.startsWith(before)).toBe(true);
    }
  });
});
