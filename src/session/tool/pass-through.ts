import { isDeepStrictEqual } from 'node:util';
import { kindOf } from '../../values/problem.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { Core } from '../core.js';
import type { CheckedCall } from './call.js';
import type { Judgement } from './judgement.js';

/** A framework's own control flow (a pause, a jump), on its way through a call; `cause` is what was thrown. */
export class PassedThrough extends Error {
  readonly #ours = true;

  /** A proxy is not asked what it is: it may throw, or lie. */
  static is(error: unknown): error is PassedThrough {
    return typeof error === 'object' && error !== null && #ours in error && error.#ours;
  }
}

/** The framework's own error, to be rethrown. A `passThrough` that throws, or does not return a boolean, means no. */
export function passedThrough(
  core: Core,
  { name, passThrough }: CheckedCall,
  error: unknown,
): PassedThrough | undefined {
  try {
    const answer: unknown = passThrough?.(error);
    if (answer === true) return new PassedThrough(messageOf(error), { cause: error });
    if (answer !== undefined && answer !== false)
      throw new Error(`expected true or false at once, got ${kindOf(answer)}`);
  } catch (thrown) {
    core.deps.report(`passThrough() failed for ${name}: ${messageOf(thrown)}`, thrown);
  }
  return undefined;
}

/** Calls of one agent that are kept; of more the oldest are forgotten. */
const MOST = 1000;
/** By session or agent and id: unfinished calls, and running calls that may be left unfinished. */
const CALLS = new WeakMap<Core, Map<string, Leavable>>();

/** A call that control flow cannot leave uses the id. */
export function forgetLeft(core: Core, id: string): void {
  CALLS.get(core)?.delete(id);
}

/** A call that control flow may leave, from before it is judged to its end; left, it is kept until its id comes again. */
export class Leavable {
  readonly #all: Map<string, Leavable>;
  readonly #call: CheckedCall;
  readonly #server: CheckedCall['mcp'];
  readonly #hooks: readonly object[];
  readonly #mode: string;
  #left: Judgement | undefined;
  /** The judgement to continue with, if the very same call was left and nothing has changed. In any case the stored judgement is removed. */
  readonly judged: Judgement | undefined;

  /** The rules and hooks are noted first: a hook that is added, or a mode that changes, while the call is judged or runs had no say in it. */
  constructor(core: Core, call: CheckedCall) {
    const { deps, scope, mode } = core;
    const all = CALLS.get(core) ?? new Map<string, Leavable>();
    CALLS.set(core, all);
    this.#all = all;
    this.#call = call;
    this.#server = call.mcp && { ...call.mcp };
    this.#hooks = [...deps.hooksOf('PreToolUse', scope), ...deps.hooksOf('PermissionRequest', scope)];
    this.#mode = mode;
    const before = all.get(call.id);
    this.judged = before && this.#isAs(before) ? before.#left : undefined;
    all.delete(call.id);
    all.set(call.id, this);
    const [oldest] = all.keys();
    if (all.size > MOST && oldest !== undefined) all.delete(oldest);
  }

  /** Control flow has left the tool. A call that the user was asked about is not kept. */
  keep(judged: Judgement): void {
    if (judged.asked !== true) this.#left = judged;
  }

  /** Over: forgotten, unless it is kept or another call has its id by now. */
  end(): void {
    const { id } = this.#call;
    if (this.#left === undefined && this.#all.get(id) === this) this.#all.delete(id);
  }

  #isAs(before: Leavable): boolean {
    const [now, then] = [this.#call, before.#call];
    return (
      AS_IT_WAS.every((key) => now[key] === then[key]) &&
      this.#mode === before.#mode &&
      this.#hooks.length === before.#hooks.length &&
      this.#hooks.every((hook, i) => hook === before.#hooks[i]) &&
      isDeepStrictEqual(this.#server, before.#server) &&
      JSON.stringify(now.input) === JSON.stringify(then.input)
    );
  }
}

/** What hooks and rules judge a call by; also the signal, which an interruption replaces, so that an interrupted call is judged again. */
const AS_IT_WAS = ['name', 'effect', 'needsApproval', 'permission', 'ask', 'classify', 'signal'] as const;
