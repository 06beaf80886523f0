import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { approveVerb } from '../../../src/cli/fleet/approve.js';
import type { FleetFlags } from '../../../src/cli/fleet/flags.js';
import { joinVerb } from '../../../src/cli/fleet/join.js';
import type { Terminal } from '../../../src/cli/terminal.js';
import { type AskedQuestion, readSignedAnswer, writeQuestion, writeTaken } from '../../../src/fleet/ask/question.js';
import { waitingQuestions } from '../../../src/fleet/ask/waiting.js';
import { makeKey } from '../../../src/fleet/bundle/keys.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { ROOT } from '../../package/sources.js';
import { firstWaiting } from '../ask-table.js';
import { ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { call, machine } from './machine.js';
import { freePort, startNats } from './server.js';

const open: { close?(): Promise<void>; end?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await (one.close ?? one.end)?.();
});

/** `hookscope fleet approve` in this process; `answers`: of whoever sits at the terminal. */
async function approving(id: string | undefined, flags: FleetFlags, answers: (() => string)[] = []) {
  const told: string[] = [];
  const terminal = {
    signal: new AbortController().signal,
    print: async (text: string) => void told.push(text),
    tell: (text: string) => void told.push(text),
    ...(answers.length === 0 ? {} : { ask: async () => (answers.shift() as () => string)() }),
  } as Partial<Terminal> as Terminal;
  try {
    const code = await approveVerb(id === undefined ? [] : [id], flags, terminal);
    return { code, text: told.join('\n') };
  } catch (error) {
    if ((error as { code?: string }).code !== 'FLEET_FAILED') throw error;
    return { code: 1, text: (error as Error).message };
  }
}

test('what a machine asks is answered from another: with a server, without one, late, and when who asks is killed', async () => {
  const folder = ownFolder();
  const port = String(await freePort());
  const url = `nats://127.0.0.1:${port}`;
  const [operator, box] = [machine(folder, 'operator'), machine(folder, 'box')];
  const { said } = operator.start('fleet', 'up', '--port', port, '--team', 'acme');
  await until(() => said.text.includes('meets at'));
  const as = ['--servers', url, '--team', 'acme', '--credentials', 'fleet/operator.nk'];
  const [policy, alice] = ['policy.key', 'alice.key'].map((file) => makeKey(join(folder, file))) as [string, string];
  mkdirSync(join(folder, 'policy/acme'), { recursive: true });
  writeFileSync(join(folder, 'policy/bundle.json'), JSON.stringify({ roots: ['acme'], approvers: { alice } }));
  const rule = { type: 'rule', decision: 'ask', reason: 'Deploys are asked' };
  const hooks = { PreToolUse: [{ matcher: 'Bash', if: 'Bash(deploy *)', hooks: [rule] }] };
  writeFileSync(join(folder, 'policy/acme/deploy.json'), JSON.stringify({ hooks }));
  await operator.fleet('push', 'policy', '--sign', 'policy.key', ...as);
  await operator.fleet('keys', 'host', 'box');
  const join_ = ['join', url, '--team', 'acme', '--credentials', 'fleet/box.nk', '--key', policy, '--host', 'box'];
  for (const [how, expected] of [
    [{ askTimeout: '9' }, /expected --ask-elsewhere unattended or first/],
    [{ askTimeout: '9', askElsewhere: 'never' }, /expected --ask-elsewhere unattended or first/],
    [{ askTimeout: 'x', askElsewhere: 'first' }, /--ask-timeout: expected seconds, more than 0, got "x"/],
    [{ askTimeout: '0', askElsewhere: 'first' }, /--ask-timeout: expected seconds/],
    [{ askElsewhere: 'often' }, /expected never, unattended, first, got "often"/],
  ] as const)
    await expect(joinVerb([url], { key: [policy], ...how }, {} as Terminal)).rejects.toThrow(expected);
  expect(await box.fleet(...join_, '--ask-elsewhere', 'unattended', '--ask-timeout', '40')).toMatchObject({ code: 0 });

  const watcher = natsEngine({
    servers: [url],
    team: 'acme',
    name: 'operator',
    credentials: join(folder, 'fleet/operator.nk'),
  });
  open.push(watcher);
  const waiting = async () => (await waitingQuestions(watcher)).filter(({ settled }) => settled === undefined);
  /** What is asked, unless whoever asks ends before that. */
  const waits = (asking: Promise<{ readonly text: string }>) => {
    const early = async () => {
      throw new Error(`nothing was asked: ${(await asking).text}`);
    };
    return Promise.race([firstWaiting(watcher), early()]);
  };
  const flags = { servers: [url], team: 'acme', credentials: join(folder, 'fleet/operator.nk') };
  const approve = (id: string, how: FleetFlags) =>
    approving(id, { ...flags, sign: [join(folder, 'alice.key')], ...how });
  const hook = (...how: string[]) => box.run(['hook', 'PreToolUse', '--timeout', '60', ...how], call('deploy shop'));
  const thin = () => {
    const asking = box.startAs(
      'sh',
      join(ROOT, 'dist/hookscope-hook.sh'),
      '--node',
      process.execPath,
      'PreToolUse',
      '--timeout',
      '30',
    );
    asking.child.stdin?.end(call('deploy shop'));
    return { ...asking, ended: once(asking.child, 'close').then(() => asking.said) };
  };

  // Without a server; a person at the agent is asked by the agent.
  expect((await hook('--attended')).text).toMatch(/"permissionDecision":"ask"/);
  const alone = hook();
  const first = await waits(alone);
  const waitOf = (one: AskedQuestion): number => Math.round((Date.parse(one.deadline) - Date.parse(one.asked)) / 1000);
  expect(waitOf(first)).toBe(40);
  expect(first).toMatchObject({ host: 'box', input: { tool_input: { command: 'deploy shop' } } });
  const prefix = first.id.slice(0, 6);
  expect(await operator.fleet('approve', prefix, '--allow', '--sign', 'alice.key', ...as)).toEqual({
    code: 0,
    text: `${first.id} of box: alice: allow\n`,
  });
  expect((await alone).text).toMatch(/"permissionDecision":"allow","permissionDecisionReason":"alice said allow"/);
  expect(await approve(first.id, { allow: true })).toMatchObject({
    code: 1,
    text: expect.stringMatching(/nobody waits/),
  });

  // With one, by the thin command, which says how long it waits.
  const server = box.start('serve');
  await until(() => server.said.text.includes('hookscope serves on'));
  const asking = thin();
  const second = await waits(asking.ended);
  expect(waitOf(second)).toBeGreaterThan(15);
  expect(waitOf(second)).toBeLessThanOrEqual(23);
  expect(await approve(second.id, { deny: true, reason: 'Not on a Friday' })).toMatchObject({ code: 0 });
  await asking.ended;
  expect(asking.said.text).toMatch(/"permissionDecision":"deny","permissionDecisionReason":"Not on a Friday"/);
  const late = await approve(second.id, { allow: true, json: true });
  expect(late.code).toBe(1);
  expect(JSON.parse(late.text)).toMatchObject({
    id: second.id,
    counts: false,
    message: expect.stringMatching(/alice was first: deny/),
  });
  // The server's connection and that of a process beside it take answers of their own questions.
  const beside = hook('--no-server');
  const third = await waits(beside);
  expect(await approve(third.id, { allow: true })).toMatchObject({ code: 0 });
  expect((await beside).text).toMatch(/"permissionDecision":"allow"/);

  // Whoever asks the server hangs up.
  const hung = box.start('hook', 'PreToolUse');
  hung.child.stdin?.end(call('deploy shop'));
  await waits(once(hung.child, 'close').then(() => hung.said));
  hung.child.kill('SIGKILL');
  await until(async () => (await waiting()).length === 0);

  // Killed while it asks: the question goes, and the agent is told no.
  const lost = thin();
  const fourth = await waits(lost.ended);
  server.child.kill('SIGKILL');
  await lost.ended;
  expect(lost.said.text).toMatch(/"permissionDecision":"deny"/);
  expect((await operator.fleet('approve', ...as)).text).toMatch(/nothing waits for a person/);
  expect(await approve(fourth.id, { allow: true })).toMatchObject({
    code: 1,
    text: expect.stringMatching(/nobody waits/),
  });
});

test('approve shows what is asked as it is, says which question is meant, and asks on a terminal about each', async () => {
  const server = await startNats();
  open.push(server);
  const folder = ownFolder();
  const key = join(folder, 'alice.key');
  makeKey(key);
  const host = natsEngine({ servers: [server.url], team: 'acme', name: 'box' });
  open.push(host);
  await until(() => host.connected);
  const taken: string[] = [];
  const ask = (id: string, of: string, more: object = {}) => {
    const asked = new Date().toISOString();
    const deadline = new Date(Date.now() + 60_000).toISOString();
    const question = {
      team: 'acme',
      host: of,
      id,
      fire: 'f1',
      input_hmac: 'h',
      event: 'PreToolUse',
      rewritten: true,
      hooks: ['guard'],
      asked,
      deadline,
    };
    const input = {
      tool_name: 'Bash',
      tool_input: { command: 'ls \u001b[2J\u202e' },
      session_id: 's\u001b[1A',
      cwd: '/',
    };
    return host.ask.open(of, id, writeQuestion({ ...question, input, ...more } as AskedQuestion), (bytes) => {
      const answer = readSignedAnswer(bytes);
      taken.push(typeof answer === 'string' ? answer : `${answer.id} ${answer.answer} ${answer.reason ?? ''}`.trim());
      return writeTaken({ counts: true, message: 'taken\u001b[2J' });
    });
  };
  const approve = (id: string | undefined, flags: FleetFlags, answers: (() => string)[] = []) =>
    approving(id, { servers: [server.url], team: 'acme', ...flags }, answers);
  const sign = [key];
  const stops = [
    ask('aaaaaa000001', 'box'),
    ask('aaaaaa000002', 'box'),
    ask('aaaaaa000003', 'laptop'),
    ask('aaaaaa000004', 'box', { settled: 'bob was first' }),
  ];
  await sleep(100);

  const shown = await approve(undefined, { sign });
  expect(shown.text).toMatch(/asks: {2}host box, session s\\u\{1b\}\[1A, in \/, fire f1/);
  expect(shown.text).toContain('input: {"command":"ls \\u001b[2J\\u202e"} (hooks have changed it)');
  expect(shown.text).not.toContain('\u001b');
  expect(shown.text).not.toContain('aaaaaa000004');
  expect(shown.text).toMatch(/nobody sits at a terminal here/);
  const json = (await approve(undefined, { json: true, host: 'laptop' })).text.split('\n');
  expect(json.map((line) => JSON.parse(line))).toMatchObject([{ id: 'aaaaaa000003', host: 'laptop' }]);

  expect(await approve('aaaaaa', { allow: true, sign })).toEqual({
    code: 1,
    text: '3 questions begin with aaaaaa: aaaaaa000001 of box, aaaaaa000002 of box, aaaaaa000003 of laptop; name more of one',
  });
  expect(await approve('aaaaaa', { deny: true, sign, host: 'laptop' })).toEqual({
    code: 0,
    text: 'aaaaaa000003 of laptop: taken\\u{1b}[2J',
  });
  expect((await approve('bbbbbb', { deny: true, sign, host: 'laptop' })).text).toMatch(
    /nobody waits for an answer to bbbbbb of laptop/,
  );
  expect((await approve('aaaaaa000004', { deny: true, sign })).code).toBe(0);
  expect((await approve(undefined, { allow: 'aaaaaa000001', sign, reason: 'go on' })).code).toBe(0);
  expect(taken.splice(0)).toEqual(['aaaaaa000003 deny', 'aaaaaa000004 deny', 'aaaaaa000001 allow go on']);

  // In turn: one that goes while the person thinks, one that is answered, one that is left.
  stops[3]?.();
  const inTurn = await approve(undefined, { sign }, [
    () => {
      stops[0]?.();
      return 'a';
    },
    () => ' d  too late at night ',
    () => 'maybe',
  ]);
  expect(inTurn.text).toMatch(/nobody waits for an answer to aaaaaa000001/);
  expect(inTurn.code).toBe(1);
  expect(taken).toEqual(['aaaaaa000002 deny too late at night']);

  for (const [id, flags, expected] of [
    [undefined, { allow: true }, /expected the ID/],
    ['aaaaaa', { sign }, /expected --allow or --deny with the ID/],
    ['aaaaaa', { allow: true, deny: true, sign }, /and not both/],
    ['aaaaaa', { allow: 'aaaaaa', sign }, /expected nothing after it/],
    ['aaaaa', { allow: true, sign }, /first 6 characters/],
    ['', { allow: true, sign }, /first 6 characters/],
    ['aaaaag', { allow: true, sign }, /first 6 characters/],
    ['aaaaaa', { allow: true }, /the file of an approver's key/],
    ['aaaaaa', { allow: true, sign: [key, key] }, /expected one key/],
    ['aaaaaa', { allow: true, sign, reason: 'x'.repeat(2_001) }, /at most 2000 characters/],
    [undefined, { reason: 'x' }, /expected --allow or --deny beside it/],
  ] as const)
    await expect(approve(id, flags as FleetFlags)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(expected),
    });
});

test('teams of one broker see and answer their own questions alone; whoever is killed asks no more', async () => {
  const server = await startNats();
  open.push(server);
  const engine = (team: string, name: string) => {
    const made = natsEngine({ servers: [server.url], team, name });
    open.push(made);
    return made;
  };
  const [mine, theirs, operator] = [engine('acme', 'h1'), engine('other', 'operator'), engine('acme', 'operator')];
  await until(() => [mine, theirs, operator].every(({ connected }) => connected));
  const seen: string[] = [];
  theirs.ask.watch(({ id }) => seen.push(id));
  mine.ask.open('h1', 'q1', Buffer.from('?'), () => Buffer.from('taken'));
  await until(
    async () => (await operator.ask.answer('h1', 'q1', Buffer.from('!')).catch(() => undefined)) !== undefined,
  );
  await expect(theirs.ask.answer('h1', 'q1', Buffer.from('!'))).rejects.toThrow(/nobody waits/);
  for (const id of ['*', '>', 'q1.>', 'a b', ''])
    await expect(operator.ask.answer('h1', id, Buffer.from('!'))).rejects.toThrow(/nobody waits/);
  expect(seen).toEqual([]);

  // After a loss of the connection each answer is handed over once.
  let handed = 0;
  mine.ask.open('h1', 'q2', Buffer.from('?'), () => {
    handed += 1;
    return Buffer.from('taken');
  });
  for (let i = 0; i < 2; i++) {
    await server.kill();
    await until(() => !mine.connected && !operator.connected);
    await server.start();
    await until(() => mine.connected && operator.connected);
  }
  await until(
    async () => (await operator.ask.answer('h1', 'q2', Buffer.from('!')).catch(() => undefined)) !== undefined,
  );
  await operator.ask.answer('h1', 'q1', Buffer.from('!'));
  expect(handed).toBe(1);
});
