import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createHost } from '../../src/create-host.js';
import { deny } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import { compileRule } from '../../src/matching/rule.js';
import { generated } from '../seed.js';
import { fires, only, SESSION, watch } from './kit.js';

const input = z.object({
  tool_name: z.string(),
  tool_input: z.unknown(),
  target: z.string().optional(),
});
type Call = z.infer<typeof input>;

/** Every kind of subject that an event about a tool call may have. */
const SUBJECTS = {
  none: {},
  tool: { subject: 'tool_name' },
  'another field': { subject: 'target' },
  'the tool, named otherwise': { subject: 'tool_name', subjectField: 'the tool' },
  'another field, named as the tool': { subject: 'target', subjectField: 'tool_name' },
  'a function of the tool': { subject: (call: Call) => call.tool_name },
  'a function that says another name': { subject: (call: Call) => `my ${call.tool_name}`, subjectField: 'tool_name' },
  'a function that says nothing': { subject: () => undefined, subjectField: 'tool_name' },
  'a function that throws': {
    subject: () => {
      throw new Error('no subject');
    },
    subjectField: 'tool_name',
  },
} as const satisfies Record<string, object>;
const FOLDS = ['gate', 'block', 'observe'] as const;

const RULES = ['Bash(git *)', 'Bash', 'Bash(ls)', 'Edit(src/**)', 'Edit', 'mcp__git__*', 'mcp__git', 'Task', 'Agent'];
const CALLS: readonly (readonly [string, unknown])[] = [
  ['Bash', { command: 'git push' }],
  ['Bash', { command: 'ls' }],
  ['Bash', {}],
  ['Edit', { file_path: '/w/src/a.ts' }],
  ['Write', { file_path: '/w/src/a.ts' }],
  ['mcp__git__push', {}],
  ['Task', {}],
  ['Deploy', {}],
];

const fold = fc.constantFrom(...FOLDS);
const cases = fc.record({
  subject: fc.constantFrom(...(Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[])),
  fold,
  rules: fc.array(fc.constantFrom(...RULES), { minLength: 1, maxLength: 4 }),
  mode: fc.constantFrom('series', 'parallel'),
  calls: fc.array(fc.tuple(fc.constantFrom(...CALLS), fc.constantFrom('prod', 'Bash', 'Edit', undefined)), {
    minLength: 1,
    maxLength: 3,
  }),
});

test('a hook with a rule runs on every call that the rule matches, whatever the subject of the event', async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.boolean(), async ({ subject, fold, rules, mode, calls }, watched) => {
      const events = { Own: defineEvent({ input, fold, tool: true, ...SUBJECTS[subject] }) };
      const host = createHost({ session: SESSION, events, logger: () => {} });
      const seen = watched ? watch(host) : undefined;
      let ran: number[] = [];
      for (const [i, rule] of rules.entries()) {
        const note = { handler: () => void ran.push(i), name: String(i) };
        host.register({ Own: [{ if: rule, mode: mode as 'series', hooks: [note] }] });
      }
      for (const [[tool_name, tool_input], target] of calls) {
        const call = { tool_name, tool_input, ...(target === undefined ? {} : { target }) };
        const due = rules.flatMap((text, i) => {
          const { rule } = compileRule(text, { dialect: 'code', where: 'test' });
          return rule?.matches({ ...SESSION, ...call }) ? [i] : [];
        });
        const explained = host.explain('Own', { ...SESSION, ...call }).hooks;
        ran = [];
        seen?.splice(0);
        await host.fire('Own', call);
        expect(ran).toEqual(due);
        // Each of them once, with the same answer.
        expect(explained.map(({ name }) => name).sort()).toEqual([...rules.keys()].map(String));
        expect(explained.filter(({ runs }) => runs).map(({ name }) => Number(name))).toEqual(due);
        for (const { name, runs, reason } of explained) if (!runs) expect([name, reason]).toEqual([name, 'if']);
        if (seen === undefined) continue;
        for (const row of only(fires(seen)).handlers)
          expect([row.name, row.reason]).toEqual([row.name, due.includes(Number(row.name)) ? undefined : 'if']);
      }
      await host.close();
    }),
    { numRuns: generated(60) },
  );
});

test('a tool that an own event does not name is known: no matcher matches', async () => {
  const logged: unknown[] = [];
  const Own = defineEvent({
    input: z.object({ tool_name: z.string().optional() }),
    subject: 'tool_name',
    fold: 'gate',
  });
  await using host = createHost({ session: SESSION, events: { Own }, logger: (text) => void logged.push(text) });
  const ran: string[] = [];
  for (const matcher of ['*', 'Bash', '/.*/'])
    host.on('Own', () => void ran.push(matcher), { matcher: matcher === '/.*/' ? /.*/ : matcher });
  await host.fire('Own', {});
  expect([ran.splice(0), logged]).toEqual([['*'], []]);
  await host.fire('Own', { tool_name: 'Bash' });
  expect(ran).toEqual(['*', 'Bash', '/.*/']);
});

test.each([7, {}, ['Read'], true])(
  'a tool that an own event names by %j is unknown: every matcher matches',
  async (tool_name) => {
    const Own = defineEvent({ input: z.object({ tool_name: z.unknown() }), subject: 'tool_name', fold: 'gate' });
    await using host = createHost({ session: SESSION, events: { Own }, logger: () => undefined });
    host.on('Own', () => deny('no'), { matcher: 'Bash' });
    expect((await host.fire('Own', { tool_name })).verdict).toBe('deny');
    expect((await host.fire('Own', { tool_name: 'Read' })).verdict).toBe('none');
  },
);

test("the keys for MCP tools count by the call's tool, whatever the subject of the event", async () => {
  for (const subject of Object.values(SUBJECTS)) {
    const own = defineEvent({
      input: input.extend({ tool_output: z.unknown() }),
      output: z.object({ updatedMCPToolOutput: z.unknown().optional() }),
      fold: 'context',
      tool: true,
      rewrites: { field: 'tool_output', keys: ['updatedToolOutput'], mcpKeys: ['updatedMCPToolOutput'] },
      ...subject,
    });
    const host = createHost({ session: SESSION, events: { Own: own }, logger: () => {} });
    host.register({ Own: [{ hooks: [() => ({ hookSpecificOutput: { updatedMCPToolOutput: 'other' } }) as never] }] });
    const fire = (tool_name: string, target: string) =>
      host.fire('Own', { tool_name, tool_input: {}, target, tool_output: 'first' });
    const [tool, another] = [await fire('mcp__git__push', 'Bash'), await fire('Bash', 'mcp__git__push')];
    expect([tool, another].map((d) => (d as { updatedOutput?: unknown }).updatedOutput)).toEqual(['other', undefined]);
    await host.close();
  }
});

const odd = [7, ['Bash'], {}, true];
test.each(Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[])(
  'a name of a tool that is no text could be read as any, so each rule is asked about it (subject: %s)',
  async (subject) => {
    const loose = z.looseObject({ tool_name: z.unknown(), target: z.string().optional() });
    const events = { Own: defineEvent({ input: loose, fold: 'gate', tool: true, ...(SUBJECTS[subject] as object) }) };
    const host = createHost({ session: SESSION, events, logger: () => {} });
    let ran: string[] = [];
    for (const rule of RULES) host.register({ Own: [{ if: rule, hooks: [() => void ran.push(rule)] }] });
    for (const decision of ['allow', 'deny'] as const)
      host.register({ Own: [{ if: 'Deploy', hooks: [{ type: 'rule', decision, reason: 'odd' }] }] });
    for (const tool_name of odd) {
      ran = [];
      const { verdict } = await host.fire('Own', { tool_name });
      expect([ran, verdict]).toEqual([RULES, 'deny']);
    }
    ran = [];
    const { verdict } = await host.fire('Own', { tool_name: null });
    expect([ran, verdict]).toEqual([[], 'none']);
    await host.close();
  },
);

test('a rule that allows does not cover a tool whose name is no text', async () => {
  const events = {
    Own: defineEvent({
      input: z.looseObject({ tool_name: z.unknown() }),
      subject: 'tool_name',
      fold: 'gate',
      tool: true,
    }),
  };
  const host = createHost({ session: SESSION, events, logger: () => {} });
  for (const rule of ['Bash', 'Bash(*)', 'Bash(ls)'])
    host.register({ Own: [{ if: rule, hooks: [{ type: 'rule', decision: 'allow', reason: 'odd' }] }] });
  for (const tool_name of odd) expect((await host.fire('Own', { tool_name })).verdict).toBe('none');
  await host.close();
});
