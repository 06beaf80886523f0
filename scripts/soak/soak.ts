import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servicesOf } from '../../src/host/internals.js';
import { createHost, type Host, ndjsonSink } from '../../src/index.js';
import { Binding } from '../../src/server/bound/binding.js';
import { WarmHosts } from '../../src/server/warm.js';
import { LazySignal } from '../../src/values/waiting/lazy-signal.js';

export interface SoakOptions {
  readonly fires: number;
  readonly agents: number;
}

/** What is there at one moment, when nothing is under way. */
export interface Standing {
  readonly heap: number;
  readonly scopes: number;
  readonly agents: number;
  readonly handles: number;
}

export interface Soaked {
  /** After as many fires as it takes to be warm, and at the end. */
  readonly before: Standing;
  readonly after: Standing;
  readonly decided: number;
  readonly denied: number;
  /** Records that the failing sink could not write, as it counts them. */
  readonly dropped: number;
}

/** Fires that make everything warm: what is compiled and cached once is no leak. */
const WARM = 3_000;
/** Fires between two moments at which the sink's file cannot be written, and can be again. */
const TURN = 500;

/** Fires and agents that come and go through a warm host, beside a sink that fails now and then. */
export async function soak({ fires, agents }: SoakOptions): Promise<Soaked> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-soak-')));
  const file = join(folder, 'records.ndjson');
  const host = createHost({ logger: () => undefined }) as Host;
  host.register({
    PreToolUse: [{ matcher: 'Bash', hooks: [(input) => denyOf(String((input as Json)['tool_use_id']))] }],
  });
  host.spawnHooks('worker', { PreToolUse: [{ hooks: [() => undefined] }] });
  const hosts = new WarmHosts({ host, binding: new Binding({ files: {}, scripts: {} }, folder) }, []);
  const sink = ndjsonSink(file, { logger: () => undefined, maxBytes: 4_000_000, keep: 1 });
  sink.attach(host.events$);
  let decided = 0;
  let denied = 0;
  const ask = async (event: string, input: Json): Promise<void> => {
    const spec = hosts.spec(event, undefined);
    if (spec === undefined) throw new Error(`no event ${event}`);
    const signal = new LazySignal();
    const output = await hosts.ask(spec, input, { cwd: undefined, env: {}, signal });
    decided++;
    if (JSON.stringify(output).includes('"deny"')) denied++;
  };
  const run = async (count: number, spawned: number, from: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const session = { session_id: `s${Math.floor((from + i) / 1_000)}`, cwd: folder };
      const id = `t${from + i}`;
      const call = { ...session, tool_name: 'Bash', tool_input: { command: `ls ${i}` }, tool_use_id: id };
      const every = Math.floor(count / spawned);
      if (i % every === 0 && i / every < spawned) {
        const agent = { agent_id: `a${from + i}`, agent_type: 'worker' };
        await ask('SubagentStart', { ...session, ...agent });
        await ask('PreToolUse', { ...call, ...agent });
        const stop = { stop_hook_active: false, agent_transcript_path: '', last_assistant_message: '' };
        await ask('SubagentStop', { ...session, ...agent, ...stop });
      }
      await ask('PreToolUse', call);
      if (i % 1_000 === 999) await ask('SessionEnd', { ...session, reason: 'other' });
      if (i % TURN === 0) turn(file, (i / TURN) % 2 === 1);
      // The sink is let try.
      if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    turn(file, false);
    await sink.flush();
  };
  const standing = (): Standing => {
    for (let i = 0; i < 6; i++) globalThis.gc?.();
    return {
      heap: process.memoryUsage().heapUsed,
      scopes: [...servicesOf(host).registrar.root.tree()].length,
      agents: hosts.agents,
      handles: readdirSync('/proc/self/fd').length,
    };
  };
  try {
    await run(WARM, 30, 0);
    const before = standing();
    decided = 0;
    denied = 0;
    await run(fires, agents, WARM);
    const after = standing();
    return { before, after, decided, denied, dropped: sink.dropped };
  } finally {
    await hosts.close();
    await sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Json = Readonly<Record<string, unknown>>;

const denyOf = (id: string): object | undefined =>
  id.endsWith('7')
    ? {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'a seven',
        },
      }
    : undefined;

/** A folder in the file's place: nothing can be written to it. */
function turn(file: string, broken: boolean): void {
  rmSync(file, { recursive: true, force: true });
  if (broken) mkdirSync(file);
  else writeFileSync(file, '', { mode: 0o600 });
}
