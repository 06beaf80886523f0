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

let made = 0;

/**
 * That many functions, each with code of its own, as hooks have: functions made from one place in a file share what the engine
 * learns of them, and it would learn of every candidate's input at once.
 */
export function callbacks(count: number, source: string): Callback[] {
  return Array.from({ length: count }, () => new Function(`return ${source} // ${made++}`)() as Callback);
}

/** What every candidate is measured against: the callbacks called and awaited one by one, their answers kept, with nothing around them. */
export function plainLoop<Input>(hooked: readonly ((input: Input) => unknown)[], input: Input): () => Promise<unknown> {
  return async () => {
    const answers: unknown[] = [];
    for (const callback of hooked) answers.push(await callback(input));
    return answers;
  };
}

/** The same without the answers, which no host can leave out. */
export function deafLoop<Input>(hooked: readonly ((input: Input) => unknown)[], input: Input): () => Promise<void> {
  return async () => {
    for (const callback of hooked) await callback(input);
  };
}
