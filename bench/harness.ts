import { randomInt } from 'node:crypto';

/** One way of doing the work of a case. `run` does it once; what it returns is awaited. */
export interface Candidate {
  readonly name: string;
  readonly run: () => unknown;
  /** Does it that many times, where each one by itself would cost something of its own: a message to another process. */
  readonly batch?: (count: number) => Promise<unknown>;
  /** Nanoseconds of a call by another rule than the sum divided by the number, such as the 99th of 100, for what was just run. */
  readonly each?: () => number;
}

/** Candidates that do the same work, and the one that the others are measured against. */
export interface Case {
  readonly name: string;
  readonly candidates: () => readonly Candidate[] | Promise<readonly Candidate[]>;
  /** The name of the candidate that ratios are taken to. */
  readonly floor: string;
  /** The name of the candidate that has a goal, and the highest ratio that meets it. Without a goal the case is only told. */
  readonly subject: string;
  readonly goal?: number;
  /** What the subject's time is before it is compared, where it is not its own: what the case adds to another candidate's. */
  readonly less?: string;
  readonly rounds?: number;
  /** Slices of each candidate before anything is measured, where a run is so long that fewer of them are warm. */
  readonly warmUp?: number;
  /** What its work takes is not this process's CPU: other processes do part of it. */
  readonly wall?: boolean;
}

/** A median and the middle half of the values. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export interface Measured {
  readonly name: string;
  /** Nanoseconds a call. */
  readonly time: Spread;
  /** To the floor's time in the same round. */
  readonly ratio: Spread;
}

export interface CaseResult {
  readonly name: string;
  readonly goal?: number | undefined;
  readonly subject: string;
  readonly floor: string;
  readonly measured: readonly Measured[];
  /** The subject's ratio, which the goal is about. */
  readonly ratio: Spread;
}

/** Something measured by itself, that has to stay below a limit. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** The middle half of what it is the median of. */
  readonly half?: { readonly low: number; readonly high: number };
  readonly unit: 'ms' | 'bytes' | 'records' | '× node -e 0' | '× node -e 0 and sh -c :' | '× the five packages';
  readonly below: number;
}

/** Nanoseconds one candidate runs before the next one's turn: long enough to hold its own garbage collections. */
const SLICE = 5e6;
/** As many times longer where a candidate runs in batches, each of which begins with a message. */
const BATCHES = 10;
/** Slices of each candidate before anything is measured, in turns: about half a second, until the engine has compiled the longest of fires for good. */
const WARM_UP = 100;
const ROUNDS = 60;

/** Nanoseconds of CPU of this process, its compiler's and garbage collector's threads with it; or of time. */
type Clock = () => number;
const cpuTime: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
};
const wallTime: Clock = () => Number(process.hrtime.bigint());

/**
 * Measures in CPU, since the machine may have other work; in time where other processes do part of the work. Lets every candidate run for a slice of time, in another order each round. What slows the machine slows the whole round, so
 * a ratio is taken within each round, and the median is of the ratios.
 */
export async function compare(given: Case): Promise<CaseResult> {
  const { rounds = ROUNDS } = given;
  const clock = given.wall ? wallTime : cpuTime;
  const { warmUp = given.wall ? 10 : WARM_UP } = given;
  const candidates = await given.candidates();
  // What making them left behind is nobody's cost.
  globalThis.gc?.();
  const counts = new Map<Candidate, number>();
  for (const c of candidates) counts.set(c, await calibrate(c, clock));
  const times = new Map(candidates.map((c) => [c.name, [] as number[]]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const c of shuffled(candidates)) {
      const count = counts.get(c) as number;
      const took = await slice(c, count, clock);
      const each = c.each?.() ?? took / count;
      if (round >= 0) times.get(c.name)?.push(each);
    }
    // Code that was cold when it was counted is many times quicker by now.
    if (round === -1) for (const c of candidates) counts.set(c, await calibrate(c, clock));
  }
  const of = (name: string): number[] => times.get(name) as number[];
  const floor = of(given.floor);
  const measured = candidates.map(({ name }) => ({
    name,
    time: spread(of(name)),
    ratio: spread(per(of(name), floor)),
  }));
  const without = given.less === undefined ? undefined : of(given.less);
  const own = of(given.subject).map((t, i) => t - (without?.[i] ?? 0));
  const { name, goal, subject } = given;
  return { name, goal, subject, floor: given.floor, measured, ratio: spread(per(own, floor)) };
}

const per = (times: readonly number[], floor: readonly number[]): number[] =>
  times.map((t, i) => t / (floor[i] as number));

/** Nanoseconds for that many calls, one after the other. */
async function slice({ run, batch }: Candidate, count: number, clock: Clock): Promise<number> {
  const from = clock();
  if (batch) await batch(count);
  else for (let i = 0; i < count; i++) await run();
  return clock() - from;
}

/** How many calls fill a slice once the engine has compiled them; the best of three, since other work may interrupt it. */
async function calibrate(candidate: Candidate, clock: Clock): Promise<number> {
  const wanted = candidate.batch ? SLICE * BATCHES : SLICE;
  let count = 1;
  const once = (): Promise<number> => slice(candidate, count, clock);
  for (; ; count *= 2) {
    const took = Math.min(await once(), await once(), await once());
    if (took > wanted / 4) return Math.max(1, Math.round((count * wanted) / took));
  }
}

function shuffled<T>(list: readonly T[]): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(randomInt(rest.length), 1)[0] as T);
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] as number;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
