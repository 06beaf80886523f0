import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectClaude } from '../../../src/claude-code/control/client/client.js';
import { testHost } from '../../host/kit.js';
import { ROOT } from '../../package/sources.js';
import { BASE, bash, problems, READY, tapped } from './kit.js';
import { isRequest, type Json, PUPPET, puppet, refusal, scratch, success } from './puppet.js';

/** More of them with HOOKSCOPE_GENERATED=N. */
const RUNS = Math.ceil(Number(process.env['HOOKSCOPE_GENERATED'] ?? 300) / 10);

function program(text: string, mode = 0o755): string {
  const file = join(scratch(), 'claude');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const start = (options: Json) => connectClaude({ host: testHost().host, cwd: process.cwd(), ...options });
const failure = async (options: Json): Promise<{ code: string; message: string }> =>
  start(options).then(
    async (client) => {
      await client.close();
      throw new Error('it started');
    },
    (error) => error,
  );

describe('an error of starting names what is missing:', () => {
  const gone = join('/no', 'such', 'folder');
  it.each<[string, () => Json, RegExp]>([
    [
      'a name that is not on the PATH',
      () => ({ executable: 'no-such' }),
      /the executable no-such was not found on the PATH/,
    ],
    [
      'the same with a PATH of its own',
      () => ({ executable: 'node', env: { PATH: scratch() } }),
      /the executable node was not found on the PATH/,
    ],
    ['a path', () => ({ executable: './no/such' }), /the executable \.\/no\/such was not found; give its path/],
    ['a JavaScript file', () => ({ executable: 'no-such.mjs' }), /the executable no-such\.mjs was not found; give/],
    ['the folder', () => ({ executable: PUPPET, cwd: gone }), /the folder \/no\/such\/folder is not there/],
    [
      'the folder, not the program',
      () => ({ executable: 'node', cwd: gone }),
      /the folder \/no\/such\/folder is not there/,
    ],
    ['both: the folder, since a path may be meant from there', () => ({ executable: './x', cwd: gone }), /the folder/],
    [
      'a folder that is a file',
      () => ({ executable: 'node', cwd: program('') }),
      /claude is no folder; give one as "cwd"/,
    ],
    [
      'the interpreter of a script',
      () => ({ executable: program('#!/no/such/interpreter\n') }),
      /claude is there, and the program that its first line names \(#!\) is not/,
    ],
    ['what may not be run', () => ({ executable: program('#!/bin/sh\n', 0o644) }), /claude is not executable/],
    ['a folder as the program', () => ({ executable: scratch() }), /is not executable/],
  ])('%s', async (_, options, words) => {
    const error = await failure(options());
    expect(error).toMatchObject({ code: 'CONTROL_FAILED', message: expect.stringMatching(words) });
    expect(error.message).toContain('it did not start: ');
  });

  it('a name is looked for on this process’s own PATH where no other is given', async () => {
    const file = program('#!/no/such/interpreter\n');
    const before = process.env['PATH'];
    onTestFinished(() => {
      process.env['PATH'] = before;
    });
    process.env['PATH'] = `${dirname(file)}:${before}`;
    expect((await failure({ executable: 'claude' })).message).toContain(
      `${file} is there, and the program that its first line names (#!) is not`,
    );
  });

  it('a JavaScript file is looked for from the folder that it is started in', async () => {
    const folder = scratch();
    writeFileSync(join(folder, 'agent.mjs'), 'console.error("it ran"); process.exit(1);');
    expect((await failure({ executable: './agent.mjs', cwd: folder })).message).toContain('it ran');
  });

  it('what is there is not named', async () => {
    const folder = scratch();
    symlinkSync('/no/such/target', join(folder, 'dangling'));
    mkdirSync(join(folder, 'real'));
    const error = await failure({ executable: join(folder, 'dangling'), cwd: join(folder, 'real') });
    expect(error.message).toContain('the executable ');
    expect(error.message).not.toContain('the folder');
  });
});

describe('an error of a program that ended before it was ready quotes its first line', () => {
  it.each<[string, string, string]>([
    ['on stderr', 'echo "Not logged in. Run /login" >&2; exit 1', 'Not logged in. Run /login'],
    [
      'on stdout, where it should have written messages',
      'echo "Not logged in. Run /login"; exit 1',
      'Not logged in. Run /login',
    ],
    ['on stdout without a newline', 'printf "Please update"; exit 0', 'Please update'],
    ['behind empty lines', 'printf "\\n\\n  first words\\nmore\\n" >&2; exit 1', 'first words'],
    [
      'however much comes after it',
      'echo "the cause" >&2; i=0; while [ $i -lt 200 ]; do echo "at line number $i of a stack" >&2; i=$((i+1)); done; exit 1',
      'the cause',
    ],
  ])('%s', async (_, script, words) => {
    const error = await failure({ executable: program(`#!/bin/sh\n${script}\n`) });
    expect(error).toMatchObject({ code: 'CONTROL_FAILED' });
    expect(error.message).toContain('it ended before it was ready (exit code ');
    expect(error.message).toContain(words);
    expect(error.message.length).toBeLessThan(3_000);
  });
});

it('a child that a program has left behind, and that holds its stderr open, keeps this process from nothing', async () => {
  const pid = join(scratch(), 'pid');
  const left = `env -i setsid sh -c 'sleep 60 & echo $! > ${pid}' >/dev/null </dev/null &`;
  const file = program(
    `#!/bin/sh\n${left}\nwhile [ ! -s ${pid} ]; do sleep 0.05; done\nsleep 0.3\necho no >&2\nexit 1\n`,
  );
  onTestFinished(() => {
    try {
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    } catch {
      // It was found, and has ended.
    }
  });
  const script = `
    import { createHost } from 'hookscope';
    import { connectClaude } from 'hookscope/claude-code';
    await connectClaude({ host: createHost(), executable: process.argv[1], cwd: process.cwd() }).catch((e) => console.log(e.message));`;
  const argv = ['--input-type=module', '--eval', script, file];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: ROOT, timeout: 30_000 });
  expect(stdout).toContain('it ended before it was ready (exit code 1)');
}, 60_000);

describe('a client that does not know --include-hook-events', () => {
  /** Ends over the flag in those words; without it, it is the puppet. What it was started with is in a file. */
  const old = (refuse: string) => {
    const log = join(scratch(), 'starts');
    const flag = '*--include-hook-events*';
    const text = `#!/bin/sh\necho "$@" >> ${log}\ncase "$*" in ${flag}) ${refuse} ;; esac\nexec ${process.execPath} ${PUPPET} "$@"\n`;
    return { file: program(text), starts: () => readFileSync(log, 'utf8').trim().split('\n') };
  };

  it.each([
    `echo "error: unknown option '--include-hook-events'" >&2; exit 1`,
    `echo "error: unexpected argument --include-hook-events found" >&2; exit 2`,
    `echo "bad flag: include-hook-events"; exit 64`,
    `echo "Usage: claude [options]" >&2; echo "unknown: --include-hook-events" >&2; exit 1`,
  ])('is started without it, and that is told: %s', async (refuse) => {
    const { host } = testHost();
    const seen = tapped(host);
    const ran: string[] = [];
    const { file, starts } = old(refuse);
    const claude = await puppet();
    const connecting = connectClaude({
      host,
      executable: file,
      cwd: process.cwd(),
      args: [claude.socket],
      spawnHooks: { helper: { PreToolUse: [{ hooks: [({ tool_name }) => void ran.push(tool_name)] }] } },
    });
    const setUp = await claude.hear(isRequest('initialize'));
    await claude.say(success(setUp['request_id'], READY));
    const client = await connecting;
    onTestFinished(async () => void (await client.close()));
    expect(starts().map((line) => line.includes('--include-hook-events'))).toEqual([true, false]);
    expect(problems(seen).filter(({ problem }) => problem === 'no_effect')).toMatchObject([
      { message: expect.stringMatching(/does not know --include-hook-events and was started without/) },
    ]);
    // The hooks for its agents are there once.
    const hooks = (setUp['request'] as Json)['hooks'] as Record<string, { hookCallbackIds: string[] }[]>;
    const input = { ...BASE, hook_event_name: 'PreToolUse', ...bash('ls'), agent_id: 'a1', agent_type: 'helper' };
    const callback_id = hooks['PreToolUse']?.[0]?.hookCallbackIds[0];
    await claude.ask('q1', { subtype: 'hook_callback', callback_id, input });
    expect(ran).toEqual(['Bash']);
  });

  it('one that ends for another reason is not started again', async () => {
    const { file, starts } = old(`echo "Invalid API key" >&2; exit 1`);
    expect((await failure({ executable: file })).message).toContain('Invalid API key');
    expect(starts()).toHaveLength(1);
  });

  it('one that ends over it again is not started a third time', async () => {
    const log = join(scratch(), 'starts');
    const file = program(`#!/bin/sh\necho x >> ${log}\necho "unknown option --include-hook-events" >&2; exit 1\n`);
    expect((await failure({ executable: file })).message).toContain('unknown option --include-hook-events');
    expect(readFileSync(log, 'utf8')).toBe('x\nx\n');
  });
});

describe('a reply to initialize that is junk is an error:', () => {
  /** What connecting comes to with that reply. */
  async function replied(reply: (id: unknown) => unknown) {
    const claude = await puppet();
    const connecting = start({ executable: PUPPET, args: [claude.socket] }).then(
      async (client) => {
        await client.close();
        return 'connected';
      },
      (error) => error as { code: string; message: string },
    );
    const { request_id } = await claude.hear(isRequest('initialize'));
    await claude.say(reply(request_id));
    return connecting;
  }

  const WRONG: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    commands: fc.constantFrom(5, 'x', {}, [5], [null], ['init'], true),
    agents: fc.constantFrom(5, 'x', {}, [5], [[]], true),
    models: fc.constantFrom(5, 'x', {}, ['opus'], false),
    capabilities: fc.constantFrom(5, 'x', [5], [{}], true),
    hooks_applied: fc.constantFrom(1, 'true', [], {}),
    hook_on_failure_supported: fc.constantFrom(1, 'yes', [], {}),
    claude_code_version: fc.constantFrom(2, [], {}, true),
    output_style: fc.constantFrom(2, [], {}, true),
    available_output_styles: fc.constantFrom(2, 'x', [2], {}),
    account: fc.constantFrom(2, 'x', [], true),
    pid: fc.constantFrom('1', [], {}, true),
  };

  it('a field of a wrong type, whichever', async () => {
    const fields = Object.keys(WRONG);
    const wrong = fc
      .constantFrom(...fields)
      .chain((key) => (WRONG[key] as fc.Arbitrary<unknown>).map((v) => [key, v] as const));
    const check = async ([key, value]: readonly [string, unknown]): Promise<void> => {
      const error = await replied((id) => success(id, { ...READY, [key]: value }));
      expect(error).toMatchObject({
        code: 'CONTROL_FAILED',
        message: expect.stringContaining(`its reply to initialize makes no sense: "${key}" must be `),
      });
    };
    // Each field once, and then what comes.
    for (const key of fields) await check([key, fc.sample(WRONG[key] as fc.Arbitrary<unknown>, 1)[0]]);
    await fc.assert(fc.asyncProperty(wrong, check), { numRuns: Math.ceil(RUNS / 10) });
  });

  it.each([5, 'ready', null, [], [READY], true])('no object at all: %j', async (value) => {
    expect(await replied((id) => success(id, value as never))).toMatchObject({
      code: 'CONTROL_FAILED',
      message: expect.stringContaining('its reply to initialize makes no sense: expected an object, got '),
    });
  });

  it('success without a response', async () => {
    const reply = (id: unknown) => ({ type: 'control_response', response: { subtype: 'success', request_id: id } });
    expect(await replied(reply)).toMatchObject({ code: 'CONTROL_FAILED' });
  });

  it.each([undefined, 5, { message: 'no' }, 'Not now'])('an error reply, whatever it holds: %j', async (error) => {
    expect(await replied((id) => refusal(id, error as never))).toMatchObject({ code: 'CONTROL_REFUSED' });
  });

  it('but a field may be missing, null or new', async () => {
    expect(await replied((id) => success(id, {}))).toBe('connected');
    expect(await replied((id) => success(id, { commands: null, agents: null, pid: null, tomorrow: 5 }))).toBe(
      'connected',
    );
  });
});
