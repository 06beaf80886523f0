import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Peer } from '../../../src/claude-code/control/peer/peer.js';
import { serveControl } from '../../../src/claude-code/control/server/server.js';
import { testHost, until } from '../../host/kit.js';
import { asked, garbage } from './garbage.js';
import { BASE, connectPuppet } from './kit.js';
import { cancel, isReply, isRequest, type Json, request, success } from './puppet.js';

/** Lines of garbage, a share here and in the gate; HOOKSCOPE_FUZZ_LINES=100000 for the whole. */
const LINES = Number(process.env['HOOKSCOPE_FUZZ_LINES'] ?? 5_000);
const TIMEOUT = Math.max(60_000, LINES * 10);

const unhandled: unknown[] = [];
const keep = (error: unknown): void => void unhandled.push(error);
const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, Map.prototype, Promise.prototype];
const ownKeys = () => PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype));
const before = ownKeys();
beforeAll(() => {
  process.on('unhandledRejection', keep);
  process.on('uncaughtExceptionMonitor', keep);
});
afterAll(async () => {
  await turn();
  process.off('unhandledRejection', keep);
  process.off('uncaughtExceptionMonitor', keep);
  expect(unhandled).toEqual([]);
  expect(ownKeys()).toEqual(before);
});

/** One of our ends over streams in this process. */
interface Wired {
  /** Asks the other side. */
  ours(ask: { subtype: string; n: number }): Promise<Json>;
  /** How many `slow` requests have seen their signal abort. */
  aborted(): number;
  /** The input has ended. */
  readonly over: Promise<unknown>;
  /** Requests that wait for their reply, where it says so. */
  waiting(): number;
}

const slowly = (aborted: () => void) => (signal: AbortSignal) =>
  new Promise<Json>((resolve) =>
    signal.addEventListener('abort', () => {
      aborted();
      // It answers all the same, which nobody may hear.
      resolve({ late: true });
    }),
  );

function wiredServer(input: Readable, output: Writable): Wired {
  const { host } = testHost();
  let aborted = 0;
  const slow = slowly(() => aborted++);
  const server = serveControl({
    input,
    output,
    host,
    requests: {
      quick: ({ n }) => ({ n }),
      later: ({ n }) => turn({ n }),
      slow: (_, { signal }) => slow(signal),
    },
  });
  return { ours: (ask) => server.request(ask), aborted: () => aborted, over: server.ended, waiting: () => 0 };
}

function wiredPeer(input: Readable, output: Writable): Wired {
  let aborted = 0;
  let gone: () => void;
  const over = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const slow = slowly(() => aborted++);
  const peer = new Peer({
    input,
    output,
    name: 'other',
    answer({ subtype, n }, { signal }) {
      if (subtype === 'quick') return { n };
      if (subtype === 'later') return turn({ n });
      if (subtype === 'slow') return slow(signal);
      throw new TypeError(`Unsupported: ${subtype}`);
    },
    message: () => undefined,
    problem: ({ message }) => expect(message).not.toBe(''),
    gone: () => gone(),
  });
  return { ours: (ask) => peer.request(ask), aborted: () => aborted, over, waiting: () => peer.waiting };
}

const lineOf = (message: Json): Buffer => Buffer.from(`${JSON.stringify(message)}\n`);

const between = fc.constantFrom('quick', 'later', 'slow', 'ours', undefined, undefined);
const steps = (count: number) =>
  fc.array(fc.record({ line: garbage, next: between, piece: fc.integer({ min: 1, max: 5_000 }) }), {
    ...{ minLength: count, maxLength: count, size: 'max' },
  });

/** Lines with good requests between them, into an end whose every reply is known beforehand. */
async function drive(wire: (input: Readable, output: Writable) => Wired, all: Step[]): Promise<void> {
  const input = new PassThrough();
  const output = new PassThrough();
  const said: Json[] = [];
  const replies: Json[] = [];
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() as string;
    for (const message of lines.map((line) => JSON.parse(line) as Json)) {
      said.push(message);
      if (isRequest('mine')(message))
        replies.push(success(message['request_id'], { n: (message['request'] as Json)['n'] }));
    }
  });
  const end = wire(input, output);
  const written: Buffer[] = [];
  const write = (bytes: Buffer, piece = bytes.length): void => {
    written.push(bytes);
    for (let at = 0; at < bytes.length; at += piece) input.write(bytes.subarray(at, at + piece));
  };
  const say = (message: Json): void => write(lineOf(message));
  const mine: Promise<unknown>[] = [];
  const withdrawn: string[] = [];
  for (const [n, { line, next, piece }] of all.entries()) {
    write(Buffer.concat([line, Buffer.from('\n')]), piece);
    if (next === 'ours') mine.push(end.ours({ subtype: 'mine', n }).then((reply) => expect(reply).toEqual({ n })));
    else if (next !== undefined) say(request(`ok-${n}`, { subtype: next, n }));
    if (next === 'slow') withdrawn.push(`ok-${n}`);
    await turn();
    for (const reply of replies.splice(0)) say(reply);
    if (n % 3 === 0 && withdrawn.length > 0) say(cancel(withdrawn.at(-1)));
  }
  for (const id of withdrawn) say(cancel(id));
  say(request('last', { subtype: 'later', n: -1 }));
  while (!said.some(isReply('last'))) {
    for (const reply of replies.splice(0)) say(reply);
    await turn();
  }
  await Promise.all(mine);
  expect(end.waiting()).toBe(0);
  expect(end.aborted()).toBe(withdrawn.length);
  input.end();
  await end.over;
  await turn();

  const expected = asked(Buffer.concat(written));
  for (const id of withdrawn) expected.delete(id);
  expect(answered(said)).toEqual(expected);
  for (const [n, { next }] of all.entries()) {
    if (next !== 'quick' && next !== 'later') continue;
    expect(said.find(isReply(`ok-${n}`))).toEqual(success(`ok-${n}`, { n }));
  }
}
type Step = { line: Buffer; next: string | undefined; piece: number };

/** How many replies each id has had. */
function answered(said: readonly Json[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const message of said.filter(({ type }) => type === 'control_response')) {
    const id = (message['response'] as Json)['request_id'] as string;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

const A_RUN = 40;

test.each([
  ['the server', wiredServer, 0.5],
  ['a peer', wiredPeer, 0.3],
] as const)(
  '%s answers every request among garbage once, hears every reply, and nothing after a cancel',
  {
    timeout: TIMEOUT,
  },
  async (_, wire, share) => {
    await fc.assert(
      fc.asyncProperty(steps(A_RUN), (all) => drive(wire, all)),
      { numRuns: Math.ceil((LINES * share) / A_RUN) },
    );
  },
);

const A_PROGRAM = 400;
const A_TURN = 40;

test('the client answers every request among garbage once and hears every reply', { timeout: TIMEOUT }, async () => {
  const run = async (all: Step[]): Promise<void> => {
    const { host } = testHost({ closeTimeout: 1 });
    let aborted = 0;
    const slow = slowly(() => aborted++);
    host.register({
      PreToolUse: [
        { matcher: 'Bash', hooks: [() => ({ systemMessage: 'seen' })] },
        { matcher: 'slow', timeout: 0, hooks: [async (_, __, { signal }) => void (await slow(signal))] },
      ],
    });
    const { client, claude, asking } = await connectPuppet(host, { closeTimeout: 1 });
    const written: Buffer[] = [];
    let withdrawn = 0;
    for (let from = 0; from < all.length; from += A_TURN) {
      const part = all.slice(from, from + A_TURN);
      const ids = (is: (next: string | undefined) => boolean) =>
        part.flatMap(({ next }, i) => (is(next) ? [`ok-${from + i}`] : []));
      const good = ids((next) => next !== undefined && next !== 'slow');
      const slowOnes = ids((next) => next === 'slow');
      withdrawn += slowOnes.length;
      const bytes = part.flatMap(({ line, next }, i) => [
        ...[line, Buffer.from('\n')],
        ...(next === undefined ? [] : [lineOf(request(`ok-${from + i}`, asking('PreToolUse', call(next))))]),
      ]);
      written.push(...bytes);
      const whole = Buffer.concat(bytes);
      const cut = (part[0] as Step).piece % whole.length;
      const mine = client.interrupt();
      await claude.order({
        write: [whole.subarray(0, cut), whole.subarray(cut), ...slowOnes.map((id) => lineOf(cancel(id)))].map(
          (piece) => ({ base64: piece.toString('base64') }),
        ),
      });
      const ours = await claude.hear(isRequest('interrupt'));
      await claude.say(success(ours['request_id'], { from }));
      expect(await mine).toEqual({ from });
      await until(() => {
        const counts = answered(claude.heard.map((line) => JSON.parse(line) as Json));
        return good.every((id) => counts.has(id));
      });
    }
    expect(await client.close()).toEqual({ exitCode: 0 });
    const counts = answered(claude.heard.map((line) => JSON.parse(line) as Json));
    const expected = asked(Buffer.concat(written));
    for (const [id, count] of counts) {
      if (id.startsWith('ok-'))
        expect([id, count, all[Number(id.slice(3))]?.next]).toEqual([id, 1, expect.not.stringMatching('slow')]);
      // One that came again while the first was being answered was dropped.
      else expect(count, id).toBeLessThanOrEqual(expected.get(id) ?? 0);
    }
    // What was withdrawn before its fire began has aborted nothing.
    expect(aborted).toBeLessThanOrEqual(withdrawn);
    await host.close();
  };
  const runs = Math.ceil((LINES * 0.2) / A_PROGRAM);
  await fc.assert(fc.asyncProperty(steps(A_PROGRAM), run), { numRuns: runs, endOnFailure: true });
});

const call = (next: string): Json => ({
  ...{ ...BASE, tool_name: next === 'slow' ? 'slow' : 'Bash' },
  ...{ tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' },
});
