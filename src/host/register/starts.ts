import type { Scope } from '../../scopes/scope.js';
import type { SpawnHooks } from './origin.js';
import { type AgentRef, keyOf, type RememberedAgent } from './standings.js';

/** The state that a start replaced, kept in case the start fails. */
export interface PriorState {
  readonly before: RememberedAgent | undefined;
  /** The earlier agent had begun in a scope. */
  readonly hadBegun: boolean;
  /** The hooks that it was given there for its type. */
  readonly hooks: readonly SpawnHooks[];
  /** The list of its pending context, which no other agent ever has. */
  readonly context: string[];
  /** The parent of that scope. */
  readonly parent: Scope | undefined;
  /** The host had opened the scope. */
  readonly spawned: boolean;
}

/** A start under way, which may still fail. */
export interface PendingStart {
  readonly agent: AgentRef;
  /** The scope in which the agent has begun; absent: it has none. */
  scope: Scope | undefined;
  /** The scope was open before the start. */
  wasOpen?: boolean;
  /** Absent: the same agent had already started, and the event is a repeat. */
  left?: PriorState;
  /** The same agent had ended, and continues. */
  goesOn?: boolean;
}

/** The starts of agents under way, by agent and in order. Each keeps the state that it replaced, which is what the start before it had set up. */
export class AgentStarts {
  readonly #underWay = new Map<string, PendingStart[]>();

  add(begun: PendingStart): PendingStart {
    const key = keyOf(begun.agent);
    const all = this.#underWay.get(key);
    if (all) all.push(begun);
    else this.#underWay.set(key, [begun]);
    return begun;
  }

  last(agent: AgentRef): PendingStart | undefined {
    return this.#underWay.get(keyOf(agent))?.at(-1);
  }

  /** A start has succeeded: it and the starts before it no longer need to be tracked. */
  succeeds(begun: PendingStart): void {
    const all = this.#underWay.get(keyOf(begun.agent)) ?? [];
    all.splice(0, all.indexOf(begun) + 1);
    if (all.length === 0) this.forget(begun.agent);
  }

  /** A start has failed. Returns whether it was the last one; otherwise the next start inherits the state that it replaced. */
  fails(begun: PendingStart): boolean {
    const all = this.#underWay.get(keyOf(begun.agent)) ?? [];
    const at = all.indexOf(begun);
    if (at === -1) return false;
    all.splice(at, 1);
    const next = all[at];
    if (all.length === 0) this.forget(begun.agent);
    if (next) passOn(begun, next);
    return next === undefined;
  }

  /** The agent with this list of pending context has ended, which starts under way may have replaced. */
  ends(agent: AgentRef, context: string[]): void {
    for (const begun of this.#underWay.get(keyOf(agent)) ?? []) {
      const { left } = begun;
      if (left?.context !== context) continue;
      const before = left.before && { ...left.before, hasEnded: true };
      begun.left = { ...left, before, hadBegun: left.hadBegun && !left.spawned, context: [] };
    }
  }

  /** Forgets all starts under way, because a later start is certain or the agent has ended: none can be taken back. */
  forget(agent: AgentRef): void {
    if (this.#underWay.size > 0) this.#underWay.delete(keyOf(agent));
  }

  /** Keeps the starts under way, although `call` ends a scope of the agent, which would forget them. */
  during<T>(agent: AgentRef, call: () => T): T {
    const key = keyOf(agent);
    const all = this.#underWay.get(key) ?? [];
    this.#underWay.delete(key);
    const done = call();
    const now = [...all, ...(this.#underWay.get(key) ?? [])];
    if (now.length > 0) this.#underWay.set(key, now);
    return done;
  }
}

function passOn({ left, goesOn, scope, wasOpen = false }: PendingStart, next: PendingStart): void {
  if (left) {
    next.left = left;
    if (next.scope === scope) next.wasOpen = wasOpen;
  } else if (goesOn && next.left) {
    const { before } = next.left;
    next.left = { ...next.left, before: before && { ...before, hasEnded: true } };
  } else if (goesOn) next.goesOn = true;
}
