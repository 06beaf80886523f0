import { expect, test } from 'vitest';
import { z } from 'zod';
import { headline } from '../../src/emit/reading/headline.js';
import { reasonIn } from '../../src/emit/reading/reason.js';
import { valueIn } from '../../src/emit/reading/value.js';
import type { FireRecord, HandlerRecord } from '../../src/emit/record.js';
import { createHost, defineEvent, formatFire } from '../../src/index.js';
import { answerFor } from '../../src/why/answer.js';

type Json = Readonly<Record<string, unknown>>;
const input = z.object({ what: z.string() });
const text = z.string().optional();
const EVENTS = {
  Pick: defineEvent({ fold: 'replace', input, output: z.object({ colour: text, additionalContext: text }) }),
  Pick1: defineEvent({ fold: 'replace', input, output: z.object({ colour: text }) }),
  Plain: defineEvent({ fold: 'replace', input }),
};
const own = (specific: Json): Json => ({ hookSpecificOutput: specific });

/** The record of a fire of hooks a, b, c that answer so, or throw. */
async function recordOf(event: string, answers: readonly (Json | Error)[]): Promise<FireRecord> {
  const records: FireRecord[] = [];
  const host = createHost({ logger: () => undefined, events: EVENTS });
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(record);
  });
  const groups = answers.map((answer, at) => ({
    name: 'abc'[at] as string,
    hooks: [
      () => {
        if (answer instanceof Error) throw answer;
        return answer;
      },
    ],
  }));
  host.register({ [event]: groups } as Parameters<typeof host.register>[0]);
  const about = { what: 'x', prompt: 'p', stop_hook_active: false, name: 'w', tool_name: 'Bash', tool_input: {} };
  await host.fireAny(event, about);
  await host.close();
  return records[0] as FireRecord;
}

const explained = (record: FireRecord) =>
  answerFor(record, { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] });
const said = (record: FireRecord): string[] =>
  explained(record).asked.map(({ text }) => text.replace(/^.*?\) /, '').replace(/ \(\d.*$/, ''));

test.each<[string, string, Json[], string[]]>([
  ['a key alone that is the value', 'Pick1', [own({ colour: 'red' })], ['gave the value "red"']],
  [
    'a key that is none, beside one that is',
    'Pick1',
    [own({ colour: 'red' }), own({ colur: 'typo' })],
    ['gave the value "red"', 'answered {"colur":"typo"}'],
  ],
  ['context that does nothing', 'Plain', [own({ additionalContext: 'c' })], ['had no opinion']],
  [
    'two values of the one key',
    'Plain',
    [own({ value: 7 }), own({ value: { x: 1 } })],
    ['gave the value 7', 'gave the value {"x":1}'],
  ],
  [
    'the object of several keys, and one of other keys that it does not show',
    'Pick',
    [own({ colour: 'red', additionalContext: 'why red' }), own({ colour: 'blue' })],
    ['gave a value and added for the model: "why red"', 'gave the value {"colour":"blue"}'],
  ],
])('of an event of your own why tells no value but what the decision proves: %s', async (_, event, answers, wanted) => {
  const record = await recordOf(event, answers);
  expect(said(record)).toEqual(wanted);
  for (const [at, words] of wanted.entries()) {
    expect(valueIn(record, record.handlers[at] as HandlerRecord) !== undefined).toBe(words.startsWith('gave'));
    expect(formatFire(record).split('\n')[at + 1]).toMatch(words.startsWith('gave') ? /gave a value/ : /no opinion/);
  }
});

const uncoloured = (__: unknown, words: string): string => words;
const no = { decision: 'block', reason: 'no secrets' };

test.each<[string, string, (Json | Error)[], string, string]>([
  [
    'silent beside one that speaks',
    'UserPromptSubmit',
    [{ decision: 'block' }, no],
    'a blocked it.',
    'blocked by a (b: "no secrets")',
  ],
  [
    'both with a reason',
    'UserPromptSubmit',
    [{ decision: 'block', reason: 'mine' }, no],
    'a blocked it, saying "mine".',
    'blocked by a: "mine"',
  ],
  ['nobody with a reason', 'UserPromptSubmit', [{ decision: 'block' }], 'a blocked it.', 'blocked by a'],
  [
    'one that kept the agent going by context alone',
    'Stop',
    [own({ additionalContext: 'c' }), { decision: 'block', reason: 'go on' }],
    'a decided that the agent goes on.',
    'goes on by a (b: "go on")',
  ],
  [
    'one that failed',
    'WorktreeCreate',
    [new Error('boom'), own({ worktreePath: '/w' })],
    'a blocked it, saying "Error: boom" (by its failure: threw).',
    'blocked by a: "Error: boom", 1 failed',
  ],
])('why and history tell of the hook that decided its own reason: %s', async (_, event, answers, decided, line) => {
  const record = await recordOf(event, answers);
  expect(explained(record).decision[0]).toBe(decided);
  expect(headline(record, uncoloured)).toBe(line);
});

test('what a record does not hold is nobody else’s reason', async () => {
  const record = await recordOf('UserPromptSubmit', [no, { decision: 'block' }]);
  const cut = record.handlers.map(({ output: _, ...row }) => row);
  expect(reasonIn({ ...record, handlers: cut })).toEqual({ own: 'no secrets' });
});

test('a message beside an allowed permission is not its reason', async () => {
  const record = await recordOf('PermissionRequest', [
    { reason: 'the real one', ...own({ decision: { behavior: 'allow', message: 'does nothing' } }) },
  ]);
  expect(said(record)).toEqual(['said allow: "the real one"']);
});
