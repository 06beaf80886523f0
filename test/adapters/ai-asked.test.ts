import { generateText, type ModelMessage, type ToolSet, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../src/adapters/ai.js';
import { Steps } from '../../src/adapters/steps.js';
import type { HookRecord, ToolCallRecord } from '../../src/emit/record.js';
import type { SessionOptions } from '../../src/session/options.js';
import { on, opened } from '../session/kit.js';
import { prompt, scripted } from './ai-kit.js';

const inputSchema = z.object({ path: z.string() });
const asks = (updatedInput?: object) => ({ hookSpecificOutput: { permissionDecision: 'ask', updatedInput } });
const allows = (updatedInput?: object) => ({ hookSpecificOutput: { decision: { behavior: 'allow', updatedInput } } });
const yes = () => ({ behavior: 'allow' as const });

/** A session, with a tool that notes what it removes. */
async function removing(options: SessionOptions = {}, more: object = {}) {
  const { host, session, reports, seen } = await opened(options);
  const records: ToolCallRecord[] = [];
  host.events$.subscribe((record: HookRecord) => record.type === 'tool_call' && records.push(record));
  const ran: string[] = [];
  const execute = ({ path }: { path: string }) => {
    ran.push(path);
    return `removed ${path}`;
  };
  const tools: ToolSet = { remove: tool({ inputSchema, execute, ...more }) };
  const calls = { 'remove@c': { path: 'a' } };
  const model = scripted(calls, 'Done.', calls, 'Done.');
  const go = (how: Parameters<typeof drive<ToolSet, never>>[1]) =>
    drive(session, { tools, ...how }, (round) => generateText({ model, ...round }));
  return { host, session, reports, seen, records, ran, model, go };
}

/** The user's answer to the last question, with other words in the conversation where they are given. */
function answered(messages: readonly ModelMessage[], approved: boolean, tampered?: [string, string]): ModelMessage[] {
  const kept = JSON.parse(JSON.stringify(messages).replaceAll(...(tampered ?? ['', '']))) as ModelMessage[];
  const parts = kept.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );
  const asked = parts.findLast((part) => part.type === 'tool-approval-request');
  const approvalId = asked?.type === 'tool-approval-request' ? asked.approvalId : '';
  const answer = { type: 'tool-approval-response' as const, approvalId, approved, reason: 'as I say' };
  return [...kept, { role: 'tool', content: [answer] }];
}

describe('onAsk shows, and changes nothing of who is asked', () => {
  test.each([undefined, () => undefined])(
    'about a tool that needs approval: the user is asked, whoever else would allow it (%s)',
    async (onAsk) => {
      const OTHERS = [
        { hook: allows() },
        { hook: allows({ path: 'b' }) },
        { ask: yes },
        { permission_mode: 'dontAsk' },
        { permission_mode: 'bypassPermissions', permission: undefined },
      ];
      for (const { hook, ...options } of OTHERS as ({ hook?: object } & SessionOptions)[]) {
        const { host, ran, records, go } = await removing(options, { needsApproval: true });
        on(host, 'PermissionRequest', () => hook);
        const first = await go({ prompt: 'Go', onAsk });
        expect({ status: first.status, ran }).toEqual({ status: 'unfinished', ran: [] });
        await go({ messages: answered(first.messages, true), onAsk });
        expect(ran).toEqual(['a']);
        expect(records.at(-1)).toMatchObject({ status: 'ran', approver: 'user' });
      }
    },
  );

  test('a hook that denies in place of the user denies', async () => {
    const { host, ran, go } = await removing({}, { needsApproval: true });
    on(host, 'PermissionRequest', () => ({ hookSpecificOutput: { decision: { behavior: 'deny' } } }));
    expect((await go({ prompt: 'Go', onAsk: () => undefined })).status).toBe('done');
    expect(ran).toEqual([]);
  });

  test('one that throws denies the call, and the log names it', async () => {
    const { reports, ran, go } = await removing({}, { needsApproval: true });
    const onAsk = () => {
      throw new Error('no window');
    };
    expect((await go({ prompt: 'Go', onAsk })).status).toBe('done');
    expect(ran).toEqual([]);
    expect(reports.join()).toContain('onAsk() failed for remove, so the call is denied: no window');
  });
});

describe('what a question has shown', () => {
  test.each([true, false])('counts no longer once the next one is asked (answered with %s)', async (first) => {
    const { host, ran, go } = await removing();
    const paths = ['b', 'b', 'c', 'b'];
    on(host, 'PreToolUse', () => asks({ path: paths.shift() }));
    const onAsk = () => undefined;
    const one = await go({ prompt: 'Go', onAsk });
    const two = await go({ messages: answered(one.messages, first), onAsk });
    expect(ran).toEqual(first ? ['b'] : []);
    const three = await go({ messages: two.messages, prompt: 'Again', onAsk });
    await go({ messages: answered(three.messages, true), onAsk });
    expect(ran).toEqual(first ? ['b'] : []);
  });

  test('is all that a yes is for: a hook that allows another input does not let it run', async () => {
    const tampered: [string, string] = ['"input":{"path":"a"}', '"input":{"path":"z"}'];
    for (const [hook, pre, other] of [
      [allows(), undefined, tampered],
      [allows({ path: 'b' }), asks(), undefined],
      [undefined, undefined, tampered],
    ] as const) {
      const { host, ran, records, go } = await removing({}, { needsApproval: true });
      on(host, 'PreToolUse', () => pre);
      on(host, 'PermissionRequest', () => hook);
      const first = await go({ prompt: 'Go' });
      await go({ messages: answered(first.messages, true, other) });
      expect(ran).toEqual([]);
      expect(records.at(-1)).toMatchObject({ status: 'denied', denied_by: 'nobody' });
    }
  });

  test("another input runs where the session's own ask, which gets exactly that one, allows it", async () => {
    const asked: unknown[] = [];
    const ask = (input: unknown) => {
      asked.push(input);
      return yes();
    };
    const { ran, records, go } = await removing({ ask }, { needsApproval: true });
    const first = await go({ prompt: 'Go' });
    await go({ messages: answered(first.messages, true, ['"input":{"path":"a"}', '"input":{"path":"z"}']) });
    expect({ ran, asked }).toEqual({ ran: ['z'], asked: [{ path: 'z' }] });
    expect(records.at(-1)).toMatchObject({ status: 'ran', approver: 'user' });
  });
});

test.each([undefined, 'dontAsk', 'auto', 'bypassPermissions'] as const)(
  "a call that the user has refused is recorded as refused by the user, with the user's words, in mode %s",
  async (permission_mode) => {
    for (const options of [{}, { ask: yes }]) {
      const { host, seen, ran, records, model, go } = await removing(
        { permission_mode, ...options },
        { needsApproval: true },
      );
      on(host, 'PermissionRequest', () => allows());
      const first = await go({ prompt: 'Go' });
      await go({ messages: answered(first.messages, false) });
      expect(ran).toEqual([]);
      expect(records).toMatchObject([{ status: 'denied', ran: false, denied_by: 'user', reason: 'as I say' }]);
      expect(records[0]).not.toHaveProperty('approver');
      expect(seen.some(({ event }) => event === 'PostToolUseFailure')).toBe(false);
      expect(JSON.stringify(prompt(model, 1).outputs)).toContain('as I say');
    }
  },
);

test.each([yes, () => ({ behavior: 'deny' as const })])(
  'no classifier is asked about what the user has approved',
  async (verdict) => {
    for (const onAsk of [undefined, () => undefined]) {
      let classified = 0;
      const classify = () => {
        classified++;
        return verdict();
      };
      const options = { permission: undefined, permission_mode: 'auto' as const, classify };
      const { ran, records, go } = await removing(options, { needsApproval: true });
      const first = await go({ prompt: 'Go', onAsk });
      await go({ messages: answered(first.messages, true), onAsk });
      expect({ ran, classified }).toEqual({ ran: ['a'], classified: 0 });
      expect(records.at(-1)).toMatchObject({ status: 'ran', approver: 'user' });
    }
  },
);

describe('in an adapter of your own, the answer that a call comes with counts', () => {
  const no = { behavior: 'deny' as const, message: 'the user said no' };
  const CASES: readonly [string, SessionOptions, object | undefined][] = [
    ['rules allow it', {}, undefined],
    ['a hook allows it in place of the user', {}, allows()],
    ["the session's own ask allows it", { ask: yes }, undefined],
    ['the mode allows it', { permission: undefined, permission_mode: 'bypassPermissions' }, undefined],
    ['the mode asks nobody', { permission_mode: 'dontAsk' }, undefined],
    ['a classifier allows it', { permission: undefined, permission_mode: 'auto', classify: yes }, undefined],
  ];

  test.each(CASES)('also where %s', async (_, options, hook) => {
    for (const first of ['asked', 'asks'])
      for (const answer of [no, yes()]) {
        const { host, session } = await opened(options);
        on(host, 'PermissionRequest', () => hook);
        let asking = first === 'asks' && options.ask === undefined && !hook && options.permission_mode !== 'dontAsk';
        on(host, 'PreToolUse', () => (asking ? asks() : undefined));
        const ran: unknown[] = [];
        const call = { name: 'remove', id: 'k', input: { path: 'a' }, execute: (input: unknown) => ran.push(input) };
        const steps = new Steps(session);
        if (asking) expect(await steps.asks(call)).toBe(true);
        else steps.asked('k', 'remove', call.input);
        asking = false;
        const result = await steps.run({ ...call, pause: () => answer });
        if (answer === no) expect(result).toMatchObject({ status: 'denied', deniedBy: 'person', reason: no.message });
        else expect(result).toMatchObject({ status: 'ran' });
        expect(ran).toHaveLength(answer === no ? 0 : 1);
        await host.close();
      }
  });
});
