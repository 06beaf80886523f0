import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deny } from '../../src/events/output/helpers.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, fires, only, testHost, watch } from './kit.js';

const long = (letter: string, length = 10_001): string => letter.repeat(length);
const fileOf = (preview: string | undefined): string => /saved to: (\S+)/.exec(preview ?? '')?.[1] as string;

describe('a long text', () => {
  test.each<
    [string, string, (text: string) => unknown, (d: Awaited<ReturnType<typeof fireAny>>) => string | undefined]
  >([
    ['context', 'PreToolUse', (t) => ({ hookSpecificOutput: { additionalContext: t } }), (d) => d.additionalContext[0]],
    ['a message', 'PreToolUse', (t) => ({ systemMessage: t }), (d) => d.systemMessages[0]],
    [
      'the reason of a verdict',
      'PreToolUse',
      (t) => ({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: t } }),
      (d) => d.reason,
    ],
    ['the reason of a block', 'PostToolUse', (t) => ({ decision: 'block', reason: t }), (d) => d.reason],
    [
      'the reason of a stop beside a short reason',
      'PostToolUse',
      (t) => ({ continue: false, stopReason: t, reason: 'short' }),
      (d) => d.stopReason,
    ],
    ['the reason of a stop', 'PostToolUse', (t) => ({ continue: false, stopReason: t }), (d) => d.stopReason],
    [
      'the message of an answer',
      'PermissionRequest',
      (t) => ({ hookSpecificOutput: { decision: { behavior: 'deny', message: t } } }),
      (d) => d.reason,
    ],
  ])('%s goes to a file only this user can read, and a preview takes its place', async (_, event, output, field) => {
    const { host } = testHost();
    const seen = watch(host);
    const text = `${long('y', 5000)}${long('z', 5001)}`;
    host.register(anyHooks({ [event]: [{ hooks: [() => output(text)] }] }));
    const decision = await fireAny(host, event, { ...INPUTS[event as 'PreToolUse'], ...INPUTS.PostToolUse });
    const preview = field(decision);
    expect(preview).toContain('10001 characters');
    expect(preview?.length).toBeLessThan(3000);
    const file = fileOf(preview);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    // Nobody is handed the whole of it by another way.
    expect(JSON.stringify(decision.outcomes)).not.toContain(long('z', 100));
    expect(JSON.stringify([decision, only(fires(seen))]).includes(long('z', 100))).toBe(false);
  });

  test('of 10,000 characters is not long, and no other string is cut', async () => {
    const { host } = testHost();
    const output = {
      systemMessage: long('m', 10_000),
      hookSpecificOutput: { additionalContext: long('c', 10_000), updatedInput: { command: long('i', 20_000) } },
    };
    host.register({ PreToolUse: [{ hooks: [() => output] }] });
    const decision = await host.fire('PreToolUse', INPUTS.PreToolUse);
    expect(decision.systemMessages).toEqual([output.systemMessage]);
    expect(decision.additionalContext).toEqual([output.hookSpecificOutput.additionalContext]);
    expect(decision.updatedInput).toEqual(output.hookSpecificOutput.updatedInput);
  });

  test('that is a rewrite too is cut only where it is a text', async () => {
    const { host } = testHost();
    const text = long('x');
    host.register({
      PostToolUse: [{ hooks: [() => ({ hookSpecificOutput: { additionalContext: text, updatedToolOutput: text } })] }],
    });
    const decision = await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(decision.updatedOutput).toBe(text);
    expect(decision.additionalContext[0]).not.toBe(text);
    expect(decision.outcomes[0]?.hookSpecificOutput?.['updatedToolOutput']).toBe(text);
  });

  test('said twice in one output is one file; each other text has its own', async () => {
    const { host } = testHost();
    const text = long('x');
    host.register({
      PostToolUse: [
        { hooks: [() => ({ decision: 'block', reason: text, stopReason: text, systemMessage: long('y') })] },
      ],
    });
    const decision = await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(fileOf(decision.reason)).not.toBe(fileOf(decision.systemMessages[0]));
    expect(readdirSync(dirname(fileOf(decision.reason)))).toHaveLength(2);
  });

  test('of a failure is cut as well, and of 10,000 characters is not; a preview is its first 2,000', async () => {
    const { host } = testHost();
    let text = '';
    host.register({ PreToolUse: [{ hooks: [() => Promise.reject(new Error(text))] }] });
    const failed = async (length: number): Promise<string> => {
      text = '';
      const around = (await host.fire('PreToolUse', INPUTS.PreToolUse)).failures[0]?.message.length ?? 0;
      text = `${'x'.repeat(2_000 - around)}${'y'.repeat(length - 2_000)}`;
      return (await host.fire('PreToolUse', INPUTS.PreToolUse)).failures[0]?.message ?? '';
    };
    const whole = await failed(10_000);
    expect([whole.length, whole]).toEqual([10_000, expect.stringContaining(text)]);
    const cut = await failed(10_001);
    expect(cut).toMatch(/^Output too large \(10001 characters\)\..*\n\nPreview:\n[^y]+$/s);
    expect(cut.split('Preview:\n')[1]).toHaveLength(2_000);
    expect(readFileSync(fileOf(cut), 'utf8')).toContain(text);
  });

  test('is not cut in the middle of a character', async () => {
    const { host } = testHost();
    host.register({ PreToolUse: [{ hooks: [() => ({ systemMessage: `x${'😀'.repeat(6000)}` })] }] });
    const [preview] = (await host.fire('PreToolUse', INPUTS.PreToolUse)).systemMessages;
    expect(preview).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });
});

describe('what was saved in a session', () => {
  const say = async (host: ReturnType<typeof testHost>['host'], session_id: string): Promise<string> =>
    fileOf((await fireAny(host, 'PostToolUse', { ...INPUTS.PostToolUse, session_id } as never)).systemMessages[0]);
  const twoSessions = async () => {
    const { host } = testHost();
    host.on('PostToolUse', () => ({ systemMessage: long('x') }));
    return { host, files: [await say(host, 'a'), await say(host, 'b'), await say(host, 'a')] };
  };

  test.each([
    [
      'at its SessionEnd, hooks or none',
      (host) => fireAny(host, 'SessionEnd', { reason: 'other', session_id: 'a' } as never),
    ],
    [
      'at its SessionEnd, whatever its hooks do',
      (host) => {
        host.on('SessionEnd', () => Promise.reject(new Error('no')));
        return fireAny(host, 'SessionEnd', { reason: 'other', session_id: 'a' } as never);
      },
    ],
    ['with its scope', (host) => host.unregisterScoped({ session: 'a' })],
  ] satisfies [string, (host: ReturnType<typeof testHost>['host']) => unknown][])(
    'is gone %s, and nothing of another',
    async (_, end) => {
      const { host, files } = await twoSessions();
      expect(files.map((file) => existsSync(file))).toEqual([true, true, true]);
      await end(host);
      expect(files.map((file) => existsSync(file))).toEqual([false, true, false]);
      expect(existsSync(dirname(files[0] as string))).toBe(false);
      const again = await say(host, 'a');
      expect(existsSync(again)).toBe(true);
      await host.close();
      expect([again, files[1] as string].map((file) => existsSync(dirname(file)))).toEqual([false, false]);
    },
  );
});

test('what was saved is gone when the host is closed, since nothing in it is masked', async () => {
  const { host } = testHost();
  host.on('PostToolUse', () => ({ systemMessage: long('x') }));
  const file = fileOf((await fireAny(host, 'PostToolUse', INPUTS.PostToolUse as never)).systemMessages[0]);
  expect(readFileSync(file, 'utf8')).toBe(long('x'));
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  await host.close();
  expect(existsSync(dirname(file))).toBe(false);
});

test('many hosts that are never closed clear up with one listener', async () => {
  const before = process.listenerCount('exit');
  const hosts = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { host } = testHost();
      host.register({ PreToolUse: [{ hooks: [() => deny('x'.repeat(20_000))] }] });
      await host.fire('PreToolUse', INPUTS.PreToolUse);
      return host;
    }),
  );
  // Hosts of other tests may be open.
  expect(process.listenerCount('exit')).toBeLessThanOrEqual(before + 1);
  await Promise.all(hosts.map((host) => host.close()));
  expect(process.listenerCount('exit')).toBeLessThanOrEqual(before);
});
