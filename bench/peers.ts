import Emittery from 'emittery';
import { createHooks } from 'hookable';
import { createHost, type HookInput } from 'hookscope';
import { AsyncSeriesBailHook } from 'tapable';
import { gemini } from './gemini.js';
import type { Candidate } from './harness.js';
import { type Callback, callbacks, deafLoop, preToolUse as input, plainLoop } from './recorded.js';

type Input = HookInput<'PreToolUse'>;

/** The same callbacks in a plain loop, under a host, and under each peer; all run them in series and wait for each. */
export async function everybody(count: number, source: string): Promise<Candidate[]> {
  const made = (): Callback[] => callbacks(count, source);
  return [
    { name: 'loop', run: plainLoop(made(), input) },
    { name: 'loop that keeps no answers', run: deafLoop(made(), input) },
    { name: 'hookscope', run: hookscope(made()) },
    { name: 'tapable', run: tapable(made(), source.startsWith('async')) },
    { name: 'tapable, each caught and with a timeout', run: tapable(made().map(guarded), true) },
    { name: 'hookable', run: hookable(made()) },
    { name: 'emittery', run: emittery(made()) },
    ...(await gemini(made())),
  ];
}

function hookscope(hooked: readonly Callback[]): () => unknown {
  const host = createHost();
  if (hooked.length > 0) host.register({ PreToolUse: [{ hooks: hooked }] });
  return () => host.fire('PreToolUse', input);
}

function tapable(hooked: readonly Callback[], async: boolean): () => unknown {
  const hook = new AsyncSeriesBailHook<[Input], unknown>(['input']);
  hooked.forEach((callback, i) => {
    if (async) hook.tapPromise(`${i}`, callback as (input: Input) => Promise<unknown>);
    else hook.tap(`${i}`, callback);
  });
  return () => hook.promise(input);
}

/** Isolated and ended after a time, as a host's are: the least that does it. */
function guarded(callback: Callback): Callback {
  return async (input) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((_, reject) => {
      timer = setTimeout(() => reject(new Error('timeout')), 60_000);
    });
    try {
      return await Promise.race([callback(input), late]);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
}

function hookable(hooked: readonly Callback[]): () => unknown {
  const hooks = createHooks<{ PreToolUse: (input: Input) => void | Promise<void> }>();
  for (const callback of hooked) hooks.hook('PreToolUse', callback as (input: Input) => void);
  return () => hooks.callHook('PreToolUse', input);
}

function emittery(hooked: readonly Callback[]): () => unknown {
  const emitter = new Emittery<{ PreToolUse: Input }>();
  for (const callback of hooked) emitter.on('PreToolUse', callback as (data: unknown) => void);
  return () => emitter.emitSerial('PreToolUse', input);
}
