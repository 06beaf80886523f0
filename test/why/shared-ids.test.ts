import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHost, createRedactor, deny, type FireRecord, type HookRecord, rewrite } from '../../src/index.js';
import { callOf } from '../../src/why/calls.js';
import { whatBecame } from '../../src/why/ran.js';
import { generated } from '../seed.js';

/** A call that is made, and what is done with it. */
interface Made {
  readonly id: string;
  readonly command: string;
  /** A hook changes its command to this one. */
  readonly rewritten: string | undefined;
  readonly denied: 'hook' | 'request' | 'user' | undefined;
  /** The user is asked about it. */
  readonly isAsked: boolean;
  readonly end: 'ran' | 'failed' | 'nothing';
  /** It runs although it was denied. */
  readonly isWayward: boolean;
  /** It runs with the command as it was asked about. */
  readonly isAsIs: boolean;
  readonly waits: number;
}

const made = fc.record<Made>({
  id: fc.constantFrom('call_0', 'call_0', 'call_0', 'call_1'),
  command: fc.constantFrom('ls', 'pwd', 'date', 'id', 'env'),
  rewritten: fc.constantFrom(undefined, undefined, undefined, 'ls', 'who', 'w'),
  denied: fc.constantFrom(undefined, undefined, undefined, 'hook', 'request', 'user'),
  isAsked: fc.boolean(),
  end: fc.constantFrom('ran', 'ran', 'failed', 'nothing'),
  isWayward: fc.boolean(),
  isAsIs: fc.boolean(),
  waits: fc.nat(3),
});
const calls = fc.array(made, { minLength: 2, maxLength: 4 });
const isRefused = ({ denied }: Made): boolean => denied === 'hook' || denied === 'request';
const finalOf = ({ rewritten, command, denied }: Made): string =>
  denied === 'hook' ? command : (rewritten ?? command);
const endOf = (call: Made): Made['end'] => (call.denied !== undefined && !call.isWayward ? 'nothing' : call.end);

/** Whether no other call with its id was asked about, or rewritten to, what this one was. */
function isApart(call: Made, all: readonly Made[]): boolean {
  const others = all.filter((one) => one !== call && one.id === call.id);
  return others.every((one) =>
    [one.command, finalOf(one)].every((command) => command !== call.command && command !== finalOf(call)),
  );
}

/** The records of the calls, whose events are fired in the order of `picks`, and the call that each is about. */
async function firedByHost(all: readonly Made[], picks: readonly number[], write = (command: string) => command) {
  const host = createHost({ logger: () => undefined });
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(JSON.parse(JSON.stringify(record)) as HookRecord));
  const whose = ({ mark }: { readonly mark?: unknown }): Made => all[mark as number] as Made;
  host.on('PreToolUse', (input) => {
    const { denied, rewritten } = whose(input as { mark?: unknown });
    return denied === 'hook'
      ? deny('no')
      : rewritten === undefined
        ? undefined
        : rewrite({ command: write(rewritten) });
  });
  host.on('PermissionRequest', (input) =>
    whose(input as { mark?: unknown }).denied === 'request' ? deny('no') : undefined,
  );
  const steps = all.map((call, mark) => {
    const fire =
      (event: 'PreToolUse', command: string, more = {}) =>
      () =>
        host.fire(event, {
          session_id: 's',
          tool_name: 'Bash',
          tool_input: { command: write(command) },
          tool_use_id: call.id,
          ...{ mark, ...more },
        });
    const end = endOf(call);
    const ran = call.isAsIs ? call.command : finalOf(call);
    return [
      fire('PreToolUse', call.command),
      ...(call.denied === 'request' || call.isAsked ? [fire('PermissionRequest' as 'PreToolUse', finalOf(call))] : []),
      ...(call.denied === 'user' && call.isAsked && end === 'nothing'
        ? [fire('PermissionDenied' as 'PreToolUse', finalOf(call), { reason: 'no' })]
        : []),
      ...(end === 'ran' ? [fire('PostToolUse' as 'PreToolUse', ran, { tool_response: 'x' })] : []),
      ...(end === 'failed' ? [fire('PostToolUseFailure' as 'PreToolUse', ran, { error: 'x' })] : []),
    ];
  });
  for (const pick of picks) await steps[pick % steps.length]?.shift()?.();
  for (const rest of steps) for (const step of rest) await step();
  await host.close();
  return records.filter(({ type }) => type === 'hook_fire' || type === 'hook_alarm');
}

const markOf = (record: HookRecord): number =>
  record.type === 'hook_fire' ? (record.input as { mark: number }).mark : -1;
const idOf = (record: HookRecord): unknown => (record as FireRecord).tool_use_id;

/** What is said of the call that a record is about. */
const told = (record: HookRecord, all: readonly HookRecord[]): string =>
  whatBecame(
    callOf(
      all.filter((one) => idOf(one) === idOf(record)),
      record,
    ),
  )
    .filter((line) => !line.startsWith('ALARM'))
    .join(' ');

function checkFires(records: readonly HookRecord[], all: readonly Made[]): void {
  for (const record of records) {
    const call = all[markOf(record)];
    if (call === undefined) continue;
    const text = told(record, records);
    const end = endOf(call);
    const about = `${text} ${JSON.stringify([call, record])}`;
    if (text.includes('It ran')) expect(end, about).toBe('ran');
    if (text.includes('although it was denied')) expect(isRefused(call), about).toBe(true);
    if (text.includes('PostToolUseFailure was fired for it')) expect(end, about).toBe('failed');
    if (text.includes('of another call')) expect(isRefused(call), about).toBe(false);
    if (!isApart(call, all)) continue;
    const known = isRefused(call) ? 'It ran, although it was denied' : 'It ran: ';
    const failed = 'PostToolUseFailure was fired for it';
    expect(text, about).toContain(end === 'ran' ? known : end === 'failed' ? failed : 'No record says whether it ran.');
  }
}

const orders = fc.array(fc.nat(11), { minLength: 12, maxLength: 12 });

test('of calls that share an id nothing untrue is told, and all where inputs tell them apart', async () => {
  await fc.assert(
    fc.asyncProperty(calls, orders, async (all, picks) => {
      const records = await firedByHost(all, picks);
      checkFires(records, all);
      // Each event is answered by a process of its own.
      const alone = records
        .filter(({ type }) => type === 'hook_fire')
        .map(
          (record, i) => ({ ...record, host_id: `host ${i}`, seq: 1, stateless: true, revision: 'x' }) as HookRecord,
        );
      checkFires(inTime(alone), all);
      checkFires(
        inTime(alone.map(({ revision: _, ...record }: HookRecord & { revision?: string }) => record as HookRecord)),
        all,
      );
    }),
    { numRuns: generated(300) },
  );
});

const inTime = (records: readonly HookRecord[]): HookRecord[] =>
  records.map((record, i) => ({ ...record, time: new Date(Date.UTC(2026, 0, 1) + i).toISOString() }));

/** A command with secrets, of which nothing else differs. */
const withSecret = (command: string): string =>
  `curl -H "Authorization: Bearer sk-ant-${command.repeat(12)}" -u a:p4ss${command}word x`;

test('a secret that was masked makes no difference: inputs that differ are told apart', async () => {
  const redactor = createRedactor();
  await fc.assert(
    fc.asyncProperty(calls, orders, async (all, picks) => {
      const records = await firedByHost(all, picks, withSecret);
      const masked = records.map((record) => redactor.redact(record));
      for (const record of masked)
        if (record.type === 'hook_fire')
          expect(record.input['tool_input']).toEqual({ command: expect.not.stringContaining('word') });
      checkFires(masked, all);
      // What is told of each call is the same as without the masks.
      for (const [i, record] of records.entries())
        expect(told(masked[i] as HookRecord, masked)).toBe(told(record, records));
    }),
    { numRuns: generated(100) },
  );
});

test.each([
  ['another key', 'PostToolUse'],
  ['no key', undefined],
])('of a secret that was masked with %s the rest of the input is compared', async (_, event) => {
  const keyFile = join(mkdtempSync(join(tmpdir(), 'hookscope-why-')), 'key');
  const [one, other] = [createRedactor(), createRedactor({ keyFile })];
  expect(one.keyId).not.toBe(other.keyId);
  const call = { id: 'call_0', rewritten: undefined, isAsked: false, isWayward: false, isAsIs: false, waits: 0 };
  const denied: Made = { ...call, command: 'ls', denied: 'hook', end: 'nothing' };
  const ran: Made = { ...call, command: 'curl', denied: undefined, end: 'ran' };
  for (const write of [withSecret, (command: string) => (command === 'ls' ? command : withSecret(command))]) {
    const records = await firedByHost([ran, denied], [0, 1, 0], write);
    const masked = records.map((record) => {
      if ((record as FireRecord).event !== 'PostToolUse') return one.redact(record);
      return event === undefined ? record : other.redact(record);
    });
    // Of two inputs that differ in nothing but secrets, it cannot be told which one ran.
    if (write === withSecret) expect(masked.map((record) => told(record, masked)).join()).not.toContain('although');
    else checkFires(masked, [ran, denied]);
  }
});

test('of calls of one step in a session that share an id the same holds', async () => {
  await fc.assert(
    fc.asyncProperty(calls, fc.boolean(), async (all, isRedacted) => {
      const host = createHost({ logger: () => undefined });
      const records: HookRecord[] = [];
      host.events$.subscribe((record) => records.push(JSON.parse(JSON.stringify(record)) as HookRecord));
      let begun = 0;
      host.on('PreToolUse', () => {
        const { denied, rewritten } = all[begun++] as Made;
        return denied === 'hook' ? deny('no') : rewritten === undefined ? undefined : rewrite({ command: rewritten });
      });
      let judged = 0;
      const open = all.filter(({ denied }) => denied !== 'hook');
      const session = await host.openSession({
        permission: () => ({ behavior: open[judged++]?.denied === 'user' ? 'deny' : 'allow', message: 'x' }),
      });
      const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const results = await Promise.all(
        all.map(({ id, command, waits, end }) =>
          session.tool({
            ...{ id, name: 'Bash', input: { command } },
            execute: async () => {
              await wait(waits);
              if (end === 'failed') throw new Error('x');
              return 'x';
            },
          }),
        ),
      );
      await host.close();
      const about = records.filter(({ type }) => type === 'hook_fire' || type === 'tool_call' || type === 'hook_alarm');
      // Without a hash that fits, as where a secret was masked.
      const kept = about.map((record) =>
        isRedacted && record.type === 'tool_call' ? { ...record, input_sha256: '0'.repeat(64) } : record,
      );
      const asked = kept
        .filter((record) => record.type === 'hook_fire' && record.event === 'PreToolUse')
        .sort((a, b) => ((a as FireRecord).fire_id < (b as FireRecord).fire_id ? -1 : 1));
      expect(asked).toHaveLength(all.length);
      for (const [i, record] of asked.entries()) {
        const call = all[i] as Made;
        const { status } = results[i] as { status: string };
        const text = told(record, kept);
        const detail = `${text} ${status} ${JSON.stringify(call)}`;
        if (/\b(It|The call) ran\b/.test(text)) expect(['ran', 'failed'], detail).toContain(status);
        if (text.includes('and its tool failed')) expect(status, detail).toBe('failed');
        if (text.includes('did not run')) expect(status, detail).toBe('denied');
        expect(text).not.toContain('although it was denied');
        if (!isApart(call, all) || isRedacted) continue;
        const failed = text.includes('and its tool failed') ? 'failed' : 'ran';
        expect(text.includes('did not run') ? 'denied' : failed, detail).toBe(status);
      }
    }),
    { numRuns: generated(100) },
  );
});
