import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkHookFiles, type HookReport } from '../../src/check/check.js';
import { RULES } from '../../src/check/rules/rules.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-misses-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const check = (paths: readonly string[] = ['.'], hooksFiles: readonly string[] = []): Promise<HookReport> =>
  checkHookFiles({ paths, hooksFiles, cwd: folder, home: join(folder, 'home'), managedDir: join(folder, 'managed') });
const rules = ({ findings }: HookReport): string[] => findings.map(({ rule }) => rule);

const hooks = (command = 'echo ok', event = 'PreToolUse', group: object = {}, more: object = {}): string =>
  JSON.stringify({ hooks: { [event]: [{ ...group, hooks: [{ type: 'command', command, ...more }] }] } });

describe('files of other agents', () => {
  const flat = (events: object): string => JSON.stringify({ version: 1, hooks: events });
  test.each([['.qwen/settings.json', 'Qwen Code', hooks('x.sh')]])(
    '%s (%s), found or named, is left alone',
    async (path, agent, text) => {
      write(path, text);
      for (const report of [await check(), await check([path])]) {
        expect(report).toEqual({ files: [], findings: [], others: [{ file: path, agent }] });
      }
    },
  );

  test.each([
    ['.cursor/hooks.json', flat({ beforeShellExecution: [{ command: './x.sh' }] }), 1],
    ['.codex/hooks.json', hooks('x.sh', 'PreToolUse', { matcher: 'Bash' }), 1],
    [
      '.codex/config.toml',
      'model = "x"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n[hooks.state."a:b"]\nenabled = true\n',
      1,
    ],
    ['.github/hooks/guard.json', flat({ preToolUse: [{ type: 'command', bash: './x.sh' }] }), 1],
    ['.github/copilot/settings.json', flat({ sessionStart: [{ bash: 'x' }, { bash: 'y' }] }), 2],
    ['.copilot/hooks/a.json', flat({ sessionStart: [{ bash: 'x' }] }), 1],
    ['.gemini/settings.json', JSON.stringify({ hooks: { BeforeTool: [{ matcher: 'x', hooks: [] }] } }), 0],
  ])('%s, found or named, is checked by the rules of its agent', async (path, text, count) => {
    write(path, text);
    for (const report of [await check(), await check([path])])
      expect(report).toEqual({ files: [{ file: path, kind: 'agent-hooks', hooks: count }], findings: [] });
  });

  test('any file is read as that of the agent that is named', async () => {
    write('extras/guards.json', hooks('x.sh', 'PreToolUse', { matcher: 'Bash' }));
    const as = (agent: string): Promise<HookReport> =>
      checkHookFiles({ paths: ['extras/guards.json'], as: agent, cwd: folder, home: folder, managedDir: folder });
    expect(rules(await as('codex'))).toEqual([]);
    expect(rules(await as('gemini'))).toEqual(['agent-event']);
    expect(rules(await as('cursor'))).toEqual(['agent-file', 'agent-event']);
  });

  test('one that is no JSON is a finding at its line, and the others are looked at', async () => {
    write('.cursor/hooks.json', '{ "version": 1,\n "hooks": { "stop": [ }');
    write('.codex/hooks.json', '[]');
    const { findings } = await check();
    expect(findings.map(({ rule, file, line }) => [rule, file, line])).toEqual([
      ['unreadable', '.codex/hooks.json', 1],
      ['unreadable', '.cursor/hooks.json', 2],
    ]);
  });

  test('by what they hold, where no agent has its place', async () => {
    write('extras/theirs.json', flat({ beforeShellExecution: [{ command: './x.sh' }] }));
    expect((await check(['extras/theirs.json'])).files).toMatchObject([
      { file: 'extras/theirs.json', kind: 'agent-hooks' },
    ]);
  });

  test('their files without hooks are nothing', async () => {
    write('.cursor/mcp.json', '{ "mcpServers": {} }');
    write('.gemini/settings.json', '{ "theme": "dark" }');
    expect(await check()).toEqual({ files: [], findings: [] });
  });

  test('but a file where Claude Code looks is an error in whatever format', async () => {
    write('.claude/settings.json', flat({ preToolUse: [{ command: './x.sh' }] }));
    expect(rules(await check())).toEqual(['other-shape']);
  });
});

describe('places', () => {
  test.each([
    '.claude/hooks.json',
    '.claude/hooks/hooks.json',
    '.claude/config.json',
    '.claude.json',
    'sub/.claude.json',
  ])('hooks in %s are said not to be read', async (path) => {
    write(path, hooks());
    expect((await check()).findings).toMatchObject([{ rule: 'not-read', level: 'error', file: path }]);
  });

  test('what is not searched is named, and nothing that holds no hooks', async () => {
    write('tools/agent.json', hooks());
    write('node_modules/pack/hooks/hooks.json', hooks());
    write('node_modules/@scope/pack/.claude/settings.json', hooks());
    write('data/list.json', '{ "hooks": ["a"], "PreToolUse": 1 }');
    const linked = `${folder}-linked`;
    mkdirSync(join(linked, '.claude'), { recursive: true });
    writeFileSync(join(linked, '.claude/settings.json'), hooks());
    symlinkSync(linked, join(folder, 'link'));
    try {
      expect((await check()).notSearched).toEqual([
        'link/.claude/settings.json',
        'node_modules/@scope/pack/.claude/settings.json',
        'node_modules/pack/hooks/hooks.json',
        'tools/agent.json',
      ]);
      expect((await check(['tools/agent.json'])).notSearched).toBeUndefined();
    } finally {
      rmSync(linked, { recursive: true, force: true });
    }
  });

  test("the user's own settings and policy count everywhere, and are named where they are not searched", async () => {
    write('home/.claude/settings.json', hooks());
    write('managed/managed-settings.json', hooks());
    write('project/.claude/settings.json', hooks());
    expect((await check(['project'])).notSearched).toEqual([
      'home/.claude/settings.json',
      'managed/managed-settings.json',
    ]);
    expect((await check()).notSearched).toBeUndefined();
  });

  test.each([
    ['tools/my guard.py', "'tools/my guard.py'"],
    ["it's.py", "'it'\\''s.py'"],
    ['-g.py', './-g.py'],
    ['g.py', 'g.py'],
  ])('how to mend that %s is not executable can be pasted', async (name, word) => {
    write(name, '#!/usr/bin/env python3\n');
    write('.claude/settings.json', hooks(`"$CLAUDE_PROJECT_DIR/${name}"`));
    const found = (await check()).findings.find(({ rule }) => rule === 'script-not-executable');
    expect(found?.fix).toBe(`chmod +x ${word}, or name what reads it: python3 "$CLAUDE_PROJECT_DIR/${name}".`);
  });

  test('a program that is missing is said once, with how many hooks ask for it', async () => {
    const group = (command: string): object => ({ hooks: [{ type: 'command', command }] });
    const stop = ['nosuch-x a', 'nosuch-x b', 'nosuch-y'].map(group);
    write('a/.claude/settings.json', JSON.stringify({ hooks: { Stop: stop } }));
    write('b/.claude/settings.json', hooks('nosuch-x c && nosuch-x d', 'Stop'));
    write('b/.claude/run.py', '#!/usr/bin/env nosuch-y\n');
    chmodSync(join(folder, 'b/.claude/run.py'), 0o755);
    write('b/.claude/settings.local.json', hooks('"$CLAUDE_PROJECT_DIR"/.claude/run.py', 'Stop'));
    const found = (await check()).findings.filter(({ rule }) => rule === 'program-missing');
    expect(found.map(({ message }) => message)).toEqual([
      'There is no program "nosuch-x" on this machine\'s PATH. 2 more hooks ask for it.',
      'There is no program "nosuch-y" on this machine\'s PATH. One more hook asks for it.',
    ]);
  });
});

test.each([
  'PATH="$HOME/bin:$PATH" nosuch-x',
  'export PATH="$HOME/bin:$PATH"; nosuch-x',
  'PATH=$PATH:/opt/x; nosuch-x',
  'if true; then PATH=/opt/x; fi; nosuch-x',
  '. /etc/profile; nosuch-x',
  'source /etc/profile && nosuch-x',
  'eval "$(cat /etc/profile)"; nosuch-x',
  'alias nosuch-x=ls\nnosuch-x',
  'env PATH=/opt/x nosuch-x',
  'env -i nosuch-x',
  'sudo -n nosuch-x',
])('a program that may be found elsewhere, or be defined, is not said to be missing: %s', async (command) => {
  write('.claude/settings.json', hooks(command, 'Stop'));
  expect(rules(await check(['.claude/settings.json'])).filter((rule) => rule === 'program-missing')).toEqual([]);
});

test.each([
  ['export PATH="$HOME/bin:$PATH"; bash nosuch.sh', []],
  ['PATH="$HOME/bin:$PATH" bash nosuch.sh', []],
  ['env PATH=/opt/x bash nosuch.sh', []],
  ['env PATH=/opt/x bash ./nosuch.sh', ['script-missing']],
  ['stdbuf -i 0 nosuch-x', ['program-missing']],
  ['stdbuf -i0 nosuch-x', ['program-missing']],
  ['[ "$x" = "~/.ssh/id_rsa" ] && echo x', []],
  ['test "~/.ssh/id_rsa" = "$x" && echo x', []],
  ['[ -f "~/.ssh/id_rsa" ] && echo x', ['placeholder-literal']],
  ["test ! -x '$CLAUDE_PROJECT_DIR/x.sh' || exit 0", ['placeholder-literal']],
])('what a line asks for is looked for where its shell would: %s', async (command, expected) => {
  write('.claude/settings.json', hooks(command, 'Stop'));
  expect(rules(await check())).toEqual(expected);
});

test('a first line that sets PATH names no program that is missing', async () => {
  write('.claude/run', '#!/usr/bin/env -S PATH=/opt/x nosuch-x\n');
  chmodSync(join(folder, '.claude/run'), 0o755);
  write('.claude/settings.json', hooks('"$CLAUDE_PROJECT_DIR"/.claude/run', 'Stop'));
  expect(rules(await check())).toEqual([]);
});

describe('matchers', () => {
  test.each(['bash', 'READ', 'Wirte', 'weather', 'LS', 'MultiEdit', 'search_web', 'bash|weather', 'task'])(
    '%s in a file of ours is no error',
    async (matcher) => {
      write('hooks.json', hooks('echo ok', 'PreToolUse', { matcher }));
      write('hookscope.config.json', hooks('echo ok', 'PostToolUse', { matcher }));
      const { findings } = await check();
      expect(findings.filter(({ level }) => level !== 'info')).toEqual([]);
      write('.claude/settings.json', hooks('echo ok', 'PreToolUse', { matcher: 'bash' }));
      expect(rules(await check(['.claude/settings.json']))).toEqual(['matcher-never']);
    },
  );

  const LIST = 'A list is written "Edit|Write".';
  const BASH_EDIT = 'Write "Bash|Edit", without slashes and flags; add NotebookEdit if also meant.';
  const ALL =
    'Take the matcher out if every tool is meant, as the pattern matches each; otherwise write the names of tools.';
  const noPattern = (why: string): string =>
    `Write the names of tools: without the slashes it is no regular expression either (${why}).`;
  const UNKNOWN = 'matcher-unknown-name';
  const OWN_NAME = 'Write the name as the agent has it, without slashes and flags.';
  const OWN_NAMES = 'Write the names as the agent has them, without slashes and flags.';
  const NAMES = 'Write the whole names in their own letter case, without slashes and flags.';
  test.each<[matcher: string, theirs: string | undefined, fix: string | undefined, ours: string | undefined]>([
    ['/Bash/', 'matcher-never', 'Write "Bash", without slashes and flags.', 'invalid-hooks'],
    ['/Bash/|Edit', 'matcher-never', BASH_EDIT, 'invalid-hooks'],
    [' /^Bash/I ', 'matcher-never', 'Write "^Bash", without slashes and flags.', 'invalid-hooks'],
    ['/Bash|Edit/', 'matcher-never', BASH_EDIT, 'invalid-hooks'],
    ['/Bash/|/Edit/i', 'matcher-never', BASH_EDIT, 'invalid-hooks'],
    ['Edit/Write', 'matcher-never', LIST, 'matcher-unknown-name'],
    ['Edit|src/lib', 'matcher-never', 'Take that name out.', 'matcher-unknown-name'],
    ['src/lib', 'matcher-never', 'Write the names of tools; a path is matched in "if", or by the hook.', UNKNOWN],
    ['/Bsh/', 'matcher-never', `"Bsh" matches no tool that is known here. ${OWN_NAME}`, 'invalid-hooks'],
    ['/deploy/i', 'matcher-never', `"deploy" matches no tool that is known here. ${OWN_NAME}`, 'invalid-hooks'],
    ['/Bash|Foo/', 'matcher-never', `"Foo" matches no tool that is known here. ${OWN_NAMES}`, 'invalid-hooks'],
    ['/my.*tool/', 'matcher-never', `"my.*tool" matches no tool that is known here. ${OWN_NAMES}`, 'invalid-hooks'],
    [
      '/Bash|Wirte/',
      'matcher-never',
      '"Wirte" is no tool; names are compared whole and by case. Write "Write". Write all of them without slashes and flags.',
      'invalid-hooks',
    ],
    ['//', 'matcher-never', 'Take the matcher out.', 'matcher-unknown-name'],
    ['/^edit$|write/i', 'matcher-never', 'Write "^Edit$|Write", without slashes and flags.', 'invalid-hooks'],
    [
      '/Edit\\|Write/',
      'matcher-never',
      'Write "Edit|Write", without slashes and flags; add NotebookEdit and TodoWrite if also meant.',
      'invalid-hooks',
    ],
    ['/^(?:edit|write)$/', 'matcher-never', 'Write "^(?:Edit|Write)$", without slashes and flags.', 'invalid-hooks'],
    [
      '/mcp__fs__(read|write)/',
      'matcher-never',
      'Write "mcp__fs__(read|write)", without slashes and flags.',
      'invalid-hooks',
    ],
    ['/^mcp__.*__x|bash/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/.*(read|edit)$/', 'matcher-never', NAMES, 'invalid-hooks'],
    [
      '/my-edit|x.*task/',
      'matcher-never',
      `"my-edit" matches no tool that is known here. ${OWN_NAMES}`,
      'invalid-hooks',
    ],
    ['/(?<read>Bash)/', 'matcher-never', 'Write "(?<read>Bash)", without slashes and flags.', 'invalid-hooks'],
    ['/(?:bash)|edit/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/^(bash|edit)$|write/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/^(edit)|(write)$/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/bash\\b/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/bash,edit/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/edit |write/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/bash|mcp__x__read/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/(edit/', 'matcher-never', noPattern('Unterminated group'), 'invalid-hooks'],
    ['/(?i)bash/', 'matcher-never', noPattern('Invalid group'), 'invalid-hooks'],
    ['/Bas/', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/(?:Bash)|^Edit/', 'matcher-never', 'Write "(?:Bash)|^Edit", without slashes and flags.', 'invalid-hooks'],
    ['/(Bash|web.*)/i', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/^(edit|notebook.*)$/i', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/^(Bash|web)/i', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/Web(fetch|Search)/i', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/(?:bash|mcp__.*)/i', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/MCP__github__.*/i', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/^mcp__GitHub__.*/i', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/^(?!bash$)/i', 'matcher-never', NAMES, 'invalid-hooks'],
    ['/(?:edit|write)?/', 'matcher-never', ALL, 'invalid-hooks'],
    ['/read|b*/', 'matcher-never', ALL, 'invalid-hooks'],
    ['/bash|/', 'matcher-never', ALL, 'invalid-hooks'],
    ['/^(?!Bash$).*/i', 'matcher-never', 'Write "^(?!Bash$).*", without slashes and flags.', 'invalid-hooks'],
    ['/^(?!Bash$).*/', 'matcher-never', 'Write "^(?!Bash$).*", without slashes and flags.', 'invalid-hooks'],
    ['/mcp__github__.*/i', 'matcher-never', 'Write "mcp__github__.*", without slashes and flags.', 'invalid-hooks'],
    ['/bash|Edit$/', 'matcher-never', 'Write "Bash|Edit$", without slashes and flags.', 'invalid-hooks'],
    ['/*/', 'matcher-never', noPattern('Nothing to repeat'), 'invalid-hooks'],
    ['/mcp_github/', 'matcher-never', `"mcp_github" matches no tool that is known here. ${OWN_NAME}`, 'invalid-hooks'],
    ['/Edit/|/nope/', 'matcher-never', `"nope" matches no tool that is known here. ${OWN_NAMES}`, 'invalid-hooks'],
    [
      '/apply_patch/',
      'matcher-never',
      '"apply_patch" is what other agents call a tool. Claude Code has "Edit".',
      'invalid-hooks',
    ],
    [
      '/bash(git:*)/',
      'matcher-permission-rule',
      'Write "matcher": "Bash", and into the handler "if": "Bash(git:*)".',
      'invalid-hooks',
    ],
    [
      '/Bash(ls)/',
      'matcher-permission-rule',
      'Write "matcher": "Bash", and into the handler "if": "Bash(ls)".',
      'invalid-hooks',
    ],
    ['mcp__a/b__c', undefined, undefined, undefined],
    ['mcp__a/b__c|Bash', undefined, undefined, undefined],
    ['Edit; Write', 'matcher-unknown-name', LIST, 'matcher-unknown-name'],
    ['Edit + Write', 'matcher-unknown-name', LIST, 'matcher-unknown-name'],
    ['Bash Edit', 'matcher-unknown-name', LIST, 'matcher-unknown-name'],
    ['"Bash"', 'matcher-unknown-name', LIST, 'matcher-unknown-name'],
    [
      'Bash(*)',
      'matcher-permission-rule',
      'Write "matcher": "Bash", and into the handler "if": "Bash(*)".',
      'invalid-hooks',
    ],
    [
      'Edit|Bash(git)',
      'matcher-permission-rule',
      'Write "matcher": "Bash", and into the handler "if": "Bash(git)", in its own group.',
      'invalid-hooks',
    ],
    ['mcp__github__(create)', undefined, undefined, 'invalid-hooks'],
  ])(
    '%j is found where it matches nothing, in files of Claude Code and in ours',
    async (matcher, theirs, fix, ours) => {
      write('.claude/settings.json', hooks('echo ok', 'PreToolUse', { matcher }));
      const [found] = (await check(['.claude/settings.json'])).findings;
      expect([found?.rule, found?.fix]).toEqual([theirs, fix]);
      write('hooks.json', hooks('echo ok', 'PreToolUse', { matcher }));
      const [own] = (await check(['hooks.json'])).findings;
      expect(own?.rule).toBe(ours);
      if (fix === LIST) expect(own?.fix).toBe(fix);
    },
  );

  test.each<[matcher: string, fix: string | undefined]>([
    ['/Bash/', 'Write "Bash", without slashes and flags.'],
    ['/bash|edit/i', BASH_EDIT],
    ['/Bash/|/edit/', BASH_EDIT],
    // What a settings file may have there would be no matcher in ours.
    ['/^Bash$/', NAMES],
    ['/mcp__github__.*/', NAMES],
    ['/Bash(git:*)/', 'Write "matcher": "Bash", and into the handler "if": "Bash(git:*)".'],
    ['/nope/', `"nope" matches no tool that is known here. ${OWN_NAME}`],
    ['^Bash$', undefined],
    ['Bash(ls)', undefined],
  ])('%j in a file of ours is said once to be wrong, with what to write', async (matcher, fix) => {
    const group = { matcher, hooks: [{ type: 'command', command: 'true' }] };
    write('own.json', JSON.stringify({ PreToolUse: [group] }));
    write('hookscope.config.json', JSON.stringify({ hooks: { PreToolUse: [group] } }));
    for (const report of [await check([], ['own.json']), await check(['hookscope.config.json'])]) {
      expect(rules(report)).toEqual(['invalid-hooks']);
      expect(report.findings[0]?.fix).toBe(fix ?? RULES['invalid-hooks'].fix);
    }
  });

  /** By matcher: rules that can meet it, and rules that cannot. */
  const MEETINGS: [matcher: string, meets: readonly string[], never: readonly string[]][] = [
    [
      'Bash',
      ['Bash(git *)', 'Bash'],
      ['Edit(*.ts)', 'Write(src/**)', 'Read(*.env)', 'WebFetch(domain:x.example)', 'mcp__a__b'],
    ],
    ['Write', ['Write(src/**)'], ['Bash(rm *)', 'Read(*.env)']],
    ['Edit|Write', ['Edit(*.ts)', 'Write(*.ts)'], ['Bash(rm *)', 'Grep']],
    ['^(Edit|Write)$', ['Edit(*.ts)'], ['Bash(rm *)', 'mcp__a__b']],
    ['Notebook.*', ['NotebookEdit'], ['Bash(ls *)']],
    ['mcp__.*', ['mcp__memory__write', 'mcp__memory'], ['Bash(git *)', 'Edit(*.ts)']],
    ['mcp__memory__.*', ['mcp__memory__write', 'mcp__memory__*'], ['Bash(git *)', 'mcp__github__push']],
    ['mcp__my__server__(drop|delete)', ['mcp__my__server', 'mcp__my__server__*'], ['mcp__our__server']],
    ['mcp__git__.*', ['mcp__git__', 'mcp__git'], ['mcp__github__push']],
    ['Task', ['Agent', 'Task'], ['Bash(git *)']],
    ['*', ['Bash(git *)'], []],
    ['', ['Edit(*.ts)'], []],
  ];
  test.each(MEETINGS)(
    '%j: a rule that no call of it can meet is found, and no other',
    async (matcher, meets, never) => {
      for (const rule of [...meets, ...never]) {
        write('.claude/settings.json', hooks('echo ok', 'PreToolUse', { matcher }, { if: rule }));
        const found = rules(await check()).filter((id) => id === 'if-never');
        expect([rule, found]).toEqual([rule, never.includes(rule) ? ['if-never'] : []]);
      }
    },
  );

  test('in a file of ours too, where matchers are globs', async () => {
    for (const [matcher, rule, found] of [
      ['mcp__*', 'Bash(git *)', true],
      ['mcp__*', 'mcp__a__b', false],
      ['Edit|Write', 'Bash(git *)', true],
      ['deploy', 'deploy(target:prod)', false],
    ] as const) {
      write('hooks.json', hooks('echo ok', 'PreToolUse', { matcher }, { if: rule }));
      expect([matcher, rule, rules(await check()).includes('if-never')]).toEqual([matcher, rule, found]);
    }
  });
});

describe('rules', () => {
  test.each([
    ['WebFetch(domain:.example.com)', 'if-invalid', 'if-idle'],
    ['WebFetch(domain:10.*)', 'if-invalid', 'if-idle'],
    ['Read($HOME/.ssh/**)', 'if-invalid', 'if-idle'],
    ['Edit("src/**")', 'if-invalid', 'if-idle'],
    ['Edit(src\\app\\**)', 'if-idle', 'if-idle'],
    ['Edit(src/**, docs/**)', 'if-idle', 'if-idle'],
    ['Read(/etc/passwd)', 'if-idle', 'if-idle'],
    ['bash', 'if-idle', undefined],
    ['shell(command:rm *)', 'if-idle', undefined],
    ['WebFetch(domain:münchen.de)', undefined, undefined],
    ['WebFetch(domain:[::1])', undefined, undefined],
    ['Edit(app/[id]/page.tsx)', undefined, undefined],
    ['Read(C:/Users/**)', undefined, undefined],
    ['mcp__git__', undefined, undefined],
    ['deploy(target:prod)', undefined, undefined],
    ['LS', undefined, undefined],
  ])('%s is %s in a file of Claude Code, and an error or %s in one of ours', async (rule, theirs, ours) => {
    write('.claude/settings.json', hooks('echo ok', 'PreToolUse', {}, { if: rule }));
    expect(rules(await check(['.claude']))).toEqual(theirs === undefined ? [] : [theirs]);
    write('hooks.json', hooks('echo ok', 'PreToolUse', {}, { if: rule }));
    const inOurs = theirs === 'if-invalid' ? ['invalid-hooks'] : ours === undefined ? [] : [ours];
    expect(rules(await check(['hooks.json']))).toEqual(inOurs);
  });

  test.each([
    ['Edit', '"Edit" alone is about no call of NotebookEdit or Write.', 'Write "Edit(*)"'],
    ['Read', '"Read" alone is about no call of Glob or Grep.', 'Write "Read(*)"'],
    ['Bash', '"Bash" alone is about no call of Monitor.', 'Write "Bash(*)"'],
  ])('%s alone, in a hook of ours without a matcher, is said to leave out other tools', async (rule, message, fix) => {
    write('hooks.json', hooks('echo ok', 'PreToolUse', {}, { if: rule }));
    expect((await check(['hooks.json'])).findings).toMatchObject([
      { rule: 'if-idle', message, fix: expect.stringContaining(fix) },
    ]);
    for (const [matcher, text] of [
      [rule, rule],
      ['', `${rule}(*)`],
    ]) {
      write('hooks.json', hooks('echo ok', 'PreToolUse', { matcher }, { if: text }));
      expect(rules(await check(['hooks.json']))).toEqual([]);
    }
  });

  test('of a group are read like those of its hooks, and told once', async () => {
    const command = { type: 'command', command: 'echo ok' };
    const allows = { type: 'rule', decision: 'allow' };
    for (const [event, group, found] of [
      ['Stop', { if: 'Bash(rm *)', hooks: [command, command] }, ['if-not-tool-event']],
      ['PreToolUse', { if: 'Bash(git *)', matcher: 'Edit', hooks: [command, command] }, ['if-never']],
      ['PreToolUse', { if: 'Edit(src\\app\\**)', hooks: [command, command] }, ['if-idle']],
      ['PreToolUse', { if: 'Edit(src\\app\\**)', hooks: [{ ...command, if: 'Bash(ls *)' }] }, []],
      ['PreToolUse', { if: 'Edit(src\\app\\**)', hooks: [{ ...command, if: '' }] }, []],
      ['PreToolUse', { if: 'Bash(FOO=1 npm test)', hooks: [command, { ...allows, if: '' }] }, ['if-idle']],
      ['PreToolUse', { if: 'Bash(FOO=1 npm test)', hooks: [{ ...allows, if: '' }] }, ['if-idle']],
      ['PreToolUse', { if: 'Bash(ls *)', matcher: 'Bash', hooks: [command] }, []],
    ] as const) {
      write('hooks.json', JSON.stringify({ hooks: { [event]: [group] } }));
      const { findings } = await check(['hooks.json']);
      expect([group, findings.map(({ rule }) => rule)]).toEqual([group, found]);
      for (const { where } of findings) expect(where).toBe(`hooks.${event}[0].if`);
    }
  });

  test('that allow are told where they can allow nothing', async () => {
    const handler = (decision: string, rule: string) => ({ type: 'rule', decision, reason: 'no', if: rule });
    for (const [rule, found] of [
      ['Bash(git commit -m "wip")', ['if-idle']],
      ["Monitor(echo 'a' *)", ['if-idle']],
      ['Bash(FOO=1 npm test)', ['if-idle']],
      ['Bash(git commit -m *)', []],
      ['Bash(ls {a,b} *.ts)', []],
    ] as const)
      for (const decision of ['allow', 'deny']) {
        const { reason, ...allows } = handler(decision, rule);
        const one = decision === 'allow' ? allows : { ...allows, reason };
        write('hooks.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks: [one] }] } }));
        expect([rule, decision, rules(await check(['hooks.json']))]).toEqual([
          rule,
          decision,
          decision === 'allow' ? found : [],
        ]);
      }
  });
});

/** A hook of the project that is a script. */
async function script(name: string, text: string, event = 'PreToolUse'): Promise<string[]> {
  const program = name.endsWith('.py') ? 'python3' : name.endsWith('.sh') ? 'bash' : 'node';
  write(`.claude/hooks/${name}`, text);
  write('.claude/settings.json', hooks(`${program} "$CLAUDE_PROJECT_DIR"/.claude/hooks/${name}`, event));
  const { findings } = await check();
  return findings.filter(({ rule }) => rule !== 'program-missing').map(({ rule }) => rule);
}

const DENY =
  '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}';
const answerOf = (decision: string): string => DENY.replace('"deny"', `"${decision}"`);

/** How programs print an answer; `ANSWER` stands for it. */
const PRINTERS: Readonly<Record<string, readonly string[]>> = {
  'a.py': [
    'print(json.dumps(ANSWER))',
    'sys.stdout.write(json.dumps(ANSWER))',
    'json.dump(ANSWER, sys.stdout)',
    'out = ANSWER\nprint(json.dumps(out))',
    'print(json.dumps(ANSWER), flush=True)',
    "print('''ANSWER''')",
    "print('ANSWER')",
  ],
  'a.mjs': [
    'console.log(JSON.stringify(ANSWER));',
    'process.stdout.write(JSON.stringify(ANSWER));',
    'const out = ANSWER;\nconsole.log(JSON.stringify(out));',
    "console.log('ANSWER');",
    'fs.writeSync(1, JSON.stringify(ANSWER));',
    'process.stdout.write(JSON.stringify(ANSWER, null, 2) + "\\n");',
  ],
  'a.sh': ["echo 'ANSWER'", "printf '%s\\n' 'ANSWER'", "cat <<'EOF'\nANSWER\nEOF"],
};
const PRINTED = Object.entries(PRINTERS).flatMap(([name, forms]) => forms.map((form) => [name, form] as const));
const filled = (form: string, answer: string): string => form.replace('ANSWER', () => answer);
const ended = (name: string): 'py' | 'mjs' | 'sh' => name.split('.')[1] as 'py';
const IMPORTS = { py: 'import json, sys\n', mjs: "import fs from 'node:fs';\n", sh: '' };
const WORDS = { py: 'print("Checking")', mjs: "console.log('Checking');", sh: 'echo Checking' };
const EXIT = { py: 'sys.exit(CODE)', mjs: 'process.exit(CODE);', sh: 'exit CODE' };
const exit = (name: string, code: number): string => EXIT[ended(name)].replace('CODE', String(code));

describe.each(PRINTED)('%s: an answer that is printed by %j', (name, form) => {
  const program = (...lines: string[]): string => `${IMPORTS[ended(name)]}${lines.join('\n')}\n`;

  test('is heard alone', async () => {
    expect(await script(name, program(filled(form, DENY)))).toEqual([]);
    expect(await script(name, program(filled(form, DENY), exit(name, 0)))).toEqual([]);
  });

  test.each(['block', 'approve', 'denied', 'DENY'])('with permissionDecision %j is refused', async (decision) => {
    expect(await script(name, program(filled(form, answerOf(decision))))).toEqual(['output-rejected']);
  });

  test('is lost among words', async () => {
    expect(await script(name, program(WORDS[ended(name)], filled(form, DENY)))).toEqual(['output-unheard']);
    expect(await script(name, program(filled(form, DENY), WORDS[ended(name)]))).toEqual(['output-unheard']);
  });

  test('counts for little before exit code 2', async () => {
    expect(await script(name, program(filled(form, answerOf('allow')), exit(name, 2)))).toEqual(['output-exit-2']);
  });
});

test.each([
  ['a.py', `import json, sys\nprint(json.dumps(${DENY}), file=sys.stderr)\nsys.exit(0)\n`],
  ['b.py', `import json, sys\nsys.stderr.write(json.dumps(${DENY}))\n`],
  ['a.mjs', `console.error(JSON.stringify(${DENY}));\n`],
  ['b.mjs', `process.stderr.write(JSON.stringify(${DENY}));\nprocess.exit(0);\n`],
  ['a.sh', `echo '${DENY}' >&2\nexit 0\n`],
  ['b.sh', `cat >&2 <<'EOF'\n${DENY}\nEOF\n`],
])('%s: an answer on standard error is not heard', async (name, text) => {
  expect(await script(name, text)).toEqual(['output-unheard']);
});

describe('a field that is read where it is not', () => {
  const py = (access: string): string => `import json, sys\ndata = json.load(sys.stdin)\nvalue = ${access}\n`;
  const js = (line: string): string =>
    `import { readFileSync } from 'node:fs';\nconst input = JSON.parse(readFileSync(0, 'utf8'));\n${line}\n`;
  test.each([
    ['a.sh', 'CMD=$(jq -r .command)\n', 'tool_input.command'],
    ['a.sh', "CMD=$(jq -r '.command // empty')\n", 'tool_input.command'],
    ['a.sh', "cat | jq -r '.file_path'\n", 'tool_input.file_path'],
    ['a.sh', 'INPUT=$(cat)\nTOOL=$(echo "$INPUT" | jq -r .toolName)\n', 'tool_name'],
    ['a.sh', 'INPUT=$(cat)\nTOOL=$(jq -r .tool <<< "$INPUT")\n', 'tool_name'],
    ['a.sh', "IN=$(cat)\nprintf '%s' \"$IN\" | jq -r '.input.command'\n", 'tool_input.command'],
    ['a.sh', 'jq -e \'.parameters.file_path | test("env")\'\n', 'tool_input.file_path'],
    ['a.py', py('data["command"]'), 'tool_input.command'],
    ['a.py', py('data.get("file_path", "")'), 'tool_input.file_path'],
    ['a.py', py('data["input"]["command"]'), 'tool_input.command'],
    ['a.py', py("data.get('toolName')"), 'tool_name'],
    ['a.py', 'import json, sys\nvalue = json.loads(sys.stdin.read())["command"]\n', 'tool_input.command'],
    ['a.mjs', js('const { command } = input;'), 'tool_input.command'],
    ['a.mjs', js('const value = input.command ?? "";'), 'tool_input.command'],
    ['a.mjs', js('const value = input?.input?.command;'), 'tool_input.command'],
    ['a.mjs', js('const value = input["toolInput"].command;'), 'tool_input.command'],
    [
      'a.mjs',
      "import { readFileSync } from 'node:fs';\nconst { toolName } = JSON.parse(readFileSync(0, 'utf8'));\n",
      'tool_name',
    ],
  ])('%s: %j', async (name, text, place) => {
    expect(await script(name, text)).toEqual(['input-field']);
    expect((await check()).findings.find(({ rule }) => rule === 'input-field')?.fix).toBe(`Read ${place}.`);
  });

  test.each([
    ['a.sh', 'jq -r .tool_input.command\n'],
    ['a.sh', "jq -r '.tool_input | .command'\n"],
    ['a.sh', "jq -r '.tool_input.file_path // .file_path'\n"],
    ['a.sh', 'INPUT=$(cat | jq .tool_input)\necho "$INPUT" | jq -r .command\n'],
    ['a.sh', 'curl -s https://x.example | jq -r .command\n'],
    ['a.sh', 'jq -r .command package.json\n'],
    ['a.sh', "jq -n '{command: 1} | .command'\n"],
    ['a.py', py('data.get("tool_input", {}).get("command")')],
    ['a.py', py('data["tool_input"]["file_path"] if data["tool_name"] else data["cwd"]')],
    ['a.py', 'import json\nconfig = json.load(open("x.json"))\nprint(config["command"])\n'],
    ['a.py', py('data.get("tool_name") or data.get("toolName")')],
    ['a.mjs', js('const { tool_input: { command } } = input;')],
    ['a.mjs', js('const value = input.tool_input.command ?? input.command;')],
    ['a.mjs', js('const value = { command: 1 }.command; input.other;')],
  ])('is not found in %s: %j', async (name, text) => {
    expect(await script(name, text)).toEqual([]);
  });

  test('is there on another event', async () => {
    expect(await script('a.sh', 'jq -r .prompt\n', 'UserPromptSubmit')).toEqual([]);
    expect(await script('a.sh', 'jq -r .prompt\n', 'Stop')).toEqual([]);
    expect(await script('a.sh', 'jq -r .user_prompt\n', 'UserPromptSubmit')).toEqual(['input-field']);
  });
});

describe("a plugin's path between single quotes", () => {
  const advice = async (command: string, isPlugin: boolean): Promise<string[]> => {
    const path = isPlugin ? 'hooks/hooks.json' : '.claude/settings.json';
    if (isPlugin) write('.claude-plugin/plugin.json', '{ "name": "p" }');
    write('scripts/h.sh', '#!/bin/sh\n');
    chmodSync(join(folder, 'scripts/h.sh'), 0o755);
    write(path, hooks(command));
    return (await check()).findings.map(({ rule, fix }) => `${rule}: ${fix}`);
  };
  const ROOT_DIR = `\${CLAUDE_PLUGIN_ROOT}`;
  const PROJECT_DIR = `\${CLAUDE_PROJECT_DIR}`;
  test.each([
    [`'${ROOT_DIR}/scripts/h.sh'`, true, `single-quoted-placeholder: Write "${ROOT_DIR}/scripts/h.sh".`],
    [`bash '${ROOT_DIR}'/scripts/h.sh`, true, `single-quoted-placeholder: Write "${ROOT_DIR}/scripts/h.sh".`],
    ["'$CLAUDE_PLUGIN_ROOT/scripts/h.sh'", true, 'placeholder-literal: Write "$CLAUDE_PLUGIN_ROOT/scripts/h.sh".'],
    [`'${PROJECT_DIR}/scripts/h.sh'`, false, `placeholder-literal: Write "${PROJECT_DIR}/scripts/h.sh".`],
    [`'${ROOT_DIR}/scripts/h.sh'`, false, 'placeholder-literal: Write "$CLAUDE_PROJECT_DIR/scripts/h.sh".'],
  ])('%s', async (command, isPlugin, wanted) => {
    expect(await advice(command, isPlugin)).toEqual([wanted]);
  });

  test('is nothing where a shell reads it again, or the quotes are double', async () => {
    expect(await advice(`sh -c '"$CLAUDE_PROJECT_DIR"/scripts/h.sh'`, false)).toEqual([]);
    for (const before of ['su me -c', 'timeout 5 sh -c', 'env A=b bash -ec', 'eval', 'trap', 'ssh host', 'printf %s'])
      expect([before, await advice(`${before} '$CLAUDE_PROJECT_DIR/scripts/h.sh' EXIT`, false)]).toEqual([before, []]);
    expect(await advice(`"${ROOT_DIR}/scripts/h.sh"`, true)).toEqual([]);
  });
});

describe('a guard that says no by ending with 1', () => {
  const found = async (name: string, text: string): Promise<boolean> =>
    (await script(name, text)).includes('exit-1-guard');
  const INPUT = 'input=$(cat)\ncmd=$(echo "$input" | jq -r .tool_input.command)\nlength=$(echo "$cmd" | wc -c)\n';
  /** A condition on the input, whichever way. */
  const about = [
    'grep -q "rm -rf"',
    '! grep -q allowed-prefix',
    'jq -e .tool_input.file_path | grep -q secret',
    'jq -r ".tool_input.command" | tr a-z A-Z | grep -qE "^RM "',
    `jq -e '.tool_input.command | test("^git ")' >/dev/null`,
    `jq --arg x y -e '.tool_name == $x'`,
    ...[
      'echo "$cmd" | grep -q "git push"',
      'grep -q "git push" <<< "$cmd"',
      `printf '%s' "$cmd" | grep -qv "^ls"`,
      '[[ "$cmd" == *rm* ]]',
      '[[ $cmd =~ ^sudo ]]',
      '[ "$cmd" = "rm -rf /" ]',
      'test "$cmd" != ls',
      '[[ -n $cmd && $cmd == rm* ]]',
      '[ "$(echo "$cmd" | wc -c)" -gt 200 ]',
      '(( $length > 200 ))',
    ].map((one) => `${INPUT}${one}`),
  ];
  /** A condition on something else: a tool, a folder, whether there is an input at all. */
  const wrong = [
    'command -v jq >/dev/null',
    'cd "$CLAUDE_PROJECT_DIR"',
    '[ -f config.json ]',
    'grep -q strict config.json',
    'jq -e .strict config.json',
    'node --version | grep -q v20',
    'grep -q x < config.json',
    '[ "$USER" = root ]',
    'mkdir -p out',
    'jq -e . >/dev/null',
    ...[
      '[ -n "$cmd" ]',
      '[ "$cmd" != "" ]',
      '[[ $cmd != null ]]',
      'cd "$(dirname "$cmd")"',
      '[ -w "$cmd" ]',
      'echo "$input" | jq -e .tool_input.command >/dev/null',
      'echo "$input" | grep -q tool_name',
    ].map((one) => `${INPUT}${one}`),
  ];
  /** Does it where the condition holds, or where it does not. */
  const then: readonly ((setup: string, condition: string) => string)[] = [
    (s, c) => `${s}if ${c}; then echo "no way" >&2; exit 1; fi`,
    (s, c) => `${s}if true; then\n  if ${c}; then\n    exit 1\n  fi\nfi\nexit 0`,
    (s, c) => `${s}if [ -e x ]; then :; elif ${c}; then echo "no way" >&2; exit 1; fi`,
    (s, c) => `${s}${c} && { echo stop >&2; exit 1; }`,
    (s, c) => `${s}${c} && echo stop >&2 && exit 1`,
    (s, c) => `${s}${c} && exit 1\nexit 0`,
    (s, c) => `${s}${c} && return 1`,
    (s, c) => `${s}if ${c}; then false; fi`,
  ];
  const unless: typeof then = [
    (s, c) => `${s}${c} || { echo no; exit 1; }`,
    (s, c) => `${s}${c} || exit 1\necho ok`,
    (s, c) => `${s}if ! ${c}; then echo "no way" >&2; exit 1; fi`,
    (s, c) => `${s}if ${c}; then exit 0; else echo no >&2; exit 1; fi`,
  ];
  const split = (text: string): [setup: string, condition: string] => {
    const at = text.lastIndexOf('\n') + 1;
    return [text.slice(0, at), text.slice(at)];
  };
  const table = (texts: readonly string[], forms: typeof then): string[] =>
    texts.flatMap((text) => forms.map((form) => form(...split(text)))).filter((text) => !/! !/.test(text));

  test('because of what it was told: in a script and in a line', async () => {
    const missed: string[] = [];
    for (const [i, text] of table(about, [...then, ...unless]).entries()) {
      if (!(await found(`a${i}.sh`, `${text}\n`))) missed.push(text);
    }
    expect(missed).toEqual([]);
    write('.claude/settings.json', hooks('if grep -q "rm -rf"; then echo "no way" >&2; exit 1; fi'));
    expect(rules(await check())).toContain('exit-1-guard');
  });

  test('is none on WorktreeCreate, where any failure fails the creation', async () => {
    const text = 'if grep -q "rm -rf"; then echo "no way" >&2; exit 1; fi\n';
    expect(await script('guard.sh', text, 'PreCompact')).toContain('exit-1-guard');
    expect(await script('guard.sh', text, 'WorktreeCreate')).not.toContain('exit-1-guard');
  });

  test('is not one that ends with 1 because something went wrong', async () => {
    const alarms: string[] = [];
    for (const [i, text] of table(wrong, unless).entries()) if (await found(`a${i}.sh`, `${text}\n`)) alarms.push(text);
    expect(alarms).toEqual([]);
  });

  test.each([
    [true, 'case "$cmd" in\n  *rm*) echo no >&2; exit 1 ;;\nesac'],
    [true, 'case $cmd in ls|cat) ;; *) echo no >&2; exit 1;; esac'],
    [false, 'case $cmd in "") exit 1;; esac'],
    [false, 'case "$OSTYPE" in darwin*) echo no >&2; exit 1;; esac'],
    [true, 'for word in $cmd; do [ "$word" = sudo ] && exit 1; done'],
    [true, 'echo "$cmd" | while read -r word; do if [ "$word" = sudo ]; then exit 1; fi; done'],
    [false, 'if [ "$cmd" = x ]; then cd /x || exit 1; fi'],
    [false, 'if [[ $cmd == rm* ]]; then x=$(false || exit 1); fi'],
    [false, 'if ! echo "$input" | jq -e "type==1" >/dev/null; then echo "cannot parse the input" >&2; exit 1; fi'],
    [true, 'name=$(python3 -c "import json,sys; print(json.load(sys.stdin)[1])")\n[ "$name" = x ] && exit 1'],
    [false, 'name=$(python3 -c "print(1)")\n[ "$name" = 1 ] || exit 1'],
    [false, '[[ $cmd == rm* ]] && exit 0\nexit 1'],
    [false, 'f() { [[ $cmd == rm* ]] && return 1; }\nf; exit 0'],
    [false, 'type=$(echo "$input" | jq -r ".tool_input | type")\n[ "$type" = "object" ] || exit 1'],
    [false, 'event=$(echo "$input" | jq -r .hook_event_name)\nif [ "$event" != "PreToolUse" ]; then exit 1; fi'],
    [true, 'event=$(echo "$input" | jq -r .hook_event_name)\n[[ $event == PreToolUse && $cmd == rm* ]] && exit 1'],
    [
      false,
      `status=$(echo "$input" | curl -s -w '%{http_code}' -d @- http://x)\nif [ "$status" != "200" ]; then exit 1; fi`,
    ],
    [false, 'status=$(cat | curl -d @- http://x)\n[ "$status" = 200 ] || exit 1'],
    [false, 'if [ "$(git -C "$cmd" rev-parse --is-inside-work-tree)" != "true" ]; then exit 1; fi'],
    [false, `n=\${#cmd}\nif [ "$n" -eq 0 ]; then exit 1; fi`],
    [false, 'if [ "$length" -lt 2 ]; then exit 1; fi'],
    [false, `(( \${#cmd} == 0 )) && exit 1`],
    [true, 'if [ "$(echo "$cmd" | grep -c rm)" -gt 0 ]; then exit 1; fi'],
    [true, 'get() { echo "$input" | jq -r "$1"; }\nname=$(get .tool_name "$input")\n[ "$name" = Bash ] && exit 1'],
    [false, 'if grep -q TODO "$cmd"; then exit 1; fi'],
  ])('%s: %s', async (is, text) => {
    expect(await found('a.sh', `${INPUT}${text}\n`)).toBe(is);
  });

  const PY = 'import json, re, sys\ndata = json.load(sys.stdin)\ncmd = data.get("tool_input", {}).get("command", "")\n';
  const JS =
    "import fs from 'node:fs';\nconst data = JSON.parse(fs.readFileSync(0, 'utf8'));\nconst { command } = data.tool_input;\n";
  const STDIN = "let text = '';\nprocess.stdin.on('data', (piece) => {\n  text += piece;\n});\n";
  test.each([
    [
      true,
      'a.py',
      'import json, sys\ntry:\n    data = json.load(sys.stdin)\nexcept ValueError as e:\n    print(f"Invalid JSON: {e}", file=sys.stderr)\n    sys.exit(1)\nif "rm -rf" in data["tool_input"]["command"]:\n    sys.exit(1)\n',
    ],
    [false, 'a.py', 'import json, sys\ntry:\n    data = json.load(sys.stdin)\nexcept ValueError:\n    sys.exit(1)\n'],
    [false, 'a.py', 'import json, sys\nraw = sys.stdin.read()\nif len(raw) == 0:\n    sys.exit(1)\n'],
    [
      true,
      'a.mjs',
      `${STDIN}process.stdin.on('end', () => {\n  const data = JSON.parse(text);\n  if (data.tool_input.command.includes('rm')) process.exit(1);\n});\n`,
    ],
    [
      true,
      'a.mjs',
      "const pieces = [];\nfor await (const piece of process.stdin) pieces.push(piece);\nconst data = JSON.parse(Buffer.concat(pieces).toString());\nif (data.tool_name === 'Bash') process.exit(1);\n",
    ],
    [
      false,
      'a.mjs',
      `${STDIN}process.stdin.on('end', () => {\n  try {\n    console.log(JSON.parse(text).tool_name);\n  } catch (error) {\n    process.exit(1);\n  }\n});\n`,
    ],
    [
      false,
      'a.mjs',
      "import { readFileSync } from 'node:fs';\nconst input = readFileSync(0, 'utf8');\nif (input.length === 0) process.exit(1);\nconst text = readFileSync('package.json', 'utf8');\nconst pkg = JSON.parse(text);\nif (pkg.type !== 'module') process.exit(1);\n",
    ],
    [
      false,
      'a.mjs',
      "const res = await fetch('http://localhost', { method: 'POST', body: process.stdin });\nif (res.status !== 200) process.exit(1);\n",
    ],
    [
      true,
      'a.mjs',
      "const data = JSON.parse(require('fs').readFileSync('/dev/stdin'));\nif (data.tool_name === 'Bash') process.exit(1);\n",
    ],
  ])('%s: the whole of %s: %s', async (is, name, text) => expect(await found(name, text)).toBe(is));

  test.each([
    [
      false,
      'a.py',
      'import subprocess\nif cmd.endswith(".py"):\n    r = subprocess.run(["ruff", cmd])\n    if r.returncode != 0:\n        sys.exit(1)\n',
    ],
    [false, 'a.py', 'if cmd.endswith(".ts") and subprocess.call(["tsc", cmd]) != 0:\n    sys.exit(1)\n'],
    [false, 'a.py', 'res = urllib.request.urlopen("http://x", data=cmd)\nif res.status != 200:\n    sys.exit(1)\n'],
    [false, 'a.py', 'if data.get("hook_event_name") != "PreToolUse":\n    sys.exit(1)\n'],
    [true, 'a.py', 'if cmd is not None and "rm" in cmd:\n    sys.exit(1)\n'],
    [true, 'a.py', 'if len(cmd) > 5000:\n    sys.exit(1)\n'],
    [false, 'a.py', 'if type(data) != dict:\n    sys.exit(1)\n'],
    [
      false,
      'a.mjs',
      "const out = execSync('eslint ' + command).toString();\nif (out.includes('error')) process.exit(1);\n",
    ],
    [false, 'a.mjs', "const res = spawnSync('eslint', [command]);\nif (res.status !== 0) process.exit(1);\n"],
    [false, 'a.mjs', 'if (!Object.keys(data).length > 0) process.exit(1);\n'],
    [false, 'a.mjs', "if (data.hook_event_name !== 'PreToolUse') process.exit(1);\n"],
    [false, 'a.mjs', "fs.open(command, 'r').on('error', () => {\n  if (command.includes('x')) process.exit(1);\n});\n"],
    [true, 'a.py', 'if "rm -rf" in cmd:\n    print("no way", file=sys.stderr)\n    sys.exit(1)\n'],
    [true, 'a.py', 'if re.search(r"^rm ", cmd): sys.exit(1)\n'],
    [true, 'a.py', 'for word in cmd.split():\n    if word == "sudo":\n        raise SystemExit(1)\n'],
    [true, 'a.py', 'found = re.findall("rm", cmd)\nif found:\n    sys.exit(1)\n'],
    [true, 'a.py', 'if not cmd.startswith("ls"):\n    exit(1)\n'],
    [
      true,
      'a.py',
      'def main():\n    if cmd.startswith("ls"):\n        return\n    elif "rm" in cmd:\n        sys.exit(1)\nmain()\n',
    ],
    [false, 'a.py', 'if not cmd:\n    sys.exit(1)\n'],
    [false, 'a.py', 'if cmd == "":\n    sys.exit(1)\n'],
    [false, 'a.py', 'if "tool_input" not in data:\n    sys.exit(1)\n'],
    [false, 'a.py', 'if len(sys.argv) < 2:\n    sys.exit(1)\n'],
    [false, 'a.py', 'if "rm" in cmd:\n    try:\n        x()\n    except OSError:\n        sys.exit(1)\n'],
    [false, 'a.py', 'if not isinstance(data, dict):\n    sys.exit(1)\n'],
    [true, 'a.mjs', "if (command.includes('rm -rf')) {\n  console.error('no way');\n  process.exit(1);\n}\n"],
    [true, 'a.mjs', 'if (/^rm /.test(command)) process.exit(1);\n'],
    [true, 'a.mjs', "command.startsWith('rm') && process.exit(1);\n"],
    [
      true,
      'a.mjs',
      "for (const word of command.split(' ')) {\n  if (word === 'sudo') {\n    process.exitCode = 1;\n  }\n}\n",
    ],
    [true, 'a.mjs', "const bad = ['rm'].some((one) => command.includes(one));\nif (bad) { process.exit(1); }\n"],
    [false, 'a.mjs', 'if (!command) process.exit(1);\n'],
    [false, 'a.mjs', 'if (command === undefined) {\n  process.exit(1);\n}\n'],
    [false, 'a.mjs', "if (typeof command !== 'string') process.exit(1);\n"],
    [false, 'a.mjs', 'if (process.argv.length < 3) process.exit(1);\n'],
    [false, 'a.mjs', "if (!fs.existsSync(command)) { console.error('gone'); process.exit(1); }\n"],
  ])('%s: %s: %s', async (is, name, text) => {
    expect(await found(name, (name.endsWith('py') ? PY : JS) + text)).toBe(is);
  });
});

test.each([{}, 'x', 5, null, [], { hooks: [] }])(
  'an event at the top of settings with %j is another shape',
  async (value) => {
    write('.claude/settings.json', JSON.stringify({ PreToolUse: value }));
    expect(rules(await check())).toEqual(['other-shape']);
    write('.claude/settings.json', JSON.stringify({ PreToolUse: [{ hooks: [] }], hooks: {} }));
    expect(rules(await check())).toEqual(['unknown-key']);
  },
);
