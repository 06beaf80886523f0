/** The verification checklist of the first design, line by line, on all 33 events where it named 15. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { baseInput } from '../../src/events/base.js';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { addContext, allow, ask, deny } from '../../src/events/output/helpers.js';
import { command } from '../../src/handlers/command/spec.js';
import { INPUTS, inputOf } from './inputs.js';
import { anyHooks, fireAny, never, only, testHost, turn, until } from './kit.js';
import { entryOf } from './said.js';

type Json = Record<string, unknown>;
const here = { session: { session_id: 's', transcript_path: '/t', cwd: process.cwd() } };
const CLASSIC: readonly HookEvent[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PermissionRequest',
  'Setup',
  'TeammateIdle',
  'TaskCompleted',
];

describe('the checklist', () => {
  test('Event coverage', async () => {
    expect(HOOK_EVENTS).toHaveLength(33);
    expect(HOOK_EVENTS).toEqual(expect.arrayContaining([...CLASSIC]));
    for (const event of HOOK_EVENTS) {
      const { host } = testHost();
      let ran = 0;
      host.register(anyHooks({ [event]: [{ hooks: [() => void ran++] }] }));
      const decision = await fireAny(host, event, inputOf(event));
      expect([ran, decision.event, decision.continue], event).toEqual([1, event, true]);
    }
  });

  test('Input types', async () => {
    for (const event of HOOK_EVENTS) {
      const { host } = testHost(here);
      const seen: Json[] = [];
      host.register(anyHooks({ [event]: [{ hooks: [(input: Json) => void seen.push({ ...input })] }] }));
      const own = inputOf(event);
      await fireAny(host, event, own);
      expect(only(seen), event).toEqual({
        session_id: 's',
        transcript_path: '/t',
        cwd: process.cwd(),
        hook_event_name: event,
        ...own,
      });
      entryOf(event).input.parse(seen[0]);
      // Each field of its own that must be there is asked for by name.
      for (const field of Object.keys(own)) {
        const { [field]: _, ...without } = own;
        if (entryOf(event).input.safeParse({ ...seen[0], [field]: undefined }).success) continue;
        await expect(fireAny(host, event, without), `${event}.${field}`).rejects.toMatchObject({
          code: 'INVALID_INPUT',
          details: { field },
        });
      }
      for (const field of Object.keys(baseInput().shape))
        expect(entryOf(event).input.shape, event).toHaveProperty(field);
    }
    const folder = fileURLToPath(new URL('../fixtures/wire/', import.meta.url));
    for (const file of readdirSync(folder)) {
      const event = file.replace('.json', '') as HookEvent;
      const payloads = [JSON.parse(readFileSync(folder + file, 'utf8')) as Json | Json[]].flat();
      const { host } = testHost();
      const seen: unknown[] = [];
      host.register(
        anyHooks({ [event]: [{ hooks: [(input: Json) => void seen.push(JSON.parse(JSON.stringify(input)))] }] }),
      );
      for (const payload of payloads) await fireAny(host, event, payload);
      expect(seen, event).toEqual(payloads);
    }
  });

  test('Output types', async () => {
    for (const event of HOOK_EVENTS) {
      const outputs: [unknown, (d: Awaited<ReturnType<typeof fireAny>>) => void][] = [
        [
          { systemMessage: 'm', suppressOutput: true },
          (d) => expect([d.systemMessages, d.suppressOutput]).toEqual([['m'], true]),
        ],
        [{ async: true, asyncTimeout: 5 }, (d) => expect(d.failures).toEqual([])],
        [{ systemMessage: 7 }, (d) => expect(only(d.failures)).toMatchObject({ cause: 'bad_schema' })],
        [
          { hookSpecificOutput: { hookEventName: 'Nope' } },
          (d) => expect(only(d.failures)).toMatchObject({ cause: 'bad_schema' }),
        ],
      ];
      for (const [output, check] of outputs) {
        const { host } = testHost();
        host.register(anyHooks({ [event]: [{ hooks: [() => output] }] }));
        check(await fireAny(host, event, inputOf(event)));
      }
    }
  });

  test('Matcher filtering', async () => {
    for (const event of HOOK_EVENTS) {
      const { host } = testHost({ logger: () => {} });
      const ran: string[] = [];
      const subject = entryOf(event).subject?.(inputOf(event) as never);
      const matchers = {
        all: '*',
        own: subject ?? 'x',
        listed: `other|${subject ?? 'x'}`,
        glob: `${(subject ?? 'x').slice(0, 1)}*`,
        other: 'something-else',
      };
      for (const [name, matcher] of Object.entries(matchers)) {
        host.register(anyHooks({ [event]: [{ matcher, hooks: [() => void ran.push(name)] }] }));
      }
      await fireAny(host, event, inputOf(event));
      const everybody = ['all', 'own', 'listed', 'glob', 'other'];
      expect(ran, event).toEqual(subject === undefined ? everybody : everybody.slice(0, -1));
    }
  });

  test('Timeout enforcement', async () => {
    await Promise.all(
      HOOK_EVENTS.map(async (event) => {
        const { host } = testHost({ timeout: 0.05 });
        let signal: AbortSignal | undefined;
        const hang = (_: unknown, __: unknown, context: { signal: AbortSignal }): Promise<never> => {
          signal = context.signal;
          return never();
        };
        host.register(anyHooks({ [event]: [{ timeout: 0.05, hooks: [hang, () => ({ systemMessage: 'after' })] }] }));
        const began = performance.now();
        const decision = await fireAny(host, event, inputOf(event));
        expect(performance.now() - began, event).toBeGreaterThanOrEqual(50);
        expect(only(decision.failures), event).toMatchObject({ cause: 'timeout' });
        expect([decision.systemMessages, signal?.aborted], event).toEqual([['after'], true]);
      }),
    );
  });

  test('Continue semantics', async () => {
    for (const event of HOOK_EVENTS) {
      const { host } = testHost();
      const ran: string[] = [];
      host.register(
        anyHooks({
          [event]: [
            {
              hooks: [
                () => void ran.push('one'),
                () => ({ continue: false, stopReason: 'enough' }),
                () => void ran.push('three'),
              ],
            },
          ],
        }),
      );
      const decision = await fireAny(host, event, inputOf(event));
      expect(ran, event).toEqual(['one']);
      expect(decision.continue, event).toBe(!entryOf(event).endsLoop);
      if (decision.fold === 'gate') expect(decision.verdict, event).toBe('deny');
    }
  });

  test('Decision propagation', async () => {
    const { host } = testHost(here);
    const questions: string[] = [];
    const session = await host.openSession({
      permission: () => ({ behavior: 'none' }),
      ask: (_, call) => {
        questions.push(`${call.name}: ${call.reason}`);
        return { behavior: 'deny', message: 'the user said no' };
      },
    });
    const words = {
      Allowed: allow(),
      Denied: deny('not here'),
      Asked: ask('really?'),
      Blocked: { decision: 'block' as const, reason: 'old word' },
    };
    for (const [matcher, word] of Object.entries(words))
      host.register({ PreToolUse: [{ matcher, hooks: [() => word] }] });
    const ran: string[] = [];
    const results: Record<string, boolean> = {};
    for (const name of [...Object.keys(words), 'Unspoken']) {
      const result = await session.tool({ name, id: name, input: {}, execute: () => void ran.push(name) });
      results[name] = ran.includes(name);
      if (name === 'Denied') expect(JSON.stringify(result)).toContain('not here');
    }
    expect(results).toEqual({ Allowed: true, Denied: false, Asked: false, Blocked: false, Unspoken: false });
    expect(questions).toEqual(['Asked: really?', 'Unspoken: undefined']);
    await session.close();
  });

  test('Stop hook', async () => {
    const { host } = testHost(here);
    let more = 2;
    host.register({ Stop: [{ hooks: [() => (more-- > 0 ? { continue: true, reason: `do ${more}` } : undefined)] }] });
    const session = await host.openSession();
    await session.prompt('go');
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await session.stop({ lastMessage: 'done' }));
    expect(answers.map((a) => [a.continues, a.continues ? a.instruction : undefined])).toEqual([
      [true, 'do 1'],
      [true, 'do 0'],
      [false, undefined],
    ]);
    await session.close();
  });

  test('Context injection', async () => {
    for (const event of HOOK_EVENTS) {
      const { host } = testHost();
      host.register(anyHooks({ [event]: [{ hooks: [() => addContext('one'), () => addContext('two')] }] }));
      const has = 'additionalContext' in entryOf(event).output.shape;
      expect((await fireAny(host, event, inputOf(event))).additionalContext, event).toEqual(has ? ['one', 'two'] : []);
    }
    const { host } = testHost(here);
    host.register({
      UserPromptSubmit: [{ hooks: [() => addContext('the tests are in test/')] }],
      Notification: [{ hooks: [() => addContext('look up')] }],
    });
    const session = await host.openSession();
    await session.notify({ message: 'm' });
    expect(session.systemPrompt('You help.')).toBe('You help.\n\nlook up');
    expect(session.systemPrompt('You help.')).toBe('You help.');
    await session.close();
  });

  test('Error isolation', async () => {
    for (const event of HOOK_EVENTS) {
      const { host, reports } = testHost();
      let after = 0;
      const throws = (): never => {
        throw new Error('broken');
      };
      host.register(anyHooks({ [event]: [{ hooks: [throws, async () => throws(), () => void after++] }] }));
      const decision = await fireAny(host, event, inputOf(event));
      expect([after, decision.failures.length, reports.length], event).toEqual([1, 2, 2]);
      expect(decision.continue, event).toBe(true);
    }
  });

  test('Async support', async () => {
    const { host, reports } = testHost(here);
    const late = command(
      `echo '{"async":true,"asyncTimeout":5}'; sleep 0.1; echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"from the command"}}'`,
    );
    host.register({
      PostToolUse: [
        { hooks: [() => ({ async: true, result: turn().then(() => addContext('from the callback') as never) }), late] },
      ],
      Notification: [{ hooks: [() => ({ async: true, asyncTimeout: 0.05, result: never() })] }],
    });
    const decision = await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(decision.additionalContext).toEqual([]);
    await until(() => host.pendingContext().length === 2);
    expect(host.pendingContext()).toEqual(['from the callback', 'from the command']);
    await host.fire('Notification', INPUTS.Notification);
    await until(() => reports.length > 0);
    expect(only(reports)).toContain('0.05 s');
    await host.close();
  });

  test('Ordering', async () => {
    for (const event of HOOK_EVENTS) {
      const { host } = testHost();
      const ran: number[] = [];
      const hook = (n: number) => async (): Promise<void> => {
        await turn();
        ran.push(n);
      };
      host.register(anyHooks({ [event]: [{ hooks: [hook(1), hook(2), hook(3)] }, { hooks: [hook(4)] }] }));
      host.register(anyHooks({ [event]: [{ hooks: [hook(5)] }] }));
      await fireAny(host, event, inputOf(event));
      expect(ran, event).toEqual([1, 2, 3, 4, 5]);
    }
  });
});
