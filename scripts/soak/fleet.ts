import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { natsEngine } from '../../src/fleet/nats/engine.js';
import { readStatus } from '../../src/fleet/status.js';
import { bundleOf, newKey } from '../../test/fleet/bundles.js';
import { startNats } from '../../test/fleet/nats/server.js';

const PROGRAM = fileURLToPath(new URL('../../test/fixtures/fleet/host.mjs', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
/** Milliseconds for everything that is to happen. */
const PATIENCE = 240_000;

/** How much of it. */
export interface FleetAsked {
  readonly hosts: number;
  /** SIGKILL, every second one of them to the broker. */
  readonly kills: number;
}

/** What came of it. */
export interface FleetSoaked {
  readonly decided: number;
  readonly inStream: number;
  /** In a local log, and not in the stream. */
  readonly lost: number;
  readonly doubled: number;
  /** Decided by two revisions at once. */
  readonly mixed: number;
  /** Milliseconds from a post to a host's word that it is in force, while everything fires. */
  readonly applied: { readonly p50: number; readonly p99: number; readonly count: number };
  readonly pushes: number;
}

interface Running {
  readonly name: string;
  child: ChildProcess;
}

/** Hosts that fire while policies change and they and their broker are killed; then everything is to have arrived, once. */
export async function fleetSoak({ hosts, kills }: FleetAsked): Promise<FleetSoaked> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-fleet-soak-'));
  const server = await startNats();
  const key = newKey();
  const operator = natsEngine({ servers: [server.url], team: 'acme', name: 'operator' });
  const running: Running[] = [];
  try {
    await until(() => operator.connected);
    await operator.prepare();
    const start = async (name: string): Promise<ChildProcess> => {
      const child = fork(PROGRAM, [DIST, folder, server.url, name, key.id, String(hosts * 5)], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      await once(child, 'message');
      return child;
    };
    for (let from = 0; from < hosts; from += 5)
      running.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(5, hosts - from) }, async (_, i) => {
            const name = `host-${from + i}`;
            return { name, child: await start(name) };
          }),
        )),
      );
    let sequence = 0;
    let version = 0;
    const latencies: number[] = [];
    const push = async (measured: boolean): Promise<void> => {
      sequence += 1;
      const rules = { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: `${sequence}` }] }] };
      const bytes = bundleOf(sequence, { 'acme/a.json': { hooks: rules }, 'acme/b.json': { hooks: rules } }, [key]);
      const posted = Date.now();
      version = await operator.policy.post('stable', bytes, version);
      await until(async () => {
        const all = await operator.state.all().catch(() => []);
        const taken = all
          .flatMap(({ bytes: said }) => readStatus(said)?.channels ?? [])
          .filter((one) => one.sequence === sequence);
        if (taken.length < hosts) return false;
        if (measured) latencies.push(...taken.map(({ since = '' }) => Date.parse(since) - posted));
        return true;
      });
    };
    for (let i = 0; i < 10; i++) await push(i > 0);
    /** Ids that stood in the logs of a host when it was killed. */
    const logged = new Set<string>();
    for (let kill = 0; kill < kills; kill++) {
      if (kill % 2 === 0) {
        await server.kill();
        await sleep(300);
        const victim = running[kill % running.length] as Running;
        victim.child.kill('SIGKILL');
        await once(victim.child, 'exit');
        for (const id of waitingIn(join(folder, 'acme', victim.name))) logged.add(id);
        await server.start();
        victim.child = await start(victim.name);
      } else {
        const victim = running[kill % running.length] as Running;
        victim.child.kill('SIGKILL');
        await once(victim.child, 'exit');
        for (const id of waitingIn(join(folder, 'acme', victim.name))) logged.add(id);
        victim.child = await start(victim.name);
      }
      await until(() => operator.connected);
      await push(false);
    }
    await Promise.all(
      running.map(async ({ child }) => {
        const gone = once(child, 'exit');
        child.kill('SIGTERM');
        await gone;
      }),
    );
    const found = new Map<string, number>();
    let mixed = 0;
    for await (const { id, bytes } of operator.decisions.read(0)) {
      found.set(id, (found.get(id) ?? 0) + 1);
      const { handlers, policies } = JSON.parse(Buffer.from(bytes).toString()) as {
        handlers: { source: { kind: string; name: string } }[];
        policies: { channel: string; revision?: string; sequence?: number }[];
      };
      const hooks = handlers.filter(({ source }) => source.kind === 'fleet' && source.name !== 'stable');
      const names = new Set(hooks.map(({ source }) => source.name));
      const [{ channel, sequence, revision } = { channel: '' }] = policies;
      const [name = sequence] = names;
      // Its own word for what has decided it is that of each hook.
      if (names.size > 1 || name !== (sequence && `${channel}@${sequence} ${revision}`)) mixed += 1;
    }
    const left = running.flatMap(({ name }) => waitingIn(join(folder, 'acme', name)));
    const lost = [...logged, ...left].filter((id) => !found.has(id));
    const decided = running.reduce((sum, { name }) => sum + linesIn(join(folder, `${name}.own.ndjson`)), 0);
    latencies.sort((a, b) => a - b);
    const at = (share: number): number =>
      latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
    return {
      decided,
      inStream: found.size,
      lost: new Set(lost).size,
      doubled: [...found.values()].filter((count) => count > 1).length,
      mixed,
      applied: { p50: at(0.5), p99: at(0.99), count: latencies.length },
      pushes: sequence,
    };
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    await operator.close();
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ids in the logs of a host that its cursors have not passed. */
function waitingIn(folder: string): string[] {
  const logs = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('log-')) : [];
  return logs.flatMap((log) => {
    const cursor = readCursor(join(folder, log, 'cursor.json'));
    const pieces = readdirSync(join(folder, log)).filter((name) => /^\d{6}\.ndjson$/.test(name));
    return pieces.flatMap((name) => {
      const number = Number(name.slice(0, 6));
      if (number < cursor.segment) return [];
      const bytes = readFileSync(join(folder, log, name)).subarray(number === cursor.segment ? cursor.offset : 0);
      const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1).toString('utf8');
      return whole
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { fire_id: string }).fire_id]));
    });
  });
}

function readCursor(file: string): { readonly segment: number; readonly offset: number } {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { segment: 0, offset: 0 };
}

function linesIn(file: string): number {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"hook_fire"')).length;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = PATIENCE; left > 0; left -= 20) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error(`it never came: ${holds}`);
}

/** What is wrong with it; empty: nothing. */
export function notArrived({ decided, inStream, lost, doubled, mixed }: FleetSoaked): string[] {
  return [
    ...(lost > 0 ? [`${lost} decisions of local logs are not in the stream`] : []),
    ...(doubled > 0 ? [`${doubled} decisions are in the stream more than once`] : []),
    ...(mixed > 0 ? [`${mixed} fires were decided by two revisions`] : []),
    // What a killed process had not written yet is in neither.
    ...(inStream < decided * 0.8 ? [`of ${decided} decisions ${inStream} are in the stream`] : []),
  ];
}
