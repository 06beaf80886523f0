import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Peer } from '../../../src/claude-code/control/peer/peer.js';
import { HookscopeError } from '../../../src/errors.js';
import { cancel, type Json, refusal, request, success } from './puppet.js';

/** How many runs: a share here and in the gate, HOOKSCOPE_MODEL_RUNS=10000 for the whole. */
const RUNS = Number(process.env['HOOKSCOPE_MODEL_RUNS'] ?? 250);

/** A request of ours, and what has to have become of it. */
interface Ours {
  readonly id: string;
  readonly stop: AbortController;
  state: 'waiting' | 'over' | 'given up';
  /** How its promise has to have settled. */
  expected: string | undefined;
  settled: string | undefined;
}

/** A request of theirs that our side takes its time for. */
interface Theirs {
  readonly id: string;
  readonly signal: AbortSignal;
  resolve(response: Json): void;
  reject(error: Error): void;
  /** Nobody waits for it any more. */
  dropped: boolean;
  withdrawn: boolean;
}

const IDS = ['a', 'b', 'c', '__proto__'];

/** A peer whose other side is here, and a model that says what both have seen. */
class World {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly said: Json[] = [];
  readonly expected: Json[] = [];
  readonly problems: string[] = [];
  readonly expectedProblems: string[] = [];
  readonly ours: Ours[] = [];
  readonly theirs: Theirs[] = [];
  /** The model's view of the ids of theirs under way. */
  readonly running = new Map<string, Theirs>();
  hears = true;
  /** Lines still reach the other side. */
  speaks = true;
  /** Requests of ours are refused from now on. */
  over = false;
  gone = 0;
  messages = 0;
  /** How many of what was said were compared. */
  checked = 0;
  readonly peer: Peer;
  private next: Theirs | undefined;

  constructor() {
    this.output.setEncoding('utf8').on('data', (chunk: string) => {
      // One write a message.
      this.said.push(JSON.parse(chunk) as Json);
    });
    this.peer = new Peer({
      input: this.input,
      output: this.output,
      name: 'other',
      answer: ({ subtype }, { id, signal }) => {
        if (subtype === 'now') return { now: id };
        if (subtype === 'no') throw new Error(`no ${id}`);
        return new Promise<Json>((resolve, reject) => {
          this.next = { id, signal, resolve, reject, dropped: false, withdrawn: false };
        });
      },
      message: () => this.messages++,
      problem: ({ problem }) => this.problems.push(problem),
      gone: () => this.gone++,
    });
  }

  line(message: Json): boolean {
    if (this.hears) this.input.write(`${JSON.stringify(message)}\n`);
    return this.hears;
  }
  /** The model has the peer say this. */
  says(message: Json): void {
    if (this.speaks) this.expected.push(message);
  }

  async ask(signalled: boolean): Promise<void> {
    const stop = new AbortController();
    const asked = this.peer.request({ subtype: 'x' }, signalled ? { signal: stop.signal } : {});
    const settles = asked.then(JSON.stringify, (error: Error) => codeOf(error));
    if (this.over) {
      expect(await settles).toBe('CONTROL_FAILED');
      return;
    }
    await turn();
    const id = this.said.at(-1)?.['request_id'] as string;
    expect(this.ours.map((one) => one.id)).not.toContain(id);
    this.says(request(id, { subtype: 'x' }));
    const one: Ours = { id, stop, state: 'waiting', expected: undefined, settled: undefined };
    void settles.then((how) => {
      one.settled = how;
    });
    this.ours.push(one);
  }

  /** Requests that never leave: their signal has aborted, or JSON cannot hold them. */
  async askInVain(aborted: boolean): Promise<void> {
    const asked = aborted
      ? this.peer.request({ subtype: 'x' }, { signal: AbortSignal.abort(new Error('gone')) })
      : this.peer.request({ subtype: 'x', n: 1n });
    expect(await asked.catch(codeOf)).toBe(aborted && !this.over ? 'gone' : 'CONTROL_FAILED');
  }

  reply(one: Ours | undefined, fine: boolean): void {
    const id = one?.id ?? 'nobody';
    if (!this.line(fine ? success(id, { fine: id }) : refusal(id, 'no'))) return;
    if (one?.state === 'waiting') {
      one.expected = fine ? JSON.stringify({ fine: id }) : 'CONTROL_REFUSED';
      one.state = 'over';
    } else if (one?.state === 'given up') one.state = 'over';
    else this.expectedProblems.push('unexpected_response');
  }

  giveUp(one: Ours, listening: boolean): void {
    one.stop.abort(new Error('given up'));
    if (one.state !== 'waiting' || !listening) return;
    one.state = 'given up';
    one.expected = 'given up';
    this.says(cancel(one.id));
  }

  async asked(id: string, subtype: 'now' | 'no' | 'slow' | undefined): Promise<void> {
    if (!this.line(request(id, subtype === undefined ? {} : { subtype }))) return;
    if (this.running.has(id)) {
      this.expectedProblems.push('duplicate_request');
      return;
    }
    if (subtype === 'now') this.says(success(id, { now: id }));
    else if (subtype === 'no') this.says(refusal(id, `no ${id}`));
    else if (subtype === undefined)
      this.says(refusal(id, 'A control request needs a "request" object with a "subtype" string.'));
    else {
      await turn();
      const one = this.next as Theirs;
      this.next = undefined;
      expect(one.id).toBe(id);
      this.running.set(id, one);
      this.theirs.push(one);
    }
  }

  /** Our side has done what theirs asked, if it matters any more. */
  answer(one: Theirs, how: 'fine' | 'refused' | 'unspeakable'): void {
    if (how === 'fine') one.resolve({ fine: one.id });
    else if (how === 'refused') one.reject(new Error('refused'));
    else one.resolve({ n: 1n });
    if (this.running.get(one.id) !== one) return;
    this.running.delete(one.id);
    if (how === 'fine') this.says(success(one.id, { fine: one.id }));
    else if (how === 'refused') this.says(refusal(one.id, 'refused'));
    else this.says(refusal(one.id, expect.stringContaining('cannot be written as JSON') as never));
  }

  cancelled(id: string): void {
    if (!this.line(cancel(id))) return;
    const one = this.running.get(id);
    if (one) one.withdrawn = true;
    this.running.delete(id);
  }

  abandon(): void {
    this.peer.abandon(new Error('abandoned'));
    for (const one of this.running.values()) one.withdrawn = true;
    this.running.clear();
  }

  private failAll(): void {
    this.over = true;
    for (const one of this.ours.filter(({ state }) => state === 'waiting')) {
      one.state = 'over';
      one.expected = 'CONTROL_FAILED';
    }
  }
  endInput(): void {
    if (!this.hears) return;
    this.hears = false;
    this.input.end();
    this.failAll();
  }
  breakOutput(): void {
    if (this.output.destroyed) return;
    this.output.destroy(new Error('EPIPE'));
    this.expectedProblems.push('connection');
    this.speaks = false;
    this.failAll();
  }
  finish(): void {
    this.peer.finish();
    this.over = true;
    this.speaks = false;
  }

  async check(): Promise<void> {
    await turn();
    await turn();
    // What was the same before is not compared again, and what is the same by a plain look needs no `expect`: there are thousands of checks.
    const from = this.checked;
    if (this.said.length !== this.expected.length || from < this.said.length)
      expect(this.said.slice(from)).toEqual(this.expected.slice(from));
    this.checked = this.said.length;
    same(this.problems, this.expectedProblems);
    const waiting = this.ours.filter(({ state }) => state === 'waiting').length;
    if (this.peer.waiting !== waiting) expect(this.peer.waiting).toBe(waiting);
    same(
      this.ours.map(({ settled }) => settled),
      this.ours.map(({ expected }) => expected),
    );
    same(
      this.theirs.map(({ signal }) => signal.aborted),
      this.theirs.map(({ withdrawn }) => withdrawn),
    );
    const listeners = this.ours.flatMap(({ state, stop }) =>
      state === 'waiting' ? [] : getEventListeners(stop.signal, 'abort'),
    );
    same(listeners, []);
    same([this.gone], [this.hears ? 0 : 1]);
  }

  /** Everything is let go of: each id can be asked again, and nothing waits. */
  async windUp(): Promise<void> {
    for (const one of this.theirs) this.answer(one, 'fine');
    await this.check();
    for (const id of IDS) await this.asked(id, 'now');
    await this.check();
    this.endInput();
    await this.check();
    expect(this.peer.waiting).toBe(0);
    expect(this.running.size).toBe(0);
  }
}

function same<T>(found: readonly T[], expected: readonly T[]): void {
  if (found.length !== expected.length || found.some((one, i) => one !== expected[i])) expect(found).toEqual(expected);
}

const codeOf = (error: Error): string => (error instanceof HookscopeError ? error.code : error.message);

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), signalled: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('askInVain' as const), aborted: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('reply' as const), at: fc.nat(), fine: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replyToNobody' as const), fine: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('giveUp' as const), at: fc.nat() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('asked' as const),
      id: fc.constantFrom(...IDS),
      subtype: fc.constantFrom('now' as const, 'no' as const, 'slow' as const, 'slow' as const, undefined),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      at: fc.nat(),
      how: fc.constantFrom('fine' as const, 'refused' as const, 'unspeakable' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cancelled' as const), id: fc.constantFrom(...IDS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('abandon' as const, 'endInput' as const, 'breakOutput' as const, 'finish' as const),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** One of them, the newer ones more often. */
const pick = <T>(list: readonly T[], at: number): T | undefined =>
  list[list.length - 1 - (at % Math.max(1, Math.min(4, list.length)))];

async function carryOut(world: World, signalled: Set<Ours>, given: Command): Promise<void> {
  if (given.do === 'ask') {
    const count = world.ours.length;
    await world.ask(given.signalled);
    if (given.signalled && world.ours.length > count) signalled.add(world.ours.at(-1) as Ours);
  } else if (given.do === 'askInVain') await world.askInVain(given.aborted);
  else if (given.do === 'reply') {
    const one = pick(world.ours, given.at);
    if (one) world.reply(one, given.fine);
  } else if (given.do === 'replyToNobody') world.reply(undefined, given.fine);
  else if (given.do === 'giveUp') {
    const one = pick(world.ours, given.at);
    if (one) world.giveUp(one, signalled.has(one));
  } else if (given.do === 'asked') await world.asked(given.id, given.subtype);
  else if (given.do === 'answer') {
    const one = pick(world.theirs, given.at);
    if (one) world.answer(one, given.how);
  } else if (given.do === 'cancelled') world.cancelled(given.id);
  else world[given.do]();
}

test('each request has one reply unless it was withdrawn or nobody is left, and every id is free again', {
  timeout: Math.max(60_000, RUNS * 60),
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40, size: 'max' }), async (commands) => {
      const world = new World();
      const signalled = new Set<Ours>();
      for (const given of commands) {
        await carryOut(world, signalled, given);
        await world.check();
      }
      await world.windUp();
    }),
    { numRuns: RUNS },
  );
});

test('of requests that were given up the last thousand are remembered, so their late replies are no news', async () => {
  const world = new World();
  for (let i = 0; i < 1_001; i++) {
    await world.ask(true);
    world.giveUp(world.ours[i] as Ours, true);
  }
  await world.check();
  const [oldest, second] = world.ours as [Ours, Ours];
  world.reply(second, true);
  await world.check();
  oldest.state = 'over';
  world.reply(oldest, true);
  await world.check();
  expect(world.problems).toEqual(['unexpected_response']);
});
