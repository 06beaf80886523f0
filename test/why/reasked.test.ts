import { describe, expect, test } from 'vitest';
import { answersIn } from '../../src/emit/reading/answers.js';
import type { FireRecord } from '../../src/emit/record.js';
import { addContext, allow, createHost, deny, rewrite } from '../../src/index.js';
import { answerFor } from '../../src/why/answer.js';

type Hook = (command: string) => unknown;

/** The record of a call of Bash with these hooks, which get and rewrite the command. */
async function recordOf(command: string, hooks: Readonly<Record<string, Hook>>): Promise<FireRecord> {
  const host = createHost({ logger: () => undefined });
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(record);
  });
  const handlers = Object.entries(hooks).map(([name, hook]) => ({
    name,
    handler: (input: object) =>
      hook(((input as { tool_input: unknown }).tool_input as { command: string }).command) as never,
  }));
  host.register({ PreToolUse: [{ hooks: handlers }] });
  await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: 't1' });
  await host.close();
  return JSON.parse(JSON.stringify(records[0])) as FireRecord;
}

const to = (command: string) => rewrite({ command });
const adds = (flag: string) => (command: string) => (command.includes(flag) ? undefined : to(`${command} ${flag}`));

/** What each hook was given, and what it made of that. */
const toldOf = (record: FireRecord) =>
  Object.fromEntries(
    [...answersIn(record)].map(([id, answers]) => [
      record.handlers.find((handler) => handler.id === id)?.name,
      answers.map(({ given, rewrite: made }) => [
        (given as { command: string }).command,
        ...(made === undefined
          ? []
          : [(made.value as { command: string }).command, made.dropped ? 'dropped' : 'stands']),
      ]),
    ]),
  );
const whyOf = (record: FireRecord) => {
  const answer = answerFor(record, { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] });
  return {
    ...answer,
    asked: Object.fromEntries(
      answer.asked.map(({ name, text }) => [name, text.replace(/^.*?\) /, '').replaceAll(/ \([^()]* ms\)/g, '')]),
    ),
  };
};

describe('a hook that was asked again', () => {
  test('about a rewrite of another hook is told with what it was given each time', async () => {
    const record = await recordOf('ls', { addN: adds('-n'), addV: adds('-v') });
    expect(toldOf(record)).toEqual({
      addN: [['ls', 'ls -n', 'stands'], ['ls -n -v']],
      addV: [['ls -n', 'ls -n -v', 'stands']],
    });
    const { asked, decision } = whyOf(record);
    expect(asked).toEqual({
      addN: 'was asked 2 times, as rewrites changed it: asked about {"command":"ls"}, it rewrote it; asked again about {"command":"ls -n -v"}, it had no opinion.',
      addV: 'rewrote it.',
    });
    expect(decision[0]).toBe('addN and addV rewrote it; what counts is {"command":"ls -n -v"}.');
  });

  test('and takes back its deny is told with both', async () => {
    const record = await recordOf('x', {
      denyX: (command) => (command === 'x' ? deny('not x') : undefined),
      toY: (command) => (command === 'x' ? to('y') : undefined),
    });
    expect(record.decision.verdict).toBe('none');
    expect(whyOf(record).asked['denyX']).toBe(
      'was asked 2 times, as rewrites changed it: asked about {"command":"x"}, it said deny: "not x", which no longer counts, since it had not judged the final input; asked again about {"command":"y"}, it had no opinion.',
    );
  });

  test('and says the same again is told once', async () => {
    const record = await recordOf('ls', { quiet: () => undefined, addN: adds('-n') });
    expect(whyOf(record).asked).toEqual({
      quiet: 'had no opinion, and was asked again after a rewrite.',
      addN: 'rewrote it.',
    });
  });

  test('and rewrites again is told which of its rewrites was dropped', async () => {
    const record = await recordOf('a', {
      first: (command) => to(`${command.slice(0, 1)}1`),
      second: (command) => to(`${command.slice(0, 1)}2`),
    });
    const told = toldOf(record);
    expect(record.final_input?.['tool_input']).toEqual({ command: 'a2' });
    expect(told['first']?.[0]).toEqual(['a', 'a1', 'stands']);
    expect(told['first']?.[1]).toEqual(['a2', 'a1', 'dropped']);
    expect(told['second']?.[0]).toEqual(['a1', 'a2', 'stands']);
    expect(whyOf(record).decision[0]).toMatch(/^first and second rewrote it|^second and first rewrote it/);
  });

  test('but not one that rewrote nothing counts as one that did', async () => {
    const record = await recordOf('ls', { same: () => to('ls'), addN: adds('-n'), fine: () => allow() });
    expect(toldOf(record)['same']?.[0]).toEqual(['ls']);
    expect(whyOf(record).decision[0]).toMatch(/^addN rewrote it|^addN and/);
  });
});

test.each<[string, Readonly<Record<string, Hook>>]>([
  ['a later hook rewrites it', { after: adds('-n') }],
  ['nobody rewrites it', {}],
])('a hook that announces a later answer and gives none is told so where it is asked once: %s', async (_, others) => {
  const record = await recordOf('ls', { hook: () => ({ async: true }), ...others });
  expect(record.handlers[0]).toMatchObject({ status: 'ran', answers: [{ judged: 0, status: 'unjudged' }] });
  expect(whyOf(record).asked['hook']).toMatch(/^announced a later answer, and gave none/);
});

describe('an answer before', () => {
  const rewrites = (command: string) => (command === 'a' ? to('b') : undefined);
  const askedOf = async (hook: Hook) => {
    const record = await recordOf('a', { hook, rewrites });
    return { record, text: whyOf(record).asked['hook'] };
  };
  const fails = (): never => {
    throw new Error('no');
  };
  const [FIRST, AGAIN] = [
    'was asked 2 times, as rewrites changed it: asked about {"command":"a"}, it ',
    '; asked again about {"command":"b"}, it ',
  ];

  test('counts where the hook then fails, except an allow', async () => {
    const denied = await askedOf((command) => (command === 'a' ? deny('not a') : fails()));
    expect(denied.record.decision.verdict).toBe('deny');
    expect(denied.text).toMatch(`${FIRST}said deny: "not a"${AGAIN}failed (`);
    const allowed = await askedOf((command) => (command === 'a' ? allow() : fails()));
    expect(allowed.record.decision.verdict).toBe('none');
    expect(allowed.text).toMatch(
      `${FIRST}said allow, which no longer counts, since it had not judged the final input${AGAIN}`,
    );
  });

  test('counts where the hook then announces a later answer and gives none', async () => {
    const { record, text } = await askedOf((command) => (command === 'a' ? deny('not a') : { async: true }));
    expect(record.decision.verdict).toBe('deny');
    expect(text).toBe(`${FIRST}said deny: "not a"${AGAIN}announced a later answer, and gave none.`);
    const [{ id } = { id: '' }] = record.handlers;
    expect(answersIn(record).get(id)?.at(-1)?.handler.output).toBeUndefined();
  });

  test('and its context and messages are replaced by the next, and kept where that fails', async () => {
    const first = { ...addContext('of a'), systemMessage: 'a message' };
    const replaced = await askedOf((command) => (command === 'a' ? first : undefined));
    expect(replaced.record.decision).toMatchObject({ additionalContext: [] });
    expect(replaced.text).toBe(
      `${FIRST}had for the model: "of a" and had for the user: "a message", which its next answer replaced${AGAIN}had no opinion.`,
    );
    const kept = await askedOf((command) => (command === 'a' ? first : fails()));
    expect(kept.record.decision).toMatchObject({ additionalContext: ['of a'] });
    expect(kept.text).toMatch(`${FIRST}added for the model: "of a" and told the user: "a message"${AGAIN}failed (`);
  });

  test('that was the same is told once', async () => {
    const { text } = await askedOf(() => ({ ...deny('never'), ...{ systemMessage: 'm' } }));
    expect(text).toBe('said deny: "never" and told the user: "m", and was asked again after a rewrite.');
  });
});

test('a rewrite of a hook that only observes is not taken', async () => {
  const host = createHost({ logger: () => undefined });
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(record);
  });
  host.register({
    PreToolUse: [
      { hooks: [{ name: 'real', handler: () => to('b') as never }] },
      { phase: 'observe', hooks: [{ name: 'watches', handler: () => to('never') as never }] },
    ],
  });
  await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'a' }, tool_use_id: 't1' });
  await host.close();
  const record = JSON.parse(JSON.stringify(records[0])) as FireRecord;
  expect(toldOf(record)).toEqual({ real: [['a', 'b', 'stands']], watches: [['b', 'never', 'dropped']] });
  expect(whyOf(record).decision[0]).toBe('real rewrote it; what counts is {"command":"b"}.');
  expect(whyOf(record).asked['watches']).toBe('rewrote it; it only observes, so its answer does not count.');
});

test('of an input that the record does not hold no rewrite is told as a change of something else', async () => {
  const record = await recordOf('ls', { addN: adds('-n') });
  const cut = ({ tool_input: _, ...rest }: FireRecord['input']) => rest;
  const without = {
    ...record,
    input: cut(record.input),
    final_input: cut(record.final_input ?? {}),
    truncated: ['input.tool_input', 'final_input.tool_input'],
  } as FireRecord;
  expect([...answersIn(without).values()].flat().map(({ given }) => given)).toEqual([undefined]);
  expect(whyOf(without).decision[0]).toBe('addN rewrote it.');
});

test('of records that do not say what an answer is about, each hook was given what the ones before it made', async () => {
  const record = await recordOf('ls', { addN: adds('-n'), addV: (command) => to(`${command.split(' ')[0]} -n -v`) });
  const handlers = record.handlers.map(({ answers: _, judged: __, reasked: ___, ...row }, i) => ({
    ...row,
    output: { hookSpecificOutput: { updatedInput: { command: ['ls -n', 'ls -n -v'][i] } } },
  }));
  const { versions: _, ...older } = record;
  expect(toldOf({ ...older, handlers } as FireRecord)).toEqual({
    addN: [['ls', 'ls -n', 'stands']],
    addV: [['ls -n', 'ls -n -v', 'stands']],
  });
});

test('what the record could not hold is not made up', async () => {
  const record = await recordOf('ls', { addN: adds('-n'), addV: adds('-v') });
  const { versions: _, ...rest } = record;
  const answers = answersIn({ ...rest, truncated: ['versions'] } as FireRecord);
  expect([...answers.values()].map((own) => own.map(({ given }) => given))).toEqual([
    [{ command: 'ls' }, undefined],
    [undefined],
  ]);
  expect(whyOf({ ...rest, truncated: ['versions'] } as FireRecord).asked['addN']).toContain('asked again, it');
});
