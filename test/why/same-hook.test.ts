import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Health } from '../../src/cli/doctor/health.js';
import type { FireRecord, HandlerRecord, HookRecord } from '../../src/emit/record.js';
import { createHost } from '../../src/index.js';
import { tallies } from '../../src/page/records/filter.js';
import { KeptRecords } from '../../src/page/records/kept.js';
import { SameHooks } from '../../src/why/same-hook.js';
import { countedIn, Tallies } from '../../src/why/tally.js';

const EVENT = 'PreToolUse';

/** What hooks run; `bad` ones fail. */
const WORK = {
  fine: () => undefined,
  other: () => [][0],
  bad: () => Promise.reject(new Error('no')),
  worse: async () => await Promise.reject(new Error('not')),
  edited: () => void 'edited',
};
const FAILING: readonly string[] = ['bad', 'worse'];

interface Hook {
  readonly name: string;
  readonly file: string | undefined;
  readonly work: keyof typeof WORK;
  readonly matcher: string;
  readonly async: boolean;
  /** The agents whose own hook it is; none: it is the host's. */
  readonly agents: readonly string[];
  /** Whether it is removed after some fires. */
  readonly isUndone: boolean;
}

interface Listed extends Pick<Hook, 'work'> {
  readonly number: number;
}

interface Call {
  readonly agent: string | undefined;
  readonly tool: string;
}

/** The records of a host with these hooks, which is asked in `cwd`. Each is listed under its name and file, in rows that `hooksOf` maps to its number and work. */
async function recordsOf(
  hooks: readonly Hook[],
  calls: readonly Call[],
  { cwd = '/p', isRelative = false, hooksOf = new Map<HandlerRecord, Listed>() } = {},
): Promise<HookRecord[]> {
  const host = createHost({ logger: () => undefined });
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  const undo: (() => void)[] = [];
  for (const [i, { work, matcher, async, agents, isUndone }] of hooks.entries()) {
    const own = { [EVENT]: [{ name: `${i}`, matcher, hooks: [{ handler: WORK[work], async }] }] };
    const undos = agents.length === 0 ? [host.register(own)] : agents.map((agent) => host.registerScoped(agent, own));
    if (isUndone) undo.push(...undos);
  }
  for (const [i, { agent, tool }] of calls.entries()) {
    if (i === Math.ceil(calls.length / 2)) for (const each of undo) each();
    const call = { tool_name: tool, tool_input: {}, tool_use_id: 't', session_id: 's', cwd };
    await host.fire(EVENT, { ...call, ...(agent === undefined ? {} : { agent_id: agent }) });
  }
  await new Promise((resolve) => setTimeout(resolve));
  await host.close();
  const listed = (row: HandlerRecord): HandlerRecord => {
    const number = Number(row.name);
    const { name, file, work } = hooks[number] as Hook;
    const named = isRelative ? file?.replace(`${cwd}/`, '') : file;
    const shown = { ...row, name, ...(named === undefined ? {} : { source: { kind: 'hooks-file', file: named } }) };
    hooksOf.set(shown, { number, work });
    return shown;
  };
  return records.map((one) => (one.type === 'hook_fire' ? { ...one, handlers: one.handlers.map(listed) } : one));
}

const isFire = (record: HookRecord): record is FireRecord => record.type === 'hook_fire';

function statsOf(records: readonly HookRecord[]) {
  const [counted, hooks] = [new Tallies(), new SameHooks()];
  for (const record of records) {
    if (record.type === 'system' && record.subtype === 'hook_response') counted.end(record);
    if (isFire(record)) for (const hook of countedIn(record, hooks)) counted.add(record, hook, undefined);
  }
  return counted.rows();
}

function pageOf(records: readonly HookRecord[]) {
  const kept = new KeptRecords(false);
  for (const record of records) kept.add(JSON.stringify(record));
  kept.settle();
  return tallies(kept.rows, kept, '', Number.POSITIVE_INFINITY);
}

function doctorOf(records: readonly HookRecord[]): string[] {
  const health = new Health((record) => record);
  for (const record of records) health.add(record);
  return health.findings(Number.POSITIVE_INFINITY).map(({ text }) => text);
}

/** Whether no other hook of its name and file runs the same. */
const isAlone = ({ name, file, work }: Hook, hooks: readonly Hook[]): boolean =>
  hooks.filter((one) => one.name === name && one.file === file && one.work === work).length === 1;

const anyHook: fc.Arbitrary<Hook> = fc.record({
  name: fc.constantFrom('guard', 'guard', 'log'),
  file: fc.constantFrom('/p/h.json', '/p/h.json', '/q/h.json', undefined),
  work: fc.constantFrom('fine', 'other', 'bad', 'worse'),
  matcher: fc.constantFrom('*', 'Bash', 'Bush'),
  async: fc.boolean(),
  agents: fc.constantFrom([], [], [], ['x'], ['y'], ['x', 'y']),
  isUndone: fc.boolean(),
});
/** What runs the same for several agents is one hook. */
const anyHooks = fc
  .array(anyHook, { minLength: 1, maxLength: 6 })
  .map((hooks) => hooks.filter((hook) => hook.agents.length === 0 || isAlone(hook, hooks)));
const anyCalls = fc.array(
  fc.record({ agent: fc.constantFrom(undefined, 'x', 'y'), tool: fc.constantFrom('Bash', 'Write') }),
  { minLength: 1, maxLength: 7 },
);
const anyHosts = fc.array(fc.record({ calls: anyCalls, isRelative: fc.boolean() }), { minLength: 1, maxLength: 3 });

/** The hooks after one of the host's, which are always listed when it begins, was edited. */
const edited = (hooks: readonly Hook[], number: number): readonly Hook[] =>
  hooks.map((hook, i) =>
    i === number && hook.agents.length === 0 && isAlone(hook, hooks) ? { ...hook, work: 'edited' } : hook,
  );

test('each hook is counted and judged by itself, whatever else is listed with it', async () => {
  await fc.assert(
    fc.asyncProperty(anyHooks, anyHosts, fc.nat(5), async (hooks, hosts, number) => {
      const hooksOf = new Map<HandlerRecord, Listed>();
      const records: HookRecord[] = [];
      for (const [i, { calls, isRelative }] of hosts.entries())
        records.push(...(await recordsOf(i === 2 ? edited(hooks, number) : hooks, calls, { isRelative, hooksOf })));
      const rows = [...hooksOf].map(([{ status }, listed]) => ({ ...listed, hasRun: status !== 'skipped' }));
      const truth = hooks.map(({ name }, i) => {
        const own = rows.filter((row) => row.number === i);
        const ran = own.filter(({ hasRun }) => hasRun);
        const failed = ran.filter(({ work }) => FAILING.includes(work));
        return { name, listed: own.length, runs: ran.length, failures: failed.length };
      });

      const expected = truth
        .filter(({ runs }) => runs > 0)
        .map(({ name, runs, failures }) => `${name} ${runs} ${failures}`)
        .sort();
      for (const read of [statsOf, pageOf]) {
        const found = read(records);
        expect(found.map(({ hook, runs, failures }) => `${hook} ${runs} ${failures}`).sort()).toEqual(expected);
        expect(new Set(found.map(({ hook, place }) => `${hook} ${place}`)).size).toBe(found.length);
      }

      const problems = truth.flatMap(({ name, runs, failures, listed }) => {
        const often = runs === 1 ? 'the one time it ran' : `each of the ${runs} times it ran`;
        if (failures > 0) return [`${name} failed ${failures === runs ? often : `${failures} of ${runs} times`}`];
        return runs === 0 && listed >= 5 ? [`${name} never ran, although ${EVENT} was fired ${listed} times`] : [];
      });
      const told = doctorOf(records);
      expect(new Set(told.map((text) => /^\w+ \(.*?\)/.exec(text)?.[0])).size).toBe(told.length);
      const said = told.map((text) => text.replace(/ \(.*?\)| (?:on|while) .*/gs, ''));
      expect(said.sort()).toEqual(problems.sort());
    }),
    { numRuns: 150 },
  );
}, 60_000);

const HOOK: Hook = {
  ...{ name: 'guard', file: '/p/h.json', work: 'fine', matcher: '*', async: false, agents: [], isUndone: false },
};
const [BASH, THRICE] = [{ agent: undefined, tool: 'Bash' }, 3];
const often: readonly Call[] = Array.from({ length: THRICE }, () => BASH);

test('a relatively named file is the one in the folder of the call', async () => {
  const named = (file: string, cwd: string) => recordsOf([{ ...HOOK, file }], often, { cwd });
  const files = ['/p/h.json', 'h.json', './h.json', '../p/h.json', '/q/../p/h.json'];
  const records = (await Promise.all(files.map((file) => named(file, '/p')))).flat();
  for (const read of [statsOf, pageOf]) {
    expect(read(records)).toMatchObject([{ runs: THRICE * files.length }]);
    expect(read([...records, ...(await named('h.json', '/q'))]).map(({ runs }) => runs)).toEqual(
      expect.arrayContaining([THRICE * files.length, THRICE]),
    );
  }
});

test.each([
  ['agents', ['x', 'y'], [EVENT, EVENT]],
  ['events', [undefined, undefined], [EVENT, 'PostToolUse']],
])('hooks of several %s stay apart, also in hosts of which none lists both', async (_, agents, events) => {
  const records: HookRecord[] = [];
  for (const i of [0, 1, 0, 1]) {
    const hook = { ...HOOK, work: i === 0 ? ('fine' as const) : ('bad' as const) };
    const agent = agents[i];
    const own = await recordsOf([{ ...hook, agents: agent === undefined ? [] : [agent] }], [{ ...BASH, agent }]);
    records.push(...own.map((one) => (isFire(one) ? { ...one, event: events[i] as string } : one)));
  }
  for (const read of [statsOf, pageOf])
    expect(
      read(records)
        .map(({ runs, failures }) => `${runs} ${failures}`)
        .sort(),
    ).toEqual(['2 0', '2 2']);
  expect(doctorOf(records)).toEqual([expect.stringMatching(/^guard .* failed each of the 2 times/)]);
});

test('doctor blames the file whose hook fails', async () => {
  const hooks = [HOOK, { ...HOOK, file: '/p/bad.json', work: 'bad' as const }];
  const health = new Health((record) => record);
  for (const record of await recordsOf(hooks, often)) health.add(record);
  expect(health.findings(1000).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^guard \(\/p\/bad\.json\) failed each of the 3 times it ran on PreToolUse/),
  ]);
  expect([health.lists(EVENT, 'guard'), health.lists(EVENT, 'other'), health.lists('Stop', 'guard')]).toEqual([
    ...[true, false, false],
  ]);
});

test('a row names the file where another hook has the name', async () => {
  const places = async (hooks: readonly Hook[]) => statsOf(await recordsOf(hooks, often)).map(({ place }) => place);
  expect(await places([HOOK])).toEqual([undefined]);
  expect((await places([HOOK, { ...HOOK, file: '/q/h.json' }])).sort()).toEqual(['/p/h.json', '/q/h.json']);
  expect((await places([HOOK, { ...HOOK, work: 'other' }, { ...HOOK, file: '/q/h.json' }])).sort()).toEqual([
    ...['/p/h.json, #1', '/p/h.json, #2', '/q/h.json'],
  ]);
});

test('a folder or type that is no text does no harm', async () => {
  const [first] = (await recordsOf([{ ...HOOK, file: 'h.json' }], often.slice(0, 1))).filter(isFire) as [FireRecord];
  const odd = { toString: 1 };
  const own = first.handlers.map((row) => ({ ...row, scope: first.scope }));
  const fire = { ...first, handlers: own, input: { ...first.input, cwd: odd, agent_type: odd } };
  expect(new SameHooks().keysOf(fire)).toHaveLength(1);
});

test('of thousands of hooks with one name, the first hundred are told apart', async () => {
  const [first] = (await recordsOf([HOOK], often.slice(0, 1))).filter(isFire) as [FireRecord];
  const handlers = Array.from(
    { length: 5000 },
    (_, i) => ({ ...first.handlers[0], id: `guard#${i}` }) as HandlerRecord,
  );
  const hooks = new SameHooks();
  for (let i = 0; i < THRICE; i++) expect(new Set(hooks.keysOf({ ...first, handlers })).size).toBe(100);
});
