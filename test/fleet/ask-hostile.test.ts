import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AskerAlone } from '../../src/fleet/ask/alone.js';
import { approversIn, masksIn } from '../../src/fleet/ask/approvers.js';
import { Asker, type AskerOptions } from '../../src/fleet/ask/asker.js';
import { ownKey } from '../../src/fleet/ask/own-key.js';
import {
  type AskedQuestion,
  MOST_BYTES,
  MOST_WAITING,
  readQuestion,
  readSignedAnswer,
  readTaken,
  signAnswer,
  writeQuestion,
} from '../../src/fleet/ask/question.js';
import { waitingQuestions } from '../../src/fleet/ask/waiting.js';
import { readBundle } from '../../src/fleet/bundle/bundle.js';
import type { FleetEngine } from '../../src/fleet/engine.js';
import { MemoryBroker, memoryEngine } from '../../src/fleet/memory.js';
import { makeNkey } from '../../src/fleet/nats/connection.js';
import type { PreparedPolicy } from '../../src/fleet/policy/prepare.js';
import type { AskAnswer, OpenAsk } from '../../src/host/elsewhere.js';
import { bundleOf, newKey, ownFolder } from './bundles.js';

const alice = newKey();
const never = (): AbortSignal => new AbortController().signal;
const open: OpenAsk = {
  fireId: 'f1',
  event: 'PreToolUse',
  input: { tool_name: 'Bash', tool_input: { command: 'deploy it' } },
  rewritten: false,
  reason: 'Deploys are asked',
  hooks: ['guard'],
  attended: false,
  within: 60_000,
};
const askers: Asker[] = [];
afterEach(() => {
  for (const one of askers.splice(0)) one.close();
  vi.useRealTimers();
});

function asking(options: Partial<AskerOptions> = {}) {
  const broker = new MemoryBroker();
  const engine = memoryEngine(broker);
  const asker = new Asker({
    engine,
    team: 'acme',
    host: 'h1',
    when: 'unattended',
    seconds: undefined,
    own: undefined,
    approvers: () => [{ name: 'alice', key: alice.id }],
    ...options,
  });
  askers.push(asker);
  const waiting = (): AskedQuestion[] =>
    [...broker.waiting.values()].map(({ question }) => readQuestion(question.bytes as Uint8Array) as AskedQuestion);
  const answer = async (question: AskedQuestion, said: 'allow' | 'deny' = 'allow') =>
    readTaken(await engine.ask.answer('h1', question.id, signAnswer(question, { answer: said, from: 'h2' }, alice)));
  return { broker, engine, asker, waiting, answer };
}

const question = (more: object = {}): AskedQuestion => ({
  team: 'acme',
  host: 'h1',
  id: 'aaaaaa000001',
  fire: 'f1',
  input_hmac: 'h',
  event: 'PreToolUse',
  input: { tool_input: { command: 'ls' } },
  rewritten: false,
  hooks: [],
  asked: '2026-01-01T00:00:00.000Z',
  deadline: '2026-01-01T00:01:00.000Z',
  ...more,
});
const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

describe('a host that asks', () => {
  const whyNot = async (of: Partial<OpenAsk>, options: Partial<AskerOptions> = {}): Promise<string | undefined> => {
    const { asker } = asking(options);
    const answered = (await asker.ask({ ...open, ...of }, never())) as AskAnswer;
    expect(answered.answer).toBe('none');
    return answered.reason;
  };

  test('hears at once why nobody can be asked', async () => {
    const holds: Record<string, unknown> = { tool_name: 'Bash' };
    holds['itself'] = holds;
    expect(await whyNot({ input: holds })).toMatch(/cannot be (shown to an approver|asked elsewhere)/);
    expect(await whyNot({ input: {} })).toMatch(/cannot be shown/);
    const large = { tool_input: { command: 'x '.repeat(MOST_BYTES / 2) } };
    expect(await whyNot({ input: large })).toMatch(/too large to be shown to an approver as a whole/);
    expect(await whyNot({ within: 2_000 })).toMatch(/gives up before/);
    expect(await whyNot({ within: -5 })).toMatch(/gives up before/);
    expect(await whyNot({}, { approvers: () => [] })).toMatch(/no policy in force names approvers/);
    const { broker, asker } = asking();
    broker.away = true;
    expect((await asker.ask(open, never()))?.reason).toMatch(/cannot be reached/);
    broker.away = false;
    asker.close();
    expect((await asker.ask(open, never()))?.reason).toMatch(/leaves the fleet/);
  });

  test('is not asked for by whoever is told not to, or where somebody sits', () => {
    expect(asking({ when: 'never' }).asker.ask(open, never())).toBeUndefined();
    expect(asking().asker.ask({ ...open, attended: true }, never())).toBeUndefined();
    expect(asking({ when: 'first' }).asker.ask({ ...open, attended: true }, never())).toBeInstanceOf(Promise);
    expect(asking({ when: 'first' }).asker.ask(open, AbortSignal.abort())).toBeUndefined();
  });

  test('is never failed by what carries the question: that is no answer', async () => {
    const { engine } = asking();
    const failing = (ask: object): FleetEngine => ({
      ...engine,
      connected: true,
      ask: { ...engine.ask, ...ask } as FleetEngine['ask'],
    });
    const broken = () => {
      throw new Error('broken\u001b[2J');
    };
    expect(await whyNot({}, { engine: failing({ open: broken }) })).toBe(
      'the fleet at memory does not take it: Error: broken\\u{1b}[2J',
    );
    expect(await whyNot({}, { approvers: broken })).toMatch(/cannot be asked elsewhere: Error: broken\\u\{1b\}/);
  });

  test('waits as long as the agent, or as was said, whichever ends first', async () => {
    const seconds = async (within: number | undefined, given: number | undefined): Promise<number> => {
      const { asker, waiting } = asking({ seconds: given });
      void asker.ask({ ...open, within }, never());
      const [{ asked, deadline }] = waiting() as [AskedQuestion];
      return Math.round((Date.parse(deadline) - Date.parse(asked)) / 1000);
    };
    expect(await seconds(600_000, undefined)).toBe(598);
    expect(await seconds(600_000, 30)).toBe(30);
    expect(await seconds(20_000, 30)).toBe(18);
    expect(await seconds(undefined, undefined)).toBe(60);
    expect(await seconds(undefined, 5)).toBe(5);
    expect(await seconds(1e15, undefined)).toBe(2_147_484);
  });

  test('keeps the first answer, also where its time ends or the agent leaves in the same turn', async () => {
    const { asker, engine, waiting, answer } = asking();
    const told: boolean[] = [];
    engine.ask.watch(({ bytes }) => told.push(bytes !== undefined));
    const stop = new AbortController();
    const under = asker.ask(open, stop.signal);
    const [asked] = waiting() as [AskedQuestion];
    const taken = answer(asked);
    stop.abort();
    expect((await taken).counts).toBe(true);
    expect(await under).toMatchObject({ answer: 'allow', by: 'alice' });
    const [left] = waiting() as [AskedQuestion];
    expect(left.settled).toMatch(/^alice was first: allow/);
    expect(left.input).toEqual({});
    // An answer on its way finds the question or its end, and never nobody.
    expect(told).toEqual([true, true]);
  });

  test('ends a question when its time is over, refuses answers from then on, and keeps nothing of it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const { asker, waiting, broker, answer } = asking({ seconds: 10 });
    const under = asker.ask(open, never());
    const [asked] = waiting() as [AskedQuestion];
    // Somebody has set the clock: what comes after the time that was promised does not count.
    vi.setSystemTime(Date.parse(asked.deadline));
    expect(await answer(asked)).toEqual({ counts: false, message: 'refused: the deadline has passed' });
    vi.advanceTimersByTime(10_000);
    expect(await under).toMatchObject({ answer: 'none', reason: expect.stringMatching(/within 10 seconds/) });
    expect(broker.waiting.size).toBe(0);
    await expect(answer(asked)).rejects.toThrow(/nobody waits/);
  });

  test('has a bound on what waits, which unanswered questions give back', async () => {
    const { asker, broker } = asking();
    const large = { ...open, input: { tool_input: { command: 'x '.repeat(100_000) } } };
    const stops = Array.from({ length: 100 }, () => new AbortController());
    const all = stops.map(({ signal }) => asker.ask(large, signal));
    const most = Math.floor(MOST_WAITING / 200_500);
    expect(broker.waiting.size).toBeGreaterThan(most - 5);
    expect(broker.waiting.size).toBeLessThanOrEqual(most);
    expect((await asker.ask(large, never()))?.reason).toMatch(/too many questions of this host wait/);
    for (const stop of stops) stop.abort();
    await Promise.all(all);
    expect(broker.waiting.size).toBe(0);
    void asker.ask(large, never());
    expect(broker.waiting.size).toBe(1);
  });

  test('tells of the last hundred that were settled, for a minute, and then of none', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { asker, waiting, broker, answer } = asking();
    for (let i = 0; i < 150; i++) {
      const under = asker.ask(open, never());
      const asked = waiting().find(({ settled }) => settled === undefined) as AskedQuestion;
      await answer(asked, 'deny');
      expect((await under)?.answer).toBe('deny');
    }
    expect(broker.waiting.size).toBe(100);
    vi.advanceTimersByTime(60_001);
    expect(broker.waiting.size).toBe(0);
  });

  test('leaves nothing behind when it leaves', async () => {
    const { asker, waiting, broker, answer } = asking();
    const first = asker.ask(open, never());
    await answer(waiting()[0] as AskedQuestion);
    await first;
    const second = asker.ask(open, never());
    expect(broker.waiting.size).toBe(2);
    asker.close();
    expect(broker.waiting.size).toBe(0);
    expect((await second)?.reason).toMatch(/leaves the fleet/);
  });

  test('masks what the policy masks, in the input, the reason and the names of hooks', () => {
    const { asker, waiting } = asking();
    asker.mask({ keys: [], paths: [], patterns: [/cust_\w+/] });
    const of = { ...open, input: { tool_input: { command: 'mail cust_1234567' } }, reason: 'of cust_1234567' };
    void asker.ask({ ...of, hooks: ['for cust_1234567'] }, never());
    const [asked] = waiting() as [AskedQuestion];
    expect(JSON.stringify(asked)).not.toContain('cust_1234567');
    expect(asked.reason).toMatch(/^of \[redacted /);
  });
});

describe('a process that fires once', () => {
  const joined = { servers: ['nats://127.0.0.1:1'], team: 'acme', keys: [alice.id], host: 'h1' } as const;

  test('asks whom the machine asks, connects to nobody before, and is never failed by it', async () => {
    const folder = ownFolder();
    const alone = (more: object) => new AskerAlone({ ...joined, folder, ...more }, []);
    const sits = { ...open, attended: true };
    expect(alone({}).ask(open, never())).toBeUndefined();
    expect(alone({ askElsewhere: 'never' }).ask(open, never())).toBeUndefined();
    expect(alone({ askElsewhere: 'unattended' }).ask(sits, never())).toBeUndefined();
    await alone({ askElsewhere: 'first' }).close();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const broken = alone({ askElsewhere: 'unattended', folder: file, host: undefined });
    expect(await broken.ask(open, never())).toMatchObject({
      answer: 'none',
      reason: expect.stringMatching(/^it cannot be asked elsewhere: /),
    });
    await broken.close();
    const away = alone({ askElsewhere: 'first' });
    const answered = away.ask({ ...sits, within: 500 }, never());
    expect(await answered).toMatchObject({ answer: 'none', reason: expect.stringMatching(/cannot be reached/) });
    await away.close();
  });
});

describe('what waits', () => {
  test('is what a host asks for itself, and can be shown', async () => {
    const engine = memoryEngine();
    const taken = () => Buffer.from('');
    const raw: [string, string, Uint8Array][] = [
      ['h1', 'aaaaaa000001', writeQuestion(question())],
      ['h2', 'aaaaaa000001', writeQuestion(question())],
      ['h1', 'aaaaaa000002', writeQuestion(question())],
      ['h1', '\u001b[2J', writeQuestion(question({ id: '\u001b[2J' }))],
      ['h1', 'aaaaaa000003', Buffer.from(`${'['.repeat(100_000)}`)],
      ['h1', 'aaaaaa000004', Buffer.from([0xff, 0x00])],
      ['h1', 'aaaaaa000005', bytesOf({ ...question({ id: 'aaaaaa000005' }), hooks: 'guard' })],
      ['h1', 'aaaaaa000006', bytesOf({ ...question({ id: 'aaaaaa000006' }), deadline: 'soon' })],
      ['h1', 'aaaaaa000007', bytesOf({ ...question({ id: 'aaaaaa000007' }), reason: 'x'.repeat(MOST_BYTES) })],
      ['h1', 'aaaaaa000008', bytesOf(null)],
    ];
    for (const [host, id, bytes] of raw) engine.ask.open(host, id, bytes, taken);
    expect((await waitingQuestions(engine)).map(({ host, id }) => `${host} ${id}`)).toEqual(['h1 aaaaaa000001']);
    const text = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const nested = writeQuestion(question({ input: { x: 1 } }));
    const bytes = Buffer.from(Buffer.from(nested).toString().replace('{"x":1}', `{"x":${text}}`));
    expect(bytes.length).toBeLessThan(MOST_BYTES);
    expect(readQuestion(bytes)).toBeUndefined();
  });

  test('stands in the order of its ends, and is told again once it is settled', async () => {
    const engine = memoryEngine();
    const ask = (id: string, minute: string, more: object = {}) =>
      engine.ask.open(
        'h1',
        id,
        writeQuestion(question({ id, deadline: `2026-01-01T00:${minute}:00Z`, ...more })),
        () => new Uint8Array(),
      );
    ask('aaaaaa000004', '30');
    ask('aaaaaa000001', '30');
    ask('aaaaaa000002', '10');
    ask('aaaaaa000003', '20');
    let heard = 0;
    const found = await waitingQuestions({
      ...engine,
      ask: {
        ...engine.ask,
        watch: (hears, fails) =>
          engine.ask.watch((one) => {
            hears(one);
            if (++heard === 4) ask('aaaaaa000003', '20', { settled: 'alice was first' });
          }, fails),
      },
    });
    expect(heard).toBe(5);
    expect(found.map(({ id }) => id)).toEqual(['aaaaaa000002', 'aaaaaa000003', 'aaaaaa000001', 'aaaaaa000004']);
    expect(found[1]?.settled).toBe('alice was first');
  });

  test('of one host hides none of another, however much it asks', async () => {
    const engine = memoryEngine();
    const large = 'x'.repeat(200_000);
    for (let i = 0; i < 100; i++) {
      const id = `bbbbbb${String(i).padStart(6, '0')}`;
      engine.ask.open('h2', id, writeQuestion(question({ host: 'h2', id, reason: large })), () => new Uint8Array());
    }
    engine.ask.open('h1', 'aaaaaa000001', writeQuestion(question()), () => new Uint8Array());
    const found = await waitingQuestions(engine);
    expect(found.filter(({ host }) => host === 'h1')).toHaveLength(1);
    expect(found.length).toBe(1 + Math.floor(MOST_WAITING / writeQuestion(question({ reason: large })).length));
  });
});

describe('whose answer counts', () => {
  const policy = (sequence: number, about: object, redact = { keys: [], paths: [], patterns: [] as RegExp[] }) =>
    ({ bundle: readBundle(bundleOf(sequence, {}, [alice], about as never)), redact }) as unknown as PreparedPolicy;

  test('is said by all policies in force: two of one name are two, and one that has expired names nobody', () => {
    const bob = newKey();
    const soon = new Date(Date.now() + 60_000).toISOString();
    const found = approversIn([
      undefined,
      policy(1, { approvers: { alice: alice.id } }),
      policy(1, { approvers: { alice: bob.id }, expires: soon }),
      policy(1, { approvers: { carol: newKey().id }, expires: '2020-01-01T00:00:00Z' }),
      policy(1, {}),
    ]);
    expect(found).toEqual([
      { name: 'alice', key: alice.id },
      { name: 'alice', key: bob.id },
    ]);
    const masks = [undefined, policy(1, {}, { keys: [], paths: [], patterns: [/a/] }).redact];
    expect(masksIn(masks)).toEqual({ keys: [], paths: [], patterns: [/a/] });
  });

  test('is not the key that the host connects with, however it is written', async () => {
    const { seed } = await makeNkey();
    const folder = ownFolder();
    const at = (text: string): string => {
      const file = join(folder, `${Math.random()}`);
      writeFileSync(file, text);
      return file;
    };
    const key = ownKey(at(seed));
    expect(key).toMatch(/^ed25519:[\w-]{43}$/);
    const creds = `-----BEGIN NATS USER JWT-----\neyJ0\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
    expect(ownKey(at(creds))).toBe(key);
    expect(ownKey(at(`\r\n  ${seed}\r\n`))).toBe(key);
    expect(ownKey(at('{"user":"u","password":"p"}'))).toBeUndefined();
    expect(ownKey(join(folder, 'none'))).toBeUndefined();
    expect(ownKey(undefined)).toBeUndefined();
  });

  test('is said in a form of its own, of which nothing can be changed or left out', () => {
    const asked = question();
    const signed = JSON.parse(Buffer.from(signAnswer(asked, { answer: 'deny', from: 'h2' }, alice)).toString());
    expect(readSignedAnswer(bytesOf(signed))).toMatchObject({ answer: 'deny', key: alice.id, id: asked.id });
    const changed = (from: string, to: string) => bytesOf({ ...signed, body: signed.body.replace(from, to) });
    expect(readSignedAnswer(changed('"h2"', '"h3"'))).toMatch(/has not signed/);
    expect(readSignedAnswer(changed('{', '{"more":1,'))).toBe('it is no answer');
    expect(readSignedAnswer(bytesOf({ ...signed, signature: '' }))).toMatch(/has not signed/);
    // The same bytes, signed as something else.
    const bare = Buffer.from(alice.sign(Buffer.from(signed.body))).toString('base64');
    expect(readSignedAnswer(bytesOf({ ...signed, signature: bare }))).toMatch(/has not signed/);
    const long = signAnswer(asked, { answer: 'deny', from: 'h2', reason: 'x'.repeat(2_001) }, alice);
    expect(readSignedAnswer(long)).toBe('it is no answer');
    expect(readTaken(Buffer.from('no'))).toEqual({ counts: false, message: 'the host says nothing of it' });
    expect(readTaken(bytesOf({ counts: 'yes', message: 7 }))).toMatchObject({ counts: false });
  });
});
