import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/cli/doctor/finding.js';
import type { HandlerRecord } from '../../src/emit/record.js';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { CATALOGUE } from '../../src/events/catalogue.js';
import { readShellOutput } from '../../src/handlers/output.js';
import { SKIP_REASONS } from '../../src/scopes/skip.js';
import { createTrustStore } from '../../src/trust/store.js';
import { type FakeCodex, writeFakeCodex } from '../connect/fake-codex.js';
import { fire } from '../emit/samples.js';
import { asNobody, asNobodyHere } from '../nobody.js';
import { anyRecords, SAMPLES } from '../store/records.js';
import { DOUBLE_STOP, ENDS, QUOTED_STOP } from '../values/double-stop.js';
import { BIN, cli } from './cli.js';

/** Settings in which a hook of connect is altered. */
interface Narrowed {
  readonly settings: { hooks: Record<string, Record<string, unknown>[]> };
  readonly hooks: Record<string, Record<string, unknown>[]>;
  readonly event: string;
  readonly other: string;
  readonly handler: Record<string, unknown>;
}

const SETTINGS: Readonly<Record<string, string>> = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  copilot: '.copilot/hooks/hookscope.json',
  cursor: '.cursor/hooks.json',
};

const HEALTHY = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"ok":true}';

let root = '';
let project = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-doctor-')));
  project = join(root, 'project');
  mkdirSync(project);
  // Connected agents find hooks somewhere.
  const elsewhere = { file: join(root, 'other/hookscope.config.json'), project: join(root, 'other') };
  const source = { kind: 'config', place: 'hookscope.config.json' };
  const store = createTrustStore(join(root, 'config/hookscope/trust.json'));
  store.accept({ ...elsewhere, source, definition: '{}', files: {}, at: '2026-01-01T00:00:00.000Z' });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const STATE = 'state/hookscope';
const write = (path: string, value: unknown): string => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
};
const keep = (...records: readonly unknown[]): string =>
  write(`${STATE}/records.ndjson`, records.map((record) => `${JSON.stringify(record)}\n`).join(''));

const env = () => ({
  HOME: join(root, 'home'),
  XDG_STATE_HOME: join(root, 'state'),
  XDG_RUNTIME_DIR: join(root, 'run'),
  XDG_CONFIG_HOME: join(root, 'config'),
});
const hookscope = (...args: string[]) => cli(args, { cwd: project, env: env() });

async function doctor(...args: string[]): Promise<{ found: DoctorFinding[]; code: number | null }> {
  const { stdout, code } = await hookscope('doctor', '--json', ...args);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { found: lines.map((line) => JSON.parse(line) as DoctorFinding), code };
}

const now = (): string => new Date().toISOString();
const handler = (fields: object = {}): HandlerRecord =>
  ({ ...fire().handlers[0], status: 'ran', verdict: 'none', ...fields }) as HandlerRecord;
/** So many fires of a host in this project, each with these hooks. */
const fires = (count: number, ...handlers: readonly HandlerRecord[]) =>
  Array.from({ length: count }, (_, i) => ({
    ...fire(i + 1),
    time: now(),
    host_id: 'h',
    input: { ...fire().input, cwd: project },
    // As an agent's own hook fires it.
    fired: { done_by: 'client' },
    handlers,
  }));

describe('hookscope doctor', () => {
  test('finds nothing where nothing is', async () => {
    const { stdout, stderr, code } = await hookscope('doctor');
    expect([stderr, code]).toEqual(['', 0]);
    expect(stdout).toBe(
      'No records are kept, so it is not known what hooks did. Agents that are connected and hookscope serve keep them; in code, ndjsonSink does.\nNothing is wrong.\n',
    );
  });

  test('finds nothing wrong with hooks that run, answer and are quick', async () => {
    keep(...fires(30, handler({ duration_ms: 5 })));
    expect(await doctor()).toEqual({ found: [], code: 0 });
  });

  test('tells of hooks that never ran though their event was fired, and why', async () => {
    const skipped = (name: string, reason: string) =>
      handler({ id: name, name, status: 'skipped', reason, matcher: 'Write' });
    keep(...fires(6, skipped('narrow', 'matcher'), skipped('off', 'disabled')));
    const { found, code } = await doctor();
    expect(code).toBe(1);
    expect(found.map(({ level, text }) => [level, text])).toEqual([
      [
        'problem',
        'off (the program that registered it) never ran, although PreToolUse was fired 6 times while it was registered: it is switched off.',
      ],
      [
        'remark',
        'narrow (the program that registered it) never ran, although PreToolUse was fired 6 times while it was registered: its matcher did not match.',
      ],
    ]);
    expect(found[1]?.fix).toContain('as in Write|Bash');
  });

  test.each([
    ['bash', 'Bash'],
    ['BASH|Grep', 'Bash'],
    ['Grep, read', 'Read'],
    ['mcp__Files__get', 'mcp__files__get'],
    ['Grep', 'Write'],
  ])(
    'proposes for the matcher %j the tool that differs from it in case alone, else the last: %j',
    async (matcher, tool) => {
      const tools = ['Bash', 'Read', 'mcp__files__get', 'Write', 'Write', 'Write'];
      const skipped = handler({ name: 'narrow', status: 'skipped', reason: 'matcher', matcher });
      keep(
        ...fires(tools.length, skipped).map((fired, i) => ({
          ...fired,
          input: { ...fired.input, tool_name: tools[i] },
        })),
      );
      const [{ fix } = { fix: '' }] = (await doctor()).found;
      expect(fix).toContain(`matches ${tool}`);
    },
  );

  test('takes for a problem what is in the way of a hook, by each reason, at once; for a remark what depends on the call', async () => {
    const reasons = Object.keys(SKIP_REASONS);
    const skipped = reasons.map((reason) => handler({ id: reason, name: reason, status: 'skipped', reason }));
    const levels = async () => (await doctor()).found.map(({ level, text }) => `${level} ${text.split(' ')[0]}`).sort();
    const wrong = ['disabled', 'invalid', 'policy', 'trust', 'unsupported'];
    const problems = wrong.map((reason) => `problem ${reason}`);
    keep(...fires(1, ...skipped));
    expect(await levels()).toEqual(problems);
    keep(...fires(6, ...skipped));
    const rest = reasons.filter((reason) => !wrong.includes(reason)).sort();
    expect(await levels()).toEqual([...problems, ...rest.map((reason) => `remark ${reason}`)]);
  });

  test('tells of hooks that always fail, that fail now and then, and that are slow', async () => {
    const failure = { cause: 'timeout', message: 'no answer after 5 s' };
    const broken = handler({ id: 'b', name: 'broken', status: 'failed', failure });
    const shaky = handler({ id: 's', name: 'shaky' });
    const failed = fires(11, { ...shaky, status: 'failed', failure } as HandlerRecord).slice(9);
    keep(...fires(9, broken, shaky, handler({ duration_ms: 1200 })), ...failed);
    const { found, code } = await doctor();
    expect(code).toBe(1);
    const texts = found.map(({ level, text }) => `${level} ${text}`);
    expect(texts[0]).toMatch(
      /^problem broken .* failed each of the 9 times it ran on PreToolUse \(timeout\), the last time with: no answer after 5 s\.$/,
    );
    expect(texts).toContainEqual(expect.stringMatching(/^remark shaky .* failed 2 of 11 times/));
    expect(texts).toContainEqual(
      expect.stringMatching(
        /^remark \.\/guard\.sh .* is slow on PreToolUse: (?:its one run took|its \d+ runs took up to|95 of 100 runs take up to) 1\.20 s\.$/,
      ),
    );
    expect((await doctor('--slow', '2s')).found).toHaveLength(2);
    expect((await doctor('--since', '2000-01-01')).found).toHaveLength(3);
  });

  describe('of a hook that was cut short by whoever asked', () => {
    const failure = { cause: 'aborted', message: 'cut short' } as const;
    const inTurn = [handler({ status: 'failed', failure, duration_ms: 5000 })];
    const background = handler({ id: 'b', status: 'background' });
    /** Fires whose background run was ended when the host closed. */
    const late = (count: number) =>
      fires(count, background).flatMap((record, i) => [
        { ...record, seq: 2 * i + 1, fire_id: `late ${i}` },
        {
          ...{ type: 'system', subtype: 'hook_response', hook_id: 'r', hook_event: 'PreToolUse', handler_id: 'b' },
          ...{ seq: 2 * i + 2, time: now(), host_id: 'h', fire_id: `late ${i}`, duration_ms: 5000, failure },
        },
      ]);

    test.each([
      ['in its turn', (count: number) => fires(count, ...inTurn)],
      ['in the background', late],
    ])('says that it never answered if that is all that it did, %s', async (_, cut) => {
      const never = async () => (await doctor()).found.map(({ level, text }) => [level, text]);
      keep(...cut(1));
      expect(await never()).toEqual([]);
      for (const count of [2, 9]) {
        keep(...cut(count));
        expect(await never()).toEqual([
          ['remark', expect.stringContaining(`has never answered on PreToolUse: each of the ${count} times it ran,`)],
        ]);
        expect((await never())[0]?.[1]).toMatch(/; it had up to 5\.00 s\.$/);
      }
      // It has run, so it is not said to be passed over.
      keep(...cut(1), ...fires(9, handler({ id: 'b', status: 'skipped', reason: 'matcher' })));
      expect(await never()).toEqual([]);
      // Beside runs of its own it counts for nothing.
      keep(...cut(9), ...fires(1, handler({ id: 'b', duration_ms: 5 })));
      expect(await never()).toEqual([]);
      keep(...cut(9), ...fires(2, handler({ id: 'b', status: 'failed', failure: { cause: 'threw', message: 'no' } })));
      expect(await never()).toEqual([
        ['problem', expect.stringContaining('failed each of the 2 times it ran on PreToolUse (threw)')],
      ]);
    });
  });

  test.each([
    [1, 'its one run took'],
    [2, 'its 2 runs took up to'],
    [19, 'its 19 runs took up to'],
    [20, '95 of 100 runs take up to'],
  ])('%i slow runs are told as so many, and a server is advised only where there was none', async (count, words) => {
    const slow = fires(count, handler({ duration_ms: 1200 }));
    keep(...slow);
    const [served] = (await doctor()).found;
    expect(served?.text).toContain(`is slow on PreToolUse: ${words} 1.20 s.`);
    expect(served?.fix).not.toContain('server');
    keep(...slow.map((record) => ({ ...record, stateless: true })));
    expect((await doctor()).found[0]?.fix).toContain('or let a server run it (hookscope serve)');
  });

  test.each([
    [1, 0, 'The one answer of ./guard.sh'],
    [3, 0, '3 of 3 answers of ./guard.sh'],
    [1, 4, '1 of 5 answers of ./guard.sh'],
  ])(
    'tells of %i blocks that look like errors of the interpreter, besides %i other answers',
    async (bad, good, words) => {
      const said = readShellOutput(
        { spec: CATALOGUE.PreToolUse, eventName: 'PreToolUse', onFailure: 'block' },
        { stdout: '', stderr: 'sh: 0: cannot open guard.sh: No such file\n', exitCode: 2 },
        { commandText: 'sh guard.sh', shell: true, outputLimit: 1000 },
      );
      const doubted = handler({ verdict: 'deny', warnings: said.warnings });
      keep(...fires(bad, doubted), ...fires(good, handler()));
      const { found, code } = await doctor();
      expect(found.map((one) => [one.level, one.text])).toEqual([
        [
          'remark',
          expect.stringMatching(
            / like an error of its interpreter, .*\. The last: sh: 0: cannot open guard\.sh: No such file\.$/,
          ),
        ],
      ]);
      expect(found[0]?.text).toContain(words);
      expect(code).toBe(0);
    },
  );

  test('tells of a hook that always fails in the background, with a secret of its message masked', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const failure = { cause: 'exit_code', message: `exit code 1: no access for ${secret}` };
    const end = { type: 'system', subtype: 'hook_response', hook_id: 'r', hook_event: 'PreToolUse', handler_id: 'b' };
    const background = handler({ id: 'b', name: 'audit', status: 'background' });
    const records = fires(20, background).flatMap((record, i) => {
      const fired = { ...record, seq: 2 * i + 1, fire_id: `f${i}` };
      const ended = {
        ...end,
        seq: 2 * i + 2,
        time: now(),
        host_id: 'h',
        fire_id: fired.fire_id,
        duration_ms: 9000,
        failure,
      };
      return [fired, ended];
    });
    keep(...records);
    const { found, code } = await doctor();
    expect([found.length, code]).toEqual([1, 1]);
    expect(found[0]?.text).toMatch(/^audit .* failed each of the 20 times it ran on PreToolUse \(exit_code\)/);
    expect(found[0]?.text).not.toContain(secret);
  });

  test('ends no sentence twice, however the texts end that it quotes', async () => {
    const texts = ENDS.map((end) => `it said so${end}`);
    const failed = (message: string, i: number): HandlerRecord =>
      handler({ name: `fails ${i}`, id: `f${i}`, status: 'failed', failure: { cause: 'threw', message } });
    const skipped = (why: string, i: number): HandlerRecord =>
      handler({ name: `skipped ${i}`, id: `s${i}`, status: 'skipped', reason: 'policy', why });
    const alarm = SAMPLES.find(({ type }) => type === 'hook_alarm');
    const alarms = texts.map((message) => ({ ...alarm, time: now(), message }));
    keep(...fires(6, ...texts.map(failed), ...texts.map(skipped)), ...alarms);
    write(`${STATE}/connections.json`, {
      connections: texts.map((text) => ({ agent: 'claude-code', file: join(root, text), handlers: [text] })),
    });
    const { found } = await doctor('--since', '1h');
    expect(found.length).toBeGreaterThanOrEqual(texts.length * 3);
    for (const { text, fix } of found)
      for (const sentence of [text, fix]) {
        expect(sentence).not.toMatch(DOUBLE_STOP);
        expect(sentence).not.toMatch(QUOTED_STOP);
        expect(sentence).toMatch(/[.?!…]["'”’»]?$/);
      }
  });

  test('tells of alarms, and of records that are missing', async () => {
    const alarm = SAMPLES.find(({ type }) => type === 'hook_alarm');
    const [first, , third] = fires(3, handler());
    const kinds = ['not_honoured', 'not_honoured', 'reopened', 'other_input', 'unasked'];
    keep(first, third, ...kinds.map((kind) => ({ ...alarm, alarm: kind, time: now() })));
    const { found, code } = await doctor();
    expect(code).toBe(1);
    expect(found.map(({ level, about, text }) => [level, about, text])).toEqual([
      ['problem', 'alarm', 'A call ran that had been denied, 2 times (not_honoured), the last time: m.'],
      [
        'problem',
        'alarm',
        'An agent went on that had ended or was never seen to start, so its scope was opened again by its type, once (reopened), the last time: m.',
      ],
      ['problem', 'alarm', 'A call ran with an input that nobody had judged, once (other_input), the last time: m.'],
      ['problem', 'alarm', 'A call ran that no hook had been asked about, once (unasked), the last time: m.'],
      [
        'remark',
        'records',
        '1 record is missing between those of one host: a sink was too slow, could not write, or was cut off.',
      ],
    ]);
  });

  test('tells of files that are not accepted, of scripts that are gone, and of mistakes in them', async () => {
    write('project/.claude/settings.json', {
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/gone.sh' }] }],
      },
    });
    const { found, code } = await doctor();
    expect(code).toBe(1);
    expect(found.map(({ level }) => level)).toEqual(['problem', 'problem']);
    expect(found[0]?.text).toContain('settings.json is not accepted');
    expect(found[1]).toMatchObject({
      about: 'file',
      text: '.claude/settings.json:1: gone.sh is not there (hooks.PreToolUse[0].hooks[0].command).',
    });
  });

  test('says of a mistake which key it is about, and of a handler without a type which it lacks', async () => {
    const hooks = write('project/hooks.json', {
      PreToolUse: [{ hooks: [{ type: 'command', command: 'true', timeout: '5' }] }],
      PreToolUs: [],
      Stop: [{ hooks: [{ command: './guard.sh' }] }],
    });
    const { found } = await doctor('--hooks', hooks);
    const texts = found.map(({ text }) => text).join('\n');
    expect(texts).toContain('(PreToolUs).');
    expect(texts).toMatch(/\(PreToolUse\[0\]\.hooks\[0\].*timeout\)\./);
    const own = await hookscope(
      'fire',
      'Stop',
      '--hooks',
      write('project/untyped.json', { Stop: [{ hooks: [{ command: './guard.sh' }] }] }),
    );
    expect([own.code, own.stderr]).toEqual([
      1,
      expect.stringContaining('has "command" and no "type"; add "type": "command"'),
    ]);
  });

  test('tells of a database that is damaged beside all else, with what to do', async () => {
    write('project/.claude/settings.json', {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/gone.sh' }] }] },
    });
    const file = write(`${STATE}/records.db`, '');
    const sink = sqliteSink(file);
    for (let seq = 1; seq <= 300; seq++) sink.push({ ...fire(seq), time: now(), host_id: 'h' });
    await sink.close();
    const whole = openSqlite(file);
    whole.all('PRAGMA wal_checkpoint(TRUNCATE)');
    whole.close();
    writeFileSync(file, readFileSync(file).fill(0xff, 60_000));
    const { found, code } = await doctor();
    expect(code).toBe(1);
    expect(found).toContainEqual({
      level: 'problem',
      about: 'records',
      text: expect.stringMatching(/records\.db: is damaged \(.+\)\.$/),
      fix: expect.stringMatching(/^Move it aside/),
    });
    expect(found.map(({ text }) => text).join('\n')).toContain('gone.sh is not there');
  });

  test.each(['records.db', 'records.ndjson'])('tells of a named pipe at %s beside all else', async (name) => {
    const file = write(`${STATE}/${name}`, '');
    rmSync(file);
    execFileSync('mkfifo', [file]);
    write('config/systemd/user/hookscope.service', '');
    const { found, code } = await doctor();
    expect([code, found.map(({ level, about }) => [level, about])]).toEqual([
      1,
      [
        ['problem', 'server'],
        ['problem', 'records'],
      ],
    ]);
    expect(found[1]).toMatchObject({
      text: `${file}: is not a regular file.`,
      fix: 'Move it away; a new one is begun.',
    });
  });

  describe('of what is in a store', () => {
    const [good, future] = [now(), '2100-01-01T00:00:00.000Z'].map((time) =>
      JSON.stringify({ ...fires(1, handler())[0], time }),
    );
    const newer = JSON.stringify({ type: 'receipt', time: now(), seq: 1 });
    const parts = { good, future, newer, garbage: 'x', torn: '{"seq":4,"ti' };
    const sets = Array.from({ length: 2 ** Object.keys(parts).length }, (_, bits) =>
      Object.keys(parts).filter((_, i) => bits & (1 << i)),
    );

    test.each(['named', 'own'])('%s, it tells that it has no record, and only then', async (whose) => {
      const of = async (names: readonly string[]) => {
        const lines = names.map((name) => parts[name as keyof typeof parts]);
        const text = names.includes('torn') ? lines.join('\n') : lines.map((line) => `${line}\n`).join('');
        const file = write(whose === 'own' ? `${STATE}/records.ndjson` : 'some.ndjson', text);
        const { stdout, stderr, code } = await hookscope('doctor', ...(whose === 'own' ? [] : ['--store', file]));
        const told = stderr.split('\n').filter((line) => line !== '');
        expect([names, new Set(told).size]).toEqual([names, told.length]);
        return { names, stdout: stdout.replaceAll(file, 'FILE'), code, told: told.length };
      };
      for (const names of sets) {
        const { stdout, ...rest } = await of(names);
        const is = (name: string): boolean => names.includes(name);
        const isEmpty = !is('good') && !is('future');
        const told = ['newer', 'garbage', 'torn'].filter(is).length;
        expect(rest).toEqual({ names, code: isEmpty && is('garbage') ? 1 : 0, told });
        const found = /^\w+ {2}.*/gm.exec(stdout)?.[0];
        const problem = 'problem  Nothing in FILE can be read as a record.';
        const remark = whose === 'own' ? undefined : 'remark  FILE holds no record that can be read.';
        expect([names, found]).toEqual([names, isEmpty ? (is('garbage') ? problem : remark) : undefined]);
      }
    });

    test('tells once of each of many lines that are no record, with their file', async () => {
      const files = ['records.db', 'records.ndjson'].map((name) => write(`${STATE}/${name}`, 'x\n'.repeat(20)));
      const { stdout, stderr } = await hookscope('doctor');
      const expected = files.flatMap((file) => [
        ...[1, 2, 3].map((line) => `hookscope: ${file}:${line}: this line is not JSON, and is left out`),
        `hookscope: ${file}: 17 more lines are no records, and are left out`,
      ]);
      expect(stderr.trimEnd().split('\n').sort()).toEqual(expected.sort());
      for (const file of files) expect(stdout.match(new RegExp(`^problem  .*${file}`, 'gm'))).toHaveLength(1);
    });

    test.each(['1.5h', '90s', '7d', '2026-01-01', '2026-01-31T09:15Z'])('says since when: %s', async (since) => {
      keep(...fires(1, handler()));
      const { stdout } = await hookscope('doctor', '--since', since);
      expect(stdout).toContain(` ${since.includes('-') ? 'since' : 'within'} ${since}.\n`);
    });
  });

  test.each(['none', 'another program'])(
    'a store that cannot be read is one finding, with %s on the socket',
    async (who) => {
      mkdirSync(join(root, STATE, 'records.ndjson'), { recursive: true });
      const socket = join(root, 'run/hookscope/serve.sock');
      mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
      const other = createServer((connection) => connection.once('data', () => connection.end(HEALTHY)));
      if (who !== 'none') await new Promise<void>((resolve) => other.listen(socket, resolve));
      const { found, code } = await doctor();
      other.close();
      const abouts = who === 'none' ? ['records'] : ['server', 'records'];
      expect([code, found.map(({ level, about }) => [level, about])]).toEqual([
        1,
        abouts.map((one) => ['problem', one]),
      ]);
    },
  );

  describe('goes on with a file of consent', () => {
    const SPOILT: readonly (readonly [what: string, spoil: (file: string) => unknown])[] = [
      ['that holds something else', (file) => writeFileSync(file, 'x')],
      ['that holds null', (file) => writeFileSync(file, 'null')],
      ['that is empty', (file) => writeFileSync(file, '')],
      ['that is a folder', (file) => mkdirSync(file)],
      ['that is a named pipe', (file) => execFileSync('mkfifo', [file])],
      ['that is a link', (file) => symlinkSync('/proc/self/environ', file)],
      ['that is closed', (file) => writeFileSync(file, '{}', { mode: 0 })],
      ['in a folder that is closed', (file) => [writeFileSync(file, '{}'), chmodSync(dirname(file), 0)]],
    ];
    const command = { type: 'command', command: 'true' };
    const oneProblem = async (config: string) => {
      write('project/.claude/settings.json', { hooks: { Stop: [{ hooks: [command] }] } });
      write('project/hookscope.config.json', { hooks: { Stop: [{ hooks: [command] }] } });
      keep(...fires(2, handler({ source: { kind: 'project', file: '.claude/settings.json' } })));
      const run = () => cli(['doctor', '--json'], { cwd: project, env: { ...env(), XDG_CONFIG_HOME: config } });
      await run();
      chmodSync(root, 0o755);
      const { stdout, stderr, code } = await asNobodyHere(run);
      const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as DoctorFinding]));
      expect([stderr, code]).toEqual(['', 1]);
      const about = found.filter(({ text }) => text.includes('trust.json'));
      expect(about).toEqual([
        {
          level: 'problem',
          about: 'file',
          text: expect.stringContaining(`${config}/hookscope/trust.json`),
          fix: 'Until this is mended, hooks that need consent do not run here.',
        },
      ]);
      return about[0]?.text;
    };

    test.each(SPOILT)('%s, and says so once', async (_, spoil) => {
      const file = join(root, 'consent/hookscope/trust.json');
      mkdirSync(dirname(file), { recursive: true });
      spoil(file);
      if (process.getuid?.() === 0) for (const one of [dirname(file), file]) lchownSync(one, 65_534, 65_534);
      await oneProblem(join(root, 'consent'));
    });

    test('in this folder, and says so once', async () => {
      expect(await oneProblem(join(project, 'config'))).toContain('it lies in the project');
    });
  });

  test('tells of a file of records that is no database, and of processes that found no room for any', async () => {
    const file = write(`${STATE}/records.db`, 'something else\n'.repeat(100));
    const mark = (pid: number): string => write(`${STATE}/records.db.writing.${pid}-0123abcd`, '');
    mark(999_999_999);
    // It is about to write its mark.
    mark(process.pid);
    const { found, code } = await doctor();
    expect(found.map(({ level, text }) => [level, text])).toEqual([
      ['problem', `${file} is no database: no record of what hooks decide is kept.`],
      [
        'problem',
        expect.stringMatching(`A process found no room for records beside ${file}, the last one at 20.*, and none was`),
      ],
    ]);
    expect(code).toBe(1);
    const { stderr } = await hookscope('history');
    expect(stderr).toContain(`no room was found for records beside ${file}, so some are not here`);
    // Where one was written since, it is over.
    keep(...fires(1, handler()));
    rmSync(file);
    expect((await doctor()).found.map(({ level, text }) => [level, text])).toEqual([
      [
        'remark',
        expect.stringMatching(`A process found no room for records beside ${file}, the last one at [^,]*\\.$`),
      ],
    ]);
    expect((await hookscope('history')).stderr).not.toContain('no room');
  });

  test.each([
    ['state/hookscope', 0o555, 'state/hookscope'],
    ['state/hookscope/records.db', 0o444, 'state/hookscope/records.db'],
  ])('tells that %s cannot be written', async (path, mode, named) => {
    const home = join(root, 'nobody');
    for (const one of ['state/hookscope', 'home', 'run', 'config', 'project'])
      mkdirSync(join(home, one), { recursive: true });
    await sqliteSink(join(home, 'state/hookscope/records.db')).close();
    writeFileSync(join(home, 'state/hookscope/records.db'), '');
    chmodSync(root, 0o755);
    chmodSync(join(home, path), mode);
    const { stdout, code } = await asNobody(
      'env',
      [
        `XDG_STATE_HOME=${join(home, 'state')}`,
        `XDG_CONFIG_HOME=${join(home, 'config')}`,
        process.execPath,
        BIN,
        'doctor',
      ],
      join(home, 'project'),
    );
    expect(stdout).toMatch(new RegExp(`^problem  .*${named} cannot be written: no record`, 'm'));
    expect(code).toBe(1);
  });

  test('tells of hooks that are registered here and that no fire lists', async () => {
    write('home/.claude/settings.json', { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } });
    const read = handler({ source: { kind: 'project', file: '.claude/settings.json' } });
    keep(...fires(2, read));
    const { found, code } = await doctor();
    expect([code, found.map(({ text }) => text)]).toEqual([
      0,
      [
        expect.stringMatching(
          /^true \(.*home\/\.claude\/settings\.json\) is registered for PreToolUse, and no fire of it here lists it\.$/,
        ),
      ],
    ]);
    keep(...fires(2, read, handler({ name: 'true' })));
    expect((await doctor()).found).toEqual([]);
  });

  test('says nothing of hooks that the client itself runs, unless records show a host that reads such files, but of those in a hooks file', async () => {
    write('home/.claude/settings.json', { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } });
    const own = write('own.json', { PreToolUse: [{ hooks: [{ type: 'command', command: 'false' }] }] });
    const told = async (kind: string) => {
      keep(...fires(2, handler({ source: { kind } })));
      const found = (await doctor('--hooks', own)).found.filter(({ about }) => about === 'hook');
      return found.map(({ text }) => text.split(' ')[0]);
    };
    for (const kind of ['code', 'hooks-file', 'config', 'plugin', 'spawn', 'codex', 'managed'])
      expect(await told(kind), kind).toEqual(['false']);
    for (const kind of ['user', 'project', 'local']) expect((await told(kind)).sort(), kind).toEqual(['false', 'true']);
  });

  test('runs nothing', async () => {
    const marker = join(root, 'ran');
    write(
      'project/hookscope.config.mjs',
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, '');\nexport default {};\n`,
    );
    write('home/.claude/settings.json', {
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${marker}` }] }] },
    });
    keep(...fires(2, handler()));
    const { found } = await doctor();
    expect(found.some(({ text }) => text.includes('hookscope.config.mjs'))).toBe(true);
    expect(existsSync(marker)).toBe(false);
  });

  test.each([
    [['--everything'], '--everything'],
    [['--agent-path', '/bin/true'], '--agent-path'],
    [['--open-network'], '--open-network'],
    [['--probe', 'codex', '--since', '1d'], '--since'],
    [['--probe', 'codex', '--hooks', 'hooks.json'], '--hooks'],
  ])('refuses %j, of which a part would do nothing', async (args, named) => {
    const { stdout, stderr, code } = await hookscope('doctor', ...args);
    expect([stdout, code]).toEqual(['', 1]);
    expect(stderr).toContain(`Invalid option ${named}: `);
  });

  test('a configuration that is wrong is a problem', async () => {
    keep(...fires(2, handler()));
    write('hooks.json', { PreToolUse: [{ hooks: [{ type: 'nothing' }] }] });
    const { found, code } = await doctor('--hooks', join(root, 'hooks.json'));
    expect(code).toBe(1);
    expect(found.some(({ text }) => text.includes('hooks.json'))).toBe(true);
  });
});

describe('hookscope doctor, of the server and connected agents', () => {
  const SCRIPT = '/no/such/hookscope-hook.sh';
  function connect(handlers: readonly string[], text = JSON.stringify({ hooks: handlers })): string {
    const file = write('home/.claude/settings.json', text);
    write(`${STATE}/connections.json`, {
      version: 1,
      connections: [{ agent: 'claude-code', file, before: null, after: '', folders: [], handlers }],
    });
    return file;
  }

  test('a connected agent that fires no events', async () => {
    const file = connect(
      [`${process.execPath} PreToolUse`],
      JSON.stringify({ env: { X: `${process.execPath} PreToolUse` } }),
    );
    // Connected by an earlier version, which did not say when.
    const silent = `^claude-code is connected \\(${file}\\)\\. No fire of it was recorded since \\d{4}-.*Z, and nothing shows that it was started\\.$`;
    expect(await doctor()).toEqual({
      found: [
        {
          level: 'remark',
          about: 'agent',
          text: expect.stringMatching(silent),
          fix: 'Start it, let it call a tool, and look again.',
        },
      ],
      code: 0,
    });
    const session = write('home/.claude/projects/-p/one.jsonl', '{}');
    expect((await doctor('--since', '0s')).code).toBe(0);
    const { found, code } = await doctor();
    expect(code).toBe(1);
    expect(found.map(({ level, text }) => [level, text])).toEqual([
      ['problem', expect.stringMatching(`and has begun a session since .* \\(${session}\\), but no fire of it was`)],
    ]);
    // A program of the user's own is no agent.
    const [fired] = fires(1, handler());
    keep({ ...fired, fired: undefined });
    expect((await doctor()).found).toEqual(found);
    keep(...fires(1, handler()));
    expect(await doctor()).toEqual({ found: [], code: 0 });
    // What it fired before it was connected again says nothing of what it does since.
    const connections = join(root, `${STATE}/connections.json`);
    const at = new Date(Date.now() + 1).toISOString();
    writeFileSync(connections, readFileSync(connections, 'utf8').replace('"file"', `"at":"${at}","file"`));
    expect((await doctor()).found.map(({ text }) => text)).toEqual([
      expect.stringMatching(/No fire of it was recorded since it was connected/),
    ]);
  });

  test.each([
    ['broken', () => write(`${STATE}/connections.json`, '{')],
    ['gone', () => rmSync(join(root, `${STATE}/connections.json`))],
  ])('hooks that connect has written are recognised where connections.json is %s', async (how, spoil) => {
    write('project/hooks.json', { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] }] });
    for (const agent of ['claude-code', 'gemini']) {
      const args = agent === 'gemini' ? ['--project'] : [];
      expect((await hookscope('connect', agent, '--write', ...args, '--hooks', 'hooks.json')).code).toBe(0);
    }
    spoil();
    const settings = join(root, 'home/.claude/settings.json');
    const unlisted = (file: string) => [
      'remark',
      `${file} has hooks that hookscope connect has written, but this user's connections.json does not list that file, so it is not known how it was before.`,
    ];
    const silent = ['remark', expect.stringMatching(/ is connected .*No fire of it was recorded/)];
    const broken = ['problem', expect.stringMatching(/connections\.json: is not what connect has written\.$/)];
    const unbound = ['remark', expect.stringContaining('No server has served')];
    const here = [unbound, unlisted(settings), unlisted(join(project, '.gemini/settings.json')), silent, silent];
    const texts = (found: readonly DoctorFinding[]) => found.map(({ level, text }) => [level, text]);
    const before = await doctor();
    expect(before.found.map(({ fix }) => fix)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('hookscope connect claude-code --undo'),
        expect.stringContaining('hookscope connect gemini --project --undo'),
      ]),
    );
    expect(texts(before.found)).toEqual(how === 'broken' ? [broken, ...here] : here);
    expect(before.code).toBe(how === 'broken' ? 1 : 0);
    // The hooks file that they name is looked at too, and a script that is gone is told.
    write('project/hooks.json', '{');
    const text = readFileSync(settings, 'utf8');
    writeFileSync(settings, text.replaceAll(/\/[^'" ]*(?=\/dist\/hookscope-hook\.sh)/g, '/moved'));
    const { found, code } = await doctor();
    expect(code).toBe(1);
    expect(texts(found)).toContainEqual(['problem', `${settings} names /moved/dist/hookscope-hook.sh, which is gone.`]);
    expect(found.some(({ level, text }) => level === 'problem' && text.includes('hooks.json'))).toBe(true);
    expect(texts(found).filter(([, text]) => text?.includes('hookscope-hook.sh is not there'))).toEqual([
      ['problem', expect.stringMatching(/\(hooks\.PreToolUse\[0\].*, and \d+ more\)\.$/)],
    ]);
    // A file that the agent cannot read at all is told too.
    writeFileSync(settings, `${text},`);
    expect(texts((await doctor()).found)).toContainEqual([
      'problem',
      expect.stringContaining(`${settings} is not read by Claude Code`),
    ]);
  });

  test('a settings file that is a named pipe or too large is not read, and a connection to it is told', async () => {
    write('project/hooks.json', { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] }] });
    expect((await hookscope('connect', 'gemini', '--project', '--write', '--hooks', 'hooks.json')).code).toBe(0);
    const settings = join(project, '.gemini/settings.json');
    const unread = {
      text: `${settings}, which connected gemini, is no file of at most 16 MiB that can be read.`,
      fix: `Connect it again: hookscope connect gemini --project --write --hooks ${join(project, 'hooks.json')}.`,
    };
    for (const make of [
      () => execFileSync('mkfifo', [settings]),
      () => writeFileSync(settings, ' '.repeat(16 * 1024 * 1024 + 1)),
    ]) {
      rmSync(settings);
      make();
      expect((await doctor()).found).toContainEqual(expect.objectContaining(unread));
    }
    rmSync(join(root, `${STATE}/connections.json`));
    expect((await doctor()).code).toBe(0);
    execFileSync('mkfifo', [join(root, `${STATE}/connections.json`)]);
    expect((await doctor()).code).toBe(1);
  });

  test.each([
    ['claude-code', 'home/.claude/projects/-project', '/subagents/agent-1.jsonl'],
    ['codex', 'home/.codex/sessions/2026/11/22', '/rollout.json'],
    ['copilot', 'home/.copilot/session-state/one', '/events.log'],
    ['gemini', 'home/.gemini/tmp/project-1/chats', '/logs.json'],
    ['cursor', 'home/.cursor/projects', undefined],
  ])('%s that was just connected is a problem only once it has begun a session', async (agent, folder, other) => {
    const run = (...args: string[]) => cli(args, { cwd: project, env: { ...env(), PATH: root } });
    const levels = async (): Promise<readonly string[]> => {
      const { stdout, code } = await run('doctor', '--json');
      const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as DoctorFinding]));
      return [String(code), ...found.map(({ level, text }) => `${level} ${/since it was connected/.test(text)}`)];
    };
    write(`${folder}/before.jsonl`, '{}');
    await new Promise((resolve) => setTimeout(resolve, 2));
    await run('connect', agent, '--write');
    if (other !== undefined) write(`${folder}${other}`, '{}');
    expect(await levels()).toEqual(['0', 'remark true']);
    write(`${folder}/after.jsonl`, '{}');
    expect(await levels()).toEqual(other === undefined ? ['0', 'remark true'] : ['1', 'problem true']);
    // Of one project's settings it is not known whether it was started there.
    await run('disconnect', agent);
    await run('connect', agent, '--project', '--write');
    expect((await levels()).slice(0, 2)).toEqual(['0', 'remark true']);
  });

  test('a connection that was taken out, whose program is gone, or whose file is gone', async () => {
    keep(...fires(1, handler()));
    const file = connect([`'${SCRIPT}' PreToolUse`], '{}');
    expect((await doctor()).found.map(({ text }) => text)).toEqual([
      `${file} no longer names '${SCRIPT}' PreToolUse: it was taken out.`,
    ]);
    connect([`'${SCRIPT}' PreToolUse`], JSON.stringify({ env: { X: `'${SCRIPT}' PreToolUse` } }));
    expect((await doctor()).found.map(({ text }) => text)).toEqual([`${file} names ${SCRIPT}, which is gone.`]);
    rmSync(file);
    expect((await doctor()).found.map(({ text }) => text)).toEqual([`${file}, which connected claude-code, is gone.`]);
  });

  test('what connect really writes is no hook of its own, and the hooks file that it names is looked at', async () => {
    write('hooks.json', { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './gone.sh' }] }] });
    const { code: wrote } = await hookscope(
      'connect',
      'claude-code',
      '--user',
      '--write',
      '--hooks',
      join(root, 'hooks.json'),
    );
    expect(wrote).toBe(0);
    keep(...fires(2, handler({ name: './gone.sh' })));
    const { found } = await doctor();
    expect(found.map(({ text }) => text)).toEqual([
      expect.stringContaining('gone.sh is not there (PreToolUse[0].hooks[0].command).'),
      expect.stringContaining(`No server has served ${join(root, 'hooks.json')} yet`),
    ]);
    rmSync(join(root, 'hooks.json'));
    expect((await doctor()).found.map(({ text }) => text)).toEqual([
      `${join(root, 'home/.claude/settings.json')} names ${join(root, 'hooks.json')}, which is gone.`,
    ]);
  });

  test('hooks that Codex does not trust, does not know, or could not be asked about', async () => {
    const file = join(root, 'codex/hooks.json');
    const codex = { CODEX_HOME: join(root, 'codex'), PATH: join(root, 'bin') };
    const program = join(root, 'fake-codex');
    const run = (...args: string[]) => cli(args, { cwd: project, env: { ...env(), ...codex } });
    const asked = async (fake: FakeCodex): Promise<string[]> => {
      writeFakeCodex(program, file, fake);
      const { stdout } = await run('doctor', '--json', '--codex', program);
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as DoctorFinding).text]));
    };
    await run('connect', 'codex', '--write');
    expect(await asked({ trust: { '*': 'trusted', stop: 'untrusted' } })).toEqual([
      `1 of 14 hooks in ${file} do not run in Codex: Stop. Codex does not trust them, and skips them without saying so.`,
    ]);
    expect(await asked({ warnings: [`${project} is not trusted`] })).toEqual([
      expect.stringMatching(/^14 of 14 hooks in .*Codex does not know them, and says: .*project is not trusted\.$/),
    ]);
    const silent = 'codex is connected (';
    expect(await asked({ instead: 'error' })).toEqual([
      expect.stringMatching(/fake-codex could not be asked which hooks it trusts/),
      expect.stringContaining(silent),
    ]);
    expect(await asked({ trust: { '*': 'trusted' } })).toEqual([expect.stringContaining(silent)]);
    // Fires of another agent are none of its.
    keep(...fires(1, handler()));
    expect(await asked({ trust: { '*': 'trusted' } })).toEqual([expect.stringContaining(silent)]);
    const [fired] = fires(1, handler());
    keep({ ...fired, input: { ...fired?.input, via: { agent: 'codex', event: 'Stop' } } });
    expect(await asked({ trust: { '*': 'managed' } })).toEqual([]);
    writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{ "version": 1,'));
    expect(await asked({ trust: { '*': 'trusted' } })).toEqual([
      expect.stringMatching(/hooks\.json is not read by Codex CLI: line 1, column 3: .*"version" voids it/),
    ]);
  });

  test.each([
    [
      'gemini',
      'gemini/.gemini/settings.json',
      '"hooks"',
      '"hooksConfig": { "enabled": false }, "hooks"',
      /says "hooksConfig\.enabled": false, so Gemini CLI/,
    ],
    [
      'gemini',
      'gemini/.gemini/settings.json',
      '"hooks"',
      '"hooksConfig": { "disabled": ["hookscope"] }, "hooks"',
      /lists "hookscope" in hooksConfig\.disabled/,
    ],
    [
      'gemini',
      'gemini/.gemini/settings.json',
      '"timeout": 600000',
      '"timeout": 600',
      /gives 0\.6 s to hookscope's hook on SessionStart, but it was written for 600: Gemini CLI would go on without its answer/,
    ],
    ['gemini', 'gemini/.gemini/settings.json', '{', '{,', /is not read by Gemini CLI: line 1, column 2/],
    [
      'copilot',
      'copilot/hooks/hookscope.json',
      '"version"',
      '"disableAllHooks": true, "version"',
      /says "disableAllHooks": true, so GitHub Copilot CLI/,
    ],
    [
      'copilot',
      'copilot/hooks/hookscope.json',
      '"timeoutSec": 600',
      '"timeoutSec": 30',
      /gives 30 s to hookscope's hook on preToolUse, but it was written for 600/,
    ],
    [
      'copilot',
      'copilot/hooks/hookscope.json',
      /,\s*"timeoutSec": 600/,
      '',
      /gives 30 s to hookscope's hook on preToolUse, but it was written for 600/,
    ],
    [
      'copilot',
      'copilot/hooks/hookscope.json',
      /dist\/hookscope-hook/g,
      'dist/none',
      /altered command in .* on preToolUse, .*: they say \S+none\.sh instead of/,
    ],
    ['cursor', 'home/.cursor/hooks.json', '"version": 1', '"version": 3', /is not read by Cursor: .*"version": 1/],
    [
      'claude-code',
      'claude/settings.json',
      '"hooks"',
      '"disableAllHooks": true, "hooks"',
      /says "disableAllHooks": true, so Claude Code/,
    ],
  ] as const)('what somebody has changed in the file of %s (%s)', async (agent, path, from, to, message) => {
    const homes = {
      COPILOT_HOME: join(root, 'copilot'),
      GEMINI_CLI_HOME: join(root, 'gemini'),
      CLAUDE_CONFIG_DIR: join(root, 'claude'),
    };
    const run = (...args: string[]) => cli(args, { cwd: project, env: { ...env(), ...homes } });
    const texts = async (): Promise<string[]> => {
      const { stdout } = await run('doctor', '--json');
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as DoctorFinding).text]));
    };
    await run('connect', agent, '--write');
    const [fired] = fires(1, handler());
    keep({ ...fired, input: { ...fired?.input, via: { agent, event: 'x' } } });
    expect(await texts()).toEqual([]);
    const file = join(root, path);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    expect(await texts()).toEqual([expect.stringMatching(message)]);
  });

  const NARROWED: readonly (readonly [what: string, edit: (at: Narrowed) => void, message: RegExp])[] = [
    [
      'moved to another event',
      ({ hooks, event, other }) => {
        hooks[other]?.push(...(hooks[event] ?? []));
        delete hooks[event];
      },
      / no longer has hookscope's hook on pre_: it stands under post_\.$/,
    ],
    [
      'put under a key that is not read',
      ({ settings, hooks }) => Object.assign(settings, { hooks: {}, description: { hooks } }),
      / no longer has hookscope's hooks on .* they stand under description\.hooks, where /,
    ],
    ['given a condition', ({ handler }) => Object.assign(handler, { if: 'x' }), / has "if": "x" in .* on pre_,/],
    [
      'kept from blocking by its command',
      ({ handler }) => Object.assign(handler, { command: `${handler['command']} || true` }),
      / has an altered command in .* on pre_: behind what connect wrote it says \|\| true\.$/,
    ],
    [
      'given other options',
      ({ handler }) => Object.assign(handler, { command: `${handler['command']} --on-failure allow` }),
      / has an altered command in .* on pre_: behind what connect wrote it says --on-failure allow\.$/,
    ],
    ['without its list', ({ hooks, event }) => delete hooks[event], / no longer has hookscope's hook on pre_: it was/],
  ];

  test.each(
    ['claude-code', 'claude-code --http --port 7007', 'codex', 'gemini', 'copilot', 'cursor'].flatMap((agent) =>
      (['listed', 'unlisted'] as const).map((how) => [agent, how] as const),
    ),
  )(
    'a hook of %s (%s) that no longer is what was written is told, and the advice, followed to the letter, mends it',
    async (agent, how) => {
      const [name = '', ...http] = agent.split(' ');
      const hooksFile = write("my project's/hooks.json", { PreToolUse: [] });
      const named = http.length > 0 ? [] : ['--hooks', hooksFile, ...(name === 'gemini' ? ['--attended'] : [])];
      const run = (...args: string[]) => cli(args, { cwd: project, env: { ...env(), PATH: root } });
      expect((await run('connect', name, '--write', ...http, ...named)).code).toBe(0);
      const file = join(root, 'home', SETTINGS[name] as string);
      const text = readFileSync(file, 'utf8');
      const told = async (): Promise<DoctorFinding[]> => {
        const { stdout } = await run('doctor', '--json');
        const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as DoctorFinding]));
        return found.filter(({ level, about }) => level === 'problem' && about === 'agent');
      };
      for (const [what, edit, message] of NARROWED) {
        writeFileSync(file, text);
        if (http.length > 0 && what.includes('command')) continue;
        if (http.length > 0 && what.includes('options')) continue;
        // Without a list of what was written, it is not known that there was more.
        if (how === 'unlisted' && /key/.test(what)) continue;
        if (how === 'unlisted') rmSync(join(root, STATE, 'connections.json'), { force: true });
        const settings = JSON.parse(text) as Narrowed['settings'];
        const { hooks } = settings;
        const of = (part: RegExp): string => Object.keys(hooks).find((one) => part.test(one)) as string;
        const [event, other] = [of(/^(?:pre|before)Tool/i), of(/^(?:post|after)Tool/i)];
        const [entry = {}] = hooks[event] ?? [];
        edit({
          settings,
          hooks,
          event,
          other,
          handler: (entry['hooks'] as [Record<string, unknown>] | undefined)?.[0] ?? entry,
        });
        writeFileSync(file, JSON.stringify(settings));
        const found = await told();
        const spelled = new RegExp(message.source.replace('pre_', event).replace('post_', other));
        const isVoid = name === 'codex' && /key/.test(what);
        // A request with another key is not recognised as ours.
        const isGone = how === 'unlisted' && (/without/.test(what) || (http.length > 0 && /condition/.test(what)));
        const expected = isVoid
          ? /is not read|no longer/
          : isGone
            ? new RegExp(`lacks hookscope's hook on ${event}\\.$`)
            : spelled;
        expect([what, found.map((one) => one.text)]).toEqual([what, [expect.stringMatching(expected)]]);
        const [, advice = ''] = /^Connect it again: hookscope (.*)\.$/.exec(found[0]?.fix ?? '') ?? [];
        const words = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${advice}`], { encoding: 'utf8' })
          .split('\0')
          .slice(0, -1);
        expect([what, (await run(...words)).code]).toEqual([what, 0]);
        expect([what, await told()]).toEqual([what, []]);
        if (named.length > 0) expect(readFileSync(file, 'utf8')).toContain("hooks.json'");
      }
    },
  );

  test('a project of Copilot that switches all hooks off', async () => {
    const run = (...args: string[]) =>
      cli(args, { cwd: project, env: { ...env(), COPILOT_HOME: join(root, 'copilot') } });
    await run('connect', 'copilot', '--write');
    mkdirSync(join(project, '.git'));
    const file = write('project/.github/copilot/settings.local.json', { disableAllHooks: true });
    const { stdout } = await run('doctor', '--json');
    expect(stdout).toContain(`${file} says`);
  });

  test('an agent that asks an address, and no server', async () => {
    const address = 'http://127.0.0.1:7007/hooks/PreToolUse';
    await hookscope('connect', 'claude-code', '--write', '--http', '--port', '7007');
    keep(...fires(1, handler()));
    const { found, code } = await doctor();
    expect([code, found.map(({ text }) => text)]).toEqual([
      1,
      [
        `claude-code asks ${address} about its calls, but no server runs: Claude Code 2.1.296 and later block what can be denied, and everything else goes on unasked.`,
      ],
    ]);
  });

  test.each([
    ['config/systemd/user/hookscope.service', 'systemctl --user start hookscope'],
    ['home/Library/LaunchAgents/dev.hookscope.serve.plist', 'launchctl kickstart gui/$(id -u)/dev.hookscope.serve'],
  ])('a server that is installed by %s is started by the system, which knows its options', async (path, start) => {
    await hookscope('connect', 'claude-code', '--write', '--http', '--port', '1');
    keep(...fires(1, handler()));
    write(
      path,
      path.endsWith('.plist') ? '<string>--port</string><string>1</string>' : 'ExecStart="serve" "--port" "1"',
    );
    const fixes = async () => (await doctor()).found.map(({ fix }) => fix);
    expect(await fixes()).toEqual([`Start it: ${start}.`, `Start the server: ${start}.`]);
  });

  test('a server that is installed and does not run, or has left its socket', async () => {
    keep(...fires(1, handler()));
    const unit = write('config/systemd/user/hookscope.service', '');
    expect((await doctor()).found.map(({ text }) => text)).toEqual([
      `A server is installed (${unit}) but does not run.`,
    ]);
    const socket = join(root, 'run/hookscope/serve.sock');
    mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
    // One that takes connections and says nothing of itself is none of ours.
    const stranger = createServer((connection) => connection.resume().end('no\r\n\r\n'));
    await new Promise<void>((resolve) => stranger.listen(socket, resolve));
    expect((await doctor()).found.map(({ text }) => text)).toEqual([
      `A server left its socket behind, ${socket}, and nobody answers there.`,
    ]);
    await new Promise((resolve) => stranger.close(resolve));
    // One that answers, but not as the user's own.
    const other = createServer((connection) => connection.once('data', () => connection.end(HEALTHY)));
    await new Promise<void>((resolve) => other.listen(socket, resolve));
    expect((await doctor()).found.map(({ text }) => text)).toEqual([
      expect.stringMatching(/What answers on the socket .*serve\.sock does not prove that it is your server/),
    ]);
    await new Promise((resolve) => other.close(resolve));
  });

  test('the advice to start the server names what was served last, or says that it is to be named', async () => {
    await hookscope('connect', 'claude-code', '--write', '--http', '--port', '1');
    keep(...fires(1, handler()));
    const fixes = async () => (await doctor()).found.map(({ fix }) => fix);
    expect(await fixes()).toEqual([
      'Start the server: hookscope serve --port 1, with the hooks that it is to serve (--hooks, --config, --plugin or --project).',
    ]);
    const hooks = write("my project's/hooks.json", {});
    const bindings = { files: {}, scripts: {} };
    const served = { version: 1, set: { hooks: [hooks] }, cwd: project, projects: [project], dev: true, bindings };
    chmodSync(write(`${STATE}/served.json`, served), 0o600);
    chmodSync(join(root, STATE), 0o700);
    expect(await fixes()).toEqual([
      `Start the server: hookscope serve --hooks '${hooks.replace("'", "'\\''")}' --project ${project} --port 1 --dev.`,
    ]);
  });

  test('whatever stands in those files, it is looked at without harm', async () => {
    const samples = fc.sample(anyRecords, 200);
    write(`${STATE}/records.ndjson`, `${samples.join('\n')}\n`);
    for (const found of [
      '[]',
      '{"connections":{}}',
      '{"connections":[null,{"agent":1},{"agent":"\u001b[2J","file":"/x\u202e","handlers":[1,"/y"]}]}',
      'x',
    ]) {
      write(`${STATE}/connections.json`, found);
      const { stdout, stderr } = await hookscope('doctor', '--since', '2000-01-01');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what no terminal may see
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(stderr).not.toMatch(/TypeError|RangeError/);
    }
  });
});
