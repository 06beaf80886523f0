import { isDeepStrictEqual } from 'node:util';
import { kindOf } from '../../values/problem.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { Core } from '../core.js';
import type { CheckedCall } from './call.js';
import type { Judgement } from './judgement.js';

/** Wraps a framework's control flow (a pause, a jump) while it passes through a call; `cause` is the original error. */
export class PassedThrough extends Error {
  readonly #ours = true;

  /** Recognises instances without `instanceof`, which a proxy could intercept. */
  static is(error: unknown): error is PassedThrough {
    return typeof error === 'object' && error !== null && #ours in error && error.#ours;
  }
}

/** Wraps an error that is control flow; undefined for others. A `passThrough` that throws or does not return a boolean counts as false. */
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

/** The most calls that are kept for one agent; beyond it, the oldest are forgotten. */
const MOST = 1000;
/** By session or agent, and call id: calls that control flow left, and running calls that it may leave. */
const CALLS = new WeakMap<Core, Map<string, LeavableCall>>();

/** Forgets a left call because a call that control flow cannot leave uses its id. */
export function forgetLeft(core: Core, id: string): void {
  CALLS.get(core)?.delete(id);
}

/** A call that control flow may leave, from before its judgement to its end. If that happens, it is kept until its id is used again. */
export class LeavableCall {
  readonly #all: Map<string, LeavableCall>;
  readonly #call: CheckedCall;
  readonly #server: CheckedCall['mcp'];
  readonly #hooks: readonly object[];
  readonly #mode: string;
  /** The working directory and the added ones: relative paths and rules about files depend on them. */
  readonly #places: readonly string[];
  #left: Judgement | undefined;
  /** The judgement to continue with, if the same call was left and nothing has changed. The stored judgement is removed in any case. */
  readonly judged: Judgement | undefined;

  /** Notes mode, directories and hooks before the call is judged, so that changes meanwhile are detected when the call is made again. */
  constructor(core: Core, call: CheckedCall) {
    const { deps, who, mode } = core;
    const all = CALLS.get(core) ?? new Map<string, LeavableCall>();
    CALLS.set(core, all);
    this.#all = all;
    this.#call = call;
    this.#server = call.mcp && { ...call.mcp };
    this.#hooks = [...deps.hooksOf('PreToolUse', who), ...deps.hooksOf('PermissionRequest', who)];
    this.#mode = mode;
    this.#places = [core.cwd, ...core.directories];
    const before = all.get(call.id);
    this.judged = before && this.#isAs(before) ? before.#left : undefined;
    all.delete(call.id);
    all.set(call.id, this);
    const [oldest] = all.keys();
    if (all.size > MOST && oldest !== undefined) all.delete(oldest);
  }

  /** Called when control flow leaves the tool. The judgement is not kept if the user was asked about the call. */
  keep(judged: Judgement): void {
    if (judged.asked !== true) this.#left = judged;
  }

  /** Called at the end of the call: forgets it, unless its judgement is kept or another call uses the id by now. */
  end(): void {
    const { id } = this.#call;
    if (this.#left === undefined && this.#all.get(id) === this) this.#all.delete(id);
  }

  #isAs(before: LeavableCall): boolean {
    const [now, then] = [this.#call, before.#call];
    return (
      AS_IT_WAS.every((key) => now[key] === then[key]) &&
      this.#mode === before.#mode &&
      isDeepStrictEqual(this.#places, before.#places) &&
      this.#hooks.length === before.#hooks.length &&
      this.#hooks.every((hook, i) => hook === before.#hooks[i]) &&
      isDeepStrictEqual(this.#server, before.#server) &&
      JSON.stringify(now.input) === JSON.stringify(then.input)
    );
  }
}

/** What a call's judgement depends on. An interruption replaces the signal, so that an interrupted call is judged again. */
const AS_IT_WAS = ['name', 'effect', 'needsApproval', 'permission', 'ask', 'classify', 'signal'] as const;
