import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { afterEach, describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { ownKey } from '../../src/fleet/ask/own-key.js';
import {
  type AnswerReceipt,
  type AskedQuestion,
  readQuestion,
  readTaken,
  signAnswer,
} from '../../src/fleet/ask/question.js';
import { waitingQuestions } from '../../src/fleet/ask/waiting.js';
import type { SigningKey } from '../../src/fleet/bundle/keys.js';
import type { FleetEngine } from '../../src/fleet/engine.js';
import { fleet } from '../../src/fleet/fleet.js';
import { makeNkey } from '../../src/fleet/nats/connection.js';
import type { FleetOptions } from '../../src/fleet/options.js';
import { fire } from '../../src/host/fire/fire.js';
import { servicesOf } from '../../src/host/internals.js';
import { bundleOf, newKey, ownFolder } from './bundles.js';
import { until } from './contract.js';
import { bash, channel } from './ground.js';

interface AskGround {
  open(name: string): Promise<FleetEngine>;
  cut(): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

const signer = newKey();
const alice = newKey();
const bob = newKey();
const stranger = newKey();
const open: { close(): Promise<unknown> }[] = [];
const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

const rules = [
  {
    matcher: 'Bash',
    if: 'Bash(deploy *)',
    hooks: [{ type: 'rule', decision: 'ask', reason: 'Deploys are asked' }],
  },
  { matcher: 'Bash', if: 'Bash(deploy prod)', hooks: [{ type: 'rule', decision: 'deny', reason: 'Never' }] },
];
const bundle = (sequence: number, approvers: object, more: object = {}): Uint8Array =>
  bundleOf(sequence, { 'acme/a.json': { hooks: { PreToolUse: rules } } }, [signer], { approvers, ...more } as never);

/** What an ask on one host comes to, whoever carries it. */
export function askTable(name: string, make: () => Promise<AskGround>): void {
  describe(`ask elsewhere ${name}`, () => {
    let ground: AskGround | undefined;
    afterEach(async () => {
      for (const one of open.splice(0).reverse()) await one.close();
      await ground?.end();
      ground = undefined;
    });

    const usual = { alice: alice.id, bob: bob.id };
    async function start(options: Partial<FleetOptions> = {}, hostOptions: object = {}, approvers: object = usual) {
      ground ??= await make();
      const operator = await ground.open('operator');
      open.push(operator);
      const engine = await ground.open('h1');
      open.push(engine);
      await until(() => operator.connected && engine.connected);
      await operator.prepare();
      if ((await operator.policy.history('stable')).length === 0)
        await operator.policy.post('stable', bundle(1, approvers), 0);
      const team = await fleet({
        engine,
        team: 'acme',
        host: 'h1',
        keys: [signer.id],
        folder: ownFolder(),
        askElsewhere: 'first',
        logger: () => undefined,
        ...options,
      });
      open.push(team);
      const host = createHost({ logger: () => undefined, ...hostOptions }) as Host;
      open.push(host);
      team.join(host);
      await until(() => channel(team)?.sequence === 1);
      const records: FireRecord[] = [];
      host.events$.subscribe((record) => {
        if (record.type === 'hook_fire') records.push(record);
      });
      return { operator, engine, team, host, records };
    }
    const ask = (host: Host, command = 'deploy it', how: object = {}, more: object = {}) =>
      host.fire('PreToolUse', bash(command, more) as never, how as never);
    const question = firstWaiting;
    const send = async (engine: FleetEngine, of: AskedQuestion, bytes: Uint8Array): Promise<AnswerReceipt> =>
      readTaken(await engine.ask.answer(of.host, of.id, bytes));
    const yes = { answer: 'allow', from: 'h2' } as const;
    const no = { answer: 'deny', from: 'h2', reason: 'Not on a Friday' } as const;

    test('is settled by an approver; the record says who, when, from where and for which input', async () => {
      const { operator, host, records } = await start();
      const under = ask(host, `deploy ${TOKEN}`);
      const asked = await question(operator);
      expect(asked).toMatchObject({ team: 'acme', host: 'h1', event: 'PreToolUse', reason: 'Deploys are asked' });
      expect(asked.hooks).toHaveLength(1);
      expect(JSON.stringify(asked)).not.toContain(TOKEN);
      expect(JSON.stringify(asked.input)).toContain('[redacted ');
      expect(records).toEqual([]);
      expect((await send(operator, asked, signAnswer(asked, yes, alice))).counts).toBe(true);
      const decision = await under;
      expect(decision).toMatchObject({ verdict: 'allow', answered: { answer: 'allow', by: 'alice', from: 'h2' } });
      expect(decision.decidedBy).toBeUndefined();
      const [record] = records;
      expect(records).toHaveLength(1);
      expect(record).toMatchObject({ fire_id: asked.fire, decision: { verdict: 'ask' } });
      expect(record?.answered).toMatchObject({
        answer: 'allow',
        by: 'alice',
        signed_with: alice.id,
        from: 'h2',
        question: asked.id,
        input_hmac: asked.input_hmac,
      });
      expect(Date.parse(record?.answered?.at as string)).not.toBeNaN();
    });

    test('is denied by an approver, and the reason is what the agent reads', async () => {
      const { operator, host } = await start();
      const under = ask(host);
      const asked = await question(operator);
      await send(operator, asked, signAnswer(asked, no, bob));
      expect(await under).toMatchObject({ verdict: 'deny', reason: 'Not on a Friday', answered: { by: 'bob' } });
    });

    test('counts the first of two answers; the other is told, also once it is settled', async () => {
      const { operator, host } = await start();
      const under = ask(host);
      const asked = await question(operator);
      const both = await Promise.all([
        send(operator, asked, signAnswer(asked, no, bob)),
        send(operator, asked, signAnswer(asked, yes, alice)),
      ]);
      expect(both.filter(({ counts }) => counts)).toHaveLength(1);
      const first = both[0]?.counts ? 'bob' : 'alice';
      expect(both.find(({ counts }) => !counts)?.message).toMatch(`${first} was first`);
      expect((await under).verdict).toBe(first === 'bob' ? 'deny' : 'allow');
      let late: AnswerReceipt | undefined;
      await until(async () => {
        late = await send(operator, asked, signAnswer(asked, yes, alice)).catch(() => undefined);
        return late !== undefined;
      });
      expect(late).toMatchObject({ counts: false, message: expect.stringContaining(`${first} was first`) });
      const left = (await waitingQuestions(operator)).filter(({ settled }) => settled === undefined);
      expect(left).toEqual([]);
    });

    test('refuses what is not an answer to this fire and input by an approver, and says why', async () => {
      const { operator, host } = await start();
      const earlier = ask(host);
      const old = await question(operator);
      const replay = signAnswer(old, yes, alice);
      await send(operator, old, replay);
      await earlier;
      const under = ask(host);
      const asked = await question(operator);
      const why = async (bytes: Uint8Array): Promise<string> => {
        const { counts, message } = await send(operator, asked, bytes);
        expect(counts).toBe(false);
        return message;
      };
      expect(await why(replay)).toMatch(/another question/);
      expect(await why(signAnswer({ ...asked, fire: old.fire }, yes, alice))).toMatch(/earlier fire/);
      expect(await why(signAnswer({ ...asked, input_hmac: '0'.repeat(16) }, yes, alice))).toMatch(/another input/);
      expect(await why(signAnswer({ ...asked, host: 'h9' }, yes, alice))).toMatch(/another question/);
      expect(await why(signAnswer({ ...asked, team: 'other' }, yes, alice))).toMatch(/another question/);
      expect(await why(signAnswer(asked, yes, stranger))).toMatch(/none of an approver/);
      expect(await why(signAnswer(asked, yes, signer))).toMatch(/none of an approver/);
      expect(await why(signAnswer(asked, yes, { ...stranger, id: alice.id }))).toMatch(/has not signed/);
      const told = JSON.parse(Buffer.from(signAnswer(asked, no, alice)).toString());
      told.body = told.body.replace('"deny"', '"allow"');
      expect(await why(Buffer.from(JSON.stringify(told)))).toMatch(/has not signed/);
      expect(await why(Buffer.from('yes'))).toMatch(/no answer/);
      await send(operator, asked, signAnswer(asked, no, alice));
      expect((await under).verdict).toBe('deny');
    });

    test('never loosens a deny, and asks nobody about it', async () => {
      const { operator, host } = await start();
      expect(await ask(host, 'deploy prod')).toMatchObject({ verdict: 'deny', reason: 'Never' });
      expect((await ask(host, 'ls')).verdict).toBe('none');
      expect((await ask(host, 'deploy it', {}, { permission_mode: 'dontAsk' })).verdict).toBe('ask');
      expect(await waitingQuestions(operator)).toEqual([]);
    });

    test('asks about the final input, and asks again about another', async () => {
      const { operator, host } = await start();
      let to = 'deploy one';
      host.register({
        PreToolUse: [
          {
            stage: -1,
            hooks: [
              () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: to } } }) as never,
            ],
          },
        ],
      });
      const session = await host.openSession({});
      let ran: unknown;
      let rewritten = false;
      const call = session.tool({
        name: 'Bash',
        input: { command: 'deploy x' },
        execute: (input) => {
          ran = input;
          return 'done';
        },
        permission: () => {
          if (rewritten) return { behavior: 'none' };
          rewritten = true;
          to = 'deploy two';
          return { behavior: 'allow', updatedInput: { command: 'deploy two' } };
        },
      });
      const first = await question(operator);
      expect(first).toMatchObject({ rewritten: true, input: { tool_input: { command: 'deploy one' } } });
      await send(operator, first, signAnswer(first, yes, alice));
      let second = first;
      await until(async () => {
        second = await question(operator);
        return second.id !== first.id;
      });
      expect(second.input['tool_input']).toEqual({ command: 'deploy two' });
      expect(second.input_hmac).not.toBe(first.input_hmac);
      expect((await send(operator, second, signAnswer(first, yes, alice))).counts).toBe(false);
      await send(operator, second, signAnswer(second, yes, alice));
      expect((await call).status).toBe('ran');
      expect(ran).toEqual({ command: 'deploy two' });
    });

    test("in a session is a person's word in the call's record; unattended: only where nobody sits there", async () => {
      const { operator, host } = await start({ askElsewhere: 'unattended' });
      const calls: object[] = [];
      host.events$.subscribe((record) => {
        if (record.type === 'tool_call') calls.push(record);
      });
      const session = await host.openSession({});
      const call = { name: 'Bash', input: { command: 'deploy x' }, execute: () => 'done' };
      const [allowed, asked] = [session.tool(call), await question(operator)];
      await send(operator, asked, signAnswer(asked, yes, alice));
      expect((await allowed).status).toBe('ran');
      const [denied, other] = [session.tool(call), await question(operator)];
      await send(operator, other, signAnswer(other, no, alice));
      expect(await denied).toMatchObject({ status: 'denied', deniedBy: 'person', reason: 'Not on a Friday' });
      expect(calls).toMatchObject([{ approver: 'user' }, { denied_by: 'user' }]);
      const attended = await session.tool({ ...call, ask: () => ({ behavior: 'allow' }) });
      expect(attended.status).toBe('ran');
      expect((await ask(host)).verdict).toBe('ask');
    });

    test('without an answer in time is what the failure policy says: never permission', async () => {
      const { operator, host, records } = await start({ askTimeout: 0.2 });
      const decision = await ask(host);
      expect(decision).toMatchObject({ verdict: 'ask', answered: { answer: 'none' } });
      expect(decision.reason).toMatch(/Deploys are asked .*nobody of the team has answered within 0.2 seconds/);
      expect(records[0]).toMatchObject({ decision: { verdict: 'ask' }, answered: { answer: 'none' } });
      const told = (unanswered: 'deny' | 'ask') =>
        fire(servicesOf(host), 'PreToolUse', bash('deploy it'), { asked: { within: 2.1, unanswered } });
      expect((await told('ask')).verdict).toBe('ask');
      expect((await told('deny')).verdict).toBe('deny');
      await expect(operator.ask.answer('h1', 'x', Buffer.from(''))).rejects.toThrow(/nobody waits/);
    });

    test('with a broker that is away is at once what the failure policy says; where failures block, a deny', async () => {
      const { host, engine } = await start({}, { onFailure: 'block' });
      const heal = await (ground as AskGround).cut();
      await until(() => !engine.connected);
      const decision = await ask(host);
      expect(decision.verdict).toBe('deny');
      expect(decision.reason).toMatch(/cannot be reached/);
      await heal();
      await until(() => engine.connected);
    });

    test('goes away with whoever asks', async () => {
      const { operator, host, team } = await start();
      const stop = new AbortController();
      const under = ask(host, 'deploy it', { signal: stop.signal });
      const asked = await question(operator);
      stop.abort();
      await expect(under).rejects.toMatchObject({ code: 'ABORTED' });
      await until(async () => (await waitingQuestions(operator)).length === 0);
      await expect(send(operator, asked, signAnswer(asked, yes, alice))).rejects.toThrow(/nobody waits/);
      const other = ask(host);
      await question(operator);
      await team.close();
      expect((await other).reason).toMatch(/leaves the fleet/);
      await until(async () => (await waitingQuestions(operator)).length === 0);
    });

    test('is not settled by the key that the asking host connects with, approver or not', async () => {
      const { file, key } = await nkeyIn(ownFolder());
      const { operator, host } = await start({ credentials: file }, {}, { alice: alice.id, laptop: key.id });
      const under = ask(host);
      const asked = await question(operator);
      expect(await send(operator, asked, signAnswer(asked, yes, key))).toEqual({
        counts: false,
        message: 'refused: it is signed with a key that the asking host holds',
      });
      await send(operator, asked, signAnswer(asked, no, alice));
      expect((await under).verdict).toBe('deny');
    });

    test('is settled by who is an approver when the answer comes', async () => {
      const { operator, host, team } = await start();
      const under = ask(host);
      const asked = await question(operator);
      const [{ version = 0 } = {}] = (await operator.policy.history('stable')).slice(-1);
      await operator.policy.post('stable', bundle(2, { bob: bob.id }), version);
      await until(() => channel(team)?.sequence === 2);
      expect(await send(operator, asked, signAnswer(asked, yes, alice))).toMatchObject({
        counts: false,
        message: expect.stringMatching(/none of an approver/),
      });
      expect((await send(operator, asked, signAnswer(asked, yes, bob))).counts).toBe(true);
      expect((await under).answered).toMatchObject({ by: 'bob' });
    });

    test('without approvers in the policy, or with a policy that has expired, is asked of nobody', async () => {
      const { operator, host, team } = await start({}, {}, {});
      expect((await ask(host)).reason).toMatch(/no policy in force names approvers/);
      const expires = new Date(Date.now() + 700).toISOString();
      await operator.policy.post('stable', bundle(2, { alice: alice.id }, { expires }), 1);
      await until(() => channel(team)?.sequence === 2);
      const under = ask(host);
      const asked = await question(operator);
      await until(() => Date.now() > Date.parse(expires));
      expect(await send(operator, asked, signAnswer(asked, yes, alice))).toMatchObject({ counts: false });
      expect((await ask(host)).reason).toMatch(/no policy in force names approvers/);
      await team.close();
      expect((await under).verdict).toBe('ask');
    });

    test('outlives a broker that comes back, and is no permission where it does not', async () => {
      const { operator, host, engine } = await start();
      const under = ask(host);
      const asked = await question(operator);
      const heal = await (ground as AskGround).cut();
      await until(() => !engine.connected && !operator.connected);
      await expect(send(operator, asked, signAnswer(asked, yes, alice))).rejects.toMatchObject({
        code: 'FLEET_FAILED',
      });
      await heal();
      await until(() => engine.connected && operator.connected);
      expect((await question(operator)).id).toBe(asked.id);
      await until(() =>
        send(operator, asked, signAnswer(asked, yes, alice)).then(
          ({ counts }) => counts,
          () => false,
        ),
      );
      expect((await under).verdict).toBe('allow');
      const left = fire(servicesOf(host), 'PreToolUse', bash('deploy it'), {
        asked: { within: 2.8, unanswered: 'deny' },
      });
      await question(operator);
      const again = await (ground as AskGround).cut();
      expect(await left).toMatchObject({ verdict: 'deny', reason: expect.stringMatching(/nobody of the team/) });
      await again();
    });

    test('is one of hundreds: each is shown, and has its own answer', async () => {
      const { operator, host } = await start();
      const all = Array.from({ length: 400 }, (_, i) => ask(host, `deploy ${i}`));
      let waiting: AskedQuestion[] = [];
      await until(async () => {
        waiting = await waitingQuestions(operator);
        return waiting.length === all.length;
      });
      const commandOf = ({ input }: AskedQuestion) => (input as { tool_input: { command: string } }).tool_input.command;
      const isEven = (command: string): boolean => Number(command.split(' ')[1]) % 2 === 0;
      const told = await Promise.all(
        waiting.map((one) => send(operator, one, signAnswer(one, isEven(commandOf(one)) ? yes : no, alice))),
      );
      expect(told.every(({ counts }) => counts)).toBe(true);
      const verdicts = (await Promise.all(all)).map(({ verdict }) => verdict);
      expect(verdicts).toEqual(all.map((_, i) => (i % 2 === 0 ? 'allow' : 'deny')));
      // Of settled ones the last hundred are told of.
      await until(async () => (await waitingQuestions(operator)).length === 100);
    });

    test('hears of garbage that it is none, and waits on', async () => {
      const { operator, host } = await start();
      const under = ask(host);
      const asked = await question(operator);
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      const wire = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
      for (const bytes of [
        Buffer.alloc(0),
        Buffer.from(deep),
        Buffer.from([0xff, 0xfe, 0x00]),
        wire(null),
        wire({ body: deep, signature: '' }),
        wire({ body: '{}', signature: 7 }),
        wire({ body: JSON.stringify({ ...asked, answer: 'allow' }), signature: 'AAAA' }),
        Buffer.alloc(500_000, '{'),
      ])
        expect(await send(operator, asked, bytes)).toEqual({ counts: false, message: 'refused: it is no answer' });
      await send(operator, asked, signAnswer(asked, yes, alice));
      expect((await under).verdict).toBe('allow');
    });

    test('waits no longer than the agent, nor than was said', async () => {
      const { operator, host } = await start({ askTimeout: 1e9 });
      const lengthOf = (question: AskedQuestion) => Date.parse(question.deadline) - Date.parse(question.asked);
      const stop = new AbortController();
      const long = fire(servicesOf(host), 'PreToolUse', bash('deploy it'), {
        asked: { within: 1e9 },
        signal: stop.signal,
      }).catch(() => 'aborted');
      expect(lengthOf(await question(operator))).toBeGreaterThan(1e9);
      stop.abort();
      expect(await long).toBe('aborted');
      const short = fire(servicesOf(host), 'PreToolUse', bash('deploy it'), { asked: { within: 2 } });
      expect((await short).reason).toMatch(/gives up before anybody could answer/);
    });
  });
}

/** A question that waits, as soon as there is one. */
export function firstWaiting(engine: FleetEngine): Promise<AskedQuestion> {
  return new Promise((resolve) => {
    const stop = engine.ask.watch(({ bytes }) => {
      const found = bytes === undefined ? undefined : readQuestion(bytes);
      if (found === undefined || found.settled !== undefined) return;
      queueMicrotask(() => stop());
      resolve(found);
    });
  });
}

/** A NATS user's seed in a file, and the same key to sign with. */
async function nkeyIn(folder: string): Promise<{ readonly file: string; readonly key: SigningKey }> {
  const { seed } = await makeNkey();
  const file = join(folder, 'laptop.nk');
  writeFileSync(file, `${seed}\n`);
  const pair = nkeys.fromSeed(new TextEncoder().encode(seed));
  return { file, key: { id: ownKey(file) as string, sign: (bytes) => pair.sign(bytes) } };
}
