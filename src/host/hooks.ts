import { createRequire } from 'node:module';
import type { AsyncSeriesBailHook } from 'tapable';
import { HookscopeError } from '../errors.js';
import type { EventSpec } from '../events/spec.js';
import type { Registration } from '../scopes/registration.js';
import { readOnly } from '../values/copies/view.js';
import { describeError } from '../values/message.js';
import { isObject } from '../values/shape.js';
import { ignoreRejections, resultOf, tell } from '../values/waiting/promises.js';
import { Context, type ContextFire, type HookContext } from './call/context.js';
import type { CallbackFunction } from './call/work.js';
import { type FullTap, PLAN, type TapMeaning, TapMeanings } from './tap-meanings.js';

/** The argument of a raw tap. */
export interface RawFire<Input = Readonly<Record<string, unknown>>> {
  readonly event: string;
  /** Read-only, as for any handler. */
  readonly input: Input;
  readonly toolUseID: string | undefined;
  readonly context: HookContext;
}

/** An event's public tapable hook. Its taps are recorded and folded like any handler; their answers never end the run. */
export type RawHook<Input = Readonly<Record<string, unknown>>> = AsyncSeriesBailHook<[RawFire<Input>], unknown>;

/** An event's public tapable hook; `foreign` once code outside hookscope has tapped or intercepted it. */
export interface EventHook {
  readonly raw: RawHook;
  foreign: boolean;
  /** The raw taps, as registrations, in running order; `early`: before our plan. */
  taps(): readonly RawTap[];
}

export interface RawTap {
  readonly registration: Registration;
  readonly early: boolean;
}

const OURS = 'hookscope';

/** What a call of the tapable hook runs. Each is called once a fire; further calls return the same promise. */
export interface TapDriver {
  /** Our own tap. */
  runPlan(): Promise<void>;
  /** A raw tap. */
  tap(registration: Registration): Promise<void>;
  hasCalled(registration: Registration): boolean;
}

/** The argument of the hook's call, for interceptors; each tap gets its own fire. A WeakMap instead of `#driver` would cost more than the whole rest. */
class TappedCall implements RawFire {
  readonly event: string;
  readonly input: RawFire['input'];
  readonly toolUseID: string | undefined;
  readonly context: HookContext;
  readonly #driver: TapDriver;

  constructor(fire: TappedFire, driver: TapDriver) {
    this.event = fire.spec.name;
    this.input = readOnly(fire.input);
    this.toolUseID = fire.toolUseID;
    this.context = new Context(fire, 'first', undefined);
    this.#driver = driver;
  }

  static driverOf(fire: RawFire): TapDriver {
    if (typeof fire === 'object' && fire !== null && #driver in fire) return fire.#driver;
    throw new HookscopeError('INVALID_OPTIONS', { where: 'host.hooks', expected: 'a fire made by host.fire()' });
  }
}

/** A raw tap becomes an ordinary registration, whose timeout and policies are the host's. */
export type MakeTap = (name: string, callback: CallbackFunction, stage: number) => Registration;

/**
 * A real tapable hook. Our plan is one tap in it, at stage 0. Other taps run before and after it. Each is wrapped, so that it is isolated,
 * timed, recorded and folded like any handler, and never ends the run.
 */
export function createHook(spec: EventSpec, makeTap: MakeTap, report: (message: string) => void): EventHook {
  const raw: RawHook = new (bailHook())(['fire'], spec.name);
  const meanings = new TapMeanings();
  const all: Registration[] = [];
  let listed: readonly RawTap[] | undefined;
  const hook: EventHook = {
    raw,
    foreign: false,
    taps() {
      listed ??= listTaps(raw, meanings, all);
      return listed;
    },
  };
  raw.tapPromise({ name: OURS, stage: 0 }, (fire) => TappedCall.driverOf(fire).runPlan().then(nothing));
  const [ours] = raw.taps;
  if (ours === undefined) throw new Error('tapable has no tap after tapPromise()');
  meanings.setOwn(ours, PLAN);
  const onError = (error: unknown): void =>
    report(`An interceptor of host.hooks.${spec.name} threw: ${describeError(error)}`);
  const { intercept } = raw;
  raw.intercept = (interceptor) => {
    hook.foreign = true;
    listed = undefined;
    intercept.call(raw, following(guarded(interceptor, onError), meanings));
  };
  const parts = raw as unknown as TapableParts;
  const { compile, _runRegisterInterceptors: runRegister, _insert: insert } = parts;
  parts._runRegisterInterceptors = (tap) => {
    hook.foreign = true;
    const onLate = (error: unknown): void =>
      report(`The raw tap ${tap.name} of host.hooks.${spec.name} failed after its answer: ${describeError(error)}`);
    const registration = makeTap(tap.name, callerOf(spec, tap, onLate), tap.stage ?? 0);
    const fn = (fire: RawFire): Promise<undefined> => TappedCall.driverOf(fire).tap(registration).then(nothing);
    const made = { ...tap, ...AS_PROMISED, fn };
    meanings.setOwn(made, registration);
    return meanings.replace(made, runRegister.call(raw, made));
  };
  // Called when no `register` has thrown: from here on the tap runs, whatever is done to tapable's list.
  parts._insert = (tap) => {
    insert.call(raw, tap);
    const meaning = meanings.get(tap);
    if (meaning !== undefined && meaning !== PLAN) all.push(meaning);
    listed = undefined;
  };
  // tapable's code calls other taps than those that are listed.
  parts.compile = (options) => {
    const taps = options.taps.map((tap) =>
      meanings.isUnchanged(tap) ? { ...tap, ...AS_PROMISED } : isolated(tap, meanings.get(tap), onError),
    );
    return compile.call(raw, { ...options, taps });
  };
  return hook;
}

/** Loaded with `require`, which is synchronous, when `host.hooks` is first accessed: most hosts never do. */
function bailHook(): typeof AsyncSeriesBailHook {
  return createRequire(import.meta.url)('tapable/lib/AsyncSeriesBailHook.js') as typeof AsyncSeriesBailHook;
}

/** What tapable's hooks do when they are tapped and when they are first called. */
interface TapableParts {
  compile(options: { readonly taps: readonly FullTap[] }): unknown;
  _runRegisterInterceptors(tap: FullTap): FullTap;
  _insert(tap: FullTap): void;
}

/** How tapable calls our functions. With `context`, which it has deprecated, the fire would not be the first argument. */
const AS_PROMISED = { type: 'promise', context: false } as const;

/** All raw taps, in tapable's order; last those that were taken out of its list. */
function listTaps(raw: RawHook, meanings: TapMeanings, all: readonly Registration[]): RawTap[] {
  const plan = raw.taps.findIndex((tap) => meanings.get(tap) === PLAN);
  const early = new Map<Registration, boolean>();
  for (const [i, tap] of raw.taps.entries()) {
    const meaning = meanings.get(tap);
    if (meaning !== undefined && meaning !== PLAN && !early.has(meaning)) early.set(meaning, i < plan);
  }
  for (const registration of all) if (!early.has(registration)) early.set(registration, false);
  return [...early].map(([registration, isEarly]) => ({ registration, early: isEarly }));
}

type Interceptor = Parameters<RawHook['intercept']>[0];

/** Interceptors other than `register` are guarded: a throw inside tapable's generated code would leave the promise pending. */
function guarded(interceptor: Interceptor, onError: (error: unknown) => void): Interceptor {
  const safe: Record<string, unknown> = { ...interceptor };
  for (const [key, fn] of Object.entries(interceptor)) {
    if (typeof fn !== 'function' || key === 'register') continue;
    safe[key] = (...args: unknown[]): void => tell(() => Reflect.apply(fn, interceptor, args), onError);
  }
  return safe;
}

/** The interceptor, with a `register` that keeps track of what taps mean. As in tapable, a tap stays as it is if `register` returns nothing, or no tap. */
function following(interceptor: Interceptor, meanings: TapMeanings): Interceptor {
  const { register } = interceptor;
  if (typeof register !== 'function') return interceptor;
  return {
    ...interceptor,
    register(tap) {
      const given: unknown = Reflect.apply(register, interceptor, [tap]);
      return isObject(given) ? meanings.replace(tap, given as unknown as FullTap) : tap;
    },
  };
}

/**
 * A tap in whose place the `register` of an interceptor has put another function. tapable's code catches nothing of what a tap throws, and a result would end the run. The function may
 * add to what it replaced, which runs in any case and is waited for.
 */
function isolated(tap: FullTap, meaning: TapMeaning | undefined, onError: (error: unknown) => void): FullTap {
  const fn = async (...args: unknown[]): Promise<undefined> => {
    const driver = TappedCall.driverOf(args.at(-1) as RawFire);
    try {
      await (tap.type === 'async' ? withCallback(tap.fn, args, onError) : Reflect.apply(tap.fn, undefined, args));
    } catch (error) {
      onError(error);
    }
    if (meaning === PLAN) await driver.runPlan();
    else if (meaning !== undefined) await driver.tap(meaning);
    return undefined;
  };
  return { ...tap, type: 'promise', fn };
}

/** Calls a function that answers by a callback. It fails if it throws, or returns a promise that rejects, before that; what fails later is `late`. */
function withCallback(
  fn: unknown,
  args: readonly unknown[],
  late: (error: unknown) => void,
): Promise<{ readonly result: unknown }> {
  return new Promise((resolve, reject) => {
    let isDone = false;
    const done = (error: unknown, result?: unknown): void => {
      isDone = true;
      if (error) reject(error);
      else resolve({ result });
      ignoreRejections(result);
    };
    const failed = (error: unknown): void => {
      if (isDone) late(error);
      else reject(error);
    };
    tell(() => Reflect.apply(fn as (...args: unknown[]) => unknown, undefined, [...args, done]), failed);
  });
}

/** What taps need from a fire. */
interface TappedFire extends ContextFire {
  readonly spec: EventSpec;
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseID: string | undefined;
  readonly services: ContextFire['services'] & { report(message: string): void };
}

/** Runs the plan through the tapable hook, with raw taps before and after it. The taps that it has not called and the plan run without it. */
export async function runThroughTaps(hook: EventHook, fire: TappedFire, driver: TapDriver): Promise<void> {
  const raw = new TappedCall(fire, driver);
  const taps = hook.taps();
  try {
    await hook.raw.promise(raw);
  } catch (error) {
    fire.services.report(`host.hooks.${fire.spec.name} failed: ${describeError(error)}`);
  }
  if (!taps.every(({ registration }) => driver.hasCalled(registration))) await callRest(taps, driver);
  await driver.runPlan();
}

/** Those that have been called are waited for. */
async function callRest(taps: readonly RawTap[], driver: TapDriver): Promise<void> {
  for (const { registration, early } of taps) {
    if (!early) await driver.runPlan();
    await driver.tap(registration);
  }
}

function nothing(): undefined {
  return undefined;
}

/** Adapts the tap's own function to the shape of a callback. */
function callerOf(spec: EventSpec, { type, fn }: FullTap, onLate: (error: unknown) => void): CallbackFunction {
  return (input, toolUseID, context) => {
    const fire: RawFire = { event: spec.name, input: input as RawFire['input'], toolUseID, context };
    if (type !== 'async') return Reflect.apply(fn, undefined, [fire]);
    return resultOf(() => withCallback(fn, [fire], onLate)).then((answer) =>
      resultOf(() => (answer as { result: unknown }).result),
    );
  };
}
