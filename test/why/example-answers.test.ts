import { describe, expect, test } from 'vitest';
import { headline } from '../../src/emit/reading/headline.js';
import { formatFire } from '../../src/emit/reading/print.js';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { isRewrite } from '../../src/emit/sinks/otel/attributes.js';
import { CATALOGUE, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { fire } from '../../src/host/fire/fire.js';
import type { FireSettings } from '../../src/host/fire-options.js';
import { servicesOf } from '../../src/host/internals.js';
import { combine, createHost, deny, rewrite, stop } from '../../src/index.js';
import { KeptRecords } from '../../src/page/records/kept.js';
import { marksOf, OUTCOMES } from '../../src/page/records/outcome.js';
import { answerFor } from '../../src/why/answer.js';

const PRE = { tool_name: 'Bash', tool_input: { command: 'x' }, tool_use_id: 't' };
const ASK = { mcp_server_name: 's', message: 'm', requested_schema: {} };
const own = (more: object) => ({ hookSpecificOutput: more });

/** A fire with these hooks in series, in an inner scope where their name ends so; `options`: of the fire. */
async function recordOf(
  event: string,
  input: object,
  hooks: Readonly<Record<string, unknown>>,
  options: FireSettings = {},
) {
  const host = createHost({ logger: () => undefined });
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(JSON.parse(JSON.stringify(record)) as HookRecord));
  for (const [name, answer] of Object.entries(hooks)) {
    const hook = { name, handler: typeof answer === 'function' ? answer : () => answer };
    const at = name.startsWith('inner') ? host.scope({ session: 's1' }) : host;
    at.register({ [event]: [{ hooks: [hook] }] } as never);
  }
  await fire(servicesOf(host), event, { session_id: 's1', ...input }, options);
  await host.close();
  return records.find((record) => record.type === 'hook_fire') as FireRecord;
}

function whyOf(record: FireRecord) {
  const why = answerFor(record, { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] });
  const short = (text: string): string =>
    text.replace(/^\S+ \([^()]*\) /, '').replaceAll(/ \((?:[\d.]+ ms|the program that registered it)\)/g, '');
  return {
    asked: Object.fromEntries(why.asked.map(({ name, text }) => [name, short(text)])),
    decision: why.decision,
    changes: why.changes.map(short),
  };
}

describe('a value', () => {
  test('is told, with who gave it and whose was another', async () => {
    const accepts = own({ action: 'accept', content: { a: 1 } });
    const record = await recordOf('Elicitation', ASK, { first: accepts, last: own({ action: 'decline' }) });
    expect(whyOf(record)).toEqual({
      asked: {
        first: 'gave the value {"action":"accept","content":{"a":1}}.',
        last: 'gave the value {"action":"decline"}.',
      },
      decision: [
        'last decided: the value is {"action":"decline"}.',
        'first was overruled: it gave another value, and the last one counts.',
      ],
      changes: ['For another value, last must give another, or a hook that is asked after it: the last one counts.'],
    });
    expect(headline(record, (_, text) => text)).toBe('value given by last, over first');
    expect(formatFire(record)).toMatch(/first .* gave a value .*\n.*last .* gave a value/);
    expect(formatFire(record)).toContain('conflict: the value of last stands, that of first was dropped');
    expect(OUTCOMES.filter((_, i) => marksOf(record) & (1 << i))).toEqual(['rewritten']);
  });

  test('that a block means is told as that', async () => {
    const record = await recordOf('Elicitation', ASK, { never: { decision: 'block', reason: 'never' } });
    expect(whyOf(record)).toEqual({
      asked: { never: 'said block, which means the value {"action":"decline"}: "never".' },
      decision: ['never decided: the value is {"action":"decline"}, saying "never".'],
      changes: ['For another value, never must no longer block.'],
    });
  });

  test('of an event of another agent is read from its own keys', async () => {
    const record = await recordOf(
      'MessageDisplay',
      { turn_id: 't', message_id: 'm', index: 0, final: true, delta: 'd' },
      {
        mask: own({ displayContent: 'masked' }),
      },
    );
    expect(whyOf({ ...record, event: 'Theirs' } as FireRecord).asked['mask']).toBe('gave the value "masked".');
  });

  test('has the keys that the schema of its event has', () => {
    for (const event of HOOK_EVENTS)
      if (CATALOGUE[event].fold === 'replace')
        expect([...(CATALOGUE[event].value ?? [])], event).toEqual(Object.keys(CATALOGUE[event].output.shape));
  });
});

describe('advice', () => {
  test('names an earlier stage only where a hook can be asked before the one that ends the run', async () => {
    const hooks = { ender: stop('enough'), next: undefined, inner: undefined };
    const { changes } = whyOf(await recordOf('PreToolUse', PRE, hooks));
    expect(changes.filter((line) => line.includes('to be asked'))).toEqual([
      'For next to be asked: ender must not answer continue: false, or this one needs an earlier stage.',
      'For inner to be asked: ender must not answer continue: false.',
    ]);
  });

  test('says who would be asked again, and what that leaves unknown, on every event', async () => {
    const hooks = { guard: undefined, changes: rewrite({ command: 'y' }), ender: stop('enough') };
    const { changes } = whyOf(await recordOf('PreToolUse', PRE, hooks));
    expect(changes).toContain(
      'What would be decided then is not known before guard is asked again, about the final input.',
    );
    const blocks = { ender: { decision: 'block', reason: 'no', continue: false }, next: undefined };
    expect(whyOf(await recordOf('UserPromptSubmit', { prompt: 'p' }, blocks)).changes).toContain(
      'What would be decided then is not known before next is asked, too.',
    );
  });
});

test('two that rewrite the same again and again are in conflict once', async () => {
  const hooks = { outer: rewrite({ command: 'a' }), inner: combine(deny('no'), rewrite({ command: 'b' })) };
  const record = await recordOf('PreToolUse', PRE, hooks);
  expect(record.conflicts).toHaveLength(1);
  expect(whyOf(record).decision.filter((line) => line.includes('was dropped'))).toHaveLength(1);
});

test('an allow whose rewrite was dropped does not count for that reason', async () => {
  const allows = own({ permissionDecision: 'allow', updatedInput: { command: 'b' } });
  const { asked } = whyOf(await recordOf('PreToolUse', PRE, { outer: rewrite({ command: 'a' }), inner: allows }));
  expect(asked['inner']).toMatch(
    /said allow, which no longer counts, since its rewrite was dropped; besides, it rewrote it, which was dropped\.$/,
  );
});

test('what counts of an answer that was not taken whole is told beside its failure', async () => {
  const answer = { decision: 'block', reason: 'leak', ...own({ updatedToolOutput: 'text', additionalContext: 'C' }) };
  const input = { ...PRE, tool_response: { stdout: 'secret' } };
  const { asked, decision } = whyOf(await recordOf('PostToolUse', input, { mask: answer }, { doneBy: 'client' }));
  expect(asked['mask']).toMatch(
    /^failed \(bad_schema: .*\), which was ignored, since its onFailure is continue; besides, it blocked it: "leak" and added for the model: "C"\.$/,
  );
  expect(decision).toEqual(['mask blocked it, saying "leak".']);
});

test('a rewrite that does nothing is none', async () => {
  const mcp = own({ updatedMCPToolOutput: { stdout: 'm' } });
  const given = { ...PRE, tool_response: { stdout: 's' } };
  const plain = await recordOf('PostToolUse', given, { mask: mcp });
  expect(whyOf(plain).asked['mask']).toMatch(/^had no opinion\. Warning: "updatedMCPToolOutput"/);
  expect(isRewrite(mcp, plain)).toBe(false);
  expect(isRewrite(mcp, await recordOf('PostToolUse', { ...given, tool_name: 'mcp__a__b' }, { mask: mcp }))).toBe(true);
});

test('of two verdicts in one answer the reason of the one that counts is told', async () => {
  const both = {
    decision: 'block',
    reason: 'never',
    ...own({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
  };
  const ends = {
    continue: false,
    stopReason: 'enough',
    ...own({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
  };
  expect(whyOf(await recordOf('PreToolUse', PRE, { both })).asked['both']).toBe('said deny: "never".');
  expect(whyOf(await recordOf('PreToolUse', PRE, { ends })).asked['ends']).toBe(
    'ended the run with continue: false, which denies the call: "enough".',
  );
});

test('the page has the lane of a main agent that a record names by an empty id', async () => {
  const kept = new KeptRecords(false);
  for (const [seq, agent_id] of ['', undefined, 'a1'].entries())
    kept.add(JSON.stringify({ ...(await recordOf('PreToolUse', PRE, {})), seq, agent_id }));
  expect(kept.agents.lanes().map(({ id }) => id)).toEqual([undefined, 'a1']);
});

test('an alarm tells the type of its agent', async () => {
  const host = createHost({ logger: () => undefined });
  const alarms: unknown[] = [];
  host.events$.subscribe((record) => record.type === 'hook_alarm' && alarms.push(record.agent_type));
  host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
  host.spawnHooks('mason', { PreToolUse: [{ hooks: [() => undefined] }] });
  const agent = { session_id: 's1', agent_id: 'a1' };
  await host.fire('SubagentStart', { ...agent, agent_type: 'mason' });
  await host.fire('PreToolUse', { ...agent, ...PRE });
  await host.fire('PostToolUse', { ...agent, ...PRE, tool_response: {} });
  await host.close();
  expect(alarms).toEqual(['mason']);
});
