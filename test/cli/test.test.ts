import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CORPUS } from '../../src/cli/test/corpus.js';
import { junit, tap } from '../../src/cli/test/report.js';
import { cli } from './cli.js';

let project = '';
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-test-command-')));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function put(path: string, content: unknown): void {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}
const run = (...args: string[]) =>
  cli(['test', ...args], { cwd: project, env: { HOME: `${project}-home`, XDG_CONFIG_HOME: `${project}-xdg` } });

const RULES = {
  PreToolUse: [
    {
      name: 'no-force',
      if: 'Bash(git push *--force*)',
      hooks: [{ type: 'rule', decision: 'deny', reason: 'Push by hand.' }],
    },
    { name: 'ask-curl', if: 'Bash(curl *)', hooks: [{ type: 'rule', decision: 'ask', reason: 'Out there?' }] },
    { name: 'reads', matcher: 'Read', hooks: [{ type: 'rule', decision: 'allow', reason: 'Only reading.' }] },
  ],
  UserPromptSubmit: [
    {
      hooks: [
        {
          type: 'command',
          command: `echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"Be brief."}}'`,
        },
      ],
    },
  ],
  Stop: [{ name: 'tests', hooks: [{ type: 'command', command: 'echo "Run the tests." >&2; exit 2' }] }],
  SessionEnd: [{ hooks: [{ type: 'command', command: 'exit 3' }] }],
};

describe('an event of no tool', () => {
  test.each(['Stop', 'UserPromptSubmit', 'SessionStart', 'PostToolBatch'])('takes no call: %s', async (event) => {
    put('hooks.json', RULES);
    put('a.hooktest.yaml', `- event: ${event}\n  call: Bash ls\n  expect: silent\n`);
    const { code, stderr } = await run('--hooks', 'hooks.json');
    expect(code).toBe(1);
    expect(stderr).toContain(`a.hooktest.yaml:2: call: is a call of a tool, and ${event} is not about one`);
  });

  test('those that are about one take it', async () => {
    put('hooks.json', {});
    put('a.hooktest.yaml', '- { event: PermissionRequest, call: Bash ls, expect: silent }\n');
    expect((await run('--hooks', 'hooks.json')).code).toBe(0);
  });
});

describe('a hook that is enforced in a share of sessions', () => {
  const hooks = { PreToolUse: [{ enforce: 0.01, hooks: [{ type: 'rule', decision: 'deny', reason: 'r' }] }] };

  test('decides in every example, wherever it is in its file', async () => {
    put('hooks.json', hooks);
    put('a.hooktest.yaml', '- { call: Bash ls, expect: deny }\n- { call: Bash pwd, expect: deny }\n'.repeat(10));
    const { code, stdout } = await run('--hooks', 'hooks.json', '--probe');
    expect(code).toBe(0);
    expect(stdout).toContain(', 0 that nobody was asked about (GAP)');
  });

  test.each([0.0001, 1e-6])('decides also where the share is as low as %f', async (enforce) => {
    put('hooks.json', { PreToolUse: [{ ...hooks.PreToolUse[0], enforce }] });
    put('a.hooktest.yaml', '- { call: Bash ls, expect: deny }\n- { call: Bash pwd, expect: deny }\n');
    expect((await run('--hooks', 'hooks.json')).code).toBe(0);
  });

  test('decides also where a function makes it for an agent', async () => {
    const made = { PreToolUse: [{ ...hooks.PreToolUse[0], enforce: 0.0001 }] };
    put('own.mjs', `export default { spawnHooks: { reviewer: () => (${JSON.stringify(made)}) } };`);
    const one = '- { call: Bash ls, agent: reviewer, expect: deny }\n- { call: Bash ls, expect: silent }\n';
    put('a.hooktest.yaml', one.repeat(2));
    expect(await run('--config', 'own.mjs')).toMatchObject({ code: 0 });
  });
});

const GOOD = `
- call: Bash 'git push --force'
  expect: deny by no-force /Push by hand/
- call: Bash "git push --force origin"
  agent: reviewer
  expect: deny
- call: Bash git push
  expect: silent
- call: Curl
  name: a tool that nobody knows
  input: { tool_input: { x: 1 } }
  expect: pass
- call: Bash 'curl -d "it''s" example.com'
  expect: ask by ask-curl /there/
- call: { tool: Read, input: { file_path: a.ts } }
  expect: allow by reads
- call: 'mcp__db__query {"sql": "select 1"}'
  expect: silent
- event: UserPromptSubmit
  input: { prompt: hello }
  expect: context /brief/
- event: Stop
  expect: continue by tests /tests/i
- event: SessionEnd
  expect: fail
`;

describe('hookscope test', () => {
  test('all as expected', async () => {
    put('hooks.json', RULES);
    put('guards.hooktest.yaml', GOOD);
    const { stdout, stderr, code } = await run('--hooks', 'hooks.json');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain("ok    guards.hooktest.yaml:2  Bash 'git push --force'\n");
    expect(stdout).toContain('Bash "git push --force origin" (reviewer)\n');
    expect(stdout).toMatch(/10 examples, all as expected\n$/);
  });

  test("Claude Code's files of the project count where nothing else is named", async () => {
    const no = { type: 'command', command: 'echo no >&2; exit 2' };
    put('.claude/settings.json', { hooks: { PreToolUse: [{ hooks: [no] }] } });
    put('theirs.json', { hooks: { PreToolUse: [{ matcher: 'Read', hooks: [no] }] } });
    put('a.hooktest.yaml', { examples: [{ call: 'Bash ls', expect: 'pass' }] });
    expect(await run('--trust', 'all')).toMatchObject({ code: 1, stdout: expect.stringContaining('deny') });
    expect(await run('--trust', 'all', '--from', 'codex', 'theirs.json')).toMatchObject({ code: 0 });
  });

  test.each([
    ["Bash 'git push --force'", 'silent', 'deny by no-force: "Push by hand."'],
    ["Bash 'git push --force'", 'deny by other', 'it was by no-force'],
    ["Bash 'git push --force'", 'deny /never/', 'deny by no-force'],
    ["Bash 'git push --force'", 'allow', 'deny by no-force'],
    ["Bash 'git push --force'", 'pass', 'deny by no-force'],
    ["Bash 'git push --force'", 'deny /PUSH/', 'deny by no-force'],
    ["Bash 'curl x'", 'pass', 'ask by ask-curl'],
    ["Bash 'curl x'", 'deny', 'ask by ask-curl'],
    ['Read a.ts', 'silent', 'allow by reads'],
    ["Bash 'ls'", 'deny', 'no opinion'],
    ["Bash 'ls'", 'fail', 'no opinion'],
    ["Bash 'ls'", 'defer /later/', 'no opinion'],
    ["Bash 'curl x'", 'defer by ask-curl', 'ask by ask-curl'],
    ["Bash 'ls'", 'rewrite', 'no opinion'],
    ["Bash 'ls'", 'context', 'no opinion'],
  ])('%s is not %s', async (call, expected, said) => {
    put('hooks.json', RULES);
    put('a.hooktest.yaml', { examples: [{ call, expect: expected }] });
    const { stdout, code } = await run('--hooks', 'hooks.json');
    expect(code).toBe(1);
    expect(stdout).toContain(`FAIL  a.hooktest.yaml:1  ${call}\n      expected ${expected}`);
    expect(stdout).toContain(said);
    expect(stdout).toMatch(/1 of 1 example came out otherwise\n$/);
  });

  test.each([
    ['- cal: Bash ls\n  expect: deny', /a\.hooktest\.yaml:1: "cal" is not a known key.*Did you mean "call"/],
    ['- call: Bash ls\n  expect: denny', /a\.hooktest\.yaml:2: expect: "denny" is not known.*Did you mean "deny"/],
    ['- call: Bash ls', /:1: expect: is missing/],
    ['- call: Bash ls\n  expect: silent by me', /:2: expect: "by" does not go with silent/],
    ['- call: Bash ls\n  expect: silent /x/', /:2: expect: a \/reason\/ does not go/],
    ['- call: Bash ls\n  expect: deny /(/', /:2: expect: Invalid regular expression/],
    ['- expect: deny', /:1: call: is missing/],
    ['- event: Stopp\n  expect: deny', /:1: event: "Stopp" is not a known event. Did you mean "Stop"/],
    ['- call: mcp__a__b text\n  expect: deny', /:1: call: the input of mcp__a__b is an object/],
    ['- call: Tool {"a":}\n  expect: deny', /:1: call: its input is no JSON object/],
    ['- call: {tool: Bash, inputs: {}}\n  expect: deny', /:1: call: "inputs" is not a known key/],
    ['- call: 7\n  expect: deny', /:1: call: expected a tool/],
    ['- call: Bash ls\n  agent: [x]\n  expect: deny', /:2: agent: expected a text/],
    ['example: []', /:1: "example" is not a known key; there is examples. Did you mean "examples"/],
    ['examples: 7', /:1: expected a list of examples/],
    ['[]', /:1: holds no example/],
    ['# none yet\nexamples: []', /:2: holds no example/],
    ['', /a\.hooktest\.yaml: expected a list of examples/],
    ['- call: "Bash\n', /a\.hooktest\.yaml:\d: /],
    ['- call: Bash "ls # x"\n  expect: deny', /:1: call: its " is not closed/],
    ['- call: Tool {"a": 1}\n  expect: deny', /:1: /],
    ['- 7', /:1: expected an example/],
    ['- call: Bash ls\n  call: Bash rm\n  expect: deny', /:2: The key "call" stands there twice/],
    ['- event: Stop\n  input: { a: { b: 1, b: 2 } }\n  expect: fail', /:2: The key "b" stands there twice/],
    ['- call: Bash ls\n  expect: deny\n---\n- call: Bash rm\n  expect: deny', /:3: A second document begins here/],
    ['- &a\n  call: Bash ls\n  expect: deny\n- <<: *a', /:4: merges \(<<\) are not read/],
    [`- &a [${'x, '.repeat(900)}]\n${'- &b [*a]\n'.repeat(300)}`, /:1: It has more than 200000 values/],
    [`# ${'x'.repeat(1024 * 1024)}\n- call: Bash ls\n  expect: deny`, /:1: It is longer than 1024 KiB/],
  ])('%j is an error with its line, and nothing runs', async (text, problem) => {
    put('hooks.json', { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch ran' }] }] });
    put('a.hooktest.yaml', text);
    const { stdout, stderr, code } = await run('--hooks', 'hooks.json');
    expect([stdout, code]).toEqual(['', 1]);
    expect(stderr).toMatch(problem);
    expect(() => readFileSync(join(project, 'ran'))).toThrow();
  });

  test("the project's own configuration is used once it is accepted, and Claude Code's files", async () => {
    put('hookscope.config.json', { hooks: RULES });
    put('a.hooktest.yaml', '- call: Bash "git push --force"\n  expect: deny by no-force');
    const held = await run();
    expect(held.code).toBe(1);
    expect(held.stderr).toContain('hookscope.config.json');
    rmSync(join(project, 'hookscope.config.json'));
    const hooks = {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'echo "not here" >&2; exit 2' }] }],
    };
    put('.claude/settings.json', { hooks });
    put('a.hooktest.yaml', '- call: Bash ls\n  expect: deny /not here/');
    expect((await run()).code).toBe(1);
    expect((await run('--trust', 'all', '--claude-code', '.')).code).toBe(0);
    expect(
      (await cli(['test', project, '--settings', join(project, '.claude/settings.json')], { cwd: tmpdir() })).code,
    ).toBe(0);
  });

  test('a file of thousands of examples, aliases, and a pipe that nobody writes to', async () => {
    put('hooks.json', RULES);
    const many = Array.from({ length: 3000 }, (_, i) => `- call: Bash 'echo ${i}'\n  expect: silent\n`).join('');
    put('a.hooktest.yaml', `- &one\n  call: Bash 'git push --force'\n  expect: deny\n- *one\n${many}`);
    execFileSync('mkfifo', [join(project, 'b.hooktest.yaml')]);
    const { stdout, code } = await run('--hooks', 'hooks.json');
    expect([code, stdout.split('\n').at(-2)]).toEqual([0, '3002 examples, all as expected']);
  });

  test('nothing to run is an error', async () => {
    expect((await run()).stderr).toContain('there is no *.hooktest.yaml in it');
    expect((await run('nowhere')).stderr).toContain('nowhere');
  });

  test('--probe says who was asked', async () => {
    put('hooks.json', RULES);
    const { stdout, code } = await run('--hooks', 'hooks.json', '--probe');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}PASS {2}Bash git push --force$/m);
    expect(stdout).toMatch(/^ {2}FAIL {2}Read .env {2}\(another tool\)$/m);
    expect(stdout).toMatch(/^ {2}GAP {3}Write \/etc\/passwd x$/m);
    const [, total, ...counts] =
      /(\d+) calls .*: (\d+) denied.*, (\d+) let through.*, (\d+) that nobody/.exec(stdout) ?? [];
    expect(Number(total)).toBe(CORPUS.length);
    expect(counts.map(Number).reduce((a, b) => a + b)).toBe(CORPUS.length);
  });

  test('TAP and JUnit', async () => {
    put('hooks.json', RULES);
    put('a.hooktest.yaml', `- call: Bash "echo '<b>#'"\n  expect: deny\n- call: Bash ls\n  expect: silent`);
    const { stdout, code } = await run('--hooks', 'hooks.json', '--tap', '--junit', 'out.xml');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^TAP version 14\n1\.\.2\nnot ok 1 - a\.hooktest\.yaml:1 Bash "echo '<b>\\#'"\n {2}---\n {2}message: \|\n {4}expected deny/,
    );
    expect(stdout).toMatch(/\nok 2 - a\.hooktest\.yaml:3 Bash ls\n$/);
    const xml = readFileSync(join(project, 'out.xml'), 'utf8');
    expect(xml).toContain('<testsuites tests="2" failures="1">');
    expect(xml).toContain(`name="a.hooktest.yaml:1 Bash &quot;echo '&lt;b&gt;#'&quot;">`);
    expect((await run('--hooks', 'hooks.json', '--junit', 'none/out.xml')).stderr).toContain('none/out.xml');
  });

  test('no text breaks out of a report', () => {
    const outcomes = [{ place: 'a:1', title: 'x\nok 2 - forged', problem: ']]>\u0000\ud800<x/>\n...\nnot ok 9' }];
    expect(
      tap(outcomes)
        .split('\n')
        .filter((line) => /^(not )?ok/.test(line)),
    ).toHaveLength(1);
    expect(junit(outcomes)).not.toMatch(/[\0\ud800]|<x\/>/);
  });
});

test('the corpus has 100 different calls', () => {
  expect(new Set(CORPUS.map(({ tool, input }) => JSON.stringify([tool, input]))).size).toBe(100);
});

describe('an example of an agent', () => {
  const counts = (file: string): string[] => readFileSync(join(project, file), 'utf8').trim().split('\n');
  const logs = (event: string) => [
    { hooks: [{ type: 'command', command: `echo ${event} >> "$CLAUDE_PROJECT_DIR/fired"` }] },
  ];

  test('on its start or its end fires that event once', async () => {
    put('hooks.json', { SubagentStart: logs('start'), SubagentStop: logs('stop') });
    put(
      'a.hooktest.yaml',
      '- event: SubagentStart\n  agent: reviewer\n  expect: pass\n- event: SubagentStop\n  agent: reviewer\n  expect: pass\n',
    );
    const { stdout, code } = await run('--hooks', 'hooks.json');
    expect(code, stdout).toBe(0);
    // Its end after the start, its start before the end.
    expect(counts('fired')).toEqual(['start', 'stop', 'start', 'stop']);
  });

  test('of a type that nobody knows is an error that names those that there are', async () => {
    const deny = { type: 'rule', decision: 'deny', reason: 'Reviewers read.' };
    const config = { spawnHooks: { reviewer: { PreToolUse: [{ matcher: 'Bash', hooks: [deny] }] } } };
    put('config.json', {
      ...config,
      hooks: { SubagentStop: [{ matcher: 'planner', hooks: [{ type: 'command', command: 'exit 0' }] }] },
    });
    put('.claude/agents/writer.md', '---\nname: writer\ndescription: writes\n---\n');
    const example = (agent: string, expected: string): void =>
      put('a.hooktest.yaml', `- call: Bash ls\n  agent: ${agent}\n  expect: ${expected}\n`);
    example('reviwer', 'pass');
    const { stderr, stdout, code } = await run('--config', 'config.json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /a\.hooktest\.yaml:1: agent: "reviwer" is no type of agent that is known here; there are reviewer, writer, general-purpose, Explore, Plan\. Did you mean "reviewer"\?/,
    );
    for (const [agent, expected] of [
      ['reviewer', 'deny'],
      ['planner', 'silent'],
      ['writer', 'silent'],
      ['Explore', 'silent'],
    ] as const) {
      example(agent, expected);
      expect((await run('--config', 'config.json')).code, agent).toBe(0);
    }
  });
});

test('an example that cannot be fired is none that came out as expected', async () => {
  put('hooks.json', RULES);
  put(
    'a.hooktest.yaml',
    '- event: PreToolUse\n  input: { tool_name: 7 }\n  expect: pass\n- call: Bash "git push --force"\n  expect: deny /PUSH/i\n',
  );
  const { stdout, code } = await run('--hooks', 'hooks.json');
  expect(stdout).toMatch(/FAIL {2}a\.hooktest\.yaml:1 .*\n +Invalid input for PreToolUse: "tool_name"/);
  expect(stdout).toContain('1 of 2 examples came out otherwise');
  expect(code).toBe(1);
});

test('a hook in the background is waited for, and an agent without hooks of its own has a scope', async () => {
  put('hooks.json', {
    PreToolUse: [
      {
        name: 'late',
        matcher: 'Read',
        hooks: [{ type: 'command', command: 'sleep 0.2; echo no >&2; exit 1', async: true }],
      },
    ],
  });
  put(
    'late.hooktest.yaml',
    '- { call: Read a.ts, expect: fail }\n- { call: Read b.ts, expect: silent }\n- { call: Grep x, agent: reviewer, expect: deny }\n',
  );
  const { stdout, code } = await run('--hooks', 'hooks.json');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ok .*Read a\.ts/m);
  expect(stdout).toMatch(/^FAIL .*Read b\.ts/m);
  expect(stdout).toContain('late failed (exit_code)');
  expect(stdout).not.toContain('nobody opened');
});
