import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type ControlProblem, FewProblems } from '../../src/claude-code/control/peer/problem.js';
import { serveControl } from '../../src/claude-code.js';
import { createHost } from '../../src/create-host.js';
import { deny } from '../../src/events/output/helpers.js';
import { HostLogger } from '../../src/host/tell/logger.js';
import { problems } from '../claude-code/control/kit.js';
import { testHost, until, watch } from './kit.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' } };

test.each([
  [{ warn() {}, error: () => undefined }, '{"warn":"a function","error":"a function"}'],
  [[() => undefined, 1], '["a function",1]'],
  [{ log: { warn() {} }, level: 2 }, '{"log":{"warn":"a function"},"level":2}'],
])('the error about a wrong option names the functions that the value holds: %j', (logger, shown) => {
  expect(() => createHost({ logger: logger as never })).toThrow(
    `Invalid option logger: expected a function, got ${shown}`,
  );
});

describe('the logger of a host', () => {
  const clocked = () => {
    const lines: string[] = [];
    const clock = { now: 0 };
    const logger = new HostLogger(
      (line) => lines.push(line),
      () => clock.now,
    );
    return { lines, clock, logger };
  };

  test('hears of one handler and one cause once a minute, then how often it was', () => {
    const { lines, clock, logger } = clocked();
    for (let i = 0; i < 50; i++) logger.report(`broken ${i}`, undefined, 'h1 threw');
    logger.report('late', undefined, 'h1 timeout');
    expect(lines).toEqual(['broken 0', 'late']);
    clock.now = 60_000;
    logger.report('broken again', undefined, 'h1 threw');
    expect(lines.slice(2)).toEqual(['broken 0 (49 more times)', 'broken again']);
    logger.flush();
    expect(lines).toHaveLength(4);
  });

  test.each([99, 100, 101, 5_000])(
    'hears at most 100 of %i lines within a minute, and how many were left out',
    (count) => {
      const { lines, clock, logger } = clocked();
      for (let i = 0; i < count; i++) {
        clock.now = (59_999 * i) / count;
        logger.report(`line ${i}`);
      }
      expect(lines).toHaveLength(Math.min(count, 100));
      logger.flush();
      const left = count - 100;
      const last =
        left > 0 ? `${left} more lines were left out: a host writes at most 100 a minute` : `line ${count - 1}`;
      expect(lines.at(-1)).toBe(last);
    },
  );

  test('loses no alarm in a flood of other lines: it is said before what was left out', async () => {
    const lines: string[] = [];
    const { host } = testHost({ logger: (line) => lines.push(line) });
    for (let i = 0; i < 150; i++) {
      const broken = () => {
        throw new Error(`broken ${i}`);
      };
      host.register({ PreToolUse: [{ name: `h${i}`, hooks: [broken] }] });
    }
    host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
    const call = { ...CALL, tool_use_id: 't1' };
    await host.fire('PreToolUse', call);
    await host.fire('PostToolUse', { ...call, tool_response: {} });
    expect(lines).toHaveLength(100);
    await host.close();
    expect(lines.slice(100)).toEqual([
      expect.stringContaining('Alarm (not_honoured)'),
      expect.stringMatching(/^50 more lines were left out/),
    ]);
    const { lines: late, clock, logger } = clocked();
    for (let i = 0; i < 100; i++) logger.report(`line ${i}`);
    for (let i = 0; i < 25; i++) logger.alarm(`alarm ${i}`, undefined);
    clock.now = 60_000;
    for (let i = 0; i < 200; i++) logger.report(`line ${i}`);
    expect(late.slice(100, 121)).toEqual([
      ...Array.from({ length: 20 }, (_, i) => `alarm ${i}`),
      '5 more lines were left out: a host writes at most 100 a minute',
    ]);
    expect(late).toHaveLength(200);
  });

  test('has room for what is new in a minute that begins with the counts of the one before', () => {
    const { lines, clock, logger } = clocked();
    for (let i = 0; i < 300; i++) logger.report(`h${i % 90} broke`, undefined, `h${i % 90}`);
    clock.now = 60_000;
    logger.report('something new');
    expect(lines.at(-1)).toBe('something new');
    // 90 first lines, 20 counts and the sum of the others, and the new one: nothing is lost.
    const counted = lines
      .slice(90)
      .map((line) => Number(/^(\d+) more lines|\((\d+) more times/.exec(line)?.slice(1).find(Boolean) ?? 0));
    expect(counted.reduce((a, b) => a + b, 90)).toBe(300);
    expect(lines).toHaveLength(90 + 20 + 1 + 1);
  });

  test('a guard that fails at every call is one line, and its count when the host closes', async () => {
    const { host, reports } = testHost();
    const guard = (): never => {
      throw new Error('down');
    };
    host.register({ PreToolUse: [{ hooks: [guard] }] });
    for (let i = 0; i < 40; i++) await host.fire('PreToolUse', CALL);
    expect(reports).toEqual(['PreToolUse hook guard failed (threw): Error: down']);
    await host.close();
    expect(reports).toEqual([reports[0], `${reports[0]} (39 more times)`]);
  });
});

describe('garbage on the control protocol', () => {
  test('is told 100 times a minute and kind, and then counted', () => {
    const told: ControlProblem[] = [];
    const clock = { now: 0 };
    const few = new FewProblems(
      (problem) => told.push(problem),
      () => clock.now,
    );
    for (let i = 0; i < 250; i++) few.tell({ problem: 'bad_json', message: `line ${i}` });
    few.tell({ problem: 'too_long', message: 'a long one' });
    expect(told).toHaveLength(101);
    clock.now = 60_000;
    few.tell({ problem: 'bad_json', message: 'later' });
    expect(told.slice(101).map(({ message }) => message)).toEqual(['150 more of this kind were left out', 'later']);
    few.end();
    expect(told).toHaveLength(103);
  });

  test('of megabytes is few records, and their number is told when the other side ends', async () => {
    const { host } = testHost();
    const seen = watch(host);
    const input = new PassThrough();
    const server = serveControl({ host, input, output: new PassThrough().resume() });
    for (let i = 0; i < 3_000; i++) input.write(`{"garbage ${i}: ${'x'.repeat(1_000)}\n`);
    input.end();
    await server.ended;
    await until(() => problems(seen).some(({ message }) => message.includes('more of this kind')));
    expect(problems(seen)).toHaveLength(101);
    expect(problems(seen).at(-1)?.message).toMatch(/2900 more of this kind were left out$/);
    expect(Math.max(...problems(seen).map(({ message }) => message.length))).toBeLessThan(600);
  });
});
