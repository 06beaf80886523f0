import { messageOf } from '../values/promises.js';
import type { CheckedCall } from './call.js';
import type { Core } from './core.js';
import type { Judgement } from './judgement.js';

/** A framework's own control flow (a pause, a jump), on its way through a call; `cause` is what was thrown. */
export class PassedThrough extends Error {
  readonly #ours = true;

  /** No proxy is asked what it is: it may throw, or lie. */
  static is(error: unknown): error is PassedThrough {
    return typeof error === 'object' && error !== null && #ours in error && error.#ours;
  }
}

/** The error to throw on where what was thrown is the framework's own. A `passThrough` that throws says no. */
export function passedThrough(
  core: Core,
  { name, passThrough }: CheckedCall,
  error: unknown,
): PassedThrough | undefined {
  try {
    if (passThrough?.(error) === true) return new PassedThrough(messageOf(error), { cause: error });
  } catch (thrown) {
    core.deps.report(`passThrough() failed for ${name}: ${messageOf(thrown)}`, thrown);
  }
  return undefined;
}

/** Calls of one agent that are kept; of more the oldest are forgotten. */
const MOST = 1000;

/** Keeps a call whose tool was left by control flow. One that somebody asked about is not kept. */
export function keepPaused(core: Core, { id, name, input }: CheckedCall, judged: Judgement): void {
  if (judged.pre.verdict === 'ask' || judged.approver === 'user') return;
  const { paused, mode } = core;
  paused.delete(id);
  paused.set(id, { name, input: JSON.stringify(input), judged, hooks: hooksOf(core), mode });
  const [oldest] = paused.keys();
  if (paused.size > MOST && oldest !== undefined) paused.delete(oldest);
}

/** The judgement it ran by, where the very same call is made again and nothing has changed. Whatever the call is now, it is forgotten. */
export function takePaused(core: Core, { id, name, input }: CheckedCall): Judgement | undefined {
  const kept = core.paused.get(id);
  if (kept === undefined) return undefined;
  core.paused.delete(id);
  const hooks = hooksOf(core);
  const unchanged = hooks.length === kept.hooks.length && hooks.every((hook, i) => hook === kept.hooks[i]);
  const same = kept.name === name && kept.mode === core.mode && kept.input === JSON.stringify(input);
  return same && unchanged ? kept.judged : undefined;
}

function hooksOf({ deps, scope }: Core): readonly object[] {
  return [...deps.hooksOf('PreToolUse', scope), ...deps.hooksOf('PermissionRequest', scope)];
}
