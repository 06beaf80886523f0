import { createHost, type Host } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { callbacks, preToolUse as input, plainLoop } from './recorded.js';

const silent = (): undefined => undefined;

/** What costs so many times as much as a smaller amount of the same: a goal above the ratio of the amounts is room for memory alone. */
interface Growing {
  readonly rounds?: number;
  readonly warmUp?: number;
  readonly goal: number;
  readonly from: number;
  readonly to: number;
  readonly run: (amount: number) => () => unknown;
}

/** What takes milliseconds a run is measured in fewer rounds. */
const LONG = { warmUp: 15, rounds: 30 };

function growing(what: string, { from, to, run, ...rest }: Growing): Case {
  const named = (amount: number): string => amount.toLocaleString('en');
  const candidates = (): Candidate[] => [from, to].map((amount) => ({ name: named(amount), run: run(amount) }));
  const name = `${what}: ${named(to)} against ${named(from)}`;
  return { name, candidates, floor: named(from), subject: named(to), ...rest };
}

/** Registered one by one, as plugins do, looked at once by a fire, and undone in the order they came. */
function registering(amount: number): () => unknown {
  const hooks = callbacks(1, '() => undefined');
  return async () => {
    const host = createHost();
    const undos = Array.from({ length: amount }, () => host.register({ PreToolUse: [{ hooks }] }));
    await host.fire('PreToolUse', { ...input, tool_name: 'Read' });
    for (const undo of undos) undo();
  };
}

/** The same where each hook is placed behind the one before it. */
function placing(amount: number): () => unknown {
  const hooks = callbacks(1, '() => undefined');
  return async () => {
    const host = createHost();
    const undos = Array.from({ length: amount }, (_, i) =>
      host.register({ PreToolUse: [{ name: `hook ${i}`, ...(i > 0 && { after: `hook ${i - 1}` }), hooks }] }),
    );
    await host.fire('PreToolUse', { ...input, tool_name: 'Read' });
    for (const undo of undos) undo();
  };
}

/** The last hook rewrites the input, so all others are asked about the new one. */
function judgedAgain(amount: number): () => unknown {
  const host = createHost();
  const rewriting = () => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse' as const, updatedInput: { command: 'ls -l' } },
  });
  host.register({ PreToolUse: [{ hooks: [...Array.from({ length: amount - 1 }, () => () => undefined), rewriting] }] });
  return () => host.fire('PreToolUse', input);
}

/** One hook, and as many more behind `if` rules about another tool than the one that is called. */
function behindRules(amount: number): () => unknown {
  const host = createHost();
  host.register({ PreToolUse: [{ hooks: [silent] }] });
  for (let i = 0; i < amount; i++)
    host.register({ PreToolUse: [{ if: `Edit(/src/file-${i}.ts)`, hooks: [() => undefined] }] });
  return () => host.fire('PreToolUse', input);
}

/** A fire of ten hooks, watched by that many. */
function watchedBy(amount: number): () => unknown {
  const host = createHost();
  host.register({ PreToolUse: [{ hooks: callbacks(10, 'async () => undefined') }] });
  for (let i = 0; i < amount; i++) host.events$.subscribe(() => undefined);
  return () => host.fire('PreToolUse', input);
}

/** A thousand agents fire at once; beside it a thousand loops over such callbacks. */
function atOnce(name: string, answers: readonly string[], goal: number): Case {
  const made = (): ReturnType<typeof callbacks> => answers.flatMap((source) => callbacks(1, source));
  const thousand = (run: () => unknown) => (): unknown => Promise.all(Array.from({ length: 1_000 }, run));
  const ours = (host: Host): Candidate => {
    host.register({ PreToolUse: [{ hooks: made() }] });
    return { name: 'hookscope', run: thousand(() => host.fire('PreToolUse', input)) };
  };
  return {
    name: `1,000 fires at once, ${name}`,
    goal,
    candidates: async () => {
      Object.assign(globalThis, { hookscope: await import('hookscope') });
      return [{ name: 'loop', run: thousand(plainLoop(made(), input)) }, ours(createHost())];
    },
    floor: 'loop',
    subject: 'hookscope',
    ...LONG,
  };
}

const ten = (source: string): string[] => Array.from({ length: 10 }, () => source);

/** What a host costs when there is much of something. */
export const cases: Case[] = [
  growing('registering and undoing hooks', { from: 4_000, to: 16_000, goal: 5, run: registering, ...LONG }),
  growing('placing hooks by name', { from: 4_000, to: 16_000, goal: 5, run: placing, ...LONG }),
  growing('a rewrite that all other hooks judge again', { from: 1_000, to: 4_000, goal: 5, run: judgedAgain, ...LONG }),
  growing('`if` rules about another tool', { from: 0, to: 200, goal: 1.5, run: behindRules }),
  growing('subscribers', { from: 1, to: 10, goal: 5, run: watchedBy }),
  growing('subscribers', { from: 1, to: 100, goal: 20, run: watchedBy }),
  atOnce('each of 10 hooks answers {}', ten('async () => ({})'), 3),
  atOnce('each of 10 hooks answers allow()', ten("async () => hookscope.allow('reviewed')"), 3),
  atOnce('1 hook answers allow()', ["async () => hookscope.allow('reviewed')"], 3),
];
