// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bash, createUser, type Running, type User } from './kit.js';

const command = (text: string): object => ({ type: 'command', command: text });
const hooks = (text: string, matcher = 'Bash'): object => ({
  PreToolUse: [{ matcher, onFailure: 'block', hooks: [command(text)] }],
});
const theirs = (text: string): object => ({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [command(text)] }] } });
const skill = (text: string): string =>
  `---\nname: sk\ndescription: x\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: '${text}'\n---\nhi\n`;
const plugin = (text: string, name = 'q', matcher = 'Bash'): string =>
  `export default { name: '${name}', apply: (scope) => scope.register(${JSON.stringify(hooks(text, matcher))}) };`;
const NO = 'echo says no >&2; exit 2\n';
const CHANGED =
  /"(?:ask|deny)".*(?:has changed since|with which the server was started, is gone|is not what was accepted)/;
/** As long as one look at the files is good for. */
const looked = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600));

let user: User;
let server: Running;
const at = (name: string): string => join(user.path, 'project', name);
const ask = async (named: readonly string[] = [], input: object = {}, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const stdin = JSON.stringify({ ...bash('ls'), cwd: at('.'), ...input });
  return (await user.run(['hook', 'PreToolUse', '--timeout', '30', ...named], { stdin, env })).stdout;
};
const use = (session: string): Promise<unknown> =>
  user.hook(['PostToolUse'], {
    session_id: session,
    cwd: at('.'),
    tool_name: 'Skill',
    tool_input: { skill: 'pl:sk' },
    tool_use_id: `skill-${session}`,
    tool_response: 'ok',
  });
const doctor = async (): Promise<string> => (await user.run(['doctor'])).stdout;

const made = (): void => {
  user = createUser();
  user.write('pl/.claude-plugin/plugin.json', { name: 'pl', hooks: './conf/x.json' });
  user.write('other.json', {
    PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'rule', decision: 'deny', reason: 'other' }] }],
  });
};
let isShared = false;
beforeEach(() => {
  if (!isShared) made();
});
afterEach(async () => {
  if (!isShared) await user.remove();
});
/** One user for all the tests of a `describe`, whose server is started once. */
function shareUser(start: () => Promise<void>): void {
  beforeAll(async () => {
    isShared = true;
    made();
    await start();
  });
  afterAll(async () => {
    isShared = false;
    await user.remove();
  });
}

describe('what was served under a name and is gone counts as changed', () => {
  const GUARD = `import('words').then(() => process.exit(2), () => undefined)`;
  type Way = readonly [what: string, named: readonly string[], file: string];
  // What one server serves of each has nothing in common.
  const served: readonly (readonly Way[])[] = [
    [
      ['a file that a manifest names', ['--plugin-dir', 'pl'], 'pl/conf/x.json'],
      ['a skill', ['--plugin-dir', 'pl'], 'pl/skills/sk/SKILL.md'],
      ['a folder of skills', ['--plugin-dir', 'pl'], 'pl/skills'],
      ['a script that a plugin names', ['--plugin', './q.mjs'], 'scripts/guard.sh'],
      ['a package that a plugin can do without', ['--plugin', './w.mjs'], 'node_modules/words'],
    ],
    [
      ['the same, served through a link', ['--plugin-dir', 'link'], 'pl/conf/x.json'],
      ['the same for one of a configuration', ['--config', 'hookscope.json'], 'scripts/guard.sh'],
      ['the package of a plugin', ['--plugin', 'words'], 'node_modules/words'],
    ],
  ];
  const more = ['--hooks', 'other.json'];
  const write = (): void => {
    user.write('pl/conf/x.json', theirs('echo says no >&2; exit 2'));
    user.write('pl/skills/sk/SKILL.md', skill('exit 0'));
    user.write('pl/apart.json', hooks('exit 0'));
    symlinkSync('pl', at('link'));
    user.write('scripts/guard.sh', NO);
    user.write('q.mjs', plugin('test ! -e scripts/guard.sh || sh scripts/guard.sh'));
    user.write('hookscope.json', { plugins: ['./q.mjs'] });
    user.write('node_modules/words/package.json', { name: 'words', type: 'module', exports: './i.js' });
    user.write('node_modules/words/i.js', plugin('exit 0'));
    user.write(
      'w.mjs',
      `const found = ${JSON.stringify(GUARD)};\nawait import('words').catch(() => found);\n${plugin('exit 0', 'w')}`,
    );
  };

  describe.each(served)('of one server', (...ways) => {
    shareUser(async () => {
      write();
      const named = [...new Set(ways.map(([, way]) => way.join(' ')))].flatMap((way) => way.split(' '));
      server = await user.serve([...named, ...more, '--hooks', 'pl/apart.json']);
    });

    test.each(ways)('%s', async (_, named, file) => {
      const few = [named, [...named, ...more]];
      for (const way of few) expect(await ask(way), way.join(' ')).not.toMatch(CHANGED);
      // What was named beside it does not count.
      rmSync(at('pl/apart.json'));
      for (const way of few) expect(await ask(way), way.join(' ')).not.toMatch(CHANGED);
      user.write('pl/apart.json', hooks('exit 0'));
      const elsewhere = { XDG_RUNTIME_DIR: join(user.path, 'nowhere') };
      for (const env of [{}, elsewhere]) {
        renameSync(at(file), at('away'));
        for (const way of few) expect(await ask(way, {}, env), way.join(' ')).toMatch(CHANGED);
        renameSync(at('away'), at(file));
        for (const way of few) expect(await ask(way, {}, env), way.join(' ')).not.toMatch(CHANGED);
      }
    });
  });

  test('but not what a link leads to only since it was turned', async () => {
    write();
    user.write('v2/.claude-plugin/plugin.json', { name: 'pl' });
    server = await user.serve(['--plugin-dir', 'link', '--hooks', 'other.json']);
    rmSync(at('link'));
    symlinkSync('v2', at('link'));
    expect(await ask(['--plugin-dir', 'v2'])).not.toMatch(CHANGED);
    expect(await ask(['--plugin-dir', 'pl'])).not.toMatch(CHANGED);
    expect(await ask(['--plugin-dir', 'link'])).toMatch(CHANGED);
    rmSync(at('pl/conf/x.json'));
    expect(await ask(['--plugin-dir', 'pl'])).toMatch(CHANGED);
  });
});

describe('a script', () => {
  test('of a skill is bound when the server starts, not when the skill is invoked', async () => {
    user.write('pl/conf/x.json', theirs('exit 0'));
    user.write('pl/skills/sk/SKILL.md', skill('sh "${CLAUDE_PLUGIN_ROOT}/g.sh"'));
    user.write('pl/g.sh', NO);
    server = await user.serve(['--plugin-dir', 'pl']);
    await use('s1');
    expect(await ask()).toContain('says no');
    user.write('pl/g.sh', 'exit 0\n');
    await looked();
    await use('s2');
    for (const session_id of ['s1', 's2']) expect(await ask([], { session_id })).toMatch(CHANGED);
    expect(await doctor()).toMatch(/not what (?:it was|they were): [^ ]*g\.sh/);
    await server.stop();
    expect(await user.refused(['--plugin-dir', 'pl'])).toMatch(/g\.sh/);
  });

  test('in the project is bound for the plugin of a package: given by its name, named by a configuration, used by another plugin', async () => {
    const ways = [
      { name: 'given', tool_name: 'Bash', named: ['--plugin', 'given'] },
      { name: 'configured', tool_name: 'Edit', named: ['--config', 'c.json'] },
      { name: 'used', tool_name: 'Write', named: ['--plugin', './outer.mjs'] },
    ].map((way) => ({ ...way, script: `scripts/${way.name}.sh` }));
    for (const { name, tool_name, script } of ways) {
      user.write(`node_modules/${name}/package.json`, { name, type: 'module', exports: './i.js' });
      user.write(`node_modules/${name}/i.js`, plugin(`sh ${script}`, name, tool_name));
      user.write(script, NO);
    }
    user.write('c.json', { plugins: ['configured'] });
    user.write('outer.mjs', `import q from 'used'; export default { name: 'o', apply: (scope) => scope.use(q) };`);
    const all = ways.flatMap(({ named }) => named);
    server = await user.serve(all);
    // One script at a time: what is said of it is not said for another.
    const changedAlone = async (check: (script: string) => Promise<void>): Promise<void> => {
      for (const { tool_name, script, named } of ways) {
        const sets = [[], [...named, '--hooks', 'other.json']];
        for (const set of sets) expect(await ask(set, { tool_name }), script).toContain('says no');
        user.write(script, 'exit 0\n');
        await looked();
        for (const set of sets) expect(await ask(set, { tool_name }), set.join(' ')).toMatch(CHANGED);
        await check(script);
        user.write(script, NO);
        await looked();
      }
    };
    await changedAlone(async (script) => {
      expect(await doctor()).toMatch(new RegExp(`not what (?:it was|they were): [^ ]*${script}`));
    });
    await server.stop();
    await changedAlone(async (script) => {
      expect(await user.refused(all)).toMatch(new RegExp(`changed since it was served last: [^ ]*${script}`));
    });
  });
});

describe('a refusal says what has happened to the file, and which command accepts it', () => {
  const NAMED = ['--hooks', 'hooks.json', '--plugin', './plugin.mjs', '--plugin', 'words'];
  /** The command that serves the same again, without what is gone if an option names it by its path, and what is said of that. */
  const again = (gone?: string): string => {
    const options = [`--hooks ${at('hooks.json')}`, `--plugin ${at('plugin.mjs')}`, '--plugin words'];
    const left = options.filter((option) => gone === undefined || !option.endsWith(gone));
    const hint =
      left.length < options.length
        ? ` (without what is gone: ${gone})`
        : ` (first put back what is gone, or leave that option out: ${gone})`;
    return `hookscope serve ${left.join(' ')}${gone === undefined ? '' : hint} in a terminal, which asks`;
  };
  const STOP = 'put it back, or stop the server and start it without it in a terminal, which asks';
  const gone = (file: string): string => `${file}, with which the server was started, is gone`;
  const other = (file: string): string => `${file}, with which the server was started, is no file any more`;
  const changed = (file: string): string => `${file} has changed since the server was started with it`;
  const reason = async (...args: string[]): Promise<string> => {
    const { hookSpecificOutput: said } = JSON.parse(await ask(args)) as {
      hookSpecificOutput: { permissionDecisionReason: string };
    };
    return said.permissionDecisionReason;
  };

  beforeEach(() => {
    user.write('guard.sh', NO);
    user.write('hooks.json', hooks(`sh ${at('guard.sh')}`));
    user.write('said.mjs', 'export const said = 1;');
    user.write('plugin.mjs', `import './said.mjs'; ${plugin('true')}`);
    user.write('node_modules/words/package.json', { name: 'words', main: '0.js', type: 'module' });
    user.write('node_modules/words/0.js', plugin('true', 'words'));
  });

  test.each<[what: string, change: () => unknown, says: () => string, isNamed?: boolean]>([
    ['a script that changes', () => user.write('guard.sh', 'exit 0\n'), () => changed(at('guard.sh'))],
    ['a script that is removed', () => rmSync(at('guard.sh')), () => gone(at('guard.sh'))],
    ['a hooks file that changes', () => user.write('hooks.json', {}), () => changed(at('hooks.json'))],
    ['a hooks file that is removed', () => rmSync(at('hooks.json')), () => gone(at('hooks.json')), true],
    ['an import that is moved', () => renameSync(at('said.mjs'), at('other.mjs')), () => gone(at('said.mjs'))],
    [
      'a package that changes',
      () => user.write('node_modules/words/0.js', ''),
      () => changed(at('node_modules/words/**')),
    ],
    [
      'a package that is removed',
      () => rmSync(at('node_modules'), { recursive: true }),
      () => gone(at('node_modules/words/**')),
      true,
    ],
    [
      'a hooks file that cannot be looked at',
      () => {
        rmSync(at('hooks.json'));
        symlinkSync(at('hooks.json'), at('hooks.json'));
      },
      () => other(at('hooks.json')),
      true,
    ],
    [
      'another folder under the name of a script',
      () => {
        rmSync(at('guard.sh'));
        mkdirSync(at('guard.sh'));
      },
      () => other(at('guard.sh')),
    ],
  ])('%s', async (_, change, says, isNamed = false) => {
    const served = await user.serve(NAMED);
    change();
    const file = says().split(/,? (?:with which|has changed)/)[0] as string;
    // Beside the server that runs, then after it, whether it was stopped or killed.
    const beside = await reason('--no-server', ...NAMED);
    expect(beside.endsWith(`; ${isNamed ? STOP : 'see hookscope serve --accept'}`), beside).toBe(true);
    await served.stop('SIGKILL');
    expect(existsSync(user.places.socket)).toBe(true);
    for (const left of [true, false]) {
      if (!left) rmSync(user.places.socket);
      const said = await reason();
      expect(said).toContain(says());
      const helps = isNamed ? `put it back, or leave it out: ${again(file.replace('/**', ''))}` : `see ${again()}`;
      expect(said.endsWith(`; ${helps}`), said).toBe(true);
    }
    // The command as it stands asks; nobody is there to answer.
    const said = await reason();
    const [command = ''] = / serve(?: --\w+ [^\s(]+)+/.exec(said) ?? [];
    if (!said.includes('first put back'))
      expect(await user.refused(command.trim().split(' ').slice(1))).toMatch(/since it was served last/);
    const since = says() === gone(file) ? 'gone' : says() === other(file) ? 'no file' : 'changed';
    expect(await user.refused(NAMED)).toContain(`${since} since it was served last: ${file}\n`);
  });

  test('why repeats what helps where a hooks file is gone', async () => {
    const served = await user.serve(NAMED);
    rmSync(at('hooks.json'));
    await looked();
    await ask();
    expect((await user.run(['why', 'last'])).stdout).toContain(`since it was accepted; ${STOP}`);
    expect(await doctor()).toContain(`For ${at('hooks.json')}: ${STOP}.`);
    // There is nothing that could be accepted, so nobody is asked.
    const { code, stderr } = await user.run(['serve', '--accept']);
    expect([code, stderr.split('\n').at(-2)]).toEqual([1, `hookscope: ${gone(at('hooks.json'))}; ${STOP}`]);
    await served.stop();
  });

  test('for a script of another folder too, and why repeats it', async () => {
    user.write('own.json', hooks('sh ./guard.sh'));
    await (await user.serve(['--hooks', 'own.json'], { cwd: at('.') })).stop();
    user.write('sub/guard.sh', 'exit 0\n');
    await ask([], { cwd: at('sub') });
    expect((await user.run(['why', 'last'])).stdout).toContain(
      `accept it: hookscope serve --hooks ${at('own.json')} in a terminal, which asks`,
    );
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'serve --accept after a server that ended by %s names the command that asks',
    async (signal) => {
      expect((await user.run(['serve', '--accept'])).stderr).toContain('no server was ever started');
      const served = await user.serve([...NAMED, '--data', 'state.txt', '--port', '0']);
      const accept = () => user.run(['serve', '--accept']);
      expect(await accept()).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing has changed') });
      await served.stop(signal);
      user.write('guard.sh', 'exit 0\n');
      const { code, stderr } = await accept();
      expect(code).toBe(1);
      const [, words = ''] =
        /started in a terminal, it asks about what has changed: hookscope (.*)\.\n$/.exec(stderr) ?? [];
      expect(words.split(' ')).toEqual(
        expect.arrayContaining(['serve', at('hooks.json'), at('plugin.mjs'), 'words', at('state.txt')]),
      );
      expect((await user.run(words.split(' '))).stderr).toMatch(/guard\.sh\n.*start it at a terminal/);
    },
  );
});

describe('a file that a hook writes to', () => {
  test('with what is known to write is not bound', async () => {
    user.write('tee.json', hooks('tee -a calls.log > /dev/null'));
    user.write('flock.json', hooks('flock -n calls.lock true'));
    user.write('settings.json', theirs('tee -a "$CLAUDE_PROJECT_DIR/more.log" > /dev/null'));
    user.write(
      'pl/conf/x.json',
      theirs('mkdir -p "${CLAUDE_PLUGIN_DATA}"; sh "${CLAUDE_PLUGIN_ROOT}/g.sh" "${CLAUDE_PLUGIN_DATA}/n"'),
    );
    user.write('pl/g.sh', `date +%N >> "$1"; cp "$1" '${at('n')}'\n`);
    user.write('beside/.claude-plugin/plugin.json', { name: 'beside', hooks: './x.json' });
    user.write('beside/x.json', theirs('tee -a "${CLAUDE_PLUGIN_ROOT}/calls.log" > /dev/null'));
    const named = ['--hooks', 'tee.json', '--hooks', 'flock.json', '--settings', 'settings.json'];
    named.push('--plugin-dir', 'pl', '--plugin-dir', 'beside');
    server = await user.serve(named);
    for (let i = 0; i < 3; i++) expect(await ask()).toBe('');
    await looked();
    expect(await ask()).toBe('');
    expect(await doctor()).not.toContain('fail as untrusted');
    await server.stop();
    for (let i = 0; i < 2; i++) expect(await ask()).toBe('');
    server = await user.serve(named);
    expect(await ask()).toBe('');
    // Each of them has written, every time.
    expect(readFileSync(at('n'), 'utf8').trim().split('\n')).toHaveLength(7);
    for (const log of ['calls.log', 'more.log', 'beside/calls.log'])
      expect(readFileSync(at(log), 'utf8').match(/"tool_use_id"/g), log).toHaveLength(7);
    expect(existsSync(at('calls.lock'))).toBe(true);
  });

  test('in a way that nobody can see is bound by its name alone with --data, and what runs is bound all the same', async () => {
    user.write('g.sh', `date +%N >> "$1"; ${NO}`);
    user.write('h.json', hooks('sh g.sh ./state.txt'));
    server = await user.serve(['--hooks', 'h.json']);
    expect(await ask()).toContain('says no');
    const refused =
      /state\.txt is not what was accepted for [^ ]* \(if hooks write to it themselves: hookscope serve --data\); see hookscope serve --accept"/;
    expect(await ask()).toMatch(refused);
    await server.stop();
    expect(await ask()).toMatch(
      /state\.txt has changed since[^"]*hookscope serve --data[^"]*in a terminal, which asks"/,
    );
    rmSync(user.places.served);
    // From another folder, and by another way to it.
    server = await user.serve(['--hooks', '../h.json', '--data', '../pl/../state.txt'], { cwd: at('pl') });
    await server.stop();
    rmSync(user.places.served);

    const named = ['--hooks', 'h.json', '--data', 'state.txt'];
    server = await user.serve(named);
    for (let i = 0; i < 3; i++) expect(await ask()).toContain('says no');
    expect(await doctor()).not.toContain('fail as untrusted');
    await server.stop();
    for (const way of [[], ['--hooks', 'h.json'], ['--hooks', 'h.json', '--hooks', 'other.json']])
      expect(await ask(way)).toContain('says no');
    // Where the last server bound the bytes, a person has to agree; of what it did not, nobody is asked again.
    expect(await user.refused([...named, '--data', 'g.sh'])).toMatch(
      new RegExp(`^[^\\n]*bound by its name alone: --data ${at('g.sh')}\\n`),
    );
    server = await user.serve(named);
    expect((await user.run(['serve', '--install', ...named])).stdout).toContain(`"--data" "${at('state.txt')}"`);
    expect(await ask()).toContain('says no');
    appendFileSync(at('g.sh'), '# edited\n');
    await looked();
    expect(await ask()).toMatch(/g\.sh is not what was accepted/);
    await server.stop();
    expect(await user.refused(named)).toMatch(/g\.sh/);
  });
});

test('a pipe and a large file, which cannot be bound, are named at the start, and are why their hooks are refused', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  writeFileSync(at('large'), Buffer.alloc(17 * 1024 * 1024));
  const things = [
    { name: 'pipe', tool_name: 'Bash', why: 'it is no regular file' },
    { name: 'large', tool_name: 'Edit', why: 'it is larger than 16 MiB' },
  ];
  user.write('g.sh', 'exit 0\n');
  for (const { name, tool_name } of things) user.write(`${name}.json`, hooks(`sh ./g.sh ./${name}`, tool_name));
  const named = things.flatMap(({ name }) => ['--hooks', `${name}.json`]);
  const areRefused = async (): Promise<void> => {
    for (const { name, tool_name, why } of things)
      expect(await ask([], { tool_name })).toContain(`${at(name)} cannot be bound: ${why}; see hookscope serve --data`);
  };
  for (let i = 0; i < 2; i++) {
    server = await user.serve(named);
    for (const { name, why } of things)
      expect(server.output()).toContain(`${at(name)}, which ${at(`${name}.json`)} names, cannot be bound: ${why}`);
    await areRefused();
    expect(await doctor()).not.toContain('fail as untrusted');
    await server.stop();
    await areRefused();
  }
  rmSync(user.places.served);
  server = await user.serve([...named, ...things.flatMap(({ name }) => ['--data', name])]);
  expect(server.output()).not.toContain('cannot be bound');
  for (const { tool_name } of things) expect(await ask([], { tool_name })).toBe('');
});

test('a file that is named twice runs its hooks once, with the server and without it', async () => {
  mkdirSync(at('sub'));
  user.write('h.json', hooks('echo ran >> "$HOME/ran"'));
  const ran = (): number => {
    const file = join(user.path, 'home/ran');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
    rmSync(file, { force: true });
    return lines;
  };
  const runs = async (named: readonly string[]): Promise<number> => {
    await ask(named);
    return ran();
  };
  const once = ['--hooks', 'h.json'];
  const twice = [...once, '--hooks', './h.json', '--hooks', at('h.json')];
  expect([await runs(once), await runs(twice)]).toEqual([1, 1]);
  for (const named of [once, twice]) {
    server = await user.serve(named);
    expect([await runs([]), await runs(once), await runs(twice)]).toEqual([1, 1, 1]);
    await server.stop();
    expect([await runs([]), await runs(once), await runs(twice)]).toEqual([1, 1, 1]);
  }
});

describe('a wrong record', () => {
  let written: string;
  shareUser(async () => {
    server = await user.serve(['--hooks', 'other.json']);
    await server.stop();
    written = readFileSync(user.places.served, 'utf8');
  });

  test.each<
    [
      where: string,
      expected: string,
      change: (served: { bindings: Record<string, unknown> } & Record<string, unknown>) => void,
    ]
  >([
    ['set.hooks', 'an array of strings, got "h.json"', (served) => Object.assign(served, { set: { hooks: 'h.json' } })],
    ['projects', 'an array of strings, got 5', (served) => Object.assign(served, { projects: 5 })],
    ['cwd', 'a string, and there is none', (served) => delete served['cwd']],
    ['bindings.files', 'an object, got []', (served) => Object.assign(served.bindings, { files: [] })],
    [
      'bindings.files["/x"].sha256',
      'a string or null, got 1',
      (s) => Object.assign(s.bindings, { files: { '/x': { sha256: 1 } } }),
    ],
    [
      'bindings.scripts["/a"]["b"]',
      'an object, got "c"',
      (s) => Object.assign(s.bindings, { scripts: { '/a': { b: 'c' } } }),
    ],
  ])('a record of what was served that is wrong in %s says so', async (where, expected, change) => {
    const served = JSON.parse(written);
    change(served);
    writeFileSync(user.places.served, JSON.stringify(served), { mode: 0o600 });
    const says = `${user.places.served}: does not say what was served: ${where}: expected ${expected}; start hookscope serve again after you have moved it away`;
    expect(JSON.parse(await ask()).hookSpecificOutput.permissionDecisionReason).toContain(says);
    expect(await doctor()).toContain(says);
    expect(await user.refused(['--hooks', 'other.json'])).toContain(says);
  });
});
