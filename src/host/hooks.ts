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
  let listed: readonly RawTap[] | undefined;
  const hook: EventHook = {
    raw,
    foreign: false,
    taps() {
      listed ??= listTaps(raw, meanings);
      return listed;
    },
  };
  raw.tapPromise({ name: OURS, stage: 0 }, (fire) => TappedCall.driverOf(fire).runPlan().then(nothing));
  const [ours] = raw.taps;
  if (ours === undefined) throw new Error('tapable has no tap after tapPromise()');
  meanings.setOwn(ours, PLAN);
  raw.intercept({
    name: OURS,
    register(tap) {
      if (tap === ours) return tap;
      hook.foreign = true;
      listed = undefined;
      const registration = makeTap(tap.name, callerOf(spec, tap), tap.stage ?? 0);
      const fn = (fire: RawFire): Promise<undefined> => TappedCall.driverOf(fire).tap(registration).then(nothing);
      const made = { ...tap, ...AS_PROMISED, fn };
      meanings.setOwn(made, registration);
      return made;
    },
  });
  const onError = (error: unknown): void =>
    report(`An interceptor of host.hooks.${spec.name} threw: ${describeError(error)}`);
  const { intercept } = raw;
  raw.intercept = (interceptor) => {
    hook.foreign = true;
    listed = undefined;
    intercept.call(raw, following(guarded(interceptor, onError), meanings));
  };
  compileWith(raw, (tap) =>
    meanings.isUnchanged(tap) ? { ...tap, ...AS_PROMISED } : isolated(tap, meanings.get(tap), onError),
  );
  return hook;
}

/** Loaded with `require`, which is synchronous, when `host.hooks` is first accessed: most hosts never do. */
function bailHook(): typeof AsyncSeriesBailHook {
  return createRequire(import.meta.url)('tapable/lib/AsyncSeriesBailHook.js') as typeof AsyncSeriesBailHook;
}

/** How tapable calls our functions. With `context`, which it has deprecated, the fire would not be the first argument. */
const AS_PROMISED = { type: 'promise', context: false } as const;

function listTaps(raw: RawHook, meanings: TapMeanings): RawTap[] {
  const plan = raw.taps.findIndex((tap) => meanings.get(tap) === PLAN);
  return raw.taps.flatMap((tap, i) => {
    const meaning = meanings.get(tap);
    return meaning === undefined || meaning === PLAN ? [] : [{ registration: meaning, early: i < plan }];
  });
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

/** Lets tapable's code call other taps than those that are listed. */
function compileWith(raw: RawHook, replaced: (tap: FullTap) => FullTap): void {
  const hook = raw as unknown as { compile(options: { readonly taps: readonly FullTap[] }): unknown };
  const { compile } = hook;
  hook.compile = (options) => compile.call(raw, { ...options, taps: options.taps.map(replaced) });
}

/**
 * A tap in whose place the `register` of an interceptor has put another function. tapable's code catches nothing of what a tap throws, and a result would end the run. The function may
 * add to what it replaced, which runs in any case and is waited for.
 */
function isolated(tap: FullTap, meaning: TapMeaning | undefined, onError: (error: unknown) => void): FullTap {
  const fn = async (...args: unknown[]): Promise<undefined> => {
    const driver = TappedCall.driverOf(args.at(-1) as RawFire);
    try {
      await callTap(tap, args);
    } catch (error) {
      onError(error);
    }
    if (meaning === PLAN) await driver.runPlan();
    else if (meaning !== undefined) await driver.tap(meaning);
    return undefined;
  };
  return { ...tap, type: 'promise', fn };
}

/** Calls a tap as tapable does: with a callback, if it is of that type. */
function callTap({ type, fn }: FullTap, args: readonly unknown[]): unknown {
  if (type !== 'async') return Reflect.apply(fn, undefined, args);
  return new Promise((resolve, reject) => {
    Reflect.apply(fn, undefined, [...args, (error: unknown) => (error ? reject(error) : resolve(undefined))]);
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
function callerOf(spec: EventSpec, tap: { readonly type: string; readonly fn: unknown }): CallbackFunction {
  const fn = tap.fn as (fire: RawFire, done?: (error?: unknown, result?: unknown) => void) => unknown;
  return (input, toolUseID, context) => {
    const fire = { event: spec.name, input: input as Readonly<Record<string, unknown>>, toolUseID, context };
    if (tap.type !== 'async') return fn(fire);
    return resultOf(
      () =>
        new Promise((resolve, reject) => {
          fn(fire, (error, result) => {
            if (error) reject(error);
            else resolve({ result });
            ignoreRejections(result);
          });
        }),
    ).then((answer) => resultOf(() => (answer as { result: unknown }).result));
  };
}
