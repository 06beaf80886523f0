import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Steps } from '../../src/adapters/steps.js';
import type { FireRecord, HookRecord, ToolCallRecord } from '../../src/emit/record.js';
import type { HookEvent } from '../../src/events/catalogue.js';
import { allow, ask, block, deny, stop } from '../../src/events/output/helpers.js';
import { servicesOf } from '../../src/host/internals.js';
import { answerFor, type WhyAnswer } from '../../src/why/answer.js';
import { whatBecame } from '../../src/why/ran.js';
import { fire } from '../emit/samples.js';
import { inputOf } from '../host/inputs.js';
import { fireAny, fires, testHost, turn, watch } from '../host/kit.js';
import { generated } from '../seed.js';
import { opened } from '../session/kit.js';
import { SAMPLES } from '../store/records.js';

type Said = 'nothing' | 'allow' | 'ask' | 'deny' | 'end' | 'end, as a command says it' | 'block' | 'fail';
interface Hook {
  readonly says: Said;
  readonly managed: boolean;
  readonly onFailure: 'continue' | 'ask' | 'block';
  readonly phase: 'decide' | 'observe';
}

const ANSWERS: Readonly<Record<Said, () => unknown>> = {
  nothing: () => undefined,
  allow: () => allow(),
  ask: () => ask('is it meant?'),
  deny: () => deny('no'),
  end: () => stop('enough'),
  'end, as a command says it': () => stop('enough'),
  block: () => block('not yet'),
  fail: () => {
    throw new Error('broken');
  },
};

async function asked1(event: HookEvent, hooks: readonly Hook[], decisions: 'strictest' | 'first' | 'last') {
  const { host } = testHost({ decisions });
  const seen = watch(host);
  for (const [i, { says, managed, onFailure, phase }] of hooks.entries()) {
    const group = { name: `hook<${i}>`, onFailure, phase, hooks: [ANSWERS[says]] };
    const dialect = says === 'end, as a command says it' ? 'claude' : 'code';
    servicesOf(host).registrar.register(undefined, { [event]: [group] }, { dialect } as never, managed);
  }
  await fireAny(host, event, inputOf(event));
  return fires(seen)[0] as FireRecord;
}

const told = (record: FireRecord, calls?: readonly ToolCallRecord[]): WhyAnswer =>
  answerFor(record, { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [], calls });
const namedIn = (text: string): number[] => [...text.matchAll(/hook<(\d+)>/g)].map(([, i]) => Number(i));

const anyHook = (says: readonly Said[]) =>
  fc.record<Hook>({
    says: fc.constantFrom(...says),
    managed: fc.boolean(),
    onFailure: fc.constantFrom('continue', 'ask', 'block'),
    phase: fc.constantFrom('decide', 'decide', 'decide', 'observe'),
  });
const decisions = fc.constantFrom('strictest' as const, 'first' as const, 'last' as const);

/** Hooks in the order in which they are asked: managed ones come first. */
const inOrder = (hooks: readonly Hook[]): Hook[] => [...hooks].sort((a, b) => Number(b.managed) - Number(a.managed));

describe('the advice of why, followed', () => {
  const GATE: readonly Said[] = ['nothing', 'allow', 'allow', 'ask', 'deny', 'deny', 'end', 'fail'];
  test('on a gate: another answer of the hooks that it names changes the verdict, and another of all others does not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyHook(GATE), { maxLength: 5 }), decisions, async (some, which) => {
        const hooks = inOrder(some);
        const record = await asked1('PreToolUse', hooks, which);
        const verdict = record.decision.verdict ?? 'none';
        const [first = ''] = told(record).changes;
        const changed = async (isChanged: (i: number) => boolean, says: Said): Promise<string | undefined> => {
          const others = hooks.map((hook, i) => (isChanged(i) ? { ...hook, says } : hook));
          return (await asked1('PreToolUse', others, which)).decision.verdict ?? 'none';
        };
        const names = namedIn(first);
        const unasked = record.handlers.filter(({ reason }) => reason === 'bailed').map(({ name }) => namedIn(name)[0]);
        const unknown = told(record).changes.find((text) => text.startsWith('What would be decided then'));
        expect(namedIn(unknown ?? '')).toEqual(unasked);
        if (unasked.length > 0) return;
        if (verdict === 'none' || (verdict === 'allow' && which === 'strictest')) {
          expect(first).toMatch(/^To stop such a call, (?:a|one) hook that matches it must deny/);
          expect(names).toEqual([]);
          for (const [i, { phase }] of hooks.entries())
            if (phase === 'decide') expect(await changed((j) => j === i, 'deny')).toBe('deny');
        } else if (verdict === 'allow') {
          expect(names).toHaveLength(1);
          expect(await changed((i) => names.includes(i), 'deny')).toBe('deny');
          // What is managed counts as soon as it denies, and who is asked before (or after) may speak first.
          const [at = 0] = names;
          const later = (i: number): boolean => !hooks[i]?.managed && (which === 'first' ? i > at : i < at);
          expect(await changed(later, 'deny')).toBe('allow');
        } else {
          expect(names.length).toBeGreaterThan(0);
          expect(await changed((i) => names.includes(i), 'allow')).not.toBe(verdict);
          // Who has no opinion may come to be the first, or the last, with one.
          const speaks = (i: number): boolean =>
            (record.handlers.find(({ name }) => name === `hook<${i}>`)?.verdict ?? 'none') !== 'none';
          expect(await changed((i) => !names.includes(i) && speaks(i), 'allow')).toBe(verdict);
          for (const one of names.length > 1 ? names : [])
            expect(await changed((i) => i === one, 'allow'), `${first} and hook<${one}>`).toBe(verdict);
        }
        if (first.startsWith('For it to pass'))
          expect(['none', 'allow']).toContain(await changed((i) => names.includes(i), 'nothing'));
      }),
      { numRuns: generated(60) },
    );
  });

  test.each(['Stop', 'SubagentStop', 'UserPromptSubmit', 'PostToolUse', 'PreCompact'] as const)(
    'on %s: whoever it names blocks or ends the loop, and without them it is otherwise',
    async (event) => {
      const says: readonly Said[] = ['nothing', 'block', 'end, as a command says it', 'end', 'fail'];
      await fc.assert(
        fc.asyncProperty(fc.array(anyHook(says), { maxLength: 4 }), async (some) => {
          const hooks = inOrder(some);
          const record = await asked1(event, hooks, 'strictest');
          const { decision, changes } = told(record);
          const words = decision.join('\n');
          if (words.includes('was overruled')) expect(words).not.toContain('No hook wanted to go on');
          const without = async (names: readonly number[]) => {
            const left = hooks.map((hook, i) => (names.includes(i) ? { ...hook, says: 'nothing' as const } : hook));
            return (await asked1(event, left, 'strictest')).decision;
          };
          // Who was not asked, since the run ended before, may end it or block then.
          const unasked = record.handlers
            .filter(({ reason }) => reason === 'bailed')
            .flatMap(({ name }) => namedIn(name));
          const loop = changes.find((text) => text.includes('must no longer end the loop'));
          expect(loop !== undefined).toBe(!record.decision.continue);
          if (loop !== undefined) {
            const after = await without([...namedIn(loop), ...unasked]);
            expect(after.continue).toBe(true);
            if (record.decision.fold === 'stop' && !loop.includes('and a hook must'))
              expect(after.continues).toBe(true);
          }
          const blocks = changes.find((text) => /must no longer (?:block|keep it going)/.test(text));
          expect(blocks !== undefined).toBe(record.decision.blocked === true || record.decision.continues === true);
          if (blocks !== undefined) {
            const after = await without([...namedIn(blocks), ...unasked]);
            expect([after.blocked ?? false, after.continues ?? false]).toEqual([false, false]);
            if (blocks.startsWith('For it to go on')) expect(after.continue).toBe(true);
          }
        }),
        { numRuns: generated(15) },
      );
    },
  );
});

describe('why, about a question', () => {
  const asked = () =>
    asked1('PreToolUse', [{ says: 'ask', managed: false, onFailure: 'continue', phase: 'decide' }], 'strictest');
  const call = (fields: object): ToolCallRecord =>
    ({
      ...SAMPLES.find(({ type }) => type === 'tool_call'),
      denied_by: undefined,
      decided_by: undefined,
      ...fields,
    }) as never;

  test('that was answered: it passed, and would without one', async () => {
    const { changes } = told(await asked(), [call({ status: 'ran', ran: true, approver: 'user' })]);
    expect(changes).toEqual([
      expect.stringMatching(/^For it to pass without a question, hook<0> \(.*must no longer ask/),
    ]);
  });

  test.each([
    [call({ denied_by: 'nobody' }), /an approver is missing: .* an onAsk of the adapter if hooks rewrite the call/],
    [call({ denied_by: 'user' }), /^For it to pass with one, the user must allow it/],
  ])('that was not: what is missing %#', async (ended, sentence) => {
    const { changes } = told(await asked(), [ended]);
    expect(changes).toEqual([expect.stringContaining('without a question'), expect.stringMatching(sentence)]);
  });

  test('that rules have settled: another answer of hooks is not enough', async () => {
    const { changes } = told(await asked(), [call({ denied_by: 'rule', status: 'denied' })]);
    expect(changes[1]).toMatch(/^It would not run then either: the permission rules must no longer deny it/);
  });

  test('that the team answered, or did not', async () => {
    const record = await asked();
    const answered = (fields: object) => told({ ...record, answered: fields } as never).changes.join('\n');
    expect(answered({ answer: 'none', reason: 'nobody came' })).toContain('an approver is missing');
    expect(answered({ answer: 'deny', by: 'alice' })).toContain('For it to pass with one, alice must allow it');
    expect(answered({ answer: 'allow', by: 'alice' })).not.toMatch(/missing|alice/);
  });

  test('below a deny', async () => {
    const hook = { managed: false, onFailure: 'continue', phase: 'decide' } as const;
    const { changes } = told(
      await asked1(
        'PreToolUse',
        [
          { ...hook, says: 'deny' },
          { ...hook, says: 'ask' },
        ],
        'strictest',
      ),
    );
    expect(changes[0]).toMatch(/^For it not to be denied, hook<0> /);
    expect(changes[1]).toMatch(/^It would not pass then either: hook<1> \(.*\) would still ask\.$/);
  });
});

describe('why, about a call that hooks let pass and somebody else has denied', () => {
  const hook = (says: 'allow' | 'nothing') =>
    ({ says, managed: false, onFailure: 'continue', phase: 'decide' }) as const;
  const denied = (denied_by: string) => {
    const sample = SAMPLES.find(({ type }) => type === 'tool_call');
    return { ...sample, status: 'denied', ran: false, decided_by: undefined, denied_by } as never as ToolCallRecord;
  };

  test.each([
    ['rule', 'the permission rules must no longer deny it: an allow of a hook does not help'],
    ['user', 'the user must allow it when asked'],
    ['mode', 'the permission mode must be one in which somebody is asked'],
    ['classifier', 'the classifier must allow it'],
    ['nobody', 'an approver must be there (a permission function of the session, '],
    ['failure', 'the question about it must be answered properly'],
  ])('%s: how it would run, and not how to stop it', async (who, what) => {
    for (const says of ['allow', 'nothing'] as const) {
      const { changes } = told(await asked1('PreToolUse', [hook(says)], 'strictest'), [denied(who)]);
      expect(changes).toHaveLength(1);
      expect(changes[0]).toContain(`For it to run, ${what}`);
      const hooksHelp = says === 'nothing' && ['mode', 'classifier', 'nobody'].includes(who);
      expect(changes[0]?.endsWith(', or a hook that matches it must allow it.')).toBe(hooksHelp);
    }
  });

  test('since the user would have seen another input: an onAsk, or a hook that does not rewrite', async () => {
    const records: HookRecord[] = [];
    const { host, session } = await opened();
    host.events$.subscribe((record) => records.push(record));
    const dryRun = () => ({ hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { target: 'dry' } } });
    host.register({ PreToolUse: [{ name: 'dry run', hooks: [dryRun as never] }] });
    const steps = new Steps(session);
    const call = { name: 'deploy', id: 'k', input: { target: 'shop' }, execute: () => 'ran' };
    steps.asked(call.id, call.name, call.input);
    const result = await steps.run({ ...call, pause: () => ({ behavior: 'allow' }) });
    expect(result.status).toBe('denied');
    const fires = records.filter((record) => record.type === 'hook_fire');
    const gate = fires.find(({ event }) => event === 'PreToolUse') as FireRecord;
    const { changes } = told(
      gate,
      records.filter((record) => record.type === 'tool_call'),
    );
    expect(changes).toEqual([
      expect.stringMatching(
        /^For it to run, the user must see it as it would run: give the adapter an onAsk that shows it, or dry run \(.*\) must no longer rewrite it\.$/,
      ),
    ]);
  });
});

test('why says of a tool that failed what the tool said, not whoever allowed it', () => {
  const sample = SAMPLES.find(({ type }) => type === 'tool_call');
  const fields = { status: 'failed', ran: true, approver: 'user', denied_by: undefined, decided_by: undefined };
  expect(whatBecame({ records: [fire(), { ...sample, ...fields, reason: 'disk full' } as never] })).toEqual([
    'The call ran, allowed by the user, and its tool failed, saying "disk full".',
  ]);
});

test('why says of an observer that it only observes, and nothing of a final input', async () => {
  const record = await asked1(
    'PreToolUse',
    [{ says: 'deny', managed: false, onFailure: 'continue', phase: 'observe' }],
    'strictest',
  );
  const [{ text = '' } = {}] = told(record).asked;
  expect(text).toContain('said deny: "no"; it only observes, so its answer does not count');
  expect(text).not.toContain('final input');
});

test('why says of a hook that is not enforced that it was not asked where the fire was rejected, and points to no record of it', async () => {
  const { host } = testHost();
  const seen = watch(host);
  let aborts: AbortController | undefined;
  const first = { name: 'first', hooks: [() => aborts?.abort()] };
  const trial = (name: string, enforce: false | number) => ({ name, enforce, hooks: [() => deny('no')] });
  host.register({ PreToolUse: [first, trial('tried out', false), trial('in some', 0.000001)] });
  const unasked = async (): Promise<Pick<WhyAnswer, 'not_asked' | 'changes'>> => {
    const signal = aborts?.signal;
    await host.fire('PreToolUse', inputOf('PreToolUse') as never, { signal }).catch(() => undefined);
    await turn();
    return told(fires(seen).findLast(({ shadow_of }) => shadow_of === undefined) as FireRecord);
  };
  const asked = await unasked();
  expect(asked.not_asked.map(({ text }) => text)).toEqual([
    expect.stringContaining('where its matcher and rule match, it is asked after the decision'),
    expect.stringContaining('where its matcher and rule match, it is asked after the decision'),
  ]);
  aborts = new AbortController();
  const { not_asked, changes } = await unasked();
  const nothing = 'it is asked after the decision, and nothing was decided, since the caller aborted the fire';
  for (const { text } of not_asked) {
    expect(text).toContain(`was not asked: it is not enforced: ${nothing}`);
    expect(text).not.toContain('where its matcher');
  }
  expect(not_asked[1]?.text).toContain('% of sessions, and this is not one of them');
  expect(changes.join()).not.toContain('--shadow');
  expect(changes).toContain(
    'For tried out to be asked: the caller must wait longer, or the hooks before it must be faster.',
  );
  await host.close();
});
