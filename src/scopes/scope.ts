import { byEvent, Own } from './own.js';
import type { RegisteredIn, Registration, ScopeKind } from './registration.js';

const NONE: readonly Registration[] = [];
const NO_TYPES: readonly string[] = [];
const NOBODY: ReadonlySet<Scope> = new Set();

/** A scope's own hooks for one event, and the plan that the host caches for it. A linked list: thousands of scopes are open at once, each with one or two events. */
class OfEvent {
  readonly event: string;
  own: Own | undefined = undefined;
  cached: unknown = undefined;
  stamp = 0;
  next: OfEvent | undefined = undefined;

  constructor(event: string) {
    this.event = event;
  }
}

/**
 * A node of the scope tree: managed policy, the host, a session, an agent. It holds its own registrations only; what a fire
 * sees is merged on read along the lineage, by version, never copied down (so a parent's late registration reaches living
 * children at once, and opening or closing one scope rebuilds no other scope's plan).
 */
export class Scope implements RegisteredIn {
  readonly id: string;
  readonly kind: ScopeKind;
  parent: Scope | undefined;
  readonly session: string;
  /** Opened by the host itself for spawnHooks; the host ends it too. */
  spawned: boolean;
  depth: number;
  /** Grows with every change of this scope's own registrations. */
  version = 0;
  closed = false;
  /** An agent has begun in it: it has the hooks of its type. One that somebody has opened waits for its agent. */
  begun = false;
  /** Hooks were registered in it by somebody who named its parent. */
  placed = false;
  /** How many plugins and other things that end with the scope live in it. */
  lives = 0;
  #agentType: string | undefined;
  #typesBefore: readonly string[] = NO_TYPES;
  #typeChanges = 0;
  #heldBySession = false;
  #pending: string[] | undefined;
  #children: Set<Scope> | undefined;
  #events: OfEvent | undefined;
  /** The handlers of `once` registrations that have had their run. A fire under way may still have one that was removed since. */
  #claimed: WeakSet<object> | undefined;

  constructor(options: {
    id: string;
    kind: ScopeKind;
    parent?: Scope;
    session?: string;
    agentType?: string;
    spawned?: boolean;
  }) {
    this.id = options.id;
    this.kind = options.kind;
    this.parent = options.parent;
    this.session = options.session ?? '';
    this.#agentType = options.agentType;
    this.spawned = options.spawned ?? false;
    this.depth = options.parent ? options.parent.depth + 1 : 0;
    if (options.parent) options.parent.#addChild(this);
  }

  /** Outermost first, this scope last. */
  get lineage(): readonly Scope[] {
    const scopes: Scope[] = [];
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) scopes.push(scope);
    return scopes.reverse();
  }

  /** Context that waits for the next turn of this scope. */
  get pending(): string[] {
    this.#pending ??= [];
    return this.#pending;
  }

  set pending(lines: string[] | undefined) {
    this.#pending = lines;
  }

  get children(): ReadonlySet<Scope> {
    return this.#children ?? NOBODY;
  }

  #addChild(child: Scope): void {
    this.#children ??= new Set();
    this.#children.add(child);
  }

  /** From now on it is below another scope, with all that is below it. */
  moveTo(parent: Scope): void {
    // What is summed up along a lineage only grows.
    this.version += 1 + this.lineage.reduce((sum, { version }) => sum + version, 0);
    this.#typeChanges += 1 + this.typeChanges;
    if (this.parent) this.parent.#children?.delete(this);
    this.parent = parent;
    parent.#addChild(this);
    for (const scope of this.tree().reverse()) scope.depth = (scope.parent?.depth ?? 0) + 1;
  }

  /** The agent's type, where it is known (spawnHooks). */
  get agentType(): string | undefined {
    return this.#agentType;
  }

  /** Sets the agent's type, which became known later, or is no longer. */
  setType(type: string | undefined): void {
    if (type === this.#agentType) return;
    this.#agentType = type;
    this.#typeChanges++;
  }

  /** Grows with every change of its type, of those of the scopes above it, and of those that it was below. */
  get typeChanges(): number {
    let changes = this.#typeChanges;
    for (let above = this.parent; above !== undefined; above = above.parent) changes += above.#typeChanges;
    return changes;
  }

  /** The types of the agents that its agent was below when an earlier scope of it ended. */
  get typesBefore(): readonly string[] {
    return this.#typesBefore;
  }

  set typesBefore(types: readonly string[]) {
    this.#typesBefore = types;
    this.#typeChanges++;
  }

  /** The types of the agents that it is below, or was. */
  get typesAbove(): ReadonlySet<string> {
    const types = new Set(this.#typesBefore);
    for (let above = this.parent; above !== undefined; above = above.parent) {
      if (above.#agentType !== undefined) types.add(above.#agentType);
      for (const type of above.#typesBefore) types.add(type);
    }
    return types;
  }

  /** Whether a session driver holds it: only fires of its own session run in it, and it stays open while it is empty. */
  get heldBySession(): boolean {
    return this.#heldBySession;
  }

  hold(isHeld = true): void {
    this.#heldBySession = isHeld;
  }

  /** This scope's own registrations for an event, in running order. */
  own(event: string): readonly Registration[] {
    return this.#find(event)?.own?.sorted ?? NONE;
  }

  /** The names of an event's hooks here as they would be with those, and whether the order would be impossible; `undefined`: none is placed by name. */
  withNames<T>(event: string, added: readonly Registration[], look: Parameters<typeof Own.look<T>>[2]): T | undefined {
    return Own.look(this.#find(event)?.own, added, look);
  }

  /** Every event this scope itself has registrations for. */
  events(): string[] {
    const events: string[] = [];
    for (let of = this.#events; of !== undefined; of = of.next) if (of.own !== undefined) events.push(of.event);
    return events;
  }

  /** The plan that the host has cached for an event here, if it has that stamp; `undefined`: it has another, or the scope has ended since. */
  cached(event: string, stamp: number): unknown {
    const of = this.#find(event);
    return of?.stamp === stamp ? of.cached : undefined;
  }

  cache(event: string, stamp: number, value: unknown): void {
    const of = this.#of(event);
    of.cached = value;
    of.stamp = stamp;
  }

  #find(event: string): OfEvent | undefined {
    let of = this.#events;
    while (of !== undefined && of.event !== event) of = of.next;
    return of;
  }

  #of(event: string): OfEvent {
    const known = this.#find(event);
    if (known !== undefined) return known;
    const added = new OfEvent(event);
    this.#link(this.#last(), added);
    return added;
  }

  #last(): OfEvent | undefined {
    let last = this.#events;
    while (last?.next !== undefined) last = last.next;
    return last;
  }

  #drop(gone: OfEvent): void {
    let before: OfEvent | undefined;
    for (let of = this.#events; of !== gone; of = of?.next) before = of;
    this.#link(before, gone.next);
  }

  /** Puts `next` after `before`; without one it becomes the first. */
  #link(before: OfEvent | undefined, next: OfEvent | undefined): void {
    if (before === undefined) this.#events = next;
    else before.next = next;
  }

  /** Adds all or nothing: an OrderCircle is thrown before anything changed. */
  add(registrations: readonly Registration[]): void {
    const groups = [...byEvent(registrations)];
    // Each is checked before any is changed.
    if (groups.length > 1) for (const [event, added] of groups) Own.check(this.#find(event)?.own, added);
    for (const [event, added] of groups) this.#of(event).own = Own.with(this.#find(event)?.own, added);
    this.version++;
  }

  remove(registrations: readonly Registration[]): void {
    for (const [event, gone] of byEvent(registrations)) {
      const of = this.#find(event);
      of?.own?.remove(gone);
      if (of?.own?.size === 0) this.#drop(of);
    }
    this.version++;
  }

  /** Takes a `once` registration's single run; false when it was taken before. */
  claim(registration: Registration): boolean {
    if (this.claimed(registration)) return false;
    this.#claimed ??= new WeakSet();
    this.#claimed.add(handlerOf(registration));
    return true;
  }

  /** Undoes a claim: the hook did not run. */
  giveBack(registration: Registration): void {
    this.#claimed?.delete(handlerOf(registration));
  }

  claimed(registration: Registration): boolean {
    return this.#claimed?.has(handlerOf(registration)) ?? false;
  }

  /** Whether nothing is registered or alive in it, or below it. */
  get empty(): boolean {
    return this.children.size === 0 && this.lives === 0 && this.events().length === 0;
  }

  /** This scope and those below it, innermost first. */
  tree(): Scope[] {
    const found: Scope[] = [];
    // Agents start agents: a chain of thousands is no reason to overflow the stack.
    const left: Scope[] = [this];
    for (let scope = left.pop(); scope !== undefined; scope = left.pop()) {
      found.push(scope);
      for (const child of scope.children) left.push(child);
    }
    return found.reverse();
  }

  /** Ends this scope and its children, innermost first. */
  close(): void {
    for (const scope of this.tree()) scope.#close();
  }

  #close(): void {
    this.closed = true;
    if (this.parent) this.parent.#children?.delete(this);
    for (let of = this.#events; of !== undefined; of = of.next) of.cached = undefined;
    this.#pending = undefined;
  }
}

/** The same object in every copy of a registration. */
const handlerOf = ({ work }: Registration): object => work as object;
