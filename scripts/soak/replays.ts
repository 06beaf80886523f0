import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, deny, type FireRecord, type Hooks, rewrite, rule } from 'hookscope';
import { replay } from 'hookscope/replay';

/** Memory at a point of a replay, in MiB. */
export interface Point {
  readonly fires: number;
  readonly heap: number;
  readonly rss: number;
}

export interface Replays {
  readonly fires: number;
  readonly changed: number;
  readonly unknown: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly curve: readonly Point[];
}

const COMMANDS = ['ls', 'git push --force', 'npm test', 'rm -rf build', 'cat notes.txt'];
const AGENTS = 50;

const guard = ({ tool_input: input }: { readonly tool_input: unknown }) =>
  JSON.stringify(input).includes('rm') ? deny('Not here.') : undefined;
const tidy = ({ tool_input: input }: { readonly tool_input: unknown }) =>
  JSON.stringify(input) === '{"command":"ls"}' ? rewrite({ command: 'ls -la' }) : undefined;

const THEN: Hooks = {
  PreToolUse: [
    {
      matcher: 'Bash',
      hooks: [
        { handler: tidy, name: 'tidy' },
        { handler: guard, name: 'guard' },
      ],
    },
  ],
};
const NOW: Hooks = {
  PreToolUse: [...(THEN.PreToolUse ?? []), { hooks: [rule('ask', 'Force?', { if: 'Bash(git push --force *)' })] }],
};

/** One real record for each command, of which a recording of any length is made. */
async function recorded(): Promise<FireRecord[]> {
  const host = createHost();
  const fires: FireRecord[] = [];
  host.events$.subscribe((record) => record.type === 'hook_fire' && fires.push(record));
  host.register(THEN);
  for (const command of COMMANDS)
    await host.fire('PreToolUse', {
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: 't',
      agent_type: 'worker',
    });
  await host.close();
  return fires;
}

/** Writes so many fires, of sessions and agents that come and go, and replays them from the file. */
export async function replays(count: number): Promise<Replays> {
  const dir = mkdtempSync(join(tmpdir(), 'hookscope-replay-'));
  const file = join(dir, 'hooks.ndjson');
  try {
    const bytes = await writeFires(file, count);
    const host = createHost();
    host.register(NOW);
    host.spawnHooks('worker', { PreToolUse: [{ hooks: [rule('deny', 'Never.', { if: 'Bash(curl *)' })] }] });
    const curve: Point[] = [];
    const step = Math.max(1, Math.floor(count / 10));
    const began = performance.now();
    let [fires, changed, unknown] = [0, 0, 0];
    for await (const one of replay(host, file)) {
      fires += 1;
      if (one.changed !== undefined) changed += 1;
      if (one.changed === 'unknown') unknown += 1;
      if (fires % step === 0) curve.push(point(fires));
    }
    const seconds = (performance.now() - began) / 1000;
    await host.close();
    return { fires, changed, unknown, bytes, seconds, curve };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function point(fires: number): Point {
  global.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const mib = (size: number): number => Math.round((size / 2 ** 20) * 10) / 10;
  return { fires, heap: mib(heapUsed), rss: mib(rss) };
}

async function writeFires(file: string, count: number): Promise<number> {
  const lines = (await recorded()).map((record) => JSON.stringify(record));
  const out = await open(file, 'w');
  let text = '';
  let bytes = 0;
  const flush = async (): Promise<void> => {
    bytes += (await out.write(text)).bytesWritten;
    text = '';
  };
  for (let i = 0; i < count; i++) {
    const line = lines[i % lines.length] as string;
    const session = `session-${Math.floor(i / 200)}`;
    const agent = i % 3 === 0 ? '' : `"agent_id":"agent-${Math.floor(i / AGENTS)}",`;
    text += line
      .replace(/"fire_id":"[^"]*"/, `"fire_id":"fire-${i}"`)
      .replace(/"session_id":"[^"]*"/g, `${agent}"session_id":"${session}"`);
    text += '\n';
    if (text.length > 1 << 20) await flush();
  }
  await flush();
  await out.close();
  return bytes;
}

/** What is wrong with how much memory a replay took; the later points are compared with the first. */
export function grown({ curve, fires, unknown }: Replays, asked: number, most: number): string[] {
  const problems: string[] = [];
  if (fires !== asked) problems.push(`${asked} fires were written, ${fires} were replayed`);
  if (unknown > 0) problems.push(`${unknown} fires are unknown, though all answers were recorded`);
  const first = curve[0]?.heap ?? 0;
  const last = Math.max(...curve.slice(1).map(({ heap }) => heap));
  if (last - first > most) problems.push(`the heap of a replay grew by ${last - first} MiB, more than ${most}`);
  return problems;
}
