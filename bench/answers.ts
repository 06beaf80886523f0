import { createHost, type FireOptions, type Host } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { callbacks, preToolUse as input, plainLoop } from './recorded.js';

type Answer = (input: object) => unknown;

const SILENT = 'async () => undefined';
const NOTHING = 'async () => ({})';
const ALLOW = saying('allow', "'reviewed'");
const DENY = saying('deny', "'not here'");
const CONTEXT = saying('addContext', "'The branch is main.'");
const REWRITE = saying('rewrite', "{ command: 'ls -l' }");
/** As hooks written for an SDK answer. */
const WIRE = `async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', permissionDecisionReason: 'reviewed' } })`;

/** The first, third, … answer is one, the others the other. */
function inTurn(one: string, other: string): string {
  return `(() => { let calls = 0; return async () => calls++ % 2 === 0 ? ${one} : ${other}; })()`;
}

/** A helper reaches a function made from text by its global name. */
function saying(helper: string, argument: string): string {
  return `async () => hookscope.${helper}(${argument})`;
}

interface Told {
  /** One for each callback, each with code of its own; the loop beside it has others of the same. */
  readonly hooks: readonly string[];
  readonly goal?: number;
  /** What the callbacks of the loop say, where that is not the same. */
  readonly loop?: readonly string[];
  readonly mode?: 'parallel';
  readonly matcher?: () => boolean;
  readonly prepare?: (host: Host) => void;
  readonly given?: object;
  readonly options?: FireOptions;
}

function made(sources: readonly string[]): Answer[] {
  return sources.flatMap((source) => callbacks(1, source) as unknown as Answer[]);
}

function told(name: string, { hooks, goal, loop = hooks, prepare, given = input, options, ...group }: Told): Case {
  const ours = (): Candidate => {
    const host = createHost();
    host.register({ PreToolUse: [{ hooks: made(hooks) as never, ...group }] });
    prepare?.(host);
    return { name: 'hookscope', run: () => host.fire('PreToolUse', given as typeof input, options) };
  };
  const candidates = async (): Promise<Candidate[]> => {
    Object.assign(globalThis, { hookscope: await import('hookscope') });
    return [{ name: 'loop', run: plainLoop(made(loop), input) }, ours()];
  };
  return { name, ...(goal === undefined ? {} : { goal }), candidates, floor: 'loop', subject: 'hookscope' };
}

const times = (count: number, source: string): string[] => Array.from({ length: count }, () => source);
const subscribe = (host: Host): void => void host.events$.subscribe(() => undefined);
const sync = (source: string): string => source.replace('async ', '');
const { session_id: _, transcript_path: __, cwd: ___, ...bare } = input;

/** Speaking, being watched, and whatever else a plain loop does not do. */
export const cases: Case[] = [
  told('1 answers {}', { hooks: [NOTHING], goal: 2 }),
  told('10 answer {}', { hooks: times(10, NOTHING), goal: 1.6 }),
  told('100 answer {}', { hooks: times(100, NOTHING), goal: 1.5 }),
  told('10 sync answer {}', { hooks: times(10, sync(NOTHING)), goal: 0.8 }),
  told('1 answers allow()', { hooks: [ALLOW], goal: 2.5 }),
  told('10 answer allow()', { hooks: times(10, ALLOW), goal: 2 }),
  told('1 answers deny()', { hooks: [DENY], goal: 2.5 }),
  told('10 answer deny()', { hooks: times(10, DENY), goal: 2 }),
  told('10 answer deny(), each time for another reason', {
    hooks: times(10, `(() => { let calls = 0; return async () => hookscope.deny('not here: ' + calls++); })()`),
    goal: 2,
  }),
  told('10 answer allow() and deny() in turn', {
    hooks: times(10, inTurn("hookscope.allow('reviewed')", "hookscope.deny('not here')")),
    goal: 2,
  }),
  told('10 answer allow() and nothing in turn', {
    hooks: times(10, inTurn("hookscope.allow('reviewed')", 'undefined')),
    goal: 2,
  }),
  told('1 answers addContext()', { hooks: [CONTEXT], goal: 2.5 }),
  told('10 answer addContext()', { hooks: times(10, CONTEXT), goal: 2 }),
  told("10 answer in the wire's own shape", { hooks: times(10, WIRE), goal: 3.5 }),
  told('10 of which some are silent, some answer {}, allow, deny or context', {
    hooks: [SILENT, NOTHING, ALLOW, CONTEXT, SILENT, DENY, NOTHING, SILENT, ALLOW, SILENT],
    goal: 2,
  }),
  told('10, sync and async mixed, some silent and some not', {
    hooks: [SILENT, sync(ALLOW), NOTHING, sync(SILENT), CONTEXT, sync(NOTHING), SILENT, sync(DENY), ALLOW, SILENT],
    goal: 2,
  }),
  told('100 of which every third says something', {
    hooks: Array.from({ length: 100 }, (_, i) => [SILENT, ALLOW, SILENT][i % 3] as string),
    goal: 2,
  }),
  told('a rewrite by the last of 10, the others asked again', {
    loop: times(10, SILENT),
    hooks: [...times(9, SILENT), REWRITE],
    goal: 4.5,
  }),
  told('a rewrite by the last of 100, the others asked again', {
    loop: times(100, SILENT),
    hooks: [...times(99, SILENT), REWRITE],
    goal: 3,
  }),
  told('10 silent behind a predicate', { hooks: times(10, SILENT), matcher: () => true, goal: 2.5 }),
  told('10 silent in parallel', { hooks: times(10, SILENT), mode: 'parallel', goal: 4 }),
  told('10 silent and a raw tap', {
    hooks: times(10, SILENT),
    goal: 2.5,
    prepare: (host) => host.hooks.PreToolUse.tapPromise('raw', async () => undefined),
  }),
  told("10 silent, under the caller's signal", {
    hooks: times(10, SILENT),
    goal: 2.5,
    options: { signal: new AbortController().signal },
  }),
  told('10 silent, with a subscriber', { hooks: times(10, SILENT), goal: 6.5, prepare: subscribe }),
  told('10 answer allow(), with a subscriber', { hooks: times(10, ALLOW), goal: 8, prepare: subscribe }),
  told('10 silent, base fields to be filled in', { hooks: times(10, SILENT), given: bare }),
];
