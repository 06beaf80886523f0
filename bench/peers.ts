import Emittery from 'emittery';
import { createHooks } from 'hookable';
import { createHost, type HookInput } from 'hookscope';
import { AsyncSeriesBailHook } from 'tapable';
import type { Candidate } from './harness.js';
import { type Callback, preToolUse as input, plainLoop } from './recorded.js';

type Input = HookInput<'PreToolUse'>;

/** The same callbacks under the plain loop, under a host, and under each peer; all run them in series and wait for each. */
export function everybody(callbacks: readonly Callback[], how: 'sync' | 'async'): Candidate[] {
  return [
    { name: 'loop', run: plainLoop(callbacks, input) },
    { name: 'hookscope', run: hookscope(callbacks) },
    { name: 'tapable', run: tapable(callbacks, how) },
    { name: 'hookable', run: hookable(callbacks) },
    { name: 'emittery', run: emittery(callbacks) },
  ];
}

function hookscope(callbacks: readonly Callback[]): () => unknown {
  const host = createHost();
  if (callbacks.length > 0) host.register({ PreToolUse: [{ hooks: callbacks }] });
  return () => host.fire('PreToolUse', input);
}

function tapable(callbacks: readonly Callback[], how: 'sync' | 'async'): () => unknown {
  const hook = new AsyncSeriesBailHook<[Input], unknown>(['input']);
  callbacks.forEach((callback, i) => {
    if (how === 'sync') hook.tap(`${i}`, callback);
    else hook.tapPromise(`${i}`, callback as (input: Input) => Promise<unknown>);
  });
  return () => hook.promise(input);
}

function hookable(callbacks: readonly Callback[]): () => unknown {
  const hooks = createHooks<{ PreToolUse: (input: Input) => void | Promise<void> }>();
  for (const callback of callbacks) hooks.hook('PreToolUse', callback as (input: Input) => void);
  return () => hooks.callHook('PreToolUse', input);
}

function emittery(callbacks: readonly Callback[]): () => unknown {
  const emitter = new Emittery<{ PreToolUse: Input }>();
  for (const callback of callbacks) emitter.on('PreToolUse', callback as (data: unknown) => void);
  return () => emitter.emitSerial('PreToolUse', input);
}
