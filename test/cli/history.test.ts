import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDuration, readMoment } from '../../src/cli/option-values.js';
import type { TraceEvent } from '../../src/cli/trace/event.js';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { fire, stamped } from '../emit/samples.js';
import { ROOT } from '../package/sources.js';
import { anyRecords, SAMPLES } from '../store/records.js';
import { cli, isOneMessage, SESSIONS } from './cli.js';
import { problemsIn } from './trace-rules.js';

test.each(['history --store', 'why last --store', 'stats --store', 'watch --store', 'replay'])(
  'hookscope %s of a pipe or a folder is an error at once',
  async (command) => {
    const place = mkdtempSync(join(tmpdir(), 'hookscope-history-'));
    execFileSync('mkfifo', [join(place, 'pipe')]);
    for (const store of [join(place, 'pipe'), place]) {
      const { stdout, stderr, code } = await cli([...command.split(' '), store], { cwd: place });
      expect([stdout, code]).toEqual(['', 1]);
      expect(stderr).toMatch(/is not a regular file|is a directory|is a folder/);
    }
    rmSync(place, { recursive: true, force: true });
  },
);

let folder = '';
let demo = '';
let records: HookRecord[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-history-'));
  demo = join(folder, 'demo.ndjson');
  const config = join(ROOT, 'examples/demo/hookscope.config.ts');
  const session = join(SESSIONS, 'two-parallel-subagents.jsonl');
  const { stdout } = await cli(['run', '--config', config, session, '--json'], { cwd: ROOT });
  writeFileSync(demo, stdout);
  records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HookRecord)
    .filter(({ type }) => (type as string) !== 'run_summary');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fires = (): FireRecord[] => records.filter((record) => record.type === 'hook_fire');
const env = () => ({ XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: join(folder, 'run') });
const hookscope = (...args: string[]) => cli(args, { cwd: folder, env: env() });
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const line = (record: unknown): string => `${JSON.stringify(record)}\n`;

function store(name: string, ...all: readonly unknown[]): string {
  const file = join(folder, name);
  writeFileSync(file, all.map(line).join(''));
  return file;
}

/** The fires that a command prints. */
async function shown(...args: string[]): Promise<FireRecord[]> {
  const { stdout, code } = await hookscope('history', '--store', demo, '--json', '--limit', '0', ...args);
  expect(code).toBe(0);
  return lines(stdout).map((text) => JSON.parse(text) as FireRecord);
}

describe('hookscope history', () => {
  test('prints every fire as one line, the newest last', async () => {
    const { stdout, stderr, code } = await hookscope('history', '--store', demo, '--limit', '0');
    expect([stderr, code]).toEqual(['', 0]);
    const all = lines(stdout);
    expect(all).toHaveLength(fires().length);
    for (const [i, text] of all.entries()) {
      const { time, event } = fires()[i] as FireRecord;
      expect(text.startsWith(`${time.slice(0, 10)} ${time.slice(11, 23)}  `)).toBe(true);
      expect(text).toContain(event);
    }
    expect(all.find((text) => text.includes('out/summary.txt  '))).toMatch(
      /builder a9e488 {4}PreToolUse Write out\/summary\.txt +deny by hookscope-plugin-protected-paths\/protectPaths: "out\/summary\.txt is protected \(out\/\*\*\)" {2}[0-9a-f]{6}\.\.[0-9a-f]+$/,
    );
  });

  test('shows so many of the newest, and says that there are more', async () => {
    const { stdout, stderr } = await hookscope('history', '--store', demo, '--limit', '3', '--json');
    expect(lines(stdout).map((text) => (JSON.parse(text) as HookRecord).seq)).toEqual(
      fires()
        .slice(-3)
        .map(({ seq }) => seq),
    );
    expect(stderr).toBe('hookscope: the newest 3 are shown; --limit N shows more, --limit 0 all of them\n');
  });

  test('says that there are more also where older records alone tell whose they are', async () => {
    const built = { ...fire(1), input: { agent_type: 'builder' }, agent_id: 'a1' };
    const { host_id, session_id } = built;
    const alarm = { ...SAMPLES.find((one) => one['type'] === 'hook_alarm'), agent_id: 'a1', host_id, session_id };
    const file = store('whose.ndjson', built, { ...alarm, seq: 2 }, { ...alarm, seq: 3 });
    const { stdout, stderr } = await hookscope(
      'history',
      '--store',
      file,
      '--agent',
      'builder',
      '--limit',
      '1',
      '--json',
    );
    expect(lines(stdout).map((text) => (JSON.parse(text) as HookRecord).seq)).toEqual([3]);
    expect(stderr).toContain('the newest 1 are shown');
  });

  test('a trace of hooks that are not enforced has none of another program', async () => {
    const run = { ...stamped(1), origin: 'claude', outcome: 'success', duration_ms: 1 };
    const file = store('origin.ndjson', { ...run, subtype: 'hook_started' }, { ...run, seq: 2 });
    const slices = async (...args: string[]): Promise<number> => {
      const { stdout } = await hookscope('history', '--store', file, '--format', 'trace', ...args);
      return (JSON.parse(stdout) as { traceEvents: TraceEvent[] }).traceEvents.filter(({ ph }) => ph === 'X').length;
    };
    expect([await slices(), await slices('--shadow'), await slices('--blocked')]).toEqual([1, 0, 0]);
  });

  test('prints records as they are', async () => {
    expect(await shown()).toEqual(fires());
  });

  test.each<[string[], (record: FireRecord) => boolean]>([
    [['--blocked'], ({ decision }) => decision.verdict === 'deny'],
    [['--agent', 'builder'], ({ input }) => input['agent_type'] === 'builder'],
    [['--agent', 'a4b31'], ({ agent_id: id }) => id?.startsWith('a4b31') === true],
    [['--agent', 'main'], ({ agent_id: id }) => id === undefined],
    [['--event', 'pre-tool-use'], ({ event }) => event === 'PreToolUse'],
    [['--hook', 'inTime'], ({ handlers }) => handlers.some((h) => h.name === 'inTime' && h.status === 'ran')],
    [
      ['--hook', 'protectPaths'],
      ({ handlers }) => handlers.some((h) => h.name.endsWith('/protectPaths') && h.status === 'ran'),
    ],
    [['--slow', '2ms'], ({ handlers }) => handlers.some((h) => (h.duration_ms ?? 0) >= 2)],
    [
      ['--agent', 'builder', '--blocked'],
      ({ input, decision }) => input['agent_type'] === 'builder' && decision.verdict === 'deny',
    ],
    [['--since', '1h'], () => true],
    [['--until', '1h'], () => false],
    [['--alarms'], () => false],
  ])('%j', async (args, wanted) => {
    const expected = fires().filter(wanted);
    expect(await shown(...args)).toEqual(expected);
    const newest = await hookscope('history', '--store', demo, '--json', '--limit', '1000', ...args);
    expect(lines(newest.stdout).map((text) => JSON.parse(text))).toEqual(expected);
    if (expected.length === 0) expect(newest.stderr).toBe(`hookscope: nothing of that kind is in ${demo}\n`);
  });

  test('with --since leaves out what was made before', async () => {
    const old = { ...fire(1), time: '2020-01-01T00:00:00.000Z' };
    const young = { ...fire(2), time: new Date().toISOString() };
    const file = store('since.ndjson', old, young);
    const seqs = async (...args: string[]) => {
      const { stdout } = await hookscope('history', '--store', file, '--json', ...args);
      return lines(stdout).map((text) => (JSON.parse(text) as HookRecord).seq);
    };
    expect(await seqs('--since', '90s')).toEqual([2]);
    expect(await seqs('--since', '2019-12-31')).toEqual([1, 2]);
    expect(await seqs('--until', '2020-01-01T00:00Z')).toEqual([1]);
  });

  test('shows alarms and calls that were denied, of an agent by its type too', async () => {
    const { host_id, session_id } = fire(1);
    const of = (type: string) => ({ ...SAMPLES.find((one) => one['type'] === type), host_id, session_id });
    const [call, alarm] = [of('tool_call'), of('hook_alarm')];
    const file = store(
      'alarms.ndjson',
      { ...fire(1), input: { agent_type: 'builder' }, agent_id: 'a1' },
      { ...call, agent_id: 'a1', seq: 2 },
      { ...call, agent_id: 'a2', agent_type: 'surveyor', seq: 3 },
      { ...call, status: 'ran', seq: 4 },
      { ...alarm, agent_id: 'a1', seq: 5 },
      // Of an agent of whom the next record tells the type.
      { ...alarm, agent_id: 'a3', seq: 6 },
      { ...fire(7), event: 'SubagentStart', input: { agent_type: 'late' }, agent_id: 'a3' },
      { ...fire(8), input: {}, agent_id: 'a3' },
    );
    const seqs = async (...args: string[]) => {
      const { stdout } = await hookscope('history', '--store', file, '--json', ...args);
      return lines(stdout).map((text) => (JSON.parse(text) as HookRecord).seq);
    };
    for (const limit of ['0', '100']) {
      expect(await seqs('--limit', limit)).toEqual([1, 2, 3, 5, 6, 7, 8]);
      expect(await seqs('--limit', limit, '--alarms')).toEqual([5, 6]);
      expect(await seqs('--limit', limit, '--alarms', '--agent', 'builder')).toEqual([5]);
      expect(await seqs('--limit', limit, '--blocked')).toEqual([1, 2, 3, 7, 8]);
      expect(await seqs('--limit', limit, '--agent', 'builder')).toEqual([1, 2, 5]);
      expect(await seqs('--limit', limit, '--agent', 'surveyor')).toEqual([3]);
      expect(await seqs('--limit', limit, '--agent', 'late')).toEqual([6, 7, 8]);
      expect(await seqs('--limit', limit, '--agent', 'late', '--alarms')).toEqual([6]);
      const { stdout } = await hookscope('history', '--store', file, '--alarms', '--limit', limit);
      expect(stdout).toMatch(/builder a1 .*\n.*late a3 /);
    }
    const trace = await hookscope('history', '--store', file, '--format', 'trace', '--agent', 'late');
    expect(trace.stdout).toContain('ALARM not_honoured');
    const { stdout } = await hookscope('history', '--store', file);
    expect(stdout).toMatch(/builder a1 .*call of Bash +denied by hook guards#1 {2}t\n/);
    expect(stdout).toMatch(/builder a1 .*ALARM Bash +not_honoured: m {2}t\n/);
  });

  describe('what decided about a call', () => {
    const { host_id, session_id } = fire(1);
    const sample = SAMPLES.find((one) => one['type'] === 'tool_call');
    const handlers = [{ ...fire().handlers[0], id: 'project#8', name: '/p/no-secret.sh' }];
    const of = (call: string, seq: number, more = {}) => ({
      ...fire(seq, { handlers } as never),
      tool_use_id: call,
      ...more,
    });
    const call = (id: string, seq: number, more = {}) => ({
      ...sample,
      host_id,
      session_id,
      ...{ status: 'denied', denied_by: 'hook', decided_by: 'project#8', tool_use_id: id, seq },
      ...more,
    });
    const named = /call of Bash +denied by hook (.*?) {2}/g;
    const deciders = async (file: string, ...args: string[]) => {
      const { stdout } = await hookscope('history', '--store', file, ...args);
      return [...stdout.matchAll(named)].map(([, name]) => name);
    };

    test('has its name, as the fire of that call tells it', async () => {
      const file = store(
        'deciders.ndjson',
        of('c1', 1),
        call('c1', 2),
        // The same ids in another session, and a call of which no fire is kept.
        of('c1', 3, { session_id: 'other', handlers: [{ ...handlers[0], name: 'theirs' }] }),
        call('c1', 4, { session_id: 'other' }),
        call('c2', 5),
        // A later fire of the call, in which other hooks ran.
        of('c3', 6),
        of('c3', 7, { event: 'PermissionDenied', handlers: [{ ...handlers[0], id: 'project#9', name: 'log' }] }),
        call('c3', 8),
      );
      const expected = ['/p/no-secret.sh', 'theirs', 'project#8', '/p/no-secret.sh'];
      for (const limit of ['0', '100']) expect(await deciders(file, '--limit', limit)).toEqual(expected);
      // Its fire is older than the oldest record that is shown.
      expect(await deciders(file, '--limit', '1')).toEqual(['/p/no-secret.sh']);
      expect(await deciders(file, '--limit', '5', '--blocked')).toEqual(expected.slice(1));
      const { stdout } = await hookscope('why', 'c', '--store', file);
      expect([...stdout.matchAll(named)].map(([, name]) => name).sort()).toEqual([
        '/p/no-secret.sh',
        'project#8',
        'theirs',
      ]);
    });

    test('is masked', async () => {
      const secret = `ghp_${'aB3dE5gH7j'.repeat(4).slice(0, 36)}`;
      const told = of('c1', 1, { handlers: [{ ...handlers[0], name: `curl -H ${secret}` }] });
      const file = store('masked-decider.ndjson', told, call('c1', 2));
      for (const limit of ['0', '1']) {
        const [name] = await deciders(file, '--limit', limit);
        expect(name).toMatch(/^curl -H /);
        expect(name).not.toContain(secret);
      }
    });
  });

  test('with --long lists what every hook said', async () => {
    const { stdout } = await hookscope('history', '--store', demo, '--blocked', '--agent', 'builder', '--long');
    expect(stdout).toMatch(/\n {2}onlyTheReport +callback spawn +none/);
    expect(stdout).toContain('did not run: its matcher did not match');
  });

  test('masks the secrets of a store that holds them, and shows them where that is asked', async () => {
    const secret = `ghp_${'aB3dE5gH7j'.repeat(4).slice(0, 36)}`;
    const hooks = [{ ...fire().handlers[0], name: `curl -H ${secret}` }];
    const record = fire(1, {
      input: { tool_name: 'Bash', tool_input: { command: `git push https://${secret}@github.com` } },
      handlers: hooks as FireRecord['handlers'],
    });
    const file = store('secret.ndjson', { ...record, time: new Date().toISOString() });
    const failing = {
      ...record,
      handlers: [{ ...hooks[0], status: 'failed', failure: { cause: 'threw', message: secret } }],
    };
    const broken = store('broken.ndjson', { ...failing, time: new Date().toISOString() });
    for (const args of [
      ['history'],
      ['history', '--json'],
      ['history', '--long'],
      ['why', 'last'],
      ['why', 'fire'],
      ['why', 'last', '--json'],
      ['stats'],
      ['doctor'],
    ]) {
      const place = args[0] === 'doctor' ? broken : file;
      const { stdout, stderr } = await hookscope(...args, '--store', place);
      expect(stdout, args.join(' ')).toMatch(/\[redacted|redacted/);
      expect(stdout + stderr, args.join(' ')).not.toContain(secret.slice(0, 12));
      expect((await hookscope(...args, '--store', place, '--no-redact')).stdout, args.join(' ')).toContain(
        secret.slice(0, 8),
      );
    }
  });

  test('reads the default place, and says where that is when there is nothing', async () => {
    const nothing = await hookscope('history');
    expect([nothing.stdout, nothing.code, isOneMessage(nothing.stderr)]).toEqual(['', 1, true]);
    expect(nothing.stderr).toContain(`${join(folder, 'state/hookscope')}: holds no records`);
    mkdirSync(join(folder, 'state/hookscope'), { recursive: true });
    writeFileSync(join(folder, 'state/hookscope/records.ndjson'), line(fire(1)));
    expect(lines((await hookscope('history')).stdout)).toHaveLength(1);
    rmSync(join(folder, 'state'), { recursive: true });
  });

  test('hookscope fire stores no records, and who looks for some is told what does', async () => {
    await hookscope('fire', 'Stop', '--no-config');
    for (const args of [['history'], ['why', 'last'], ['stats']]) {
      const { stderr, code } = await hookscope(...args);
      expect([stderr, code]).toEqual([
        `hookscope: ${join(folder, 'state/hookscope')}: holds no records, and no server of yours runs. hookscope fire keeps none: use hookscope hook or hookscope serve, or ndjsonSink(file) in code. To read another file, add --store FILE.\n`,
        1,
      ]);
    }
  });

  test.each([
    [['history', '--since', 'yesterday'], '--since: expected how long ago, as in 90s, 1h or 2d, or a time'],
    [['history', '--since', '1y'], 'got "1y"'],
    [['history', '--slow', '1'], '--slow: expected a duration, as in 250ms'],
    [['history', '--limit', '-1'], '--limit: expected a whole number of 0 or more, got "-1"'],
    [['stats', '--by', 'hook'], '--by: expected agent or event, got "hook"'],
    [['history', '--store', '/no/such/file'], '/no/such/file: there is no such file'],
    [['why', 'nothing', '--store', 'DEMO'], 'holds no fire and no call with the id nothing'],
  ])('%j is one message', async (args, message) => {
    const { stdout, stderr, code } = await hookscope(...args.map((arg) => (arg === 'DEMO' ? demo : arg)));
    expect([stdout, code, isOneMessage(stderr)]).toEqual(['', 1, true]);
    expect(stderr).toContain(message);
  });

  test('a file that anybody has written into is read without harm', async () => {
    const file = join(folder, 'hostile.ndjson');
    writeFileSync(file, '');
    for (const text of fc.sample(anyRecords, 400)) appendFileSync(file, `${text}\n`);
    const deep = `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    appendFileSync(file, `${JSON.stringify(fire(1)).replace('"input":{', `"input":{"deep":${deep},`)}\n\u001b[2J\n`);
    for (const args of [
      ['history', '--limit', '0', '--long'],
      ['history', '--json'],
      ['stats'],
      ['why', 'fire-1'],
      ['why', 'last'],
    ]) {
      const { stdout, stderr } = await hookscope(...args, '--store', file);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what no terminal may see
      expect(stdout + stderr, args.join(' ')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(stderr).not.toMatch(/RangeError|TypeError|\n\s+at /);
    }
  });
});

describe('durations and moments', () => {
  test.each([
    ['90s', 90_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['1.5m', 90_000],
    ['250ms', 250],
    ['1w', 604_800_000],
  ])('%s', (text, milliseconds) => {
    expect(readDuration(text, '--slow')).toBe(milliseconds);
    expect(readMoment(text, '--since', 1e12)).toBe(1e12 - milliseconds);
  });

  test.each([
    '',
    '1',
    'h',
    '-1h',
    '1 h',
    '1H',
    '2026-13-01',
    '2026-02-30',
    '2026-04-31T09:15Z',
    '2025-02-29',
    '2026-01-31 09:15',
    'last week',
    '99999999999w',
    '1e3s',
  ])('%j is none', (text) => {
    expect(() => readMoment(text, '--since')).toThrow(/^Invalid option --since: expected/);
  });
});

describe('hookscope stats', () => {
  test('counts runs, denials and failures of each hook, and its times, the slowest first', async () => {
    const handler = (name: string, duration_ms: number, fields: object = {}) => ({
      ...fire().handlers[0],
      id: `${name}#1`,
      name,
      duration_ms,
      verdict: 'none',
      ...fields,
    });
    const all = Array.from({ length: 100 }, (_, i) => ({
      ...fire(i + 1),
      handlers: [
        handler('quick', i / 100, { reasked: 1 }),
        handler('slow', i + 1, i < 10 ? { verdict: 'deny' } : {}),
        handler('never', 0, { status: 'skipped', reason: 'matcher' }),
        handler('broken', 5, { status: 'failed', failure: { cause: 'threw', message: 'm' } }),
      ],
    }));
    const file = store('stats.ndjson', ...all);
    const { stdout } = await hookscope('stats', '--store', file, '--json');
    expect(lines(stdout).map((text) => JSON.parse(text))).toEqual([
      { hook: 'slow', runs: 100, denials: 10, failures: 0, p50: 50, p95: 95, p99: 99, max: 100 },
      { hook: 'broken', runs: 100, denials: 0, failures: 100, p50: 5, p95: 5, p99: 5, max: 5 },
      { hook: 'quick', runs: 100, denials: 0, failures: 0, p50: 0.49, p95: 0.94, p99: 0.98, max: 0.99 },
    ]);
    const table = lines((await hookscope('stats', '--store', file)).stdout);
    expect(table[0]).toBe('hook    runs  denials  failures  p50 ms  p95 ms  p99 ms');
    expect(table[1]).toBe('slow     100       10         0      50      95      99');
  });

  test('a background hook counts when it has ended', async () => {
    const background = { ...fire().handlers[0], status: 'background', duration_ms: 1 };
    const ended = { ...stamped(2), fire_id: 'fire-1', handler_id: 'guards#1', duration_ms: 700 };
    const file = store('background.ndjson', { ...fire(1), handlers: [background] }, ended);
    const { stdout } = await hookscope('stats', '--store', file, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ hook: './guard.sh', runs: 1, p50: 700 });
    const failure = { cause: 'exit_code', message: 'exit code 1: no disk' };
    const failed = { ...ended, seq: 1, exit_code: 1, outcome: 'error', failure };
    const early = store('early.ndjson', failed, { ...fire(2), handlers: [background] });
    const counted = await hookscope('stats', '--store', early, '--json');
    expect(JSON.parse(counted.stdout)).toMatchObject({ hook: './guard.sh', runs: 1, failures: 1, p50: 700 });
    for (const records of [
      early,
      store('late.ndjson', { ...fire(1), handlers: [background] }, { ...failed, seq: 2 }),
    ]) {
      const told = await hookscope('why', 'last', '--store', records);
      expect(told.stdout).toContain('there it failed (exit_code: exit code 1: no disk) (700 ms).');
      expect(told.stdout).toContain('For ./guard.sh to work: it ended with 1 and no answer;');
    }
  });

  test('says which hooks ran for an agent', async () => {
    const { stdout } = await hookscope('stats', '--store', demo, '--agent', 'builder', '--json');
    const ran = fires()
      .filter(({ input }) => input['agent_type'] === 'builder')
      .flatMap(({ handlers }) => handlers.filter(({ status }) => status !== 'skipped').map(({ name }) => name));
    expect(
      lines(stdout)
        .map((text) => (JSON.parse(text) as { hook: string }).hook)
        .sort(),
    ).toEqual([...new Set(ran)].sort());
  });

  test.each(['agent', 'event'])('has a line for each %s', async (by) => {
    const { stdout } = await hookscope('stats', '--store', demo, '--by', by, '--json');
    const found = lines(stdout).map((text) => JSON.parse(text) as Record<string, string>);
    expect(new Set(found.map((row) => row[by])).size).toBeGreaterThan(2);
    expect((await hookscope('stats', '--store', demo, '--by', by)).stdout).toMatch(new RegExp(`^hook +${by} +runs`));
  });
});

describe('hookscope why', () => {
  const why = async (...args: string[]): Promise<string> => {
    const { stdout, code } = await hookscope('why', '--store', demo, ...args);
    expect(code).toBe(0);
    return stdout;
  };

  test('last --blocked is the newest fire that was denied', async () => {
    const text = await why('last', '--blocked');
    expect(text).toContain(
      'no-inline-node.sh decided: deny, saying "No inline programs: write a script, and run that."',
    );
    expect(text).toContain('It was asked about {"command":"node -e');
    expect(text).toContain('does not match Bash.');
  });

  test('a call is told with whether it ran', async () => {
    const text = await why('toolu_subB_2_0');
    expect(text).toMatch(/^PreToolUse about Write, for builder a9e488 of session/);
    expect(text).toContain('inTime (callback, ');
    expect(text).toContain('It ran, although it was denied: PostToolUse was fired for it.');
    expect(text.match(/What was decided/g)).toHaveLength(1);
  });

  test('a hook of another agent was not asked, and it is said whose it is', async () => {
    const text = await why('toolu_subB_2_0', '--hook', 'readOnlyShell');
    expect(text).toContain('was not asked: it is a hook of surveyor a4b31e, and hooks of one agent are never asked');
    expect(await why('toolu_subB_2_0', '--hook', 'briefing')).toContain(
      'records list it for SubagentStart and not for PreToolUse',
    );
    expect(await why('toolu_subB_2_0', '--hook', 'onlyTheRapport')).toContain('Did you mean onlyTheReport?');
    expect(await why('toolu_subB_2_0')).toContain(
      'Up to 2 more hooks for PreToolUse belong to other scopes, which are not asked here; other fires of this session list readOnlyShell (of surveyor a4b31e).',
    );
  });

  test('an id may be shortened as history prints it, and its beginning is enough where one has it', async () => {
    const { stdout } = await hookscope('history', '--store', demo, '--blocked', '--agent', 'surveyor');
    const short = /\S+$/.exec(stdout.trim())?.[0] as string;
    expect(short).toMatch(/^[0-9a-f]{6}\.\.[0-9a-f]{3,}$/);
    expect(await why(short)).toContain('readOnlyShell decided: deny');
    expect(await why('toolu_subS_3')).toContain('readOnlyShell decided: deny');
  });

  test('of a session that was replayed, the last call is meant', async () => {
    const of = (host: string, reason: string, event = 'PreToolUse') => ({
      ...fire(1, { event }),
      fire_id: `${host} ${event}`,
      host_id: host,
      time: host === 'two' ? '2026-01-31T10:00:00.000Z' : '2026-01-31T09:00:00.000Z',
      decision: { ...fire().decision, reason },
    });
    const { stdout } = await hookscope(
      'why',
      'toolu_1',
      '--event',
      'PreToolUse',
      '--store',
      store('replayed.ndjson', of('one', 'old'), of('one', '', 'PostToolUse'), of('two', 'new')),
    );
    expect(stdout.match(/What was decided/g)).toHaveLength(1);
    expect(stdout).toContain('saying "new"');
  });

  test('of two calls of one step with the same id, the one of the latest record is meant, and a denial of the other is named', async () => {
    const none = { ...fire().decision, verdict: 'none' as const };
    const input = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });
    const file = store(
      'shared.ndjson',
      fire(1, { fire_id: 'asked', decision: none, input: input('ls') }),
      fire(2, { fire_id: 'denied', input: input('rm x') }),
      fire(3, { fire_id: 'ran', event: 'PostToolUse', decision: { ...none, fold: 'block' }, input: input('ls') }),
    );
    const last = await hookscope('why', 'toolu_1', '--store', file);
    expect(last.stdout).toContain('{"command":"ls"}');
    expect(last.stderr).toContain('1 more call has the id toolu_1; this is the one that the latest record is about.');
    expect(last.stderr).toContain('give the id of one of its fires; denied: denied\n');
    const first = await hookscope('why', 'toolu_1', '--event', 'PreToolUse', '--store', file);
    expect(first.stdout).toContain('{"command":"rm x"}');
    expect(first.stderr).toContain('this is the one that the latest record that the options choose is about.');
    expect(first.stderr).toContain('give the id of one of its fires\n');
  });

  test('last says what a store without fires, calls and alarms does not hold', async () => {
    const { type: _, ...rest } = fire(1);
    const file = store('none.ndjson', { ...rest, type: 'system' } as never);
    const none = await hookscope('why', 'last', '--store', file);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('holds no fire, call or alarm.\n')]);
    const { stderr } = await hookscope('why', 'last', '--blocked', '--store', file);
    expect(stderr).toContain('holds no fire, call or alarm that matches the options.');
  });

  test('of an id that was used again, the last call is meant, and an earlier one is found by its fire', async () => {
    const none = { ...fire().decision, verdict: 'none' as const };
    const file = store(
      'reused.ndjson',
      fire(1, { fire_id: 'denied', input: { tool_name: 'Bash', tool_input: { command: 'rm -rf dist' } } }),
      fire(2, { fire_id: 'asked', decision: none }),
      fire(3, { fire_id: 'ran', event: 'PostToolUse', decision: { ...none, fold: 'block' } }),
    );
    const last = await hookscope('why', 'toolu_1', '--store', file);
    expect(last.stdout).toContain('It ran: PostToolUse was fired for it.');
    expect(last.stdout).not.toContain('saying "not here"');
    expect(last.stderr).toContain('1 more call has the id toolu_1; this is the one that the latest record is about.');
    expect(last.stderr).toContain('give the id of one of its fires; denied: denied\n');
    const short = await hookscope('why', 'toolu', '--store', file);
    expect(short.stderr).toContain('1 more call has the id toolu_1;');
    const denied = await hookscope('why', 'denied', '--store', file);
    expect(denied.stdout).toContain('saying "not here"');
    expect(denied.stdout).toContain('No record says whether it ran.');
    expect(denied.stderr).toBe('');
  });

  test('options choose among the fires of an id, and one that leaves nothing says so', async () => {
    const none = { ...fire().decision, verdict: 'none' as const };
    const later = { time: '2025-02-01T00:00:00.000Z' };
    const file = store(
      'chosen.ndjson',
      fire(1, { fire_id: 'f-old', agent_id: 'a1', input: { ...fire().input, agent_type: 'builder' } }),
      {
        ...fire(2, {
          fire_id: 'f-new',
          agent_id: 'a2',
          decision: none,
          input: { ...fire().input, agent_type: 'tester' },
        }),
        ...later,
      },
      {
        ...fire(3, { fire_id: 'f-ran', agent_id: 'a2', event: 'PostToolUse', decision: { ...none, fold: 'block' } }),
        ...later,
      },
      { ...fire(4, { fire_id: 'g-1', tool_use_id: 'toolu_2', decision: none }), ...later },
    );
    const decided = async (...args: string[]): Promise<readonly [number | null, string]> => {
      const { stdout, stderr, code } = await hookscope('why', ...args, '--json', '--store', file);
      const found = lines(stdout).map((text) => JSON.parse(text) as { fire_id: string });
      return [code, found.map(({ fire_id }) => fire_id).join() || stderr.replace(/^.*ndjson: /, '')];
    };
    expect(await decided('toolu_1')).toEqual([0, 'f-new,f-ran']);
    expect(await decided('toolu_1', '--event', 'PostToolUse')).toEqual([0, 'f-ran']);
    for (const options of [['--blocked'], ['--agent', 'builder'], ['--until', '2025-01-31T12:00:00Z']]) {
      expect(await decided('toolu_1', ...options)).toEqual([0, 'f-old']);
      expect(await decided('toolu', ...options)).toEqual([0, 'f-old']);
      expect(await decided('f-old', ...options)).toEqual([0, 'f-old']);
      expect(await decided('f-new', ...options)).toEqual([1, 'holds f-new, but nothing of it matches the options.\n']);
      expect(await decided('toolu_2', ...options)).toEqual([
        1,
        'holds toolu_2, but nothing of it matches the options.\n',
      ]);
    }
    for (const options of [['--slow', '1h'], ['--since', '2025-03-01'], ['--agent', 'nobody'], ['--alarms']])
      expect(await decided('toolu_1', ...options)).toEqual([
        1,
        'holds toolu_1, but nothing of it matches the options.\n',
      ]);
    expect((await decided('nothing', '--blocked'))[1]).toContain('holds no fire and no call with the id nothing');
    for (const empty of ['', ' ']) expect((await decided(empty))[1]).toMatch(/why: expected the id .*, got nothing/);
  });

  test('what may mean several lists them', async () => {
    const { stdout, stderr, code } = await hookscope('why', '--store', demo, 'toolu_subB');
    expect(code).toBe(1);
    expect(stderr).toMatch(/toolu_subB may be \d+:\n$/);
    expect(lines(stdout).map((text) => text.split(' ')[0])).toContain('toolu_subB_2_0');
  });

  test('--json is the answer as data', async () => {
    const told = JSON.parse(await why('toolu_subB_2_0', '--json')) as { asked: { name: string }[] };
    expect(told.asked.map(({ name }) => name)).toEqual([
      'hookscope-plugin-protected-paths/protectPaths',
      'onlyTheReport',
    ]);
  });
});

describe('hookscope history --format trace', () => {
  const traced = async (...args: string[]): Promise<TraceEvent[]> => {
    const { stdout } = await hookscope('history', '--format', 'trace', ...args);
    return (JSON.parse(stdout) as { traceEvents: TraceEvent[] }).traceEvents;
  };

  test('draws a session with its agents, every fire once, denials and alarms, as importers want it', async () => {
    const events = await traced('--store', demo);
    expect(problemsIn(events)).toEqual([]);
    expect(events.filter(({ ph, cat }) => ph === 'X' && cat === 'fire')).toHaveLength(fires().length);
    const rows = events.filter(({ name }) => name === 'thread_name').map(({ args }) => String(args?.['name']));
    expect(rows).toEqual(expect.arrayContaining(['main', 'builder a9e488', 'surveyor a4b31e']));
    expect(events.filter(({ ph }) => ph === 'f')).toHaveLength(2);
    const instants = events.filter(({ ph }) => ph === 'i').map(({ name }) => name);
    expect(instants).toContain('deny by hookscope-plugin-protected-paths/protectPaths');
    const others = await traced('--store', store('samples-drawn.ndjson', ...SAMPLES));
    expect(others.filter(({ ph }) => ph === 'i').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Bash denied by hook', 'ALARM not_honoured']),
    );
  });

  test('writes it to a file for its owner alone, and says how many slices it holds', async () => {
    const file = join(folder, 'trace.json');
    const { stdout, stderr, code } = await hookscope('history', '--store', demo, '--format', 'trace', '-o', file);
    expect([stdout, code]).toEqual(['', 0]);
    expect(stderr).toMatch(/trace\.json holds \d+ slices; open it in https:\/\/ui\.perfetto\.dev/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { traceEvents } = JSON.parse(readFileSync(file, 'utf8')) as { traceEvents: TraceEvent[] };
    expect(traceEvents).toEqual(await traced('--store', demo));
    const nowhere = await hookscope('history', '--store', demo, '--format', 'trace', '-o', join(folder, 'no/such'));
    expect(nowhere.stderr).toContain('no/such');
    expect(nowhere.code).toBe(1);
  });

  test('draws what is asked for alone, and masks secrets unless it is told not to', async () => {
    const events = await traced('--store', demo, '--agent', 'builder', '--blocked');
    expect(events.filter(({ ph, cat }) => ph === 'X' && cat === 'fire').map(({ name }) => name)).toEqual([
      'PreToolUse Write',
    ]);
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const spoken = {
      ...stamped(1),
      fire_id: 'f1',
      name: `check ${secret}`,
      subtype: 'hook_response',
      stdout: '',
      stderr: '',
      output: '',
      outcome: 'error',
      duration_ms: 1,
      failure: { cause: 'threw', message: `not ${secret}` },
    };
    const denied = {
      ...fire(),
      seq: 3,
      fire_id: 'f1',
      decision: { ...fire().decision, verdict: 'deny', reason: secret },
    };
    const file = store('secret.ndjson', { ...stamped(1), fire_id: 'f1', name: `check ${secret}` }, spoken, denied);
    const masked = await traced('--store', file);
    expect(JSON.stringify(masked)).not.toContain(secret);
    expect(JSON.stringify(masked)).toContain('[redacted github-token');
    expect(JSON.stringify(await traced('--store', file, '--no-redact'))).toContain(secret);
  });

  test('of any records is a trace', async () => {
    const file = join(folder, 'any.ndjson');
    const check = async (texts: readonly string[]) => {
      writeFileSync(file, texts.map((text) => `${text}\n`).join(''));
      const { stdout, code } = await hookscope('history', '--format', 'trace', '--store', file);
      expect(code).toBe(0);
      expect(problemsIn((JSON.parse(stdout) as { traceEvents: TraceEvent[] }).traceEvents)).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(fc.array(anyRecords, { maxLength: 40 }), check), { numRuns: 20 });
  });

  test.each([
    [['--format', 'svg'], '--format: expected trace, got "svg"'],
    [['--out', 'x'], '--out: is for --format trace'],
    [['--format', 'trace', '--limit', '3'], '--limit: is not for --format trace'],
    [['--format', 'trace', '--json'], '--json: is not for --format trace'],
  ])('%j is refused', async (args, message) => {
    const { stderr, code } = await hookscope('history', '--store', demo, ...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
