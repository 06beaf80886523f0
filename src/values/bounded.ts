import { type Context, createContext, Script } from 'node:vm';

let context: (Context & { call?: () => unknown }) | undefined;
const script = new Script('call()');

/** Calls a synchronous function and interrupts it after this many milliseconds. Returns undefined if it did not finish in time. */
export function callBounded<T>(call: () => T, milliseconds: number): { readonly value: T } | undefined {
  context ??= createContext({});
  const outer = context.call;
  context.call = call;
  try {
    return { value: script.runInContext(context, { timeout: milliseconds }) as T };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    context.call = outer as () => unknown;
  }
}
