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
const hooks = (text: string): object => ({
  PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [command(text)] }],
});
const theirs = (text: string): object => ({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [command(text)] }] } });
const skill = (text: string): string =>
  `---\nname: sk\ndescription: x\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: '${text}'\n---\nhi\n`;
const plugin = (text: string, name = 'q'): string =>
  `export default { name: '${name}', apply: (scope) => scope.register(${JSON.stringify(hooks(text))}) };`;
const NO = 'echo says no >&2; exit 2\n';
const CHANGED = /"(?:ask|deny)".*(?:has changed since|is not what was accepted)/;
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
        for (const way of few) expect(await ask(way, {}, env), way.join(' ')).toMatch(/"deny".*has changed since/);
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
    expect(await doctor()).toMatch(/changed or gone: [^ ]*g\.sh/);
    await server.stop();
    expect(await user.refused(['--plugin-dir', 'pl'])).toMatch(/g\.sh/);
  });

  test.each<[how: string, named: readonly string[]]>([
    ['given by its name', ['--plugin', 'q']],
    ['that a configuration names', ['--config', 'c.json']],
    ['that another plugin uses', ['--plugin', './outer.mjs']],
  ])('in the project is bound for the plugin of a package %s', async (_, named) => {
    user.write('node_modules/q/package.json', { name: 'q', type: 'module', exports: './i.js' });
    user.write('node_modules/q/i.js', plugin('sh scripts/guard.sh'));
    user.write('c.json', { plugins: ['q'] });
    user.write('outer.mjs', `import q from 'q'; export default { name: 'o', apply: (scope) => scope.use(q) };`);
    user.write('scripts/guard.sh', NO);
    server = await user.serve(named);
    const ways = [[], [...named, '--hooks', 'other.json']];
    for (const way of ways) expect(await ask(way)).toContain('says no');
    user.write('scripts/guard.sh', 'exit 0\n');
    await looked();
    for (const way of ways) expect(await ask(way), way.join(' ')).toMatch(CHANGED);
    expect(await doctor()).toMatch(/changed or gone: [^ ]*guard\.sh/);
    await server.stop();
    for (const way of ways) expect(await ask(way), way.join(' ')).toMatch(CHANGED);
    expect(await user.refused(named)).toMatch(/guard\.sh/);
  });
});

describe('a file that a hook writes to', () => {
  test.each<[command: string, named: string]>([
    ['tee -a calls.log > /dev/null', '--hooks'],
    ['tee -a "$CLAUDE_PROJECT_DIR/calls.log" > /dev/null', '--settings'],
    ['flock -n calls.lock true', '--hooks'],
    ['mkdir -p "${CLAUDE_PLUGIN_DATA}"; sh "${CLAUDE_PLUGIN_ROOT}/g.sh" "${CLAUDE_PLUGIN_DATA}/n"', '--plugin-dir'],
    ['tee -a "${CLAUDE_PLUGIN_ROOT}/calls.log" > /dev/null', '--plugin-dir'],
  ])('with what is known to write is not bound: %s', async (text, option) => {
    user.write('pl/conf/x.json', theirs(text));
    user.write('pl/g.sh', 'date +%N >> "$1"\n');
    user.write('h.json', option === '--hooks' ? hooks(text) : theirs(text));
    const named = [option, option === '--plugin-dir' ? 'pl' : 'h.json'];
    server = await user.serve(named);
    for (let i = 0; i < 3; i++) expect(await ask()).toBe('');
    await looked();
    expect(await ask()).toBe('');
    expect(await doctor()).not.toContain('changed or gone');
    await server.stop();
    for (let i = 0; i < 2; i++) expect(await ask()).toBe('');
    server = await user.serve(named);
    expect(await ask()).toBe('');
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
    expect(await ask()).toMatch(/state\.txt has changed since[^"]*hookscope serve --data[^"]*--accept"/);
    rmSync(user.places.served);
    // From another folder, and by another way to it.
    server = await user.serve(['--hooks', '../h.json', '--data', '../pl/../state.txt'], { cwd: at('pl') });
    await server.stop();
    rmSync(user.places.served);

    server = await user.serve(['--hooks', 'h.json', '--data', 'state.txt']);
    for (let i = 0; i < 3; i++) expect(await ask()).toContain('says no');
    expect(await doctor()).not.toContain('changed or gone');
    await server.stop();
    for (const way of [[], ['--hooks', 'h.json'], ['--hooks', 'h.json', '--hooks', 'other.json']])
      expect(await ask(way)).toContain('says no');
    server = await user.serve(['--hooks', 'h.json', '--data', 'state.txt']);
    expect(await ask()).toContain('says no');
    appendFileSync(at('g.sh'), '# edited\n');
    await looked();
    expect(await ask()).toMatch(/g\.sh is not what was accepted/);
    await server.stop();
    expect(await user.refused(['--hooks', 'h.json', '--data', 'state.txt'])).toMatch(/g\.sh/);
  });

  test('is bound by its name alone only if a person agrees, where the last server bound its bytes', async () => {
    user.write('g.sh', NO);
    user.write('h.json', hooks('sh g.sh'));
    server = await user.serve(['--hooks', 'h.json']);
    await server.stop();
    const again = ['--hooks', 'h.json', '--data', 'g.sh'];
    expect(await user.refused(again)).toMatch(new RegExp(`bound by its name alone: --data ${at('g.sh')}`));
    rmSync(user.places.served);
    server = await user.serve(again);
    await server.stop();
    server = await user.serve(again);
    await server.stop();
    expect((await user.run(['serve', '--install', ...again])).stdout).toContain(`"--data" "${at('g.sh')}"`);
  });
});

test.each<[what: string, make: (file: string) => void, why: string]>([
  ['a pipe', (file) => execFileSync('mkfifo', [file]), 'it is no regular file'],
  ['a large file', (file) => writeFileSync(file, Buffer.alloc(17 * 1024 * 1024)), 'it is larger than 16 MiB'],
])('%s that cannot be bound is named at the start, and is why its hooks are refused', async (_, make, why) => {
  make(at('thing'));
  user.write('g.sh', 'exit 0\n');
  user.write('h.json', hooks('sh ./g.sh ./thing'));
  for (let i = 0; i < 2; i++) {
    server = await user.serve(['--hooks', 'h.json']);
    const told = `${at('thing')}, which ${at('h.json')} names, cannot be bound: ${why}`;
    expect(server.output()).toContain(told);
    expect(await ask()).toContain(`${at('thing')} cannot be bound: ${why}; see hookscope serve --data`);
    expect(await doctor()).not.toContain('changed or gone');
    await server.stop();
    expect(await ask()).toContain(`${at('thing')} cannot be bound: ${why}; see hookscope serve --data`);
  }
  rmSync(user.places.served);
  server = await user.serve(['--hooks', 'h.json', '--data', 'thing']);
  expect(server.output()).not.toContain('cannot be bound');
  expect(await ask()).toBe('');
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
