import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { HookRecord } from '../../src/emit/record.js';
import type { AskAnswer, AskTeam } from '../../src/host/elsewhere.js';
import { fire } from '../../src/host/fire/fire.js';
import { servicesOf } from '../../src/host/internals.js';

/** A host whose hook asks about every call, and asks elsewhere as it is told. */
function asking(elsewhere: AskTeam['ask'], options: object = {}) {
  const host = createHost({ logger: () => undefined, ...options }) as Host;
  servicesOf(host).elsewhere = { ask: elsewhere };
  host.register({ PreToolUse: [{ hooks: [{ type: 'rule', decision: 'ask', reason: 'Deploys are asked' }] }] });
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => void records.push(record));
  return { host, records };
}

const answered = (answer: AskAnswer['answer'], more: object = {}): AskAnswer => ({
  answer,
  at: '2026-01-01T00:00:00.000Z',
  waited_ms: 1,
  question: 'abcdef012345',
  input_hmac: 'x',
  ...more,
});

const CALL = { tool_name: 'Bash', tool_input: { command: 'deploy' }, tool_use_id: 't1' };

test('a host that closes ends the question: the fire is rejected, and its record comes before the stream ends', async () => {
  const { host, records } = asking(
    (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(answered('none', { reason: 'the agent asks no more' })));
      }),
    { closeTimeout: 0.05 },
  );
  const fire = host.fire('PreToolUse', CALL);
  fire.catch(() => undefined);
  expect((await host.close()).pending).toEqual(['an answer to PreToolUse']);
  await expect(fire).rejects.toMatchObject({ code: 'CLOSED' });
  expect(records.filter(({ type }) => type === 'hook_fire')).toMatchObject([{ error: 'CLOSED' }]);
});

test('an answer that comes while the host closes counts, as that of a hook does', async () => {
  let say: (answer: AskAnswer) => void = () => undefined;
  const { host, records } = asking(() => new Promise((resolve) => (say = resolve)));
  const fire = host.fire('PreToolUse', CALL);
  const closed = host.close();
  say(answered('deny', { by: 'alice', from: 'h2', reason: 'No' }));
  await expect(fire).resolves.toMatchObject({ verdict: 'deny', reason: 'No' });
  expect(await closed).toEqual({ pending: [] });
  expect(records.filter(({ type }) => type === 'hook_fire')).toHaveLength(1);
});

test.each([
  ['none', 'nobody'],
  ['deny', 'user'],
] as const)('a call that is denied after the answer %s was denied by: %s', async (answer, who) => {
  const said = answered(answer, answer === 'none' ? { reason: 'nobody answered' } : { by: 'alice', from: 'h2' });
  const { host, records } = asking(async () => said, { onFailure: 'block' });
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
  const result = await session.tool({ name: 'Bash', input: { command: 'deploy' }, execute: () => 'done' });
  expect(result).toMatchObject({ status: 'denied' });
  expect(records.find(({ type }) => type === 'tool_call')).toMatchObject({ ran: false, denied_by: who });
  await host.close();
});

test('a team that is joined while a fire is under way is told how long the agent still waits', async () => {
  const { host } = asking(() => undefined);
  const services = servicesOf(host);
  const before = performance.now();
  const seen: number[] = [];
  const team: AskTeam = {
    ask({ within }) {
      seen.push((within as number) - (1_000_000 - (performance.now() - before)));
      return undefined;
    },
  };
  services.elsewhere = undefined;
  const join = () => {
    services.elsewhere = team;
  };
  host.on('PreToolUse', join);
  for (const _ of ['joined meanwhile', 'joined before'])
    await fire(services, 'PreToolUse', CALL, { asked: { within: 1000 } });
  expect(seen).toHaveLength(2);
  for (const more of seen) expect(more).toBeGreaterThanOrEqual(0);
  await host.close();
});
