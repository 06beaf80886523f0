import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ToolCallRecord } from '../../src/emit/record.js';
import type { PermissionCall, SessionOptions } from '../../src/session/options.js';
import type { ToolResult } from '../../src/session/tool/call.js';
import { registerAs } from '../host/kit.js';
import { names, on, opened } from './kit.js';

const HOOK = ['none', 'allow', 'ask', 'defer', 'deny'] as const;
const RULES = ['absent', 'none', 'allow', 'ask', 'deny'] as const;
const MODES = ['default', 'plan', 'acceptEdits', 'bypassPermissions', 'dontAsk', 'auto'] as const;
const EFFECTS = ['read', 'edit', 'other'] as const;
const REQUEST = ['none', 'allow', 'deny'] as const;
const PERSON = ['absent', 'allow', 'deny'] as const;

interface Case {
  readonly hook: (typeof HOOK)[number];
  readonly rules: (typeof RULES)[number];
  readonly mode: (typeof MODES)[number];
  readonly effect: (typeof EFFECTS)[number];
  readonly request: (typeof REQUEST)[number];
  readonly person: (typeof PERSON)[number];
}

/**
 * Who settles a call: the first line that fits. `asked` means: the PermissionRequest hooks, then the person, as ASKED says.
 * hook, rules, mode, effect: outcome. A word may list several with `|`; `*` is anything.
 */
const FLOW = `
  deny       *            *                  *      denied by hook
  defer      *            *                  *      deferred
  *          deny         *                  *      denied by rules
  ask        *            dontAsk            *      denied by mode
  *          ask          dontAsk            *      denied by mode
  ask        *            *                  *      asked
  *          ask          *                  *      asked
  *          allow        plan               edit   asked
  allow      *            plan               edit   asked
  allow      *            *                  *      ran
  *          allow        *                  *      ran
  none       none|absent  *                  read   ran
  none       none|absent  bypassPermissions  *      ran
  none       none|absent  acceptEdits        edit   ran
  none       none|absent  dontAsk            *      denied by mode
  none       none|absent  *                  *      asked
`;

/** request, person: outcome. */
const ASKED = `
  deny   *       denied by hook
  allow  *       ran
  none   allow   ran
  none   deny    denied by person
  none   absent  denied by nobody
`;

function lookUp(table: string, words: readonly string[]): string {
  for (const line of table.trim().split('\n')) {
    const cells = line.trim().split(/ {2,}/);
    if (words.every((word, i) => cells[i] === '*' || cells[i]?.split('|').includes(word)))
      return cells.at(-1) as string;
  }
  throw new Error(`No line for ${words}`);
}

/** The events a call fires when it comes out so. */
function eventsOf(outcome: string, asked: boolean): string[] {
  const last =
    outcome === 'ran' ? ['PostToolUse'] : /by (rules|mode|classifier)$/.test(outcome) ? ['PermissionDenied'] : [];
  return ['PreToolUse', ...(asked ? ['PermissionRequest'] : []), ...last];
}

/** What the record of such a call says, in the words of records. */
const recordOf = (outcome: string): string => {
  const by = / by (.*)/.exec(outcome)?.[1] ?? '';
  const who: Readonly<Record<string, string>> = { rules: 'rule', person: 'user' };
  return outcome.startsWith('denied') ? `denied by ${who[by] ?? by}` : outcome === 'ran' ? 'ran, started' : outcome;
};

const shortened = (records: readonly ToolCallRecord[]): string =>
  records
    .map(({ status, ran, denied_by }) => `${status}${denied_by ? ` by ${denied_by}` : ''}${ran ? ', started' : ''}`)
    .join(' and ');

const outcomeOf = (r: ToolResult): string => (r.status === 'denied' ? `denied by ${r.deniedBy}` : r.status);

describe('who may say whether a call runs', () => {
  const cases: Case[] = HOOK.flatMap((hook) =>
    RULES.flatMap((rules) =>
      MODES.flatMap((mode) =>
        EFFECTS.flatMap((effect) =>
          REQUEST.flatMap((request) => PERSON.map((person) => ({ hook, rules, mode, effect, request, person }))),
        ),
      ),
    ),
  );
  test.each(MODES)(`as the table has it, in permission mode %s`, async (mode) => {
    const run = await runner();
    for (const c of cases.filter((x) => x.mode === mode)) {
      const settled = lookUp(FLOW, [c.hook, c.rules, c.mode, c.effect]);
      const expected = settled === 'asked' ? lookUp(ASKED, [c.request, c.person]) : settled;
      const got = await run(c);
      const should = {
        outcome: expected,
        executed: expected === 'ran' ? 1 : 0,
        isError: expected.startsWith('denied'),
        record: recordOf(expected),
        events: eventsOf(expected, settled === 'asked'),
      };
      if (!isDeepStrictEqual(got, should)) expect({ case: c, ...got }).toEqual({ case: c, ...should });
    }
  });
});

/** One session for many cases: a call brings its own rules and person, the hooks say what the case has. */
async function runner(): Promise<(c: Case) => Promise<Record<string, unknown>>> {
  const { host, session, seen } = await opened({ permission: undefined });
  const records: ToolCallRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'tool_call') records.push(record);
  });
  let now: Case | undefined;
  const unless = (none: string, value: string | undefined, said: (v: string) => object) =>
    value === none || value === undefined ? undefined : { hookSpecificOutput: said(value) };
  on(host, 'PreToolUse', () => unless('none', now?.hook, (v) => ({ permissionDecision: v })));
  on(host, 'PermissionRequest', () => unless('none', now?.request, (behavior) => ({ decision: { behavior } })));
  return async (c) => {
    now = c;
    seen.length = 0;
    records.length = 0;
    session.permission_mode = c.mode;
    let executed = 0;
    const result = await session.tool({
      name: 'T',
      input: {},
      effect: c.effect,
      execute: () => ++executed,
      ...(c.rules === 'absent' ? {} : { permission: () => ({ behavior: c.rules as 'allow' }) }),
      ...(c.person === 'absent' ? {} : { ask: () => ({ behavior: c.person as 'allow' }) }),
    });
    return {
      outcome: outcomeOf(result),
      executed,
      isError: result.isError,
      record: shortened(records),
      events: names(seen),
    };
  };
}

describe('permission mode auto', () => {
  test.each([
    ['allow', 'ran', []],
    ['deny', 'denied by classifier', []],
    ['ask', 'denied by person', ['PermissionRequest']],
    [undefined, 'denied by person', ['PermissionRequest']],
  ] as const)('where nobody spoke and the classifier says %s: %s', async (behavior, outcome, asked) => {
    const classify = behavior && (() => ({ behavior }));
    const { session, seen } = await opened({
      permission: undefined,
      permission_mode: 'auto',
      classify,
      ask: () => ({ behavior: 'deny' }),
    });
    expect(outcomeOf(await session.tool({ name: 'T', input: {}, execute: () => 1 }))).toBe(outcome);
    expect(names(seen).slice(1)).toEqual(eventsOf(outcome, asked.length > 0));
  });

  test('a PermissionDenied hook lets the model try again, and the model is told so', async () => {
    const { host, session } = await opened({
      permission: undefined,
      permission_mode: 'auto',
      classify: () => ({ behavior: 'deny', message: 'risky' }),
    });
    on(host, 'PermissionDenied', ({ reason }: { reason: string }) => ({
      hookSpecificOutput: { retry: reason === 'risky' },
    }));
    const result = await session.tool({ name: 'T', input: {}, execute: () => 1 });
    expect(result).toMatchObject({ retry: true, reason: 'risky', content: 'risky\n\nYou may try this call again.' });
  });
});

describe('what the model reads of a denial', () => {
  const deny = { hookSpecificOutput: { permissionDecision: 'deny' } };
  test.each([
    ['a hook with a reason', { hook: { ...deny, reason: 'X' } }, 'PreToolUse:T hook error: X'],
    ['a hook without one', { hook: deny }, 'PreToolUse:T hook error: Blocked by hook'],
    ['a rule with a message', { permission: () => ({ behavior: 'deny', message: 'not here' }) }, 'not here'],
    ['a rule without one', { permission: () => ({ behavior: 'deny' }) }, 'Permission to use T has been denied.'],
    [
      'the mode',
      { permission_mode: 'dontAsk' },
      'Permission to use T has been denied: permission mode dontAsk asks nobody.',
    ],
    ['a person with a message', { ask: () => ({ behavior: 'deny', message: 'stop it' }) }, 'stop it'],
    ['a person without one', { ask: () => ({ behavior: 'deny' }) }, 'The user denied permission to use T.'],
    ['nobody', {}, 'Permission to use T was not granted: nobody was there to be asked.'],
    ['nobody, where a rule asked', { permission: () => ({ behavior: 'ask', message: 'sure?' }) }, 'sure?'],
    [
      'nobody, where a hook asked',
      { hook: { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'why' } } },
      'why',
    ],
    [
      'a rule that throws',
      { permission: () => Promise.reject(new Error('db down')) },
      'Permission to use T could not be decided: db down',
    ],
    [
      'a person that answers nonsense',
      { ask: () => 'yes' },
      'Permission to use T could not be decided: ask() must answer { behavior: allow | deny }',
    ],
  ])('%s', async (_, { hook, ...options }: Record<string, unknown>, text) => {
    const { host, session, reports } = await opened({ permission: undefined, ...(options as SessionOptions) });
    on(host, 'PreToolUse', () => hook);
    const result = await session.tool({ name: 'T', input: {}, execute: () => 1 });
    expect(result).toMatchObject({ status: 'denied', content: text, isError: true });
    expect(reports.length).toBe(text.includes('could not be decided') ? 1 : 0);
  });
});

test("granted permissions are told before the tool runs; a mode among them is the session's at once", async () => {
  const updates = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  const told: unknown[] = [];
  const { session } = await opened({
    permission: () => ({ behavior: 'none', suggestions: updates }),
    ask: (_input, { suggestions }) => ({ behavior: 'allow', updatedPermissions: suggestions }),
    onPermissionUpdate: (given, call) => told.push([given, call.name]),
  });
  const child = await session.spawn({ agent_type: 't' });
  const result = await child.tool({ name: 'Edit', input: {}, effect: 'edit', execute: () => told.length });
  expect(result).toMatchObject({ status: 'ran', content: '1', updatedPermissions: updates });
  expect(told).toEqual([[updates, 'Edit']]);
  expect([child.permission_mode, session.permission_mode]).toEqual(['acceptEdits', 'acceptEdits']);
});

describe('permissions that came with an allow of a rewritten input', () => {
  const updates = [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }];
  const allow = { behavior: 'allow', updatedInput: { to: 'rewritten' }, updatedPermissions: updates } as const;
  const givers = {
    'the user': { ask: () => allow },
    'a PermissionRequest hook': { hook: { hookSpecificOutput: { decision: allow } } },
  };
  /** What becomes of the rewritten input. */
  const ends: Readonly<
    Record<string, { readonly says?: unknown; readonly options?: SessionOptions; readonly granted: boolean }>
  > = {
    'a hook denies': { says: { hookSpecificOutput: { permissionDecision: 'deny' } }, granted: false },
    'a hook defers': { says: { hookSpecificOutput: { permissionDecision: 'defer' } }, granted: false },
    'the rules deny': {
      options: {
        permission: (input) => ({
          behavior: (input as { to?: string }).to === 'rewritten' ? 'deny' : 'ask',
        }),
      },
      granted: false,
    },
    'nobody objects to': { granted: true },
  };
  const cases = Object.entries(givers).flatMap(([by, giver]) =>
    Object.entries(ends).map(([end, { says, options, granted }]) => ({ by, giver, end, says, options, granted })),
  );

  test.each(cases)('by $by count only if the call is let run: $end it', async ({ giver, says, options, granted }) => {
    const told: unknown[] = [];
    const { host, session } = await opened({
      permission: () => ({ behavior: 'ask' }),
      ...options,
      ...('ask' in giver ? { ask: giver.ask } : {}),
      onPermissionUpdate: (given) => told.push(given),
    });
    if ('hook' in giver) on(host, 'PermissionRequest', () => giver.hook);
    on(host, 'PreToolUse', (input: { tool_input: { to?: string } }) => (input.tool_input.to ? says : undefined));
    const result = await session.tool({ name: 'T', input: {}, execute: () => told.length });
    expect(result.status === 'ran').toBe(granted);
    expect(session.permission_mode).toBe(granted ? 'bypassPermissions' : 'default');
    expect([told, result.updatedPermissions]).toEqual(granted ? [[updates], updates] : [[], []]);
    if (granted) expect(result.content).toBe('1');
  });
});

describe('what the user grants with an edited input that hooks then rewrite', () => {
  const modes = [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }];
  const rules = [{ type: 'addRules', rules: [{ toolName: 'T' }], behavior: 'allow', destination: 'session' }];
  const deny = { hookSpecificOutput: { permissionDecision: 'deny' } };

  /** Runs a call that a hook wraps once more whenever it was edited; the user edits it and grants the updates, and then says `later`. */
  async function play(updates: readonly unknown[], options: SessionOptions = {}, says?: unknown) {
    const told: unknown[] = [];
    const asked: PermissionCall[] = [];
    const { host, session } = await opened({
      permission: (_input, { granted }) => ({ behavior: granted.some((one) => one === rules[0]) ? 'allow' : 'none' }),
      ask: (input, call) => {
        asked.push(call);
        return { behavior: 'allow', updatedInput: { line: `${lineOf(input)} -q` }, updatedPermissions: updates };
      },
      onPermissionUpdate: (given) => told.push(given),
      ...options,
    });
    on(host, 'PreToolUse', ({ tool_input }: { tool_input: unknown }) => {
      if (says !== undefined && lineOf(tool_input).includes('-q')) return says;
      return { hookSpecificOutput: { updatedInput: { line: `time ${lineOf(tool_input)}` } } };
    });
    const result = await session.tool({ name: 'T', input: { line: 'make' }, execute: lineOf });
    return { told, asked, result, session };
  }
  const lineOf = (input: unknown): string => (input as { line: string }).line;

  test.each([
    ['a mode', modes],
    ['rules that permission() looks at', rules],
  ])('counts for the call while it is judged again: %s', async (_, updates) => {
    const { told, asked, result } = await play(updates);
    expect([result.content, asked.length, told]).toEqual(['time time make -q', 1, [updates]]);
    expect(result.updatedPermissions).toEqual(updates);
  });

  test.each([
    ['a mode', modes],
    ['rules', rules],
  ])('is undone if the call is denied after all: %s', async (_, updates) => {
    const { told, result, session } = await play(updates, {}, deny);
    expect([result.status, told, result.updatedPermissions]).toEqual(['denied', [], []]);
    expect(session.permission_mode).toBe('default');
  });

  test('is what the callbacks are told, and is granted once however often the user grants it', async () => {
    let answers = 0;
    const seen: unknown[] = [];
    const { told, result } = await play(rules, {
      permission: (_input, { granted, permission_mode }) => {
        seen.push([granted, permission_mode]);
        return { behavior: 'ask' };
      },
      ask: (input) => ({
        behavior: 'allow',
        ...(++answers < 3 ? { updatedInput: { line: `${lineOf(input)} -q` } } : {}),
        updatedPermissions: answers < 2 ? modes : rules,
      }),
    });
    expect([result.status, told]).toEqual(['ran', [modes, rules]]);
    expect(seen).toEqual([
      [[], 'default'],
      [modes, 'bypassPermissions'],
      [[...modes, ...rules], 'bypassPermissions'],
    ]);
  });

  test('a question of a hook or of the rules counts all the same, and so does what a hook grants only at the end', async () => {
    const ask = { hookSpecificOutput: { permissionDecision: 'ask' } };
    let answers = 0;
    const { result } = await play(
      modes,
      {
        ask: () =>
          ++answers === 1
            ? { behavior: 'allow', updatedInput: { line: 'x -q' }, updatedPermissions: modes }
            : undefined,
      },
      { hookSpecificOutput: { ...ask.hookSpecificOutput, updatedInput: { line: 'other -q' } } },
    );
    expect([result.status, result.deniedBy, answers]).toEqual(['denied', 'nobody', 2]);
    const { host, session } = await opened({ permission: undefined });
    on(host, 'PreToolUse', ({ tool_input }: { tool_input: unknown }) => ({
      hookSpecificOutput: { updatedInput: { line: `time ${lineOf(tool_input)}` } },
    }));
    let asked = 0;
    on(host, 'PermissionRequest', () => {
      const decision = { behavior: 'allow', updatedInput: { line: 'of the hook' }, updatedPermissions: modes };
      return ++asked === 1 ? { hookSpecificOutput: { decision } } : undefined;
    });
    const own = await session.tool({ name: 'T', input: { line: 'make' }, execute: lineOf });
    expect([own.status, own.deniedBy, session.permission_mode]).toEqual(['denied', 'nobody', 'default']);
  });
});

test('a mode that does not exist is refused wherever one is set, with the nearest', async () => {
  const { createHost } = await import('../../src/index.js');
  const { host, session, reports } = await opened({
    permission_mode: 'plan',
    permission: () => ({ behavior: 'none', suggestions: [{ type: 'setMode', mode: 'acceptEdit' }] }),
    ask: (_input, { suggestions }) => ({ behavior: 'allow', updatedPermissions: suggestions }),
  });
  const all = 'expected one of default, plan, acceptEdits, bypassPermissions, dontAsk, auto';
  const refusal = (where: string, got: string, nearest?: string) => ({
    code: 'INVALID_OPTIONS',
    details: { where, expected: `${all}, got ${got}`, ...(nearest && { nearest }) },
  });
  const wrong = { permission_mode: 'Plan' as never };
  await expect(host.openSession({ ...wrong, session_id: 'b' })).rejects.toMatchObject(
    refusal('openSession: permission_mode', '"Plan"', 'plan'),
  );
  await expect(session.spawn({ ...wrong, agent_type: 't' })).rejects.toMatchObject(
    refusal('spawn: permission_mode', '"Plan"', 'plan'),
  );
  await expect(createHost({ session: { permission_mode: 'dontask' } }).openSession()).rejects.toMatchObject(
    refusal('createHost: session.permission_mode', '"dontask"', 'dontAsk'),
  );
  for (const [mode, near] of [
    ['bypass', 'bypassPermissions'],
    ['', undefined],
    [7, undefined],
    [null, undefined],
  ] as const)
    expect(() => {
      session.permission_mode = mode as never;
    }).toThrow(expect.objectContaining(refusal('session.permission_mode', JSON.stringify(mode), near)));
  expect(() => {
    session.permission_mode = undefined as never;
  }).toThrow(/session\.permission_mode: expected one of/);
  expect(session.permission_mode).toBe('plan');
  expect(await session.tool({ name: 'Edit', input: {}, effect: 'edit', execute: () => 1 })).toMatchObject({
    status: 'ran',
  });
  expect(session.permission_mode).toBe('plan');
  expect(reports).toEqual([
    expect.stringMatching(/sets the mode "acceptEdit", which does not exist; the mode stays plan/),
  ]);
});

test('an onPermissionUpdate that throws is told, and the call that was granted runs', async () => {
  const { session, reports } = await opened({
    permission: undefined,
    ask: () => ({ behavior: 'allow', updatedPermissions: [{ type: 'addRules' }] }),
    onPermissionUpdate: () => {
      throw new Error('no room');
    },
  });
  expect(await session.tool({ name: 'Edit', input: {}, effect: 'edit', execute: () => 1 })).toMatchObject({
    status: 'ran',
  });
  expect(reports).toEqual([expect.stringMatching(/onPermissionUpdate .*no room/)]);
});

test('a denial with interrupt ends the loop, and the calls of the batch that did not run yet', async () => {
  const { session, seen } = await opened({ permission: undefined, ask: () => ({ behavior: 'deny', interrupt: true }) });
  const call = { name: 'T', input: {}, execute: () => 1 };
  const { results, endsLoop } = await session.toolBatch([call, call]);
  expect(results.map((r) => r.status)).toEqual(['denied', 'interrupted']);
  expect(endsLoop).toBe(true);
  expect((await session.stop()).continues).toBe(false);
  expect(names(seen)).toEqual(['SessionStart', 'PreToolUse', 'PermissionRequest']);
});

test.each([
  ['with a deny', { hookSpecificOutput: { decision: { behavior: 'deny', message: 'no', interrupt: true } } }],
  ['with continue: false alone', { continue: false, stopReason: 'no' }],
])("a PermissionRequest hook of Claude Code's files interrupts %s: nothing runs", async (_, said) => {
  const { host, session } = await opened({ permission: undefined, ask: () => ({ behavior: 'allow' }) });
  const output =
    'hookSpecificOutput' in said
      ? { hookSpecificOutput: { hookEventName: 'PermissionRequest', ...said.hookSpecificOutput } }
      : said;
  registerAs(host, { PermissionRequest: [{ hooks: [() => output] }] }, { dialect: 'claude' });
  const call = { name: 'T', input: {}, execute: () => 1 };
  const { results, endsLoop } = await session.toolBatch([call, call]);
  expect(results.map((r) => r.status)).toEqual(['denied', 'interrupted']);
  expect(endsLoop).toBe(true);
  expect(results[0]?.reason).toBe('no');
});

test('an allow of one hook does not stand against another that interrupts', async () => {
  const { host, session } = await opened({ permission: undefined });
  on(host, 'PermissionRequest', () => ({ hookSpecificOutput: { decision: { behavior: 'allow' } } }));
  registerAs(host, { PermissionRequest: [{ hooks: [() => ({ continue: false })] }] }, { dialect: 'claude' });
  expect(await session.tool({ name: 'T', input: {}, execute: () => 1 })).toMatchObject({
    status: 'denied',
    endsLoop: true,
  });
});

describe('an answer of a class', () => {
  /** As those of a library: what it says is read by getters. */
  class Answer {
    readonly #behavior: string;
    readonly #input: unknown;

    constructor(behavior: string, input: unknown) {
      this.#behavior = behavior;
      this.#input = input;
    }

    get behavior(): string {
      return this.#behavior;
    }

    get message(): string {
      return 'said so';
    }

    get updatedInput(): unknown {
      return this.#input;
    }
  }
  const asking = { ask: 'default', permission: 'default', classify: 'auto' } as const;
  const ways = (Object.keys(asking) as (keyof typeof asking)[]).flatMap((who) =>
    [undefined, null, { command: 'pwd' }].flatMap((input) => [
      { who, input, made: 'of a class', answer: (word: string) => new Answer(word, input) },
      {
        who,
        input,
        made: 'inherited',
        answer: (word: string) => Object.create({ behavior: word, message: 'said so', updatedInput: input }),
      },
    ]),
  );

  test.each(ways)('$made counts as any other: $who, $input', async ({ who, input, answer }) => {
    for (const word of ['deny', 'allow']) {
      const settings = { permission: undefined, permission_mode: asking[who], [who]: () => answer(word) };
      const { host, session } = await opened(settings as never);
      if (who === 'ask') on(host, 'PreToolUse', () => ({ hookSpecificOutput: { permissionDecision: 'ask' } }));
      const ran: unknown[] = [];
      const execute = (given: unknown) => void ran.push(given);
      const result = await session.tool({ name: 'Bash', input: { command: 'ls' }, execute });
      const expected = who === 'classify' || !input ? { command: 'ls' } : input;
      expect([word, result.status, ran]).toEqual(word === 'deny' ? [word, 'denied', []] : [word, 'ran', [expected]]);
      if (word === 'deny') expect(result.reason).toBe('said so');
    }
  });
});

describe('an updatedInput that is no object', () => {
  const answers = { ask: 'ask', permission: 'permission' } as const;
  /** What a call comes to where somebody answers with that. */
  async function answered(who: keyof typeof answers, updatedInput: unknown) {
    const answer = () => ({ behavior: 'allow' as const, updatedInput });
    const { host, session, reports } = await opened({ [who]: answer });
    if (who === 'ask') on(host, 'PreToolUse', () => ({ hookSpecificOutput: { permissionDecision: 'ask' } }));
    const ran: unknown[] = [];
    const result = await session.tool({
      name: 'Bash',
      input: { command: 'ls' },
      execute: (input) => void ran.push(input),
    });
    return { result, ran, reports };
  }

  test.each(['ask', 'permission'] as const)('is no change where it is null or undefined: %s', async (who) => {
    for (const nothing of [null, undefined]) {
      const { result, ran } = await answered(who, nothing);
      expect([nothing, result.status, ran]).toEqual([nothing, 'ran', [{ command: 'ls' }]]);
    }
  });

  test.each(['ask', 'permission'] as const)('is a failure otherwise, and no yes: %s', async (who) => {
    for (const odd of ['x', '', 0, 7, true, false, [], [{}], () => undefined]) {
      const { result, ran, reports } = await answered(who, odd);
      expect([odd, result.status, result.deniedBy, ran]).toEqual([odd, 'denied', 'failure', []]);
      expect(result.reason).toContain('updatedInput must be an object');
      expect(reports.join()).toContain(`${who}() failed for Bash`);
    }
  });
});

test.each(['ask', 'permission'] as const)(
  'permissions in an answer that are no list are a failure, and null counts as none: %s',
  async (who) => {
    for (const odd of [{ type: 'setMode', mode: 'acceptEdits' }, {}, { length: 1 }, 'x', 0, true, null]) {
      const { session } = await opened();
      const answer = () => ({ behavior: 'allow', updatedPermissions: odd }) as never;
      const call = { name: 'Bash', input: { command: 'ls' }, execute: () => 'ran' };
      const result = await session.tool({
        ...call,
        ...(who === 'ask' && { permission: () => ({ behavior: 'ask' }) }),
        [who]: answer,
      });
      expect([odd, result.status]).toEqual([odd, odd === null ? 'ran' : 'denied']);
      if (odd !== null) expect(result.reason).toContain('updatedPermissions must be an array');
    }
  },
);
