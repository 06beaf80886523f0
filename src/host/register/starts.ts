import type { Scope } from '../../scopes/scope.js';
import type { SpawnHooks } from './origin.js';
import { type AgentRef, keyOf, type Remembered } from './standings.js';

/** What there was before a start. */
export interface Left {
  readonly before: Remembered | undefined;
  /** It had begun in a scope. */
  readonly hadBegun: boolean;
  /** What it had got there for its type. */
  readonly hooks: readonly SpawnHooks[];
  /** What waited there for the next turn. */
  readonly pending: readonly string[];
  /** Where that scope was. */
  readonly parent: Scope | undefined;
  /** The host had opened it. */
  readonly spawned: boolean;
  /** Stands for the agent that was there. */
  readonly who: object | undefined;
}

/** A start under way: it may fail yet. */
export interface Begun {
  readonly agent: AgentRef;
  /** In which it has begun; absent: it has none. */
  scope: Scope | undefined;
  /** The scope was there, for others. */
  wasOpen?: boolean;
  /** Absent: its agent was there, and was told of once more. */
  left?: Left;
  /** That agent had ended there, and goes on. */
  goesOn?: boolean;
}

/** The starts of agents that are under way, by agent, in their order. Each knows what there was before it, which is what the one before it has begun. */
export class Starts {
  readonly #underWay = new Map<string, Begun[]>();

  add(begun: Begun): Begun {
    const key = keyOf(begun.agent);
    const all = this.#underWay.get(key);
    if (all) all.push(begun);
    else this.#underWay.set(key, [begun]);
    return begun;
  }

  last(agent: AgentRef): Begun | undefined {
    return this.#underWay.get(keyOf(agent))?.at(-1);
  }

  /** It has not failed: neither it nor what began before it matters any more. */
  succeeds(begun: Begun): void {
    const all = this.#underWay.get(keyOf(begun.agent)) ?? [];
    all.splice(0, all.indexOf(begun) + 1);
    if (all.length === 0) this.forget(begun.agent);
  }

  /** It has failed. Whether it was the last one; else what was before it is now before the next. */
  fails(begun: Begun): boolean {
    const all = this.#underWay.get(keyOf(begun.agent)) ?? [];
    const at = all.indexOf(begun);
    if (at === -1) return false;
    all.splice(at, 1);
    const next = all[at];
    if (all.length === 0) this.forget(begun.agent);
    if (next) passOn(begun, next);
    return next === undefined;
  }

  /** The agent that was there before those under way has ended. */
  ends(agent: AgentRef, who: object): void {
    for (const begun of this.#underWay.get(keyOf(agent)) ?? []) {
      const { left } = begun;
      if (left?.before === undefined || left.who !== who) continue;
      const before = { ...left.before, hasEnded: true };
      begun.left = { ...left, before, hadBegun: left.hadBegun && !left.spawned };
    }
  }

  /** None that began before can fail: another start is sure, or the agent has ended. */
  forget(agent: AgentRef): void {
    if (this.#underWay.size > 0) this.#underWay.delete(keyOf(agent));
  }

  /** What ends in the call makes way: nothing is forgotten. */
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

function passOn({ left, goesOn, scope, wasOpen = false }: Begun, next: Begun): void {
  if (left) {
    next.left = left;
    if (next.scope === scope) next.wasOpen = wasOpen;
  } else if (goesOn && next.left) {
    const { before } = next.left;
    next.left = { ...next.left, before: before && { ...before, hasEnded: true } };
  } else if (goesOn) next.goesOn = true;
}
