import { describe, expect, test } from 'vitest';
import type { TraceEvent } from '../../src/cli/trace/event.js';
import { Trace } from '../../src/cli/trace/trace.js';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { AgentsOnPage } from '../../src/page/records/agents.js';
import { KeptRecords } from '../../src/page/records/kept.js';
import { problemsIn } from '../cli/trace-rules.js';
import { fire } from '../emit/samples.js';
import { growth } from '../growth.js';

let seq = 0;

/** A fire of an agent; undefined: the main one. */
function of(agent: string | undefined, event: string, fields: object = {}): HookRecord {
  const { agent_id: _, tool_use_id: __, ...sample } = fire();
  const { verdict = 'none', id, error, ...input } = fields as Record<string, unknown>;
  seq += 1;
  return {
    ...sample,
    ...{ seq, time: new Date(Date.UTC(2026, 0, 31, 9, 15) + seq * 10).toISOString(), session_id: 's', event },
    ...{ fire_id: `f${seq}`, handlers: [], input, decision: { ...fire().decision, verdict } },
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(id === undefined ? {} : { tool_use_id: id }),
    ...(error === undefined ? {} : { error }),
  } as unknown as HookRecord;
}
const asks = (agent: string | undefined, type: string | undefined, fields: object = {}) => {
  const call = type === undefined ? {} : { subagent_type: type };
  return of(agent, 'PreToolUse', { tool_name: 'Agent', tool_input: call, id: `${agent} ${type}`, ...fields });
};
const answers = (agent: string | undefined, type: string, started?: string) => {
  const call = { tool_name: 'Agent', tool_input: { subagent_type: type } };
  return of(agent, 'PostToolUse', { ...call, tool_response: { agentId: started }, id: `${agent} ${type}` });
};
const begins = (agent: string, type: string, fields: object = {}) =>
  of(agent, 'SubagentStart', { agent_type: type, ...fields });
/** Below these agents, outermost first; undefined: one that has ended. */
const below = (above: readonly (string | undefined)[], record: HookRecord): HookRecord =>
  ({
    ...record,
    agents_above: above.map((id) => (id === undefined ? { agent_type: 'gone' } : { agent_id: id })),
  }) as HookRecord;

/** Who the page says has started each agent. */
function onPage(records: readonly HookRecord[]): Record<string, string> {
  const kept = new KeptRecords(false);
  for (const record of records) kept.add(JSON.stringify(record));
  const lanes = kept.agents.lanes().filter(({ id }) => id !== undefined);
  return Object.fromEntries(lanes.map(({ id, parent }) => [id, parent?.id ?? 'main']));
}

/** And who the trace file says: from whose row an arrow leads. */
function inTrace(records: readonly HookRecord[]): Record<string, string> {
  const events: TraceEvent[] = [];
  const trace = new Trace({ write: (event) => void events.push(event), isShown: () => true, text: (text) => text });
  for (const record of records) trace.take(record);
  expect(problemsIn(events)).toEqual([]);
  const names = new Map(
    events.flatMap((event) => (event.name === 'thread_name' ? [[event.tid, String(event.args?.['name'])]] : [])),
  );
  const idIn = (tid: number): string => (names.get(tid) ?? '').split(' ').at(-1) as string;
  const from = events.flatMap((event) => (event.ph === 's' ? [event.tid] : []));
  const to = events.flatMap((event) => (event.ph === 'f' ? [event.tid] : []));
  return Object.fromEntries(to.map((tid, i) => [idIn(tid), idIn(from[i] as number)]));
}

const BEGIN = [of(undefined, 'PreToolUse', { tool_name: 'Bash' }), begins('bbb', 'builder')];
const CASES: readonly (readonly [what: string, records: readonly HookRecord[], started: Record<string, string>])[] = [
  ['a call that waits', [asks('bbb', 'reviewer'), begins('rrr', 'reviewer')], { rrr: 'bbb' }],
  [
    'a call that was denied starts nobody',
    [asks('bbb', 'reviewer', { verdict: 'deny' }), asks(undefined, 'reviewer'), begins('rrr', 'reviewer')],
    { rrr: 'main' },
  ],
  ['nor alone', [asks('bbb', 'reviewer', { verdict: 'deny' }), begins('rrr', 'reviewer')], { rrr: 'main' }],
  [
    'nor one that was denied when the user was asked',
    [
      asks('bbb', 'reviewer', { verdict: 'ask' }),
      of('bbb', 'PermissionRequest', {
        ...{ tool_name: 'Agent', tool_input: { subagent_type: 'reviewer' }, id: 'bbb reviewer', verdict: 'deny' },
      }),
      begins('rrr', 'reviewer'),
    ],
    { rrr: 'main' },
  ],
  [
    'nor one whose fire was rejected',
    [asks('bbb', 'reviewer', { error: 'ABORTED' }), begins('rrr', 'reviewer')],
    { rrr: 'main' },
  ],
  [
    'nor one that has ended',
    [asks('bbb', 'reviewer'), answers('bbb', 'reviewer'), begins('rrr', 'reviewer')],
    { rrr: 'main' },
  ],
  [
    'the type counts, not who asked last',
    [asks(undefined, 'reviewer'), asks('bbb', 'tester'), begins('rrr', 'reviewer'), begins('ttt', 'tester')],
    { rrr: 'main', ttt: 'bbb' },
  ],
  [
    'each call starts one',
    [asks('bbb', 'reviewer'), asks(undefined, 'reviewer'), begins('r1', 'reviewer'), begins('r2', 'reviewer')],
    { r1: 'bbb', r2: 'main' },
  ],
  ['a call that names no type', [asks('bbb', undefined), begins('rrr', 'reviewer')], { rrr: 'bbb' }],
  ['a parent that is named', [begins('rrr', 'reviewer', { parent_agent_id: 'bbb' })], { rrr: 'bbb' }],
  [
    'counts more than a call',
    [asks('bbb', 'reviewer'), begins('rrr', 'reviewer', { parent_agent_id: 's' }), begins('r2', 'reviewer')],
    { rrr: 'main', r2: 'bbb' },
  ],
  [
    'so does an answer that has come already',
    [
      asks('bbb', 'reviewer'),
      answers('bbb', 'reviewer', 'rrr'),
      asks(undefined, 'reviewer'),
      begins('rrr', 'reviewer'),
    ],
    { rrr: 'bbb' },
  ],
  [
    'an id that is used again is of another agent, which the main one has started where the same list is now empty',
    [
      below(['bbb'], begins('xxx', 'reviewer')),
      below(['bbb'], of('xxx', 'SubagentStop')),
      below([], begins('xxx', 'reviewer')),
    ],
    { xxx: 'main' },
  ],
  [
    'the last of the agents that a record lists above it counts more than a call, an answer and a parent that an input names',
    [
      asks('bbb', 'reviewer'),
      answers('bbb', 'reviewer', 'ccc'),
      below(['bbb'], begins('lll', 'lead')),
      below(['bbb', 'lll'], begins('ccc', 'reviewer', { parent_agent_id: 'bbb' })),
    ],
    { lll: 'bbb', ccc: 'lll' },
  ],
  [
    'and the call of that one waits for no other agent',
    [asks('bbb', 'reviewer'), below(['bbb'], begins('r1', 'reviewer')), begins('r2', 'reviewer')],
    { r1: 'bbb', r2: 'main' },
  ],
  ['an empty list says nothing', [asks('bbb', 'reviewer'), below([], begins('rrr', 'reviewer'))], { rrr: 'bbb' }],
  [
    'nor one of types alone, whose agents have ended',
    [asks('bbb', 'reviewer'), below([undefined], begins('rrr', 'reviewer'))],
    { rrr: 'bbb' },
  ],
  [
    'and one that lost an agent since changes nothing',
    [
      below(['bbb'], begins('lll', 'lead')),
      below(['bbb', 'lll'], begins('kkk', 'kid')),
      below([undefined, 'bbb'], of('kkk', 'PreToolUse', { tool_name: 'Bash' })),
    ],
    { lll: 'bbb', kkk: 'lll' },
  ],
];

describe('who started an agent', () => {
  test.each(CASES)('%s', (_, records, started) => {
    const all = [...BEGIN, ...records];
    expect(onPage(all)).toEqual({ bbb: 'main', ...started });
    expect(inTrace(all)).toEqual({ bbb: 'main', ...started });
  });

  test('the page corrects what it took for true when the answer comes', () => {
    const records = [asks(undefined, 'reviewer'), asks('bbb', 'reviewer'), begins('rrr', 'reviewer')];
    const all = [...BEGIN, ...records];
    expect(onPage(all)).toMatchObject({ rrr: 'main' });
    expect(onPage([...all, answers('bbb', 'reviewer', 'rrr')])).toMatchObject({ rrr: 'bbb' });
  });

  test('a call that was taken for another one’s is open again', () => {
    const records = [asks('bbb', 'reviewer'), asks(undefined, 'reviewer'), begins('r1', 'reviewer')];
    const told = [answers(undefined, 'reviewer', 'r1'), begins('r2', 'reviewer')];
    expect(onPage([...BEGIN, ...records])).toMatchObject({ r1: 'bbb' });
    expect(onPage([...BEGIN, ...records, ...told])).toMatchObject({ r1: 'main', r2: 'bbb' });
  });

  test('a trace knows the type of an agent whose first record is that of a hook', () => {
    const start = begins('ttt', 'tester');
    const hook = { hook_id: 'h', hook_event: 'SubagentStart', hook_name: 'SubagentStart:tester', name: 'hello' };
    const started = { ...start, type: 'system', subtype: 'hook_started', ...hook } as unknown as HookRecord;
    const calls = [asks('bbb', 'tester'), asks(undefined, 'reviewer')];
    expect(inTrace([...BEGIN, ...calls, started, start])).toEqual({ bbb: 'main', ttt: 'bbb' });
  });

  test('a trace sorts an agent below its starter, though its first record, that of a hook, does not name it', () => {
    const hook = { hook_id: 'h', hook_event: 'SubagentStart', name: 'hello' };
    const withHook = (start: HookRecord) => [
      { ...start, agents_above: undefined, type: 'system', subtype: 'hook_started', hook_name: 'x', ...hook } as never,
      start,
    ];
    const records = [
      ...withHook(below(['bbb'], begins('lll', 'lead'))),
      ...withHook(below(['bbb', 'lll'], begins('kkk', 'kid'))),
    ];
    const events: TraceEvent[] = [];
    const trace = new Trace({ write: (event) => void events.push(event), isShown: () => true, text: (text) => text });
    for (const record of [...BEGIN, ...records]) trace.take(record);
    const depths = events.flatMap((event) =>
      event.name === 'thread_sort_index' ? [Math.floor(Number(event.args?.['sort_index']) / 10_000_000)] : [],
    );
    expect(depths).toEqual([0, 1, 2, 3]);
  });

  test('an agent whose starter is read later is then placed below it', () => {
    const kid = below(['bbb', 'lll'], begins('kkk', 'kid'));
    const lead = below(['bbb'], begins('lll', 'lead'));
    expect(onPage([kid, lead, ...BEGIN])).toEqual({ bbb: 'main', lll: 'bbb', kkk: 'lll' });
  });

  test.each([
    ['itself', [['aaa', 'aaa']], { aaa: 'main' }],
    [
      'one that names it',
      [
        ['aaa', 'ccc'],
        ['ccc', 'aaa'],
      ],
      { aaa: 'ccc', ccc: 'main' },
    ],
    [
      'the last of a chain that begins with it',
      [
        ['aaa', undefined],
        ['ccc', 'aaa'],
        ['ddd', 'ccc'],
        ['aaa', 'ddd'],
      ],
      { aaa: 'main', ccc: 'aaa', ddd: 'ccc' },
    ],
  ] as const)('no agent is below itself, whatever a file says: its parent is %s', (_, named, started) => {
    const records = named.map(([id, parent]) => begins(id, 'x', { parent_agent_id: parent }));
    expect(onPage(records)).toEqual(started);
  });

  test('no chain of agents is too long, and to read one takes as long as its records, not as their square', async () => {
    const start = begins('a', 'x') as FireRecord;
    const chain = (long: number) =>
      Array.from({ length: long }, (_, i) => ({
        ...start,
        ...{ agent_id: `a${i + 1}`, input: { ...start.input, parent_agent_id: `a${i}` } },
      }));
    const read = (records: readonly FireRecord[]): AgentsOnPage => {
      const agents = new AgentsOnPage();
      for (const [at, record] of records.entries()) agents.learn(record, agents.of('s', record.agent_id, at), at);
      return agents;
    };
    const [few, many] = [chain(2_500), chain(20_000)];
    expect(read(many).lanes().at(-1)?.id).toBe('a20000');
    expect(read(many).lanes()).toHaveLength(20_001);
    const times = await growth((count) => read(count === 1 ? few : many), { few: 1, many: 8, most: 24 });
    expect(times).toBeLessThan(24);
  });

  test('no agent starts too many', () => {
    const agents = new AgentsOnPage();
    for (let i = 0; i < 200_000; i++) {
      const child = agents.of('t', `b${i}`, i);
      if (i === 0) expect(child.parent?.id).toBe(undefined);
    }
    expect(agents.lanes()).toHaveLength(200_001);
  });
});
