import { afterEach, describe, expect, test } from 'vitest';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import type { HostOptions } from '../../src/host/options.js';
import { processes, uniqueSeconds } from '../handlers/shell-call.js';
import { inputOf } from '../host/inputs.js';
import { fireAny, fires, only, testHost, until, watch } from '../host/kit.js';
import { CASES, type Json, KINDS } from './handlers.js';

const hosts: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

function hostWith(options: HostOptions = {}): ReturnType<typeof testHost> {
  const made = testHost({ session: { session_id: 's', transcript_path: '', cwd: process.cwd() }, ...options });
  hosts.push(made.host);
  return made as ReturnType<typeof testHost>;
}

/** What a case expects, where a regular expression stands for a string like it. */
function like(value: unknown): unknown {
  if (value instanceof RegExp) return expect.stringMatching(value);
  if (Array.isArray(value)) return value.map((item) => (isPlain(item) ? expect.objectContaining(item) : like(item)));
  return value;
}
const isPlain = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !(value instanceof RegExp);

describe.each(KINDS)('a handler that is a $name', (kind) => {
  test.each(CASES)('$name', async ({ event, behaviour, is, cause, warning }) => {
    const { host, reports } = hostWith();
    kind.install(host, event, behaviour);
    const decision = await fireAny(host, event, inputOf(event as never));
    for (const [key, value] of Object.entries(is)) expect(decision[key as keyof AnyDecision], key).toEqual(like(value));
    if (cause) {
      const failure = only(decision.failures);
      expect(failure).toMatchObject({ name: 'it', cause: kind.outside ? cause.outside : cause.inside, blocked: false });
      expect(failure.message).toMatch(cause.message);
      expect(only(reports)).toContain(failure.message);
    } else if (warning) expect(only(reports)).toMatch(warning);
    else expect(reports).toEqual([]);
  });

  test.each(CASES)('$name, when watched', async ({ event, behaviour, is, cause, warning }) => {
    const { host, reports } = hostWith();
    const seen = watch(host);
    kind.install(host, event, behaviour);
    const decision = await fireAny(host, event, inputOf(event as never));
    for (const [key, value] of Object.entries(is)) expect(decision[key as keyof AnyDecision], key).toEqual(like(value));
    const row = only(only(fires(seen)).handlers);
    expect(row.failure?.cause).toBe(cause && (kind.outside ? cause.outside : cause.inside));
    expect(row.status).toBe(
      cause
        ? 'failed'
        : kind.outside && 'output' in behaviour && behaviour.output?.['async'] === true
          ? 'background'
          : 'ran',
    );
    if (warning) expect(row.warnings?.join()).toMatch(warning);
    // The logger hears it whoever watches.
    expect(reports).toEqual(
      row.failure ? [expect.stringContaining(row.failure.message)] : warning ? [expect.stringMatching(warning)] : [],
    );
    await host.close();
    const told = seen.filter((r) => r.type === 'system');
    expect(told.map((r) => r.subtype).filter((s) => s !== 'hook_progress')).toEqual(['hook_started', 'hook_response']);
    expect(new Set(told.map((r) => r.hook_id)).size).toBe(1);
  });

  test.each([
    ['ask', 'ask'],
    ['block', 'deny'],
  ] as const)('fails under the policy %s: the verdict is %s', async (onFailure, verdict) => {
    const { host } = hostWith({ onFailure });
    kind.install(host, 'PreToolUse', { does: 'fail', message: 'disk full' });
    const decision = await fireAny(host, 'PreToolUse', inputOf('PreToolUse'));
    expect(decision).toMatchObject({
      verdict,
      reason: expect.stringContaining('disk full'),
      failures: [{ blocked: true }],
    });
  });

  test('fails, and keeps nobody from running', async () => {
    const { host } = hostWith();
    const ran: string[] = [];
    host.register({ PreToolUse: [{ hooks: [() => void ran.push('before')] }] });
    kind.install(host, 'PreToolUse', { does: 'fail', message: 'disk full' });
    host.register({ PreToolUse: [{ hooks: [() => void ran.push('after')] }] });
    await fireAny(host, 'PreToolUse', inputOf('PreToolUse'));
    expect(ran.sort()).toEqual(['after', 'before']);
  });

  if (!kind.slow) return;

  test.each([false, true])(
    'hangs: its time is enforced, its signal fires, others go on (watched: %s)',
    async (watched) => {
      const { host } = hostWith({ timeout: 0.25, onFailure: 'block' });
      if (watched) watch(host);
      const seconds = uniqueSeconds();
      let signal: AbortSignal | undefined;
      let after = 0;
      kind.install(host, 'PreToolUse', {
        does: 'hang',
        seconds,
        called: (s) => {
          signal = s;
        },
      });
      host.register({ PreToolUse: [{ stage: 1, hooks: [() => void after++] }] });
      const began = performance.now();
      const decision = await fireAny(host, 'PreToolUse', inputOf('PreToolUse'));
      expect(performance.now() - began).toBeGreaterThanOrEqual(250);
      expect(decision).toMatchObject({ verdict: 'deny', failures: [{ name: 'it', cause: 'timeout', blocked: true }] });
      expect(decision.failures[0]?.message).toContain('0.25 s');
      expect(after).toBe(1);
      if (kind.outside) expect(processes(seconds)).toEqual([]);
      else expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
    },
  );

  test.each([false, true])(
    'hangs until its caller aborts: the fire rejects, nothing of it is left (watched: %s)',
    async (watched) => {
      const { host } = hostWith();
      const seen = watched ? watch(host) : [];
      const seconds = uniqueSeconds();
      let signal: AbortSignal | undefined;
      const caller = new AbortController();
      kind.install(host, 'PreToolUse', {
        does: 'hang',
        seconds,
        called: (s) => {
          signal = s;
        },
      });
      const decision = fireAny(host, 'PreToolUse', inputOf('PreToolUse'), { signal: caller.signal });
      await until(() => (kind.outside ? processes(seconds).length > 0 : signal !== undefined));
      caller.abort(new Error('never mind'));
      await expect(decision).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'never mind' } });
      if (kind.outside) await until(() => processes(seconds).length === 0);
      else expect(signal?.aborted).toBe(true);
      if (watched) {
        await until(() => fires(seen).length === 1);
        expect(only(fires(seen))).toMatchObject({
          error: 'ABORTED',
          handlers: [{ status: 'failed', failure: { cause: 'aborted' } }],
        });
      }
    },
  );

  test.each([false, true])(
    'hangs until its host closes: it is named, the fire rejects, nothing of it is left (watched: %s)',
    async (watched) => {
      const { host } = hostWith({ closeTimeout: 0.1 });
      const seen = watched ? watch(host) : [];
      const seconds = uniqueSeconds();
      let signal: AbortSignal | undefined;
      kind.install(host, 'PreToolUse', {
        does: 'hang',
        seconds,
        called: (s) => {
          signal = s;
        },
      });
      const decision = fireAny(host, 'PreToolUse', inputOf('PreToolUse'));
      const rejected = expect(decision).rejects.toMatchObject({ code: 'CLOSED' });
      await until(() => (kind.outside ? processes(seconds).length > 0 : signal !== undefined));
      expect(await host.close()).toEqual({ pending: ['it'] });
      await rejected;
      if (kind.outside) expect(processes(seconds)).toEqual([]);
      else expect(signal?.aborted).toBe(true);
      if (watched)
        expect(only(fires(seen))).toMatchObject({ error: 'CLOSED', handlers: [{ failure: { cause: 'aborted' } }] });
    },
  );
});
