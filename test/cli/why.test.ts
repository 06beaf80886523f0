import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { defineEvent } from '../../src/events/own-event.js';
import { rule } from '../../src/handlers/rule/spec.js';
import { SKIP_REASONS } from '../../src/scopes/skip.js';
import { readRecord } from '../../src/store/read-record.js';
import { answerFor, answerText, type WhyAnswer } from '../../src/why/answer.js';
import { whatBecame } from '../../src/why/ran.js';
import { anyOutput } from '../contracts/outputs.js';
import { recompute } from '../contracts/recompute.js';
import { fire } from '../emit/samples.js';
import { inputOf } from '../host/inputs.js';
import { fireAny, fires, registerAs, testHost, watch } from '../host/kit.js';
import { entryOf } from '../host/said.js';
import { generated } from '../seed.js';
import { anyRecords, SAMPLES } from '../store/records.js';
import { DOUBLE_STOP, ENDS, QUOTED_STOP } from '../values/double-stop.js';

const NOWHERE = { sentences: [], changes: [] };
const answer = (record: FireRecord, hook?: string): WhyAnswer =>
  answerFor(record, { agent: 'main', hook, otherFires: NOWHERE, outcome: [] });

/** What is asked about comes from a store. */
function kept(record: HookRecord): FireRecord {
  const { record: read } = readRecord(JSON.parse(JSON.stringify(record)));
  if (read?.type !== 'hook_fire') throw new Error('not read');
  return read;
}

const policy = fc.constantFrom('continue' as const, 'ask' as const, 'block' as const);

const hook = (event: HookEvent) =>
  fc.record({
    answers: fc.tuple(fc.option(anyOutput(entryOf(event)), { nil: undefined, freq: 6 }), anyOutput(entryOf(event))),
    onFailure: policy,
    dialect: fc.constantFrom('code' as const, 'claude' as const),
    phase: fc.constantFrom('decide', 'decide', 'decide', 'rewrite', 'observe'),
    matcher: fc.constantFrom(undefined, undefined, undefined, 'nothing-like-it'),
    skip: fc.constantFrom(undefined, undefined, undefined, undefined, 'policy', 'disabled', 'trust', 'invalid'),
    once: fc.boolean(),
    rule: fc.constantFrom(undefined, undefined, 'Bash(never-run *)'),
  });

/** Fires with random hooks, each with a name that stands in no other text. */
async function anyFire(event: HookEvent, hooks: readonly Readonly<Record<string, never>>[], decisions: string) {
  const { host } = testHost({ decisions: decisions as 'first' });
  const seen = watch(host);
  for (const [i, { answers, onFailure, dialect, phase, matcher, skip, once, rule }] of hooks.entries()) {
    const answerWith = (_: unknown, __: unknown, { call }: { call: string }): unknown => {
      const said = (answers as unknown as unknown[])[call === 'first' ? 0 : 1];
      if (said === undefined) throw new Error('broken');
      return said;
    };
    const group = {
      matcher,
      onFailure,
      phase,
      ...(once ? { once } : {}),
      ...(rule && entryOf(event).tool ? { if: rule } : {}),
      name: `hook<${i}>`,
      hooks: [answerWith],
    };
    registerAs(host, { [event]: [group] }, {
      dialect,
      ...(skip ? { skip: { reason: skip, why: `see file<${i}>` } } : {}),
    } as never);
  }
  await fireAny(host, event, inputOf(event));
  await fireAny(host, event, inputOf(event));
  return fires(seen).map(kept);
}

const namesIn = (text: string): string[] => [...new Set(text.match(/hook<\d+>/g) ?? [])].sort();

describe('why, of fires of a real host', () => {
  test.each(HOOK_EVENTS)('%s: the sentences name who was asked, who not, and who decided', async (event) => {
    const spec = entryOf(event);
    await fc.assert(
      fc.asyncProperty(
        fc.array(hook(event), { maxLength: 5 }),
        fc.constantFrom('strictest', 'first', 'last'),
        async (hooks, decisions) => {
          for (const record of await anyFire(event, hooks as never, decisions)) {
            const decided = recompute(record, spec) as never as FireRecord['decision'];
            const nameOf = (id: string) => record.handlers.find((h) => h.id === id)?.name as string;
            const told = answer(record);
            const skipped = record.handlers.filter((h) => h.status === 'skipped');
            expect(told.asked.map(({ id }) => id)).toEqual(
              record.handlers.filter((h) => h.status !== 'skipped').map(({ id }) => id),
            );
            expect(told.not_asked.map(({ id }) => id)).toEqual(skipped.map(({ id }) => id));
            for (const { name, text } of [...told.asked, ...told.not_asked])
              expect(text.startsWith(`${name} (`)).toBe(true);

            const words = told.decision.join('\n');
            if (spec.fold === 'gate' && decided.verdict !== 'none')
              expect(words).toContain(`${nameOf(decided.decidedBy as string)} decided: ${decided.verdict}`);
            else if (spec.fold === 'gate') expect(words).toContain('No hook had an opinion');
            else if (decided.blocked) expect(words).toContain(`${nameOf(decided.decidedBy as string)} blocked it`);
            else if (decided.continues)
              expect(words).toContain(`${nameOf(decided.decidedBy as string)} decided that the agent goes on`);
            else if (spec.fold === 'replace' && decided.decidedBy !== undefined)
              expect(words).toContain(`${nameOf(decided.decidedBy)} decided: the value is `);
            else expect(words).not.toMatch(/decided|blocked it,/);
            const overruled = told.decision.filter((text) => text.includes('was overruled'));
            expect(overruled.map((text) => namesIn(text)[0])).toEqual(decided.overruled.map(nameOf));
            expect(words.includes("The agent's loop ends here")).toBe(!decided.continue);

            for (const { id, text } of told.asked) {
              const failure = decided.failures.find((f) => f.id === id);
              const { status, answers = [] } = record.handlers.find(
                (h) => h.id === id,
              ) as FireRecord['handlers'][number];
              // Also of one that failed when it was asked first, and not when it was asked again.
              const all = [status, ...answers.map((one) => one.status)];
              expect(text.includes('failed (')).toBe(all.includes('failed'));
              expect(text.includes('which counts as')).toBe(failure?.blocked === true);
            }
            const [first = ''] = told.changes;
            if (decided.verdict === 'deny' || decided.verdict === 'ask') {
              const same = record.handlers.filter((h) => h.verdict === decided.verdict).map(({ name }) => name);
              // Who is to be asked again about the final input is named there in place of here.
              const unknown = told.changes.find((text) => text.startsWith('What would be decided then')) ?? '';
              const due = same.filter((name) => namesIn(unknown).includes(name) && !namesIn(first).includes(name));
              const all = [...namesIn(first), ...due].sort();
              if (decisions === 'strictest') expect(all).toEqual([...same].sort());
              else expect(all).toContain(nameOf(decided.decidedBy as string));
            }
            for (const handler of skipped) {
              // The advice for several hooks that are for other calls is one sentence, and each one's own is asked for by its name.
              const isForOthers = handler.reason === 'matcher' || handler.reason === 'if';
              const others = skipped.filter(({ reason }) => reason === 'matcher' || reason === 'if').length;
              const startsWith = `For ${handler.name} to be asked: `;
              if (isForOthers && others > 1) {
                expect(
                  told.changes.filter((text) => text.startsWith(`${others} hooks are for other calls. `)),
                ).toHaveLength(1);
                expect(told.changes.some((text) => text.startsWith(startsWith))).toBe(false);
              }
              const own = isForOthers ? answer(record, handler.name).changes : told.changes;
              const change = own.filter((text) => text.startsWith(startsWith));
              const { text } = told.not_asked.find(({ id }) => id === handler.id) as { text: string };
              expect(change).toHaveLength(1);
              if (handler.reason === 'matcher') expect(text).toContain('nothing-like-it does not match');
              if (handler.reason === 'if') expect(text).toContain('Bash(never-run *)');
              if (handler.why) expect(text).toContain(handler.why);
              if (handler.reason === 'bailed') {
                const enders = record.handlers.filter(
                  (h) => h.dialect === 'code' && (h.output as { continue?: boolean } | undefined)?.continue === false,
                );
                expect(enders.length).toBeGreaterThan(0);
                expect(namesIn(text)).toEqual([handler.name, ...enders.map(({ name }) => name)].sort());
              }
            }
          }
        },
      ),
      { numRuns: generated(8) },
    );
  });
});

describe('why', () => {
  test('the advice for a hook with a matcher and a rule, followed, has it asked', async () => {
    const rules = [rule('deny', 'no', { if: 'Bash(rm *)' })];
    const asked = async (matcher: string, hooks: object[]): Promise<FireRecord> => {
      const { host } = testHost();
      const seen = watch(host);
      host.register({ PreToolUse: [{ matcher, name: 'guard', hooks } as never] });
      await host.fire('PreToolUse', { tool_name: 'Write', tool_input: { file_path: 'a', content: '' } });
      await host.close();
      return kept(fires(seen)[0] as FireRecord);
    };
    const { changes } = answer(await asked('Bash', rules));
    expect(changes.at(-1)).toMatch(
      /^For guard to be asked: widen its matcher in .* so that it matches Write, as in Bash\|Write, and see that its if rule Bash\(rm \*\) matches the call too\.$/,
    );
    expect((await asked('Bash|Write', rules)).handlers[0]?.reason).toBe('if');
    expect((await asked('Bash|Write', [rule('deny', 'no', { if: 'Write(*)' })])).handlers[0]?.status).toBe('ran');
  });

  test.each([
    ['a field', { to: 'dev' }, 'to' as const],
    ['a function of its input', { to: 'dev' }, ({ to }: { to: string }) => `to ${to}`],
    ['a field beside the name of a tool', { to: 'dev', tool_name: 'Bash' }, 'to' as const],
  ])(
    'says of an event of your own with the subject %s that the matcher does not match this one',
    async (_, input, subject) => {
      const shape = z.object({ to: z.string(), tool_name: z.string().optional() });
      const Deploy = defineEvent({ input: shape, fold: 'gate', subject });
      const { host } = testHost({ events: { Deploy } });
      const seen = watch(host);
      host.register({ Deploy: [{ matcher: 'prod', name: 'guard', hooks: [() => undefined] }] } as never);
      await host.fire('Deploy' as never, input as never);
      await host.close();
      const { not_asked: notAsked, changes } = answer(kept(fires(seen)[0] as FireRecord));
      expect(notAsked[0]?.text).toMatch(/ was not asked: its matcher prod does not match this Deploy(?: \(.*\))?\.$/);
      expect(changes.at(-1)).toMatch(
        /^For guard to be asked: widen its matcher in .* so that it matches this Deploy\.$/,
      );
    },
  );

  test.each(Object.keys(SKIP_REASONS))('says what would have to change for a hook that was skipped: %s', (reason) => {
    const [handler] = fire().handlers;
    const skipped = { ...handler, status: 'skipped', reason, why: 'see managed-settings.json' };
    const told = answer(kept({ ...fire(), handlers: [skipped] } as never));
    expect(told.not_asked[0]?.text).toMatch(
      /^\.\/guard\.sh \(command, the program that registered it\) was not asked: .+\.$/,
    );
    expect(told.changes.at(-1)).toMatch(/^For \.\/guard\.sh to be asked: .{10,}\.$/);
  });

  test.each([
    ['threw', 'callback'],
    ['timeout', 'command'],
    ['spawn_failed', 'command'],
    ['exit_code', 'command'],
    ['signal', 'command'],
    ['bad_json', 'command'],
    ['bad_schema', 'command'],
    ['too_large', 'command'],
    ['http_status', 'http'],
    ['connection', 'http'],
    ['aborted', 'rule'],
    ['worker_died', 'callback'],
    ['untrusted', 'rule'],
  ])('says what to do about a hook that failed: %s', (cause, kind) => {
    const handler = { ...fire().handlers[0], handler: kind };
    const { verdict: _, ...failed } = { ...handler, status: 'failed', failure: { cause, message: 'it did' } };
    const { changes } = answer(kept({ ...fire(), handlers: [failed] } as never));
    expect(changes.join('\n')).toMatch(/For \.\/guard\.sh to answer: (?!see what)/);
  });

  test('says that a fire was stateless, that nobody had opened its scope, and what its record lacks', () => {
    const [first, second, third] = answer(
      kept({ ...fire(), stateless: true, scope_known: false, truncated: ['input.tool_input.data'] } as never),
    ).question;
    expect(first).toContain('Nobody had opened its scope agent-1: the hooks of the session were asked.');
    expect(first).toContain('It was fired without the server');
    expect(second).toBe('It was asked about {"command":"rm -rf build"}.');
    expect(third).toBe('The record does not hold all of it: input.tool_input.data.');
    expect(answer(fire()).question.join(' ')).not.toMatch(/without the server|Nobody had opened|does not hold/);
  });

  test('says how a hook failed, two hundred characters of it, and which command accepts what has changed', () => {
    const failedWith = (cause: string, message: string): WhyAnswer => {
      const [handler] = fire().handlers;
      const failed = { ...handler, status: 'failed', failure: { cause, message } };
      return answer(kept({ ...fire(), handlers: [failed] } as never));
    };
    const long = `${'It said so. '.repeat(15)}And that.`;
    expect(failedWith('threw', long).asked[0]?.text).toContain(long.slice(0, -1));
    expect(failedWith('threw', long.repeat(2)).asked[0]?.text).toContain(long.slice(0, 180));
    expect(failedWith('threw', long.repeat(2)).asked[0]?.text).not.toContain(long.repeat(2));
    const changed = (see: string, message = `/a has changed${see}`): string | undefined =>
      failedWith('untrusted', message).changes.find((text) => text.startsWith('For ./guard.sh'));
    expect(changed('; see hookscope serve --accept')).toMatch(/and accept it: hookscope serve --accept\.$/);
    expect(changed('; see hookscope trust --from codex')).toMatch(/and accept it: hookscope trust --from codex\.$/);
    const again = "hookscope serve --hooks '/my hooks.json' in a terminal, which asks";
    expect(changed(`; see ${again}`)).toContain(`and accept it: ${again}.`);
    for (const helps of ['stop the server and start it without it in a terminal, which asks', `leave it out: ${again}`])
      expect(changed(`; put it back, or ${helps}`)).toContain(`since it was accepted; put it back, or ${helps}.`);
    for (const says of [
      ' is not what was accepted for ./guard.sh',
      ', which ./guard.sh names, has changed since it was accepted',
    ])
      expect(changed('', `/my guard.sh${says}; see hookscope trust`)).toMatch(
        /look at \/my guard\.sh and accept it: hookscope trust\.$/,
      );
    expect(changed('', '/x.sh, which ./hooks.json names, is missing; see hookscope trust')).not.toContain(
      'look at /x.sh',
    );
    for (const other of ['', '; see policy.json', '; see hookscope `x`'])
      expect(changed(other)).toMatch(/and accept it: hookscope trust\.$/);
  });

  test('says what the agent could not be told', () => {
    const losses = [{ what: 'ask', why: 'Codex runs the tool on "ask"' }];
    const said = 'The agent\'s protocol does not carry "ask" as it is: Codex runs the tool on "ask".';
    expect(answer(kept({ ...fire(), losses } as never)).decision).toEqual([...answer(fire()).decision, said]);
  });

  test('says who of the team answered what the hooks asked, or that nobody did', () => {
    const at = '2026-01-31T09:15:00.000Z';
    const asked = { ...fire(), decision: { ...fire().decision, fold: 'gate' as const, verdict: 'ask' as const } };
    const said = (answered: object): readonly string[] =>
      answer(kept({ ...asked, answered: { at, ...answered } } as never)).decision;
    expect(said({ answer: 'deny', by: 'alice', from: 'h2', reason: 'Not on a Friday' })).toContain(
      'alice of the team answered: deny, from h2, saying "Not on a Friday".',
    );
    expect(said({ answer: 'none', reason: 'nobody came' })).toContain(
      'The team was asked, and nobody answered: nobody came.',
    );
    expect(said({ answer: 5 }).join(' ')).not.toContain('team');
  });

  test('says of a fire that was rejected that it is no permission', () => {
    const told = answer(kept({ ...fire(), error: 'ABORTED' } as never));
    expect(told.decision).toEqual(['Nothing was decided: the fire was rejected (ABORTED), which is not a permission.']);
    expect(told.changes[0]).toContain('wait longer');
  });

  test('of one hook says nothing of others', () => {
    const told = answer(fire(), 'format');
    expect([told.asked, told.not_asked.map(({ name }) => name)]).toEqual([[], ['format']]);
    expect(answerText(told, { hook: 'format' })).not.toContain('No hook was asked');
    expect(told.changes).toHaveLength(1);
  });

  test.each([
    [{ status: 'ran', ran: true, approver: 'user' }, 'The call ran, allowed by the user.'],
    [
      { status: 'denied', ran: false, denied_by: 'hook', decided_by: 'guards#1', reason: 'not here' },
      'The call was denied and did not run: by ./guard.sh, saying "not here".',
    ],
    [
      { status: 'denied', ran: false, denied_by: 'mode' },
      'The call was denied and did not run: by the permission mode.',
    ],
    [
      { status: 'failed', ran: true, approver: 'hook', decided_by: 'guards#1', reason: 'disk full' },
      'The call ran, allowed by ./guard.sh, and its tool failed, saying "disk full".',
    ],
    [
      { status: 'failed', ran: false, approver: 'user', reason: 'a must be a string' },
      'The call failed before its tool began, allowed by the user, saying "a must be a string".',
    ],
    [
      { status: 'failed', ran: false, reason: 'no JSON data' },
      'The call failed before its tool began, saying "no JSON data".',
    ],
    [{ status: 'ran', ran: false, approver: 'user' }, 'The call was answered without its tool, allowed by the user.'],
    [
      { status: 'denied', ran: true, denied_by: 'user', reason: 'no' },
      'The call was denied, after its tool had begun: by the user, saying "no".',
    ],
    [
      { status: 'deferred', ran: false, decided_by: 'guards#1', reason: 'later' },
      'The call was left for later: by ./guard.sh, saying "later".',
    ],
    [{ status: 'deferred', ran: true }, 'The call was left for later, after its tool had begun.'],
    [
      { status: 'interrupted', ran: true, denied_by: 'abort', approver: 'hook', decided_by: 'guards#1' },
      'The call was interrupted, after its tool had begun: by whoever stopped it.',
    ],
    [{ status: 'interrupted', ran: false, denied_by: 'abort' }, 'The call was interrupted: by whoever stopped it.'],
    [
      { status: 'interrupted', ran: true, approver: 'mode' },
      'The call was left unfinished, after its tool had begun, and nobody stopped it: it may be made again.',
    ],
    [{ status: 'moon', ran: false }, 'The call ended as moon.'],
    [{ status: 'moon', ran: true }, 'The call ended as moon, after its tool had begun.'],
  ])('says what came of a call: %j', (fields, sentence) => {
    const call = {
      ...SAMPLES.find(({ type }) => type === 'tool_call'),
      denied_by: undefined,
      decided_by: undefined,
      ...fields,
    };
    expect(whatBecame({ records: [fire(), call as never] })).toEqual([sentence]);
  });

  test('says that a call ran although it was denied, and what alarms say', () => {
    const after = fire(2, { event: 'PostToolUse', decision: { ...fire().decision, fold: 'block' } });
    expect(whatBecame({ records: [fire()] })).toEqual(['No record says whether it ran.']);
    expect(whatBecame({ records: [fire(), after] })).toEqual([
      'It ran, although it was denied: PostToolUse was fired for it.',
    ]);
    const alarm = SAMPLES.find(({ type }) => type === 'hook_alarm') as never;
    expect(whatBecame({ records: [fire(), alarm] })).toEqual(['ALARM not_honoured: m. PostToolUse shows that it ran.']);
  });

  // Two dots of a text that is quoted are its own.
  test.each(ENDS.filter((end) => end !== '..'))('ends no sentence twice where a text ends with %j', (end) => {
    const said = `it said so${end}`;
    const [handler] = fire().handlers;
    const output = { reason: said, stopReason: said, systemMessage: said, continue: false };
    const specific = { additionalContext: said, permissionDecision: 'deny', permissionDecisionReason: said };
    const hooks = [
      { ...handler, output: { ...output, hookSpecificOutput: specific }, source: { kind: 'project' } },
      { ...handler, id: 'f', status: 'failed', failure: { cause: 'threw', message: said } },
      ...Object.keys(SKIP_REASONS).map((reason) => {
        const more = { why: said, matcher: 'Bash', rule: 'Bash' };
        return { ...handler, id: reason, status: 'skipped', reason, ...more };
      }),
    ];
    const decision = { ...fire().decision, reason: said, continue: false, stopReason: said };
    const call = { ...SAMPLES.find(({ type }) => type === 'tool_call'), reason: said };
    const alarm = { ...SAMPLES.find(({ type }) => type === 'hook_alarm'), message: said };
    for (const more of [{}, { error: said }, { decision: { ...decision, fold: 'block', blocked: true } }]) {
      const record = kept({ ...fire(), decision, handlers: hooks, ...more } as never);
      const outcome = whatBecame({ records: [record, call, alarm] as never });
      const told = answerFor(record, { agent: 'main', otherFires: { sentences: [said], changes: [said] }, outcome });
      const lists = [told.question, told.out_of_scope, told.decision, told.outcome, told.changes].flat();
      for (const sentence of [...lists, ...told.asked.map(({ text }) => text), ...told.not_asked.map((h) => h.text)]) {
        expect(sentence).not.toMatch(DOUBLE_STOP);
        expect(sentence).not.toMatch(QUOTED_STOP);
      }
    }
  });

  test('whatever stands in a record, it is told without what moves a terminal', () => {
    fc.assert(
      fc.property(fc.array(anyRecords, { minLength: 1, maxLength: 4 }), (found) => {
        const records = found.flatMap((text) => readRecord(JSON.parse(text)).record ?? []);
        const outcome = whatBecame({ records });
        for (const record of records) {
          if (record.type !== 'hook_fire') continue;
          const text = answerText(answerFor(record, { agent: 'main', otherFires: NOWHERE, outcome }));
          // biome-ignore lint/suspicious/noControlCharactersInRegex: what no terminal may see
          expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
          expect(text).not.toMatch(/undefined|\[object|NaN/);
        }
      }),
      { numRuns: generated(500) },
    );
  });
});
