import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Hooks, ndjsonSink } from 'hookscope';
import { HURTING } from '../test/matching/hurting-lines.js';
import { heap } from './budgets.js';
import { type Figure, spread } from './harness.js';
import { preToolUse as input } from './recorded.js';

const silent = (): undefined => undefined;

/** Milliseconds of CPU of one of so many calls, once warm: the median of the rounds. */
async function each(count: number, run: (i: number) => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = -10; round < 20; round++) {
    const from = process.cpuUsage();
    for (let i = 0; i < count; i++) await run(i);
    const { user, system } = process.cpuUsage(from);
    if (round >= 0) times.push((user + system) / 1000 / count);
  }
  return spread(times).median;
}

/** An edit that 200 rules about files are asked about; about another file each time. */
function fileRules(): Promise<number> {
  const host = createHost();
  const groups = Array.from({ length: 200 }, (_, i) => ({ if: `Edit(src/part-${i}/**)`, hooks: [silent] }));
  host.register({ PreToolUse: groups });
  const edits = Array.from({ length: 100 }, (_, i) => ({
    ...input,
    tool_name: 'Edit',
    tool_input: { file_path: `${input.cwd}/lib/file-${i}.ts`, old_string: 'a', new_string: 'b' },
  }));
  return each(100, (i) => host.fire('PreToolUse', edits[i] as never));
}

/** The slowest of the lines that are built to hurt; each the best of a few, since other work may interrupt it. */
async function hurtful(): Promise<number> {
  const host = createHost();
  host.register({ PreToolUse: [{ if: 'Bash(rm *)', hooks: [silent] }] });
  const best = HURTING.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 8; round++) {
    for (const [i, line] of HURTING.entries()) {
      // Another one each time, of which nothing is remembered.
      const fire = { ...input, tool_input: { command: `${line} ${round}` } };
      const from = process.hrtime.bigint();
      await host.fire('PreToolUse', fire);
      best[i] = Math.min(best[i] as number, Number(process.hrtime.bigint() - from) / 1e6);
    }
  }
  return Math.max(...best);
}

/** Bytes of a scope with one hook in which was fired, as long as it is open. */
async function openScope(): Promise<number> {
  const host = createHost();
  const hooks: Hooks = { PreToolUse: [{ hooks: [silent] }] };
  const open = async (from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) {
      host.registerScoped(`agent-${i}`, hooks);
      await host.fire('PreToolUse', input, { scope: `agent-${i}` });
    }
  };
  await open(0, 1_000);
  const before = heap();
  await open(1_000, 11_000);
  const size = (heap() - before) / 10_000;
  host.describe();
  return size;
}

/** How many records a sink loses of those of an agent that never lets the event loop turn. */
async function dropped(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-bench-'));
  const host = createHost();
  host.register({ PreToolUse: [{ hooks: [silent] }] });
  let seen = 0;
  host.events$.subscribe(() => void seen++);
  const sink = ndjsonSink(join(folder, 'records.ndjson'));
  sink.attach(host.events$);
  while (seen < 20_000) await host.fire('PreToolUse', input);
  await sink.close();
  rmSync(folder, { recursive: true });
  return sink.dropped;
}

export async function figures(): Promise<Figure[]> {
  return [
    {
      name: 'a fire of Edit that 200 `Edit(path)` rules are asked about',
      value: await fileRules(),
      unit: 'ms',
      below: 0.15,
    },
    {
      name: 'the worst of the commands of 10,000 characters that are built to hurt',
      value: await hurtful(),
      unit: 'ms',
      below: 5,
    },
    { name: 'kept of each of 10,000 open scopes with a hook', value: await openScope(), unit: 'bytes', below: 2048 },
    {
      name: 'lost of 20,000 records by a sink to a file, without a turn of the event loop',
      value: await dropped(),
      unit: 'records',
      below: 1,
    },
  ];
}
