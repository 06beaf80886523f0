import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookRecord } from '../../src/emit/fire-schema.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { addContext, deny, stop } from '../../src/events/output/helpers.js';
import { command } from '../../src/handlers/command/spec.js';
import { INPUTS, inputOf } from './inputs.js';
import {
  anyHooks,
  deferred,
  fireAny,
  fires,
  never,
  only,
  registerAs,
  sleep,
  type Told,
  testHost,
  turn,
  until,
  watch,
} from './kit.js';

const PRE = INPUTS.PreToolUse;
const here = { session: { session_id: 's', transcript_path: '', cwd: process.cwd() } };
const kinds = (seen: readonly Told[]): string[] =>
  seen.map((r) => (r.type === 'hook_fire' ? 'fire' : r.subtype.slice(5)));
const runs = (seen: readonly Told[]) => seen.filter((r) => r.type === 'system');

describe('what is told of a fire', () => {
  test('one watcher can change nothing of it for the next', async () => {
    const { host } = testHost();
    const before: string[] = [];
    const after: string[] = [];
    const spoil = (value: unknown, seen = new Set<unknown>()): void => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      for (const [key, part] of Object.entries(value)) {
        spoil(part, seen);
        Reflect.set(value, key, 'spoilt');
      }
      Reflect.set(value, 'added', true);
    };
    host.events$.subscribe((record) => {
      before.push(JSON.stringify(record));
      spoil(record);
    });
    host.events$.subscribe((record) => void after.push(JSON.stringify(record)));
    const fails = (): never => {
      throw new Error('broken');
    };
    host.register(
      { PreToolUse: [{ hooks: [fails, () => ({ odd: 1 }) as never, () => deny('no'), () => {}] }] },
      { name: 'guards' },
    );
    host.register({ PreToolUse: [{ matcher: 'Read', hooks: [() => {}] }] });
    await host.fire('PreToolUse', PRE);
    expect(before).toHaveLength(9);
    expect(after).toEqual(before);
  });

  test('each run’s start and end in order, then the fire, without gaps, in the shape that is published', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.register(
      { PreToolUse: [{ hooks: [() => {}, async () => addContext('c'), () => deny('no')] }] },
      { name: 'guards' },
    );
    await host.fire('PreToolUse', { ...PRE, agent_id: 'a1' });
    await host.fire('Stop', INPUTS.Stop);
    expect(kinds(seen)).toEqual(['started', 'response', 'started', 'response', 'started', 'response', 'fire', 'fire']);
    expect(seen.map((r) => r.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const record of seen) hookRecord.parse(JSON.parse(JSON.stringify(record)));
    expect(new Set(runs(seen).map((r) => r.hook_id)).size).toBe(3);
    expect(new Set(seen.slice(0, 7).map((r) => r.fire_id)).size).toBe(1);
    expect(runs(seen)[4]).toMatchObject({
      type: 'system',
      subtype: 'hook_started',
      hook_name: 'PreToolUse:Bash',
      hook_event: 'PreToolUse',
      session_id: 's',
      scope: 'a1',
      agent_id: 'a1',
      tool_use_id: 't1',
      handler: 'callback',
      source: { kind: 'code' },
    });
    const record = fires(seen)[0];
    expect(record).toMatchObject({
      event: 'PreToolUse',
      scope: 'a1',
      scope_known: false,
      agent_id: 'a1',
      tool_use_id: 't1',
      out_of_scope: 0,
      decisions: 'strictest',
    });
    expect(record?.handlers.map((h) => h.id)).toEqual(
      runs(seen)
        .filter((r) => r.subtype === 'hook_started')
        .map((r) => r.handler_id),
    );
    expect(record?.decision.decidedBy).toBe(record?.handlers[2]?.id);
  });

  test.each(HOOK_EVENTS)('%s: hook_name carries the subject where there is one', async (event) => {
    const { host } = testHost();
    const seen = watch(host);
    host.register(anyHooks({ [event]: [{ hooks: [() => {}] }] }));
    await fireAny(host, event, inputOf(event));
    const subjects: Record<string, string> = {
      PreToolUse: 'Bash',
      PostToolUse: 'Bash',
      PostToolUseFailure: 'Bash',
      PermissionRequest: 'Bash',
      PermissionDenied: 'Bash',
      UserPromptExpansion: 'fix',
      SessionStart: 'startup',
      SessionEnd: 'logout',
      Setup: 'init',
      StopFailure: 'rate_limit',
      SubagentStart: 'worker',
      PreCompact: 'manual',
      PostCompact: 'auto',
      PreModelSwitch: 'large',
      PostModelSwitch: 'large',
      Notification: 'idle_prompt',
      Elicitation: 'files',
      ElicitationResult: 'files',
      ConfigChange: 'user_settings',
      InstructionsLoaded: 'session_start',
      DirectoryAdded: 'slash_command',
      FileChanged: 'a.ts',
    };
    const subject = subjects[event];
    expect(runs(seen)[0]?.hook_name).toBe(subject === undefined ? event : `${event}:${subject}`);
    expect(only(fires(seen)).event).toBe(event);
  });

  test('a handler that is asked again has a run each time', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.register({
      PreToolUse: [
        { hooks: [() => {}] },
        { hooks: [() => ({ hookSpecificOutput: { updatedInput: { command: 'pwd' } } })] },
      ],
    });
    await host.fire('PreToolUse', PRE);
    const started = runs(seen).filter((r) => r.subtype === 'hook_started');
    expect(started.map((r) => r.handler_id)).toEqual([
      started[0]?.handler_id,
      started[1]?.handler_id,
      started[0]?.handler_id,
    ]);
    expect(new Set(started.map((r) => r.hook_id)).size).toBe(3);
  });

  test('a fire with no hooks at all is told too', async () => {
    const { host } = testHost();
    const seen = watch(host);
    await host.fire('Notification', INPUTS.Notification);
    expect(only(seen)).toMatchObject({
      type: 'hook_fire',
      handlers: [],
      out_of_scope: 0,
      decision: { continue: true },
    });
  });

  test('nobody watching, nothing is built; watching may begin and end at any time', async () => {
    const { host } = testHost();
    host.register({ PreToolUse: [{ hooks: [() => {}] }] });
    await host.fire('PreToolUse', PRE);
    expect(host.recordsBuilt).toBe(0);
    const seen: Told[] = [];
    const subscription = host.events$.subscribe((r) => seen.push(r as Told));
    await host.fire('PreToolUse', PRE);
    subscription.unsubscribe();
    await host.fire('PreToolUse', PRE);
    expect([seen.length, host.recordsBuilt]).toEqual([3, 3]);
  });

  test('who begins to watch while a fire is under way sees whole fires alone', async () => {
    const { host } = testHost();
    const gate = deferred<undefined>();
    host.register({ PreToolUse: [{ hooks: [() => gate.promise, () => {}] }] });
    const first = host.fire('PreToolUse', PRE);
    await turn();
    const seen = watch(host);
    const second = host.fire('PreToolUse', PRE);
    gate.resolve(undefined);
    await Promise.all([first, second]);
    expect(new Set(seen.map((r) => r.fire_id)).size).toBe(1);
    expect(kinds(seen)).toEqual(['started', 'response', 'started', 'response', 'fire']);
  });
});

describe('why a hook did not run is in the record', () => {
  test.each<[string, (host: ReturnType<typeof testHost>['host']) => void]>([
    ['matcher', (host) => host.register({ PreToolUse: [{ matcher: 'Read', hooks: [() => {}] }] })],
    ['if', (host) => host.register({ PreToolUse: [{ if: 'Bash(git *)', hooks: [() => {}] }] })],
    ['bailed', (host) => host.register({ PreToolUse: [{ hooks: [() => stop(), () => {}] }] })],
    ...((['trust', 'policy', 'disabled', 'invalid'] as const).map(
      (reason) =>
        [
          reason,
          (host: ReturnType<typeof testHost>['host']) =>
            void registerAs(
              host as never,
              { PreToolUse: [{ hooks: [() => {}] }] },
              { skip: { reason, why: 'settings.json' } },
            ),
        ] as const,
    ) as [string, (host: ReturnType<typeof testHost>['host']) => void][]),
  ])('%s', async (reason, register) => {
    const { host } = testHost();
    const seen = watch(host);
    register(host);
    await host.fire('PreToolUse', PRE);
    const row = only(fires(seen)).handlers.at(-1);
    expect(row).toMatchObject({ status: 'skipped', reason, wave: null });
    expect(row).not.toHaveProperty('verdict');
    if (['trust', 'policy', 'disabled', 'invalid'].includes(reason)) expect(row?.why).toBe('settings.json');
  });

  test('every registration of the lineage has its row, in plan order, observers last', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.registerScoped('a', { PreToolUse: [{ hooks: [() => {}] }] }, { name: 'agent' });
    host.register({ PreToolUse: [{ phase: 'observe', hooks: [() => {}] }] }, { name: 'observer' });
    host.register(
      {
        PreToolUse: [
          { stage: 1, hooks: [() => {}] },
          { matcher: 'Read', hooks: [() => {}] },
        ],
      },
      { name: 'host' },
    );
    await host.fire('PreToolUse', PRE, { scope: 'a' });
    expect(only(fires(seen)).handlers.map((h) => [h.name, h.scope, h.status])).toEqual(
      [
        ['host', 'host', 'skipped'],
        ['host', 'host', 'ran'],
        ['agent', 'a', 'ran'],
        ['observer', 'host', 'ran'],
      ].map(([name, ...rest]) => [expect.stringMatching(`^${name}`), ...rest]),
    );
  });
});

describe('progress', () => {
  test('of a callback is told as it says it, to whoever watches', async () => {
    const { host } = testHost();
    const hook = async (_: unknown, __: unknown, context: { progress(text: string): void }) => {
      context.progress('one');
      await turn();
      context.progress('two');
      return undefined;
    };
    host.register({ PreToolUse: [{ hooks: [hook] }] });
    await host.fire('PreToolUse', PRE);
    const seen = watch(host);
    await host.fire('PreToolUse', PRE);
    expect(kinds(seen)).toEqual(['started', 'progress', 'progress', 'response', 'fire']);
    expect(runs(seen).flatMap((r) => (r.subtype === 'hook_progress' ? [r.output] : []))).toEqual(['one', 'two']);
  });

  test('after its end is nobody’s business', async () => {
    const { host } = testHost();
    const seen = watch(host);
    let later: (() => void) | undefined;
    host.register({
      PreToolUse: [
        {
          timeout: 0.02,
          hooks: [
            (_, __, context) => {
              later = () => context.progress('late');
              return never();
            },
          ],
        },
      ],
    });
    await host.fire('PreToolUse', PRE);
    const before = seen.length;
    later?.();
    expect(seen).toHaveLength(before);
  });

  test('that is no text is the handler’s failure', async () => {
    const { host } = testHost();
    host.register({ PreToolUse: [{ hooks: [(_, __, context) => context.progress(7 as never)] }] });
    expect(only((await host.fire('PreToolUse', PRE)).failures)).toMatchObject({
      cause: 'threw',
      message: expect.stringContaining('takes a string'),
    });
  });

  test('of a command is what it prints, in pieces as they come', async () => {
    const { host } = testHost(here);
    const seen = watch(host);
    const told = join(mkdtempSync(join(tmpdir(), 'told-')), 'told');
    host.events$.subscribe((r) => 'subtype' in r && r.subtype === 'hook_progress' && writeFileSync(told, ''));
    const waits = `until [ -e '${told}' ]; do sleep 0.05; done`;
    host.register({ PreToolUse: [{ hooks: [command(`echo one; ${waits}; echo two; echo err >&2; exit 2`)] }] });
    await host.fire('PreToolUse', PRE);
    const pieces = runs(seen).flatMap((r) => (r.subtype === 'hook_progress' ? [[r.stdout, r.stderr]] : []));
    expect(pieces[0]).toEqual(['one\n', '']);
    expect(pieces.map(([out]) => out).join('')).toBe('one\ntwo\n');
    expect(pieces.map(([, err]) => err).join('')).toBe('err\n');
    expect(runs(seen).at(-1)).toMatchObject({
      subtype: 'hook_response',
      stdout: 'one\ntwo\n',
      stderr: 'err\n',
      exit_code: 2,
      outcome: 'error',
      decision: 'deny',
    });
    expect(only(fires(seen)).handlers[0]).toMatchObject({ exit_code: 2, verdict: 'deny', status: 'ran' });
    await host.close();
  });
});

test('a background run’s end is told when it ends, after its fire', async () => {
  const { host } = testHost();
  const seen = watch(host);
  const gate = deferred<unknown>();
  host.register({ PostToolUse: [{ hooks: [() => ({ async: true, result: gate.promise })] }] });
  await host.fire('PostToolUse', INPUTS.PostToolUse);
  expect(kinds(seen)).toEqual(['started', 'fire']);
  expect(only(fires(seen)).handlers[0]).toMatchObject({ status: 'background' });
  await sleep(20);
  gate.resolve({ systemMessage: 'done' });
  await until(() => seen.length === 3);
  expect(seen[2]).toMatchObject({ subtype: 'hook_response', outcome: 'success', output: '{"systemMessage":"done"}' });
  expect((seen[2] as { duration_ms: number }).duration_ms).toBeGreaterThanOrEqual(15);
});

describe('a watcher', () => {
  /** Changes everything it can reach. */
  function vandalise(value: unknown, seen = new Set<unknown>()): void {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    for (const part of Object.values(value)) vandalise(part, seen);
    try {
      if (Array.isArray(value)) value.push('vandal');
      else
        for (const key of [...Object.keys(value), 'vandal']) {
          const had = (value as Record<string, unknown>)[key];
          if (typeof had !== 'object' || had === null) (value as Record<string, unknown>)[key] = 'vandal';
        }
    } catch {
      // Read-only: so much the better.
    }
  }

  test('cannot change a decision, an input or a registration', async () => {
    const reports: string[] = [];
    for (const vandal of [false, true]) {
      const { host } = testHost();
      if (vandal) host.events$.subscribe((record) => vandalise(record));
      const input = { ...PRE, tool_input: { command: 'ls', nested: { list: [1] } } };
      host.register(
        {
          PreToolUse: [
            {
              onFailure: 'ask',
              hooks: [
                () => {
                  throw new Error('broken');
                },
              ],
            },
            {
              mode: 'parallel',
              hooks: [
                () => ({ hookSpecificOutput: { updatedInput: { command: 'a', list: [1] } } }),
                () => ({ hookSpecificOutput: { updatedInput: { command: 'b', list: [2] } } }),
              ],
            },
            {
              hooks: [
                (i) => ({
                  systemMessage: JSON.stringify(i.tool_input),
                  hookSpecificOutput: { additionalContext: 'c' },
                }),
              ],
            },
          ],
        },
        { name: 'n', source: { kind: 'code', name: 'mine' } },
      );
      host.events$.subscribe(() => {});
      const decision = await host.fire('PreToolUse', input);
      const again = await host.fire('PreToolUse', input);
      expect(input).toEqual({ ...PRE, tool_input: { command: 'ls', nested: { list: [1] } } });
      reports.push(
        JSON.stringify([{ ...decision }, decision.outcomes, { ...again }, host.describe()]).replaceAll(/#\d+/g, ''),
      );
      expect(
        JSON.stringify([{ ...decision }, decision.outcomes, { ...again }, again.outcomes, host.describe()]),
      ).not.toContain('vandal');
    }
    expect(reports[1]).toBe(reports[0]);
  });

  test('that throws is let go, the others and the fire go on, and it is said', async () => {
    const { host, reports } = testHost();
    let thrown = 0;
    host.events$.subscribe(() => {
      thrown++;
      throw new Error('watcher');
    });
    const seen = watch(host);
    host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('deny');
    expect(kinds(seen)).toEqual(['started', 'response', 'fire']);
    expect(thrown).toBe(1);
    expect(only(reports)).toContain('subscriber');
  });

  test('may fire events itself, and everybody sees all in order', async () => {
    const { host } = testHost();
    let nested: Promise<unknown> | undefined;
    host.events$.subscribe((r) => {
      if (r.type === 'hook_fire' && r.event === 'PreToolUse') nested ??= host.fire('Stop', INPUTS.Stop);
    });
    const seen = watch(host);
    host.register({ PreToolUse: [{ hooks: [() => {}] }], Stop: [{ hooks: [() => {}] }] });
    await host.fire('PreToolUse', PRE);
    await nested;
    expect(seen.map((r) => r.seq)).toEqual(seen.map((_, i) => i + 1));
    expect(kinds(seen)).toEqual(['started', 'response', 'fire', 'started', 'response', 'fire']);
  });
});

test('what nobody watches goes to the logger: failures and warnings, with event, hook and cause', async () => {
  const { host, reports } = testHost();
  host.register(
    anyHooks({
      PreToolUse: [
        {
          hooks: [
            () => {
              throw new Error('broken');
            },
            () => ({ sytemMessage: 'x' }),
          ],
        },
      ],
    }),
    { name: 'mine' },
  );
  await host.fire('PreToolUse', PRE);
  expect(reports).toEqual([
    expect.stringMatching(/PreToolUse hook mine\S* failed \(threw\): Error: broken/),
    expect.stringMatching(/PreToolUse hook mine\S*: .*sytemMessage.*systemMessage/),
  ]);
  watch(host);
  await host.fire('PreToolUse', PRE);
  expect(reports).toHaveLength(2);
});

test('without a logger of its own a host warns the process; a logger that throws is no way out', async () => {
  const warnings: string[] = [];
  const listen = (w: Error): void => void warnings.push(`${w.name}: ${w.message}`);
  process.on('warning', listen);
  const fail = {
    PreToolUse: [
      {
        hooks: [
          () => {
            throw new Error('broken');
          },
        ],
      },
    ],
  };
  const { createHost } = await import('../../src/create-host.js');
  const plain = createHost();
  plain.register(fail);
  await plain.fire('PreToolUse', PRE);
  const throwing = createHost({
    logger: () => {
      throw new Error('logger');
    },
  });
  throwing.register(fail);
  expect((await throwing.fire('PreToolUse', PRE)).failures).toHaveLength(1);
  await until(() => warnings.length >= 2);
  process.off('warning', listen);
  expect(warnings[0]).toMatch(/^HookscopeWarning: PreToolUse hook .* failed \(threw\)/);
  expect(warnings[1]).toMatch(/broken.*logger threw.*logger/s);
});

test("a hook's status message is told when it starts, and no other hook has one", async () => {
  const { createHost, command } = await import('../../src/index.js');
  await using host = createHost();
  const told: unknown[] = [];
  host.events$.subscribe((r) => r.type === 'system' && r.subtype === 'hook_started' && told.push(r.status_message));
  host.register({ PreToolUse: [{ hooks: [command('true', { statusMessage: 'Looking at it' }), command('true')] }] });
  await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} });
  expect(told).toEqual(['Looking at it', undefined]);
});
