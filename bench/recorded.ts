import { readFileSync } from 'node:fs';
import type { HookInput } from 'hookscope';

/** The first recorded payload of an event, complete: the host has nothing to fill in. */
function recorded<E extends 'PreToolUse' | 'PostToolUse'>(event: E): HookInput<E> {
  const file = new URL(`../test/fixtures/wire/${event}.json`, import.meta.url);
  const [first] = JSON.parse(readFileSync(file, 'utf8')) as [HookInput<E>];
  return first;
}

export const preToolUse = recorded('PreToolUse');
export const postToolUse = recorded('PostToolUse');

export type Callback = (input: HookInput<'PreToolUse'>) => undefined | Promise<undefined>;

/** That many functions of their own, since callers optimise for one that they know. */
export function repeat(count: number, make: () => Callback): Callback[] {
  return Array.from({ length: count }, make);
}

/** What every candidate is measured against: the callbacks called and awaited one by one, with nothing around them. */
export function plainLoop<Input>(callbacks: readonly ((input: Input) => unknown)[], input: Input): () => Promise<void> {
  return async () => {
    for (const callback of callbacks) await callback(input);
  };
}
