import { AsyncSeriesBailHook } from 'tapable';
import { HookscopeError } from '../errors.js';
import type { EventEntry } from '../events/define.js';
import type { Registration } from '../scopes/registration.js';
import { readOnly } from '../scopes/view.js';
import { threw } from './answer.js';
import type { CallbackFunction } from './call.js';
import { Context, type HookContext } from './context.js';
import type { Run } from './run.js';

/** What a raw tap is called with. */
export interface RawFire<Input = Readonly<Record<string, unknown>>> {
  readonly event: string;
  /** Read-only, as for any handler. */
  readonly input: Input;
  readonly toolUseID: string | undefined;
  readonly context: HookContext;
}

/** An event's public tapable hook. Its taps are recorded and folded like any handler; what they answer bails nothing. */
export type RawHook<Input = Readonly<Record<string, unknown>>> = AsyncSeriesBailHook<[RawFire<Input>], unknown>;

/** An event's public tapable hook; `foreign` once somebody other than us has tapped or intercepted it. */
export interface EventHook {
  readonly raw: RawHook;
  foreign: boolean;
  /** The raw taps, as registrations, in running order. */
  readonly taps: Registration[];
}

const OURS = 'hookscope';
const RUNS = new WeakMap<object, Run>();

/** What a raw tap becomes: an ordinary registration, whose timeout and policies are the host's. */
export type MakeTap = (name: string, callback: CallbackFunction, stage: number) => Registration;

/**
 * A real tapable hook. Our plan is one tap in it, at stage 0; taps of others run around it, each wrapped: isolated, timed,
 * recorded, folded like any handler, and never bailing by itself.
 */
export function createHook(entry: EventEntry, makeTap: MakeTap): EventHook {
  const raw: RawHook = new AsyncSeriesBailHook(['fire'], entry.name);
  const hook: EventHook = { raw, foreign: false, taps: [] };
  raw.tapPromise({ name: OURS, stage: 0 }, (fire) => runOf(fire).runWaves().then(nothing));
  const [ours] = raw.taps;
  raw.intercept({
    name: OURS,
    register(tap) {
      if (tap === ours) return tap;
      hook.foreign = true;
      const registration = makeTap(tap.name, callerOf(entry, tap), tap.stage ?? 0);
      hook.taps.push(registration);
      return { ...tap, type: 'promise', fn: (fire: RawFire) => runOf(fire).tap(registration).then(nothing) };
    },
  });
  const { intercept } = raw;
  raw.intercept = (interceptor) => {
    hook.foreign = true;
    intercept.call(raw, interceptor);
  };
  return hook;
}

/** Runs the plan through the tapable hook, raw taps around it. An interceptor that throws cannot keep the plan from running. */
export async function runThroughTaps(hook: EventHook, run: Run): Promise<void> {
  const { fire } = run;
  const raw: RawFire = {
    event: fire.entry.name,
    input: readOnly(fire.input),
    toolUseID: fire.toolUseID,
    context: new Context(fire, hook.taps[0] as Registration, 'first'),
  };
  RUNS.set(raw, run);
  try {
    await hook.raw.promise(raw);
  } catch (error) {
    fire.services.report(`An interceptor of host.hooks.${fire.entry.name} threw: ${threw(error).message}`);
    if (!run.planned) await run.runWaves();
  }
}

function runOf(fire: RawFire): Run {
  const run = RUNS.get(fire);
  if (!run)
    throw new HookscopeError('INVALID_OPTIONS', { where: 'host.hooks', expected: 'a fire made by host.fire()' });
  return run;
}

function nothing(): undefined {
  return undefined;
}

/** The tap's own function behind the shape every callback has. */
function callerOf(entry: EventEntry, tap: { readonly type: string; readonly fn: unknown }): CallbackFunction {
  const fn = tap.fn as (fire: RawFire, done?: (error?: unknown, result?: unknown) => void) => unknown;
  return (input, toolUseID, context) => {
    const fire = { event: entry.name, input: input as Readonly<Record<string, unknown>>, toolUseID, context };
    if (tap.type !== 'async') return fn(fire);
    return new Promise((resolve, reject) => {
      fn(fire, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
}
