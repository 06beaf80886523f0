import { createHost, type Host } from '../../src/create-host.js';
import type {
  AlarmRecord,
  ControlProblemRecord,
  FireRecord,
  HookRecord,
  ToolCallRecord,
} from '../../src/emit/record.js';
import type { CustomEvents, HookEvent, NoEvents } from '../../src/events/catalogue.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import type { FireOptions } from '../../src/host/fire-options.js';
import { servicesOf } from '../../src/host/internals.js';
import type { HostOptions } from '../../src/host/options.js';
import type { Origin } from '../../src/host/register/origin.js';
import type { Hooks, Undo } from '../../src/host/types.js';

export const SESSION = { session_id: 's', transcript_path: '/t/s.jsonl', cwd: '/w' };

/** A host in session `s` whose complaints are kept. */
export function testHost<const C extends CustomEvents = NoEvents>(
  options: HostOptions<C> = {},
): { host: Host<C>; reports: string[] } {
  const reports: string[] = [];
  const host = createHost<C>({ session: SESSION, logger: (message) => reports.push(message), ...options });
  return { host, reports };
}

/** Fires an event that is only known at run time. */
export function fireAny(
  host: Host,
  event: string,
  input: Record<string, unknown>,
  options?: FireOptions,
): Promise<AnyDecision> {
  return host.fire(event as HookEvent, input as never, options) as Promise<AnyDecision>;
}

/** Hooks of an event that is only known at run time, or that are wrong on purpose. */
export const anyHooks = (hooks: Record<string, unknown>): Hooks => hooks as Hooks;

/** What a host tells of its own hooks. */
export type Told = Exclude<HookRecord, ControlProblemRecord | AlarmRecord | ToolCallRecord>;

/** Everything a host tells, from now on; nothing here is about a control connection. */
export function watch(host: { readonly events$: Host['events$'] }): Told[] {
  const seen: Told[] = [];
  host.events$.subscribe((record) => seen.push(record as Told));
  return seen;
}

export const fires = (seen: readonly HookRecord[]): FireRecord[] =>
  seen.filter((r): r is FireRecord => r.type === 'hook_fire');

export function only<T>(list: readonly T[]): T {
  if (list.length !== 1) throw new Error(`expected one, got ${list.length}`);
  return list[0] as T;
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T = unknown>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
export const never = (): Promise<never> => new Promise(() => {});

/** Waits until something is so. */
export async function until(what: () => boolean | Promise<boolean>, seconds = 240): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await what())) {
    if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${what}`);
    await sleep(10);
  }
}

/** Registers as the host's own sources do: dialect, plugin, a reason never to run. */
export function registerAs(host: Host, hooks: Record<string, unknown>, origin: Origin): Undo {
  return servicesOf(host).registrar.register(undefined, hooks, origin);
}
