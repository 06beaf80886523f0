import { addContext, createHost, deny, type Hooks } from 'hookscope';
import { type Figure, spread } from './harness.js';
import { preToolUse as input } from './recorded.js';

const SAMPLES = 300;
const REGISTRATIONS = 100_000;
const SCOPES = 100_000;

/** Milliseconds of the middle one of many single runs, cold ones among them. */
async function typical(run: (i: number) => unknown): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const from = process.hrtime.bigint();
    await run(i);
    times.push(Number(process.hrtime.bigint() - from) / 1e6);
  }
  return spread(times).median;
}

/** What one hook adds to the call of its function, measured from outside: a whole fire with it. */
async function hookOverhead(): Promise<number> {
  const host = createHost();
  host.register({ PreToolUse: [{ hooks: [async () => undefined] }] });
  return typical(() => host.fire('PreToolUse', input));
}

/** A whole fire about a tool that was never seen before: every one of 200 matchers is asked, and nothing runs. */
async function lookUp(): Promise<number> {
  const host = createHost();
  const groups = Array.from({ length: 200 }, (_, i) => ({ matcher: `mcp__server-${i}__*`, hooks: [() => undefined] }));
  host.register({ PreToolUse: groups });
  return typical((i) => host.fire('PreToolUse', { ...input, tool_name: `Tool-${i}` }));
}

async function serializing(): Promise<number> {
  const host = createHost();
  const hooks = [async () => addContext('x'.repeat(9_000)), async () => deny('not here')];
  host.register({ PreToolUse: [{ hooks }] });
  const decision = await host.fire('PreToolUse', input);
  return typical(() => JSON.stringify(decision));
}

export function heap(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Bytes of the host's own, the functions being there before. */
function registration(): number {
  const host = createHost();
  const batches = Array.from({ length: 100 }, () => Array.from({ length: REGISTRATIONS / 100 }, () => () => undefined));
  const before = heap();
  for (const hooks of batches) {
    host.register({ PreToolUse: hooks.map((hook) => ({ matcher: 'Bash', hooks: [hook] })) });
  }
  const each = (heap() - before) / REGISTRATIONS;
  host.describe();
  return each;
}

/** Bytes a scope that was opened, fired in and ended leaves behind. */
async function endedScope(): Promise<number> {
  const host = createHost();
  const hooks: Hooks = { PreToolUse: [{ hooks: [() => undefined] }] };
  const round = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      host.registerScoped(`agent-${i}`, hooks);
      await host.fire('PreToolUse', input, { scope: `agent-${i}` });
      host.unregisterScoped(`agent-${i}`);
    }
  };
  await round(1_000);
  const before = heap();
  await round(SCOPES);
  return (heap() - before) / SCOPES;
}

export async function figures(): Promise<Figure[]> {
  const unseen = 'a fire that asks 200 matchers, about a tool not seen before';
  return [
    { name: 'a fire with one hook', value: await hookOverhead(), unit: 'ms', below: 10 },
    { name: unseen, value: await lookUp(), unit: 'ms', below: 1 },
    { name: 'serializing a decision', value: await serializing(), unit: 'ms', below: 5 },
    { name: 'kept of each of 100,000 registrations', value: registration(), unit: 'bytes', below: 1024 },
    { name: 'left of each of 100,000 ended scopes', value: await endedScope(), unit: 'bytes', below: 16 },
  ];
}
