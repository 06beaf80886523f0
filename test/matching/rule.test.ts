import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHost } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/record.js';
import { HookscopeError } from '../../src/errors.js';
import { CATALOGUE } from '../../src/events/catalogue.js';
import { EDITORS, READERS } from '../../src/matching/files-of.js';
import { KNOWN_TOOLS } from '../../src/matching/known-tools.js';
import { compileRule, type Rule } from '../../src/matching/rule.js';
import { readOnly } from '../../src/values/copies/view.js';

const where = 'PreToolUse[0].hooks[0].if';
const cwd = '/home/dev/project';

function rule(text: string, root?: string): Rule {
  const found = compileRule(text, { dialect: 'code', where, ...(root === undefined ? {} : { root }) }).rule;
  if (found === undefined) throw new Error('no rule');
  return found;
}
const matches = (text: string, tool_name: string, tool_input: unknown, root?: string): boolean =>
  rule(text, root).matches(readOnly({ tool_name, tool_input, cwd }));

function refusal(text: string): string {
  try {
    compileRule(text, { dialect: 'code', where });
  } catch (error) {
    if (error instanceof HookscopeError && error.code === 'INVALID_HOOKS') return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('a rule', () => {
  it.each([
    ['bash(rm *)', 'Bash(rm *)'],
    ['Edti(src/**)', 'Edit(src/**)'],
    ['Webfetch(example.com)', 'WebFetch(example.com)'],
    ['skil(commit)', 'Skill(commit)'],
    ['send_mail(all)', undefined],
  ])('%s, of a tool without rules, names the tool that may be meant: %s', (text, meant) => {
    const [tool] = text.split('(');
    const near = meant === undefined ? '' : `if ${meant.split('(')[0]} is meant, write ${meant}; else `;
    expect(refusal(text)).toContain(`${tool} has no rules of its own: ${near}use ${tool} or`);
  });

  it.each([undefined, '', '  '])('that is empty (%j) is no rule', (text) => {
    expect(compileRule(text, { dialect: 'code', where })).toEqual({ rule: undefined, warnings: [] });
  });

  it.each([
    'garbage((',
    'git push',
    'Bash(git *',
    'Bash)git(',
    'Bash(git *) && Edit(src/**)',
    'Bash|Edit',
    '!Bash',
    'mcp__.*',
    '(git *)',
    'Edit(!src/**)',
    'Bash(command:rm *)',
    'Read(file_path:/a)',
    'WebFetch(https://example.com)',
    'WebFetch(url:https://example.com)',
    'WebFetch(domain:example.com/path)',
    'WebFetch(domain:localhost:8080)',
    'WebFetch(example.com)',
    ...[
      '.example.com',
      'a..b',
      'a.com,b.com',
      '{a,b}.com',
      'münch*.de',
      '"a.com"',
      'a.com?x',
      'me@a.com',
      'localhost:*',
      'https://a.com',
      'a\\.com',
    ].map((domain) => `WebFetch(domain:${domain})`),
    ...[
      '10.*',
      '192.168.*',
      '1.2.3.*.5',
      '1.2.3.4.5',
      '300.1.1.1',
      '[::1',
      'fe80::1%eth0',
      '10.0.0.0/8',
      '.',
      '%zz',
    ].map((domain) => `WebFetch(domain:${domain})`),
    'WebFetch(Domain:example.com)',
    // Files that there cannot be.
    'Read($HOME/.ssh/**)',
    'Read(\u0024{HOME}/.ssh/**)',
    'Edit(\u0024{CLAUDE_PROJECT_DIR}/src/**)',
    'Read(//home/$USER/.ssh/**)',
    'Read($env:USERPROFILE\\.ssh\\**)',
    'Read(%USERPROFILE%/.ssh/**)',
    'Write($TMPDIR)',
    'Edit("src/**")',
    "Edit('src/a b.ts')",
    'Read(file:///etc/passwd)',
    'Read(src/../../x/**)',
    'Read(~/../other/**)',
    'Read(//../x)',
    'TodoWrite(anything)',
  ])('that cannot be read (%j) is an error in code and never matches, loudly, in claude files', (text) => {
    const message = refusal(text);
    expect(message).toContain(where);
    expect(message).toContain(text);
    const { rule: never, warnings } = compileRule(text, { dialect: 'claude', where });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('never runs');
    for (const tool_name of ['Bash', 'Edit', 'Read', 'WebFetch', 'TodoWrite', 'mcp__a__b']) {
      expect(never?.matches({ tool_name, tool_input: { command: 'git push', file_path: '/a' }, cwd })).toBe(false);
    }
  });

  it('matches no call without a tool name, and every call whose name is no text', () => {
    for (const tool_name of [undefined, null, 1, { toString: 0 }]) {
      const isUnknown = typeof tool_name === 'number' || (typeof tool_name === 'object' && tool_name !== null);
      for (const text of ['*', 'Bash', 'Bash(*)', 'Bash(git *)'])
        expect(rule(text).matches({ tool_name, tool_input: { command: 'ls' } })).toBe(isUnknown);
    }
  });

  it('has its text, trimmed', () => {
    expect(rule(' Bash(git *) ').text).toBe('Bash(git *)');
  });

  it.each([
    ['Bash', 'Bash', true],
    ['Bash', 'Edit', false],
    ['Bash(*)', 'Bash', true],
    ['Bash()', 'Bash', true],
    ['Bash(*)', 'Monitor', true],
    ['Bash', 'Monitor', false],
    ['Edit(*)', 'Write', true],
    ['Read(*)', 'Grep', true],
    ['Read(*)', 'Write', false],
    ['Bash(*)', 'Edit', false],
    ['*', 'AnyTool', true],
    ['Edit', 'Write', false],
    ['Task', 'Agent', true],
    ['Agent', 'Task', true],
    ['KillShell', 'TaskStop', true],
    ['mcp__github__*', 'mcp__github__create', true],
    ['mcp__github__get_*', 'mcp__github__create', false],
    ['mcp__github', 'mcp__github__create', true],
    ['mcp__github', 'mcp__github_enterprise__create', false],
    ['mcp__github__create', 'mcp__github__create', true],
    ['mcp__github__create', 'mcp__github__create_all', false],
    ['mcp__*', 'mcp__github__create', true],
    ['mcp__plugin_my-plugin_db__query', 'mcp__plugin_my-plugin_db__query', true],
    ['mcp__*', 'Bash', false],
    // A server may have a name with two underscores.
    ['mcp__my__server', 'mcp__my__server__drop', true],
    ['mcp__my__server', 'mcp__my__other__drop', false],
    ['mcp__my__server', 'mcp__my__server_drop', false],
    ['mcp__git__', 'mcp__git__push', true],
    ['mcp__git__', 'mcp__github__push', false],
    ['mcp__git__', 'mcp__git', false],
    ['mcp__', 'mcp__git__push', true],
    ['mcp__', 'Bash', false],
  ])('%j on the tool %j is %j', (text, tool, expected) => {
    expect(matches(text, tool, { command: 'ls' })).toBe(expected);
  });

  it.each(['Edit', 'Read', 'Write', 'NotebookEdit', 'Grep', 'Bash', 'Monitor', 'PowerShell', 'Agent', 'Skill'])(
    '%s(*) is about every tool that a narrower pattern is about, unless it permits',
    (tool) => {
      const paths = { file_path: `${cwd}/a.ts`, notebook_path: 'a.ipynb', path: '.', pattern: '*' };
      const input = { ...paths, command: 'git push', subagent_type: 'a', skill: 'a' };
      for (const dialect of ['code', 'claude'] as const) {
        const about = (text: string, permits = false): string[] => {
          const { rule: one } = compileRule(text, { dialect, where, permits });
          return [...KNOWN_TOOLS, ...EDITORS, ...READERS].filter(
            (name) => one?.isAbout(name) && one.matches({ tool_name: name, tool_input: input, cwd }),
          );
        };
        const any = about(`${tool}(*)`);
        expect(any).toContain(tool);
        for (const narrower of ['**', './*', '/**', '* *', ':*', 'git *', 'a'])
          expect([narrower, about(`${tool}(${narrower})`).filter((name) => !any.includes(name))]).toEqual([
            narrower,
            [],
          ]);
        expect(about(`${tool}(*)`, true)).toEqual(about(tool, true));
      }
    },
  );

  it('never throws and always answers, whatever the rule and the call', () => {
    const anyRule = fc.oneof(
      fc.string(),
      fc
        .tuple(
          fc.constantFrom('Bash', 'Edit', 'Read', 'WebFetch', 'Agent', 'Skill', 'PowerShell', 'mcp__a'),
          fc.string(),
        )
        .map(([tool, inner]) => `${tool}(${inner})`),
    );
    const anyCall = fc.record({
      tool_name: fc.oneof(
        fc.constantFrom('Bash', 'Edit', 'Grep', 'Glob', 'WebFetch', 'Agent', 'Skill', 'PowerShell'),
        fc.jsonValue(),
      ),
      tool_input: fc.oneof(
        fc.record({
          command: fc.string(),
          file_path: fc.string(),
          path: fc.string(),
          pattern: fc.string(),
          glob: fc.string(),
          url: fc.string(),
          skill: fc.string(),
        }),
        fc.jsonValue(),
      ),
      cwd: fc.oneof(fc.constant(cwd), fc.jsonValue()),
    });
    fc.assert(
      fc.property(anyRule, anyCall, (text, call) => {
        const compiled = compileRule(text, { dialect: 'claude', where }).rule;
        const answer = compiled?.matches(call);
        expect([true, false, undefined]).toContain(answer);
        // What is no call of a tool is none of a rule's.
        if (call.tool_name === null) expect(answer).not.toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  const vectors = JSON.parse(readFileSync(new URL('../fixtures/vectors/if.json', import.meta.url), 'utf8')) as {
    name: string;
    event: keyof typeof CATALOGUE;
    input: Record<string, unknown>;
    settings: { hooks: Record<string, { hooks: { command: string; if?: string }[] }[]> };
    expect: { ran: string[]; notRan: string[] };
  }[];

  it.each(vectors.map((vector) => [vector.name, vector] as const))('decides as the client did: %s', (_name, vector) => {
    const ran: string[] = [];
    const notRan: string[] = [];
    for (const hook of (vector.settings.hooks[vector.event] ?? []).flatMap((group) => group.hooks)) {
      const { rule: compiled } = compileRule(hook.if, { dialect: 'claude', where });
      // On other than tool events a hook with a rule never runs; the host sees to that.
      const runs = compiled === undefined || (CATALOGUE[vector.event].tool && compiled.matches(vector.input));
      (runs ? ran : notRan).push(/TAG=(\w+)/.exec(hook.command)?.[1] ?? '');
    }
    expect({ ran, notRan }).toEqual({ ran: vector.expect.ran, notRan: vector.expect.notRan });
    expect(ran.length + notRan.length).toBeGreaterThan(0);
  });
});

describe("a rule of Claude Code's files", () => {
  const inFiles = (text: string, tool_name: string, tool_input: Record<string, unknown>): boolean | undefined =>
    compileRule(text, { dialect: 'claude', where }).rule?.matches({ tool_name, tool_input, cwd });

  it('for Edit is not about Write', () => {
    const file = { file_path: `${cwd}/src/a.ts` };
    expect(inFiles('Edit(src/**)', 'Edit', file)).toBe(true);
    expect(inFiles('Edit(src/**)', 'Write', file)).toBe(false);
    expect(inFiles('Write(src/**)', 'Write', file)).toBe(true);
    expect(inFiles('Edit(src/**)', 'NotebookEdit', { notebook_path: 'src/a.ipynb' })).toBe(true);
  });
});

describe('a rule over files', () => {
  const home = homedir();
  it.each([
    ['Edit(src/**)', 'src/app.ts', true],
    ['Edit(src/**)', `${cwd}/src/deep/app.ts`, true],
    ['Edit(src/**)', `${cwd}/vendor/pkg/src/lib.js`, false],
    ['Edit(src/**)', '/elsewhere/src/app.ts', false],
    ['Edit(./src/**)', 'src/app.ts', true],
    ['Edit(**/src/**)', 'vendor/pkg/src/lib.js', true],
    ['Edit(/src/**)', 'src/app.ts', true],
    ['Edit(/src/**)', 'vendor/src/app.ts', false],
    ['Edit(*.ts)', 'deep/down/app.ts', true],
    ['Edit(*.ts)', 'app.tsx', false],
    ['Edit(.env)', '.env', true],
    ['Edit(.env)', 'apps/web/.env', true],
    ['Edit(.env)', '../.env', false],
    ['Edit(*.env)', '.env', true],
    ['Edit(docs/)', 'docs/a/b.md', true],
    ['Edit(docs)', 'docs/a/b.md', true],
    ['Edit(../common/**)', '../common/a.ts', true],
    ['Edit(../common/**)', 'common/a.ts', false],
    ['Edit(//etc/**)', '/etc/passwd', true],
    ['Edit(//etc/**)', 'etc/passwd', false],
    ['Edit(/etc/**)', '/etc/passwd', false],
    ['Edit(//**/.env)', '/anywhere/at/all/.env', true],
    ['Edit(~/.zshrc)', posix.join(home, '.zshrc'), true],
    ['Edit(~/.zshrc)', '~/.zshrc', true],
    ['Edit(~/.ssh/**)', posix.join(home, 'project/.ssh/key'), false],
    ['Edit(//c/secrets/**)', 'C:\\secrets\\key.pem', true],
    ['Edit(#notes)', '#notes', true],
    ['Edit(.)', 'any/file', true],
    ['Edit(.)', '../file', false],
    // Spellings of a path that mean the same file.
    ['Edit(secrets/**)', 'src/../secrets/key', true],
    ['Edit(secrets/**)', './secrets//key', true],
    ['Edit(secrets/**)', `${cwd}/../project/secrets/key`, true],
    ['Edit(secrets/**)', 'Secrets/Key', true],
    ['Edit(secrets/**)', `${cwd.toUpperCase()}/Secrets/key`, true],
    ['Edit(~/.ssh/**)', `${home.toUpperCase()}/.SSH/key`, true],
    ['Edit(secrets/**)', `${cwd}2/secrets/key`, false],
    ['Edit(secrets/**)', `${cwd.toUpperCase()}2/secrets/key`, false],
    // Folders with brackets, which in gitignore are a choice of letters.
    ['Edit(app/[id]/page.tsx)', 'app/[id]/page.tsx', true],
    ['Edit(app/[id]/page.tsx)', 'app/i/page.tsx', true],
    ['Edit(app/[id]/page.tsx)', 'app/id/page.tsx', false],
    ['Edit(app/[...slug]/**)', 'app/[...slug]/page.tsx', true],
    ['Edit([[...slug]].tsx)', 'pages/[[...slug]].tsx', true],
    ['Edit(app/\\[id\\]/**)', 'app/[id]/page.tsx', true],
    ['Edit(app/\\[id\\]/**)', 'app/i/page.tsx', false],
    ['Edit(app/(shop)/@modal/(.)photo/[id]/**)', 'app/(shop)/@modal/(.)photo/[id]/page.tsx', true],
    ['Edit(routes/$id.tsx)', 'routes/$id.tsx', true],
    ['Edit($lang/**)', '$lang/a', true],
    ['Edit(./!important/**)', '!important/a', true],
    // Another spelling of the pattern.
    ['Edit(C:/Users/**)', 'C:/Users/a', true],
    ['Edit(C:/Users/**)', 'c:\\users\\a', true],
    ['Edit(C:\\Users\\**)', 'C:\\Users\\a\\b', true],
    ['Edit(C:\\Users\\**)', 'D:\\Users\\a', false],
    ['Edit(//C:/Users/**)', '/c/Users/a', true],
    ['Edit(/C:/Users/**)', 'C:\\Users\\a', true],
    ['Edit(///etc/**)', '/etc/passwd', true],
    ['Edit(src//**)', 'src/a', true],
    ['Edit(src/./a.ts)', 'src/a.ts', true],
    ['Edit(//./etc/**)', '/etc/passwd', true],
    ['Edit(~)', '~/any', true],
    ['Edit(~)', 'any', false],
    ['Edit(~/**)', '~', true],
    ['Edit(~/)', '~/any', true],
    ['Edit(/)', 'any', true],
    ['Edit(//)', '/any', true],
    // Letters with marks: one letter, or a letter and a mark.
    ['Edit(caf\u00e9.txt)', 'cafe\u0301.txt', true],
    ['Edit(cafe\u0301/**)', 'caf\u00e9/x', true],
    ['Edit(caf\u00e9.txt)', 'cafe.txt', false],
  ])('%s on %s is %j', (text, file_path, expected) => {
    expect(matches(text, 'Edit', { file_path })).toBe(expected);
  });

  it('ties a pattern with one slash to the directory of its settings', () => {
    expect(matches('Edit(/src/**)', 'Edit', { file_path: '/home/dev/app/src/a.ts' }, '/home/dev/app')).toBe(true);
    expect(matches('Edit(/src/**)', 'Edit', { file_path: 'src/a.ts' }, '/home/dev/app')).toBe(false);
    expect(matches('Edit(src/**)', 'Edit', { file_path: 'src/a.ts' }, '/home/dev/app')).toBe(true);
  });

  const FILE_TOOLS = [
    ['Read', 'Read', 'file_path'],
    ['Read', 'NotebookRead', 'notebook_path'],
    ['Read', 'Grep', 'path'],
    ['Read', 'Glob', 'path'],
    ['Read', 'LS', 'path'],
    ['Edit', 'Edit', 'file_path'],
    ['Edit', 'Write', 'file_path'],
    ['Edit', 'MultiEdit', 'file_path'],
    ['Edit', 'NotebookEdit', 'notebook_path'],
  ] as const;
  it.each(FILE_TOOLS)('for %s is about %s, and looks at its %s', (all, tool, field) => {
    for (const name of [all, tool]) {
      expect([name, matches(`${name}(src/**)`, tool, { [field]: 'src/a.ts' })]).toEqual([name, true]);
      expect([name, matches(`${name}(src/**)`, tool, { [field]: 'docs/a.ts' })]).toEqual([name, false]);
      // Without a path some look at the current directory; what the others look at nobody knows.
      const knows = ['Grep', 'Glob', 'LS'].includes(tool);
      expect([name, matches(`${name}(src/**)`, tool, { other: 'src/a.ts' })]).toEqual([name, !knows]);
    }
    expect(matches(`${all === 'Read' ? 'Edit' : 'Read'}(src/**)`, tool, { [field]: 'src/a.ts' })).toBe(false);
    expect(refusal(`${tool}(${field}:x)`)).toContain(`${tool}'s ${field} is matched without its name: ${tool}(x)`);
  });

  it.each([
    ['Write', 'file_path', '/etc/*', '/etc/passwd'],
    ['Write', 'file_path', '//etc/*', '/etc/passwd'],
    ['Read', 'file_path', '/a/b.ts', '/a/b.ts'],
    ['NotebookEdit', 'notebook_path', '/a/*', '/a/b.ipynb'],
  ])('the rule that replaces %s(%s:%s) does what was asked', (tool, field, pattern, path) => {
    const said = refusal(`${tool}(${field}:${pattern})`);
    const [, rule = ''] = /without its name: (\w+\(\S+\))/.exec(said) ?? [];
    expect([rule, matches(rule, tool, { [field]: path })]).toEqual([rule, true]);
  });

  it.each([
    ['Bash', 'command', 'git push'],
    ['Monitor', 'command', 'git push'],
    ['PowerShell', 'command', 'git push'],
  ])('for %s looks at its %s', (tool, field, text) => {
    expect(matches(`${tool}(git *)`, tool, { [field]: text })).toBe(true);
    expect(matches(`${tool}(git *)`, tool, { [field]: 'ls' })).toBe(false);
    expect(refusal(`${tool}(${field}:x)`)).toContain(`${tool}'s ${field} is matched without its name: ${tool}(x)`);
  });

  it('for Edit is about every tool that changes files, for Read about every tool that reads them', () => {
    const file = { file_path: 'src/a.ts' };
    for (const tool of ['Edit', 'Write', 'MultiEdit']) expect(matches('Edit(src/**)', tool, file)).toBe(true);
    expect(matches('Edit(src/**)', 'NotebookEdit', { notebook_path: 'src/a.ipynb' })).toBe(true);
    expect(matches('Edit(src/**)', 'Read', file)).toBe(false);
    expect(matches('Read(src/**)', 'Read', file)).toBe(true);
    for (const tool of ['Grep', 'Glob']) {
      expect(matches('Read(src/**)', tool, { pattern: 'x', path: 'src' })).toBe(true);
      expect(matches('Read(src/**)', tool, { pattern: 'x', path: 'docs' })).toBe(false);
      expect(matches('Read(**)', tool, { pattern: 'x' })).toBe(true);
      expect(matches('Read(**)', tool, { pattern: 'x', path: '..' })).toBe(false);
    }
    expect(matches('Read(src/**)', 'Edit', file)).toBe(false);
    expect(matches('Write(.env*)', 'Write', { file_path: '.env.local' })).toBe(true);
    expect(matches('Write(.env*)', 'Edit', { file_path: '.env.local' })).toBe(false);
  });

  // What a search names by its glob, not by its path.
  it.each([
    ['Read(//etc/**)', 'Glob', { pattern: '/etc/*' }, true],
    ['Read(//etc/**)', 'Glob', { pattern: '../../../etc/*' }, true],
    ['Read(//etc/**)', 'Glob', { pattern: '*/../../../../etc/*' }, true],
    ['Read(//etc/**)', 'Glob', { pattern: 'C:\\etc\\*' }, false],
    ['Read(//c/etc/**)', 'Glob', { pattern: 'C:\\etc\\*' }, true],
    ['Read(//etc/**)', 'Glob', { pattern: '../etc/*' }, false],
    ['Read(//etc/passwd)', 'Glob', { pattern: '/etc/{passwd,shadow}' }, true],
    ['Read(~/.ssh/**)', 'Glob', { pattern: '~/.ssh/*' }, true],
    ['Read(secret/**)', 'Glob', { pattern: 'secret/**' }, true],
    ['Read(secret/**)', 'Glob', { pattern: './secret/*.pem' }, true],
    ['Read(secret/**)', 'Glob', { pattern: 'secret' }, true],
    // A search that begins above the folder and does not name it is not seen.
    ['Read(secret/**)', 'Glob', { pattern: '**/*' }, false],
    ['Read(secret/**)', 'Grep', { pattern: 'KEY', glob: '*.ts' }, false],
    ['Read(secret/**)', 'Glob', { pattern: '{src,secret}/**/*.ts' }, true],
    ['Read(secret/**)', 'Glob', { pattern: 'src/{a,{b,../secret}}/x' }, true],
    ['Read(src/secret/**)', 'Glob', { pattern: 'src/{a,{b,secret}}/x' }, true],
    ['Read(secret/**)', 'Glob', { pattern: 'secret/*', path: 'src' }, false],
    ['Read(src/secret/**)', 'Glob', { pattern: 'secret/*', path: 'src' }, true],
    ['Read(src/secret/**)', 'Glob', { pattern: 'secret/*', path: `${cwd}/src` }, true],
    ['Read(secret/**)', 'Glob', { pattern: '../secret/*', path: 'src' }, true],
    ['Read(app/[id]/**)', 'Glob', { pattern: 'app/\\[id\\]/*' }, true],
    ['Read(.env)', 'Glob', { pattern: '**/.env' }, true],
    ['Read(*.pem)', 'Glob', { pattern: '**/*.pem' }, true],
    ['Read(secret/**)', 'Grep', { pattern: 'KEY', glob: 'secret/**' }, true],
    ['Read(secret/**)', 'Grep', { pattern: 'KEY', glob: '/secret/**' }, true],
    ['Read(*.pem)', 'Grep', { pattern: 'KEY', glob: '*.{ts,pem}' }, true],
    ['Read(*.pem)', 'Grep', { pattern: 'KEY', glob: '*.ts,*.pem' }, true],
    ['Read(*.pem)', 'Grep', { pattern: 'KEY', glob: '*.ts *.pem' }, true],
    // More than anybody writes is not read: it may name anything.
    ['Read(*.pem)', 'Grep', { pattern: 'KEY', glob: `{${','.repeat(20_000)}` }, true],
    ['Read(*.pem)', 'Grep', { pattern: 'KEY', glob: Array(200).fill('a').join(',') }, true],
    ['Read(*.pem)', 'Glob', { pattern: `${'a'.repeat(2_000)}/*` }, true],
    ['Read(*.pem)', 'Grep', { pattern: 'KEY', glob: ['*.ts', '*.pem'] }, true],
    ['Grep(secret/**)', 'Grep', { pattern: 'KEY', glob: 'secret/*' }, true],
    // Nothing that the rule is about.
    ['Read(secret/**)', 'Glob', { pattern: '**/*.ts' }, false],
    ['Read(secret/**)', 'Glob', { pattern: 'src/**' }, false],
    ['Read(secret/**)', 'Glob', { pattern: 'secrets/**' }, false],
    ['Read(secret/**)', 'Glob', { pattern: '{src,test}/**/*.{ts,tsx}' }, false],
    ['Read(secret/**)', 'Grep', { pattern: 'secret/**' }, false],
    ['Read(secret/**)', 'Grep', { pattern: 'secret/x', glob: '*.ts' }, false],
    ['Read(*.pem)', 'Grep', { pattern: 'KEY', glob: '!*.pem' }, false],
    ['Read(secret/**)', 'Grep', { pattern: 'KEY', glob: '!secret/**' }, false],
    ['Read(*.pem)', 'Grep', { pattern: 'KEY', glob: '*.ts, !*.pem' }, false],
    ['Read(secret/**)', 'LS', { path: 'src', pattern: 'secret/**' }, false],
    ['Edit(secret/**)', 'Glob', { pattern: 'secret/**' }, false],
    // More than can be looked at.
    ['Read(secret/**)', 'Glob', { pattern: '{a,b}'.repeat(50) }, true],
  ])('%s on %s %j is %j', (text, tool, input, expected) => {
    expect(matches(text, tool, input)).toBe(expected);
  });

  it('matches a call whose path cannot be told', () => {
    for (const input of [{}, { file_path: 1 }, null, { file_path: 'x'.repeat(5000) }]) {
      expect(matches('Edit(src/**)', 'Edit', input)).toBe(true);
    }
  });

  it('compares paths and looks at no file: a symbolic link leads past it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookscope-rule-'));
    try {
      mkdirSync(join(folder, 'secret'));
      symlinkSync('secret', join(folder, 'public'));
      const about = (file_path: string) =>
        rule('Read(secret/**)').matches({ tool_name: 'Read', tool_input: { file_path }, cwd: folder });
      expect([about('secret/key'), about('public/key'), about('nowhere/../secret/key')]).toEqual([true, false, true]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('warns of braces, which gitignore does not have', () => {
    const { rule: compiled, warnings } = compileRule('Edit(*.{ts,js})', { dialect: 'code', where });
    expect(warnings).toEqual([expect.stringContaining('braces')]);
    expect(compiled?.matches({ tool_name: 'Edit', tool_input: { file_path: 'a.ts' }, cwd })).toBe(false);
  });
});

describe('a pattern for files', () => {
  const warnings = (pattern: string): readonly string[] =>
    compileRule(`Edit(${pattern})`, { dialect: 'code', where }).warnings;

  it.each([
    ['*.{ts,js}', 'braces'],
    ['src/@(a|b)/**', 'groups'],
    ['+(a).ts', 'groups'],
    ['src/**, docs/**', 'one pattern'],
    ['*.ts,*.js', 'one pattern'],
    ['src/**|docs/**', 'one pattern'],
    ['src/** docs/**', 'one pattern'],
    ['.*\\.env', 'regular expression'],
    ['^src/', 'regular expression'],
    ['src/.*$', 'regular expression'],
    ['src\\app\\**', 'divided by /'],
    ['.\\src\\**', 'divided by /'],
    ['\\\\server\\share\\**', 'divided by /'],
    ['/etc/passwd', 'is //'],
    ['/home/me/.ssh/**', 'is //'],
    ['/Users/me/**', 'is //'],
  ])('%j warns of what it will hardly match: %s', (pattern, why) => {
    expect(warnings(pattern)).toEqual([expect.stringContaining(why)]);
  });

  it.each([
    ...[
      'src/**',
      '*.ts',
      '.env*',
      '/src/**',
      '//etc/**',
      '~/.ssh/**',
      './a',
      '../a/**',
      '**/x',
      'a b.txt',
      'My Documents/**',
      'a,b.txt',
    ],
    ...[
      'app/[id]/page.tsx',
      'app/[...slug]/**',
      'app/(shop)/(.)photo/@modal/**',
      '$lang/$id.tsx',
      'C:/Users/**',
      'C:\\Users\\**',
      '\\#x',
      'a\\ ',
    ],
    ...[
      '\\[x\\]',
      'dir/',
      '...',
      'a..b/**',
      '{x}.ts',
      'skeleton/\u0024{{values.id}}/**',
      'usr/**',
      '/home/**',
      '/src/etc/**',
      '100%/a',
      '%a/b%',
    ],
  ])('%j is an ordinary one', (pattern) => {
    expect(warnings(pattern)).toEqual([]);
  });
});

describe('a rule over other tools', () => {
  it.each([
    ['WebFetch(domain:example.com)', 'https://example.com/a?b', true],
    ['WebFetch(domain:example.com)', 'https://EXAMPLE.com./a', true],
    ['WebFetch(domain:Example.com.)', 'http://example.com:8080', true],
    ['WebFetch(domain:example.com)', 'https://api.example.com', false],
    ['WebFetch(domain:example.com)', 'https://example.com@evil.org', false],
    ['WebFetch(domain:example.com)', 'https://example.com.evil.org', false],
    ['WebFetch(domain:*.example.com)', 'https://api.example.com', true],
    ['WebFetch(domain:*.example.com)', 'https://a.b.example.com', true],
    ['WebFetch(domain:*.example.com)', 'https://example.com', false],
    ['WebFetch(domain:*.example.com)', 'https://evilexample.com', false],
    ['WebFetch(domain:example.*)', 'https://example.org', true],
    ['WebFetch(domain:example.*)', 'https://example.evil.com', false],
    ['WebFetch(domain:*)', 'https://anything.at.all', true],
    ['WebFetch(domain:example.com)', 'not a url', true],
    // Another spelling of the same host.
    ['WebFetch(domain:münchen.de)', 'https://münchen.de/x', true],
    ['WebFetch(domain:MÜNCHEN.de)', 'https://xn--mnchen-3ya.de/x', true],
    ['WebFetch(domain:xn--mnchen-3ya.de)', 'https://mu\u0308nchen.de/x', true],
    ['WebFetch(domain:*.bücher.example)', 'https://a.b.bücher.example', true],
    ['WebFetch(domain:a*.bücher.example)', 'https://ab.BÜCHER.example', true],
    ['WebFetch(domain:münchen.de)', 'https://munchen.de/x', false],
    ['WebFetch(domain:例え。jp)', 'https://例え.jp', true],
    ['WebFetch(domain:127.1)', 'http://127.0.0.1/', true],
    ['WebFetch(domain:127.0.0.1)', 'http://0x7f.1/', true],
    ['WebFetch(domain:127.0.0.1)', 'http://2130706433:8080/', true],
    ['WebFetch(domain:127.0.0.1)', 'http://127.0.0.2/', false],
    ['WebFetch(domain:[0:0:0:0:0:0:0:1])', 'http://[::1]:3000/', true],
    ['WebFetch(domain:::1)', 'http://[0:0::1]/', true],
    ['WebFetch(domain:2001:DB8::a)', 'http://[2001:db8:0::A]/', true],
    ['WebFetch(domain:[::1])', 'http://[::2]/', false],
    ['WebFetch(domain:169.254.169.254)', 'http://[::ffff:169.254.169.254]/', true],
    ['WebFetch(domain:[::ffff:a9fe:a9fe])', 'http://169.254.169.254/', true],
    ['WebFetch(domain:10.*.*.*)', 'http://[::ffff:10.1.2.3]/', true],
    ['WebFetch(domain:10.*.*.*)', 'http://11.1.2.3/', false],
    ['WebFetch(domain:foo_bar.example.com)', 'https://foo_bar.example.com', true],
    // Addresses without a host that could be compared.
    ['WebFetch(domain:localhost)', 'localhost:3000/x', true],
    ['WebFetch(domain:example.com)', 'example.com/x', true],
    ['WebFetch(domain:example.com)', 'file:///etc/passwd', true],
    ['WebFetch(prompt:*secret*)', 'https://example.com', false],
  ])('%s on %s is %j', (text, url, expected) => {
    expect(matches(text, 'WebFetch', { url, prompt: 'read' })).toBe(expected);
  });

  it.each([
    ['Agent(reviewer)', 'Agent', { subagent_type: 'reviewer' }, true],
    ['Task(reviewer)', 'Agent', { subagent_type: 'reviewer' }, true],
    ['Agent(reviewer)', 'Task', { subagent_type: 'reviewer' }, true],
    ['Agent(reviewer)', 'Agent', { subagent_type: 'code-reviewer' }, false],
    ['Agent(my-plugin:reviewer)', 'Agent', { subagent_type: 'my-plugin:reviewer' }, true],
    ['Agent(my-plugin:*)', 'Agent', { subagent_type: 'my-plugin:reviewer' }, true],
    ['Agent(reviewer)', 'Agent', { prompt: 'go' }, true],
    ['Agent(model:opus)', 'Agent', { subagent_type: 'reviewer', model: 'opus' }, true],
    ['Agent(model : opus)', 'Agent', { subagent_type: 'reviewer', model: 'opus' }, true],
    ['Agent(model:*)', 'Agent', { subagent_type: 'reviewer' }, false],
    ['Agent(isolation:*)', 'Agent', { subagent_type: 'reviewer', isolation: 'worktree' }, true],
    ['Bash(run_in_background:true)', 'Bash', { command: 'ls', run_in_background: true }, true],
    ['Bash(run_in_background:true)', 'Bash', { command: 'ls' }, false],
    ['mcp__db__query(limit:1*)', 'mcp__db__query', { limit: 100 }, true],
    ['mcp__db__query(filter:*)', 'mcp__db__query', { filter: { nested: true } }, false],
    ['mcp__db__query(toString:*)', 'mcp__db__query', {}, false],
    ['shell(command:git *)', 'shell', { command: 'git push' }, true],
    ['Skill(commit)', 'Skill', { skill: 'commit' }, true],
    ['Skill(commit)', 'Skill', { skill: 'commit-all' }, false],
    ['Skill(/commit)', 'Skill', { skill: 'commit' }, true],
    ['Skill(commit)', 'Skill', { skill: '/commit' }, true],
    ['Skill(/commit *)', 'Skill', { skill: '/commit', args: 'all' }, true],
    ['Skill(/commit)', 'Skill', { skill: 'commit-all' }, false],
    ['Skill(review-pr *)', 'Skill', { skill: 'review-pr', args: '12' }, true],
    ['Skill(review-pr:*)', 'Skill', { skill: 'review-pr' }, true],
    ['Skill(review-pr *)', 'Skill', { skill: 'review-prs' }, false],
  ])('%s on %s %j is %j', (text, tool, input, expected) => {
    expect(matches(text, tool, input)).toBe(expected);
  });

  it.each([
    ['PowerShell(Remove-Item *)', 'Remove-Item C:\\temp -Recurse', true],
    ['PowerShell(Remove-Item *)', 'ls; rm C:\\temp', true],
    ['PowerShell(remove-item:*)', 'RI "C:\\temp"', true],
    ['PowerShell(Remove-Item *)', 'Get-ChildItem C:\\temp', false],
    ['PowerShell(rm *)', 'Get-Item a | Remove-Item -Force', true],
    ['PowerShell(git push)', 'git pull && git  push', true],
    ['PowerShell(Write-Output *)', 'echo x', true],
    ['PowerShell(write *)', 'Write-Output x', true],
    ['PowerShell(Start-Process *)', 'start x', true],
    ['PowerShell(Invoke-WebRequest *)', 'curl https://a.example', true],
    ['PowerShell(git push *)', 'git status', false],
    ['PowerShell(git push *)', '& $tool push', true],
    ['PowerShell(git push *)', 'powershell -enc ZwBpAHQA', true],
    ['PowerShell', '$x', true],
  ])('%s on %s is %j', (text, command, expected) => {
    expect(matches(text, 'PowerShell', { command })).toBe(expected);
  });

  // A rule about `git push`: the same program or command in another spelling, or something that may run it.
  it.each([
    ...[
      'git.exe push',
      'GIT.EXE push',
      '/usr/bin/git push',
      './git push',
      'C:\\tools\\git.cmd push x',
      'git push>log',
      'git push 2>log',
    ],
    ...[
      'git \u201cpush\u201d',
      'git\u00a0push',
      'git\u0085push',
      'ls; git.exe push',
      'ls || git push',
      'return git push',
      'exit git push',
    ],
    ...[
      '. git push',
      'ls; . git push',
      ". 'git' push",
      ".'git' push",
      '. C:\\Git\\bin\\git.exe push',
      '& git push',
      'ls & git push',
    ],
    ...[
      'sudo git push',
      'sudo -u root /usr/bin/git push',
      'sudo.exe git.exe push',
      'doas git push',
      'env A=1 git push',
      'nohup git push',
    ],
    ...[
      'bash -c "git push"',
      '/bin/sh -c "cd x && git push"',
      'bash.exe -lc "ls; git push"',
      'wsl git push',
      'wsl -d Ubuntu -- git push',
    ],
    ...[
      'ssh host git push',
      'timeout 5 git push',
      'docker exec c git push',
      'ls | xargs git push',
      'find . -exec git push ;',
      'time git push',
    ],
    ...[
      'echo "git push" | sh',
      'Get-Content x | bash',
      'cat x | ssh host',
      'Get-Content x | docker exec -i c sh',
      'poetry run git push',
    ],
    ...[
      'Start-Process git push',
      'Start-Process -FilePath git -ArgumentList push',
      'saps git push',
      'start git push',
      'start-job -filepath x',
    ],
    ...[
      'Set-Alias x git; x push',
      'sal x git; x push',
      'nal x git',
      'ni alias:x -Value git; x push',
      'Invoke-Command -FilePath x',
      'icm x',
    ],
    ...[
      'gsudo git push',
      'runas /user:x "git push"',
      'schtasks /create /tr "git push"',
      'forfiles /c "git push"',
      'r 12',
      'ls | % Delete',
    ],
    ...['git <# x #> push', '<# tidy #> git push', '<#\nmore\n#>git push', 'git --% push', 'iex x', 'pwsh x.ps1'],
  ])('sees PowerShell run git push in %j', (command) => {
    expect(matches('PowerShell(git push *)', 'PowerShell', { command })).toBe(true);
  });

  it.each([
    ...[
      '<# tidy #> Remove-Item x',
      '. Remove-Item x',
      '/bin/rm x',
      'rm.exe x',
      'sudo rm x',
      'bash -c "rm x"',
      'return ri x',
    ],
    ...[
      'Microsoft.PowerShell.Management\\Remove-Item x',
      'Remove\u2013Item x',
      'ls | Remove-Item',
      'del x',
      'ls;\u00a0rd x',
    ],
  ])('sees PowerShell remove something in %j', (command) => {
    expect(matches('PowerShell(Remove-Item *)', 'PowerShell', { command })).toBe(true);
  });

  it.each([
    ['PowerShell(curl *)', 'curl.exe x', true],
    ['PowerShell(git.exe push *)', 'git push', true],
    ['PowerShell(C:\\Git\\git.exe push *)', 'C:\\Git\\git push', true],
    ['PowerShell(C:\\Git\\git.exe push *)', 'git push', false],
    ['PowerShell(.\\build.ps1 *)', '.\\build.ps1 -Fast', true],
    ['PowerShell(Remove-Item -Recurse *)', 'Remove-Item \u2013Recurse x', true],
    ['PowerShell(*.exe push *)', 'git push', false],
  ])('%s on %s is %j', (text, command, expected) => {
    expect(matches(text, 'PowerShell', { command })).toBe(expected);
  });

  // Plain commands of every day, none of which pushes or removes.
  it.each([
    ...[
      'git status',
      'git.exe pull',
      'git commit -m "git push later"',
      'git log --grep "git push"',
      'Write-Host "now git push"',
      'npm test',
    ],
    ...[
      'dotnet build -c Release',
      '.\\build.ps1 -Fast',
      './run.sh',
      'C:\\tools\\rg.exe "git push" src',
      'Get-ChildItem *.txt | Select-String push',
    ],
    ...[
      'Get-Process | Sort-Object CPU | Select-Object -First 5',
      'cat .gitignore',
      'sudo apt install git',
      'wsl ls',
      'docker ps',
      'docker exec c ls',
    ],
    ...[
      'cmake --build .',
      'uv run pytest',
      'Test-Path C:\\x',
      'cd ..; ls',
      'mkdir x && cd x',
      'Get-Content a.txt > b.txt',
      'Write-Output done',
    ],
    ...[
      'code .',
      'return',
      'exit 1',
      'Import-Module .\\x.psm1',
      'Stop-Service x',
      'grep "rm x" y',
      'Get-Command git',
      '.gitconfig',
      'ls .',
    ],
  ])('does not ask about %j', (command) => {
    for (const text of ['git push *', 'Remove-Item *', 'Set-Content *'])
      expect([text, matches(`PowerShell(${text})`, 'PowerShell', { command })]).toEqual([text, false]);
  });

  it.each([
    ['echo "git push" > x.ps1; .\\x.ps1', true],
    ['Set-Content x.cmd "git push" && x.cmd', true],
    ["'git push' | Out-File x.sh; bash x.sh", true],
    ['Add-Content -Path x.ps1 -Value "git push"; . C:\\x.ps1', true],
    ['echo "git push" > notes.txt; Get-Content notes.txt', false],
    ['.\\say.ps1 "git push"', false],
    ['npm ci; .\\build.ps1; git status', false],
  ])('sees what a PowerShell line writes into a script and runs: %s is %j', (command, expected) => {
    expect(matches('PowerShell(git push *)', 'PowerShell', { command })).toBe(expected);
  });

  it('reads a long PowerShell line in no time, and does not read a longer one', () => {
    const asked = (command: string): boolean => matches('PowerShell(git push *)', 'PowerShell', { command });
    const started = performance.now();
    for (const part of ['; sudo x', '\n \n', 'x ', ' ', '; ', "'"]) asked(`sudo ls${part.repeat(9_900 / part.length)}`);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect([asked(`ls ${'x'.repeat(9_000)}`), asked(`ls ${'x'.repeat(10_000)}`)]).toEqual([false, true]);
  });
});

describe('many rules on one call', () => {
  const call = (tool_name: string, tool_input: object) => ({ tool_name, tool_input, tool_use_id: 'id' });

  it('looks at the path or command of a call once in a fire for each rule about its tool, and never for one about another', async () => {
    const tools = ['Edit', 'Write', 'Read', 'Bash', 'WebFetch', 'Grep', 'Skill'];
    const inputs: Record<string, object> = {
      Edit: { file_path: '/a' },
      Bash: { command: 'ls' },
      WebFetch: { url: 'https://a.b/' },
    };
    for (const [tool, given] of Object.entries(inputs)) {
      const host = createHost();
      const texts = tools.flatMap((name) =>
        [1, 2, 3, 4, 5].map((n) => `${name}(${name === 'WebFetch' ? `domain:x${n}.y` : `x${n}`})`),
      );
      host.register({ PreToolUse: texts.map((text) => ({ if: text, hooks: [() => undefined] })) });
      let read = 0;
      const watched = new Proxy(given, {
        get(target, key) {
          if (typeof key === 'string' && key in target) read++;
          return Reflect.get(target, key);
        },
      });
      await host.fire('PreToolUse', call(tool, watched));
      expect(read).toBeLessThanOrEqual(10);
      expect(read).toBeGreaterThan(0);
    }
  });

  it('says of rules about other tools why they did not run, as of any', async () => {
    const host = createHost();
    const fires: FireRecord[] = [];
    host.events$.subscribe((record) => void (record.type === 'hook_fire' && fires.push(record)));
    host.register({
      PreToolUse: ['Read(/x)', 'Bash(ls *)', 'Bash(rm *)', 'Bash', 'mcp__*'].map((text) => ({
        if: text,
        hooks: [() => undefined],
      })),
    });
    await host.fire('PreToolUse', call('Bash', { command: 'ls -l' }));
    await host.fire('PreToolUse', call('mcp__a__b', {}));
    const seen = fires.map((fire) => fire.handlers.map(({ status, reason }) => reason ?? status));
    expect(seen).toEqual([
      ['if', 'ran', 'if', 'ran', 'if'],
      ['if', 'if', 'if', 'if', 'ran'],
    ]);
  });

  it('places a path anew when the call is made elsewhere', () => {
    const there = rule('Edit(/src/**)');
    const at = (path: string, from: string): boolean =>
      there.matches({ tool_name: 'Edit', tool_input: { file_path: path }, cwd: from });
    expect([
      at('src/a', '/p'),
      at('src/a', '/q'),
      at('/p/src/a', '/p'),
      at('/p/src/a', '/q'),
      at('../p/src/a', '/p'),
    ]).toEqual([true, true, true, false, true]);
  });
});
