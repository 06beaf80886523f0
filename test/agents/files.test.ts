import { describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents/agents.js';
import { createHost } from '../../src/create-host.js';
import { filesPatched } from '../../src/events/named-files.js';
import { rewrite, rule } from '../../src/index.js';
import { filesOf } from '../../src/matching/files-of.js';
import { compileRule } from '../../src/matching/rule.js';
import { growth } from '../growth.js';

type Call = Readonly<Record<string, unknown>>;

/** What the agent's hook is given, as an event of ours. */
function input(agent: string, tool: string, call: unknown) {
  const codec = agentCodec(agent);
  const { name = '' } = codec.events.find((row) => row.ours === 'PreToolUse') ?? {};
  const payload =
    agent === 'copilot'
      ? { sessionId: 's', toolName: tool, toolArgs: call }
      : { hook_event_name: name, session_id: 's', tool_name: tool, tool_input: call };
  const decoded = codec.decode(JSON.stringify({ cwd: '/p', ...payload }), {}, [name]);
  expect(codec.payload(decoded)).toEqual({ cwd: '/p', ...payload });
  return decoded.input;
}

const asks = (rule: string, given: Call) => compileRule(rule, { dialect: 'code', where: 'if' }).rule?.matches(given);
const patch = (...files: string[]) =>
  ['*** Begin Patch', ...files.flatMap((file) => [`*** Update File: ${file}`, '@@', '-a', '+b']), '*** End Patch'].join(
    '\n',
  );

describe('which files a call is about', () => {
  test.each([
    ['codex', 'apply_patch', { command: patch('a', 'b') }, ['a', 'b']],
    ['codex', 'apply_patch', { command: patch('a', 'a') }, ['a']],
    ['codex', 'apply_patch', { command: '*** Update File: a\n*** Move to: secret/b' }, ['a', 'secret/b']],
    ['codex', 'apply_patch', { command: 'nothing' }, undefined],
    ['codex', 'view_image', { path: 'secret/a.png' }, ['secret/a.png']],
    ['codex', 'Bash', { command: 'cat secret/a' }, []],
    ['codex', 'mcp__files__write', { file_path: 'a' }, []],
    ['copilot', 'apply_patch', { input: patch('a', 'b') }, ['a', 'b']],
    ['copilot', 'create', { path: 'a', file_text: '' }, ['a']],
    ['copilot', 'grep', { pattern: 'x', paths: ['a', 'b'] }, ['a', 'b']],
    ['copilot', 'grep', { pattern: 'x' }, ['.']],
    ['gemini', 'read_many_files', { include: ['a', 'b'] }, ['a', 'b']],
    ['gemini', 'read_many_files', { include: ['a', '*.md'] }, undefined],
    ['gemini', 'read_many_files', { include: [] }, undefined],
    ['gemini', 'write_file', { content: '' }, undefined],
    ['cursor', 'Write', { path: 'a', file_path: 'b', contents: '' }, ['b', 'a']],
    ['cursor', 'Write', { path: 'a', file_path: 7 }, undefined],
    ['cursor', 'Write', { path: 'a', file_path: 'a' }, ['a']],
    [
      'cursor',
      'Write',
      { path: 'app/[id]/page.tsx', file_path: 'app/(auth)/*.tsx' },
      ['app/(auth)/*.tsx', 'app/[id]/page.tsx'],
    ],
    ['cursor', 'Read', { path: 'app/[id]/page.tsx', target_file: 'app/[id]/page.tsx' }, ['app/[id]/page.tsx']],
    ['gemini', 'read_many_files', { include: ['app/[id]/page.tsx'] }, undefined],
    ['copilot', 'Edit', { path: 'a', input: 'b*' }, undefined],
    ['cursor', 'Delete', { path: 'a' }, ['a']],
    ['claude-code', 'NotebookEdit', { notebook_path: 'a.ipynb', new_source: '' }, ['a.ipynb']],
    ['claude-code', 'Edit', { file_path: 'a' }, ['a']],
  ])('%s: of %s with %j they are known, or it is known that they are not', (agent, tool, call, files) => {
    expect(filesOf(input(agent, tool, call))).toEqual(files);
  });

  test.each([
    ['codex', 'apply_patch', { command: patch('a', 'b') }, 'Edit'],
    ['copilot', 'apply_patch', { input: patch('a', 'b') }, 'Edit'],
    ['gemini', 'read_many_files', { include: ['README.md', 'docs/a.md'] }, 'Read'],
    ['cursor', 'Write', { path: 'a', file_path: 'b' }, 'Edit'],
  ])('%s: %s of files that are all known asks only the rules about one of them', (agent, tool, call, kind) => {
    const given = input(agent, tool, call);
    expect(asks(`${kind}(secret/**)`, given)).toBe(false);
    for (const file of filesOf(given) ?? []) expect(asks(`${kind}(${file})`, given)).toBe(true);
  });

  test.each([
    ['grep_search', { include_pattern: 'secret/*' }],
    ['search_file_content', { include: 'secret/*' }],
    ['grep_search', { include_pattern: 'src/*', include: 'secret/*' }],
    ['grep_search', { include_pattern: 'secret/*', include: 'src/*', glob: 'src/*' }],
  ])('what Gemini searches is what its own key says: %s %j', (tool, call) => {
    const given = input('gemini', tool, { pattern: 'x', ...call });
    expect(asks('Read(secret/**)', given)).toBe(true);
    expect(asks('Read(elsewhere/**)', given)).toBe(false);
  });

  test('a path that a hook gives beside them counts too', () => {
    const given = input('codex', 'apply_patch', { command: patch('a', 'b') });
    const rewritten = { ...given, tool_input: { ...(given['tool_input'] as Call), file_path: 'c' } };
    expect(filesOf(rewritten)).toEqual(['a', 'b', 'c']);
  });
});

describe('a patch that Codex applies in a line of its shell', () => {
  const document = (files: readonly string[], quote = "'") => `<<${quote}EOF${quote}\n${patch(...files)}\nEOF`;

  test.each([
    [`apply_patch ${document(['a', 'secret/b'])}`, ['a', 'secret/b']],
    [`applypatch ${document(['secret/b'])}\n`, ['secret/b']],
    [`apply_patch ${document(['secret/b'], '')}`, ['secret/b']],
    [`apply_patch '${patch('secret/b')}'`, ['secret/b']],
    [`cd secret && apply_patch ${document(['b', '/p/c'])}`, ['secret/b', '/p/c']],
    [`apply_patch ${document(['secret/b']).replace('<<', '<< ')}`, ['secret/b']],
    [`cd secret && apply_patch << "EOF"\n${patch('$b')}\nEOF`, ['secret/$b']],
    [`apply_patch '${patch('secret/b')}\n+$(cat more) \`x\` \\'`, ['secret/b']],
  ])('is an edit of the files in it: %j', (command, files) => {
    const given = input('codex', 'Bash', { command });
    expect(given).toMatchObject({ tool_name: 'Bash', tool_input: { command } });
    expect(filesOf(given)).toEqual(files);
    expect([asks('Edit(secret/**)', given), asks('Edit', given), asks('Bash', given)]).toEqual([true, true, true]);
    expect(asks('Edit(elsewhere/**)', given)).toBe(false);
    expect(asks('Bash(apply*)', given)).toBe(true);
    expect(given['tool_input']).toEqual({ command });
  });

  test.each([
    `apply_patch ${document(['$F'], '')}`,
    `apply_patch "${patch('$F')}"`,
    // The shell may put more files into it.
    ...['$(cat more)', '`cat more`', '$MORE', '*** Update Fi\\\nle: secret/b'].flatMap((more) => [
      `apply_patch <<EOF\n${patch('a')}\n${more}\nEOF`,
      `apply_patch "${patch('a')}\n${more}"`,
    ]),
    ...['-', '~-', '~+', '~root', '~root/x', '-P', '-- a', '*', '$D'].map(
      (to) => `cd ${to} && apply_patch ${document(['b'])}`,
    ),
    `cd "$D" && apply_patch ${document(['b'])}`,
    `cd secret; apply_patch ${document(['b'])}`,
    `apply_patch ${document(['a'])}\napply_patch < b.patch`,
    `apply_patch ${document(['a'])}\nEOF`,
    'apply_patch < b.patch',
    'cat b.patch | apply_patch',
    'ls && /tmp/x/apply_patch < b.patch',
    `bash -lc "apply_patch < b.patch"`,
    'A=1 apply_patch < b.patch',
    'sudo apply_patch < b.patch',
    'if apply_patch < b.patch; then ls; fi',
    `P=apply_patch; $P ${document(['b'])}`,
    "A='b c' apply_patch < f",
    '<f apply_patch',
    '>log apply_patch < f',
    'case x in x) apply_patch < f;; esac',
    'timeout -k 1 5 apply_patch < f',
    'env -u X apply_patch < f',
    'xargs -0 apply_patch < f',
    'sudo -u me apply_patch < f',
    'sh -c apply_patch < f',
    'bash -c "cd x && apply_patch < f"',
    'apply\\_patch < f',
    'apply_"patch" < f',
    '"$D"/apply_patch < f',
    'apply_patch\\\n < f',
    'find . -name "*.patch" -exec apply_patch {} \\;',
    `apply_patch <<-'EOF'\n\t${patch('b')}\n\tEOF`,
    // A line feed ends a command, and other white space is a letter of a word.
    ...['\n', '\r\n', '\r', '\f', '\v', '\u00a0', '\u2003', ' \n', '\n\t'].flatMap((space) => [
      `cd${space}secret && apply_patch ${document(['b'])}`,
      `cd secret${space}&& apply_patch ${document(['b'])}`,
    ]),
    ...['\n', ' \n', '\n\t'].flatMap((space) => [
      `apply_patch${space}${document(['b'])}`,
      `apply_patch${space}'${patch('b')}'`,
    ]),
    ...['\r', '\f', '\u00a0'].map((space) => `cd secret &&${space}true; apply_patch ${document(['b'])}`),
    `cd +1 && apply_patch ${document(['b'])}`,
    `apply_patch ${document(['b'])} `,
    `apply_patch ${document(['b'])}\u00a0`,
    // The name is made by the shell.
    ...[
      'apply_patc?',
      '/usr/bin/apply_patc[h]',
      '{apply_patc,x}h',
      "$'apply\\x5fpatch'",
      `A=ply_; ap\${A}patch`,
      `A=apply_; \${A}patch`,
      'X=patch; apply_$X',
      'apply?patch',
      'a$()pply_patch',
      'ap*_patch',
      'app`a`ly_patch',
      'appl"$Y"_patch',
      'appl{y,}_patch',
      `\${A}patch`,
      // Also by what has blanks, or by a pattern with few letters.
      'apply_pat$(echo ch)',
      'apply_$(echo patch)',
      'apply_pat`echo ch`',
      '$(echo apply)_patch',
      'apply"_"pat$(printf ch "$X")',
      `ap\${A:-ply_ }patch`,
      'app$(a b)ly_p$(c d)atch',
      'ap*ch',
      'a*h',
      'app[l]y_pat?h',
      '/opt/*/*ply*tch',
      '/opt/????[y]_patch',
      './a[^a]*',
    ].flatMap((name) => [`${name} < f`, `cat f | ${name}`, `cd ~ && sudo ${name} ${document(['b'])}`]),
    // In a line for another shell, and in a file of the line's.
    ...['apply_pat$(echo ch)', 'ap*ch', 'app[l]y_pat?h'].flatMap((name) => [
      `bash -c '${name} < f'`,
      `cat > s <<'Q'\n${name} < f\nQ\nsh s`,
      `eval "${name.replaceAll('$', '\\$')} < f"`,
    ]),
    // The same behind what nobody can tell, quoted in parts.
    ...[`"appl"'y_p'atch`, '"apply"*', '"apply$P"', '"apply"{_patch,}', "'apply_'patc?", `"\${A}patch"`].flatMap(
      (name) => [`$X ${name} < f`, `$X; ${name} < f`],
    ),
    ...["$'appl\\x79_patch'", "$'appl\\171_patch'", "$'\\x61pply'_patch"].map((name) => `$X ${name} < f`),
    // Nobody can tell what runs, and it has a patch.
    ...['$X', 'curl -s h | sh', '"$(a b)"', 'eval "$X"'].map((runs) => `${runs} ${document(['b'])}`),
  ])('is asked about by every rule where its files are not known: %j', (command) => {
    const given = input('codex', 'Bash', { command });
    expect(filesOf(given)).toBeUndefined();
    expect(asks('Edit(secret/**)', given)).toBe(true);
    expect(asks('Edit', given)).toBe(true);
    expect(asks('Read(secret/**)', given)).toBe(false);
  });

  test('is none in a list of words either where it is not known what they do', () => {
    const given = input('codex', 'Bash', { command: ['bash', '-lc', `apply_patch ${document(['secret/b'])}`] });
    expect(asks('Edit(secret/**)', given)).toBe(true);
  });

  test.each([
    'ls secret',
    'rg apply_patch src',
    'cat src/apply_patch.rs',
    "rg 'apply_patch' src",
    'which apply_patch',
    'rg "exec|apply_patch" src',
    'rg -c "apply_patch" src',
    'git commit -m "fix: parse; apply_patch keeps modes"',
    "cat > NOTES.md <<'EOF'\napply_patch is a tool.\nEOF",
    `cat > NOTES.md <<'EOF'\napply_patch ${document(['b']).replaceAll('EOF', 'END')}\nEOF`,
    'echo "{apply_patch}"',
    'rg "fn (apply_patch|x)" src',
    'find . -name "*apply_patch*"',
    // Nobody can tell what these run.
    '$X < b',
    'curl -s http://h/x | sh',
    'echo YXBwbHlfcGF0Y2g= | base64 -d | sh',
    'git apply "$F.patch"; $X',
    'for f in patches/*; do git apply "$f"; done',
    'kubectl patch a -p "$(cat b)" && kubectl apply -f "$F"',
    '$EDITOR a.patch',
    'bash -c "$X apply"',
    "bash -c '$X apply' -f",
    'eval "$X apply"; $X "patch"',
    'npx $X dispatch *.patch',
    'for f in src/*; do $X "$f"; done',
    '$X *.ts lib/*.[jt]s',
    '$(a b) $A',
    '$X path*; ls apps*',
    '$A_$B; $X "app $Y patch"',
    'ls ap*ch; rm a*',
    "rg 'apply_.*' src/*",
    'cat ap* | head',
    'FILES=$(git ls-files "a*"); $X $FILES',
    // Long texts are not unknown because they are long.
    ...['call#(value);', 'it costs $5', `a.b#[i] = \`\${x#}\`;`, '* some/*/words#.* of text', 'x {y#} | z'].flatMap(
      (text) =>
        [600, 6000].flatMap((count) => {
          const lines = Array.from({ length: count }, (_, i) => text.replaceAll('#', String(i))).join('\n');
          const stored = `cat > out.txt <<'EOF'\n${lines.slice(0, count * 15)}\nEOF\n`;
          return [`${stored}$PM test patch`, stored];
        }),
    ),
    ['git', 'commit', '-m', 'fix: parse; apply_patch keeps modes'],
    ['rg', "it's; apply_patch", 'src'],
  ])('is not seen in %j', (command) => {
    const given = input('codex', 'Bash', { command });
    expect(given['via']).not.toHaveProperty('meant');
    expect(filesOf(given)).toEqual([]);
    expect([asks('Edit', given), asks('Edit(secret/**)', given)]).toEqual([false, false]);
  });

  test('is seen in the line that a hook makes, and no longer where a hook takes it away', () => {
    const [ls, patches] = ['ls', `apply_patch ${document(['secret/b'])}`];
    for (const [first, then, asked] of [
      [ls, patches, true],
      [patches, ls, false],
    ] as const) {
      const given = { ...input('codex', 'Bash', { command: first }), tool_input: { command: then } };
      expect(filesOf(given)).toEqual(asked ? ['secret/b'] : []);
      for (const rule of ['Edit', 'Edit(secret/**)', 'Edit(secret/b)']) expect(asks(rule, given)).toBe(asked);
      expect(asks('Edit(elsewhere/**)', given)).toBe(false);
      expect([asks('Bash', given), asks('Read', given)]).toEqual([true, false]);
    }
  });

  test('is denied by a rule also where another hook has made it', async () => {
    const host = createHost({ logger: () => {} });
    const command = `apply_patch ${document(['secret/b'])}`;
    host.register({
      PreToolUse: [
        { hooks: [rule('deny', 'no', { if: 'Edit(secret/**)' })] },
        { hooks: [(given) => ((given.tool_input as Call)['command'] === 'ls' ? rewrite({ command }) : undefined)] },
      ],
    });
    const answers = await Promise.all(
      ['ls', 'git status'].map((line) => host.fireAny('PreToolUse', input('codex', 'Bash', { command: line }))),
    );
    expect(answers).toMatchObject([{ verdict: 'deny', reason: 'no' }, { verdict: 'none' }]);
  });

  test('keeps a field of its own that is called as ours', () => {
    const given = input('codex', 'Bash', { command: `apply_patch ${document(['secret/b'])}`, file_path: 'ok' });
    expect(filesOf(given)).toEqual(['secret/b']);
    expect(filesOf({ ...given, tool_input: { command: 'ls' } })).toEqual([]);
  });

  test('means nothing in the shell of an agent that knows no such program', () => {
    const command = `apply_patch ${document(['secret/b'])}`;
    for (const [agent, tool] of [
      ['claude-code', 'Bash'],
      ['copilot', 'bash'],
      ['gemini', 'run_shell_command'],
      ['cursor', 'Shell'],
    ] as const)
      expect(asks('Edit(secret/**)', input(agent, tool, { command }))).toBe(false);
  });
});

test('a long line of whatever kind is read in linear time', async () => {
  const pieces = [
    '\n',
    ';',
    ';/',
    'A=1 ',
    'A=1\n',
    '-c ',
    '-ccc',
    'sudo ',
    "-c '",
    '(',
    '<<A\n',
    ' ',
    '\u0085',
    '\t',
    'x ',
    '[',
    '{a,',
    `\${`,
    '$(',
    'patc[ ',
    '{x,patc}*h ',
  ];
  const read = (times: number): void => {
    for (const piece of pieces)
      for (const command of [
        `${piece.repeat(times)} xapply_patch`,
        `patc${piece.repeat(times)}`,
        `apply_patch <<A\n${piece.repeat(times)}`,
        `apply_patch <<A\n+${piece.repeat(times)}x\nA`,
        `apply_patch <<A\n${piece.repeat(times)}x${piece.repeat(times)}x\nA`,
      ])
        filesPatched(command);
  };
  // Strings of megabytes take V8 longer for each character than those of 100 KB, so the shorter ones are not short.
  expect(await growth(read, { few: 20_000, many: 80_000, most: 9 })).toBeLessThan(9);
});

test.each([
  ['codex', 'apply_patch', 'command'],
  ['copilot', 'apply_patch', 'input'],
])('a line of a megabyte of spaces in a patch is read at once: %s', (agent, tool, key) => {
  const long = `+${' '.repeat(1_000_000)}y`;
  const text = `*** Begin Patch\n*** Update File: a\n@@\n-x\n${long}\n \u0085 *** Move to: b \u0085 \n*** End Patch`;
  expect(filesOf(input(agent, tool, { [key]: text }))).toEqual(['a', 'b']);
});
