import { type Context, createContext, Script } from 'node:vm';

let context: (Context & { call?: () => unknown }) | undefined;
const script = new Script('call()');

/** Calls a function that only computes, for at most this many milliseconds; undefined: it did not end in time. */
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
