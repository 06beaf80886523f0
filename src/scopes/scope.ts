import { byEvent, OwnRegistrations } from './own.js';
import type { RegisteredIn, Registration, ScopeKind } from './registration.js';

const NONE: readonly Registration[] = [];
const NO_TYPES: readonly string[] = [];
const NOBODY: ReadonlySet<Scope> = new Set();

/** A scope's own hooks for one event, and the plan that the host caches for it. A scope's events form a linked list, because thousands of scopes may be open, each with one or two events. */
class EventHooks {
  readonly event: string;
  own: OwnRegistrations | undefined = undefined;
  cached: unknown = undefined;
  stamp = 0;
  next: EventHooks | undefined = undefined;

  constructor(event: string) {
    this.event = event;
  }
}

/**
 * A node of the scope tree: managed policy, the host, a session, an agent. It holds its own registrations only; what a fire
 * sees is merged on read from the ancestors, by version, and never copied down. So a parent's late registration reaches open
 * children at once, and opening or closing one scope rebuilds no other scope's plan.
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
  /** Whether the agent has started, so that the scope has the hooks for its type. A scope opened by the user waits for its agent. */
  begun = false;
  /** Whether hooks were registered in it by a call that named its parent. */
  placed = false;
  /** Another scope, whose own hooks also count here and below although it is no ancestor. */
  beside: Scope | undefined = undefined;
  /** How many plugins and other resources end together with this scope. */
  lives = 0;
  #agentType: string | undefined;
  #typesBefore: readonly string[] = NO_TYPES;
  #typeChanges = 0;
  #heldBySession = false;
  #pending: string[] | undefined;
  #children: Set<Scope> | undefined;
  #events: EventHooks | undefined;
  /** The handlers of `once` registrations that have run. A fire in progress may still hold a registration that has been removed since. */
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
    if (options.parent) options.parent.#children = (options.parent.#children ?? new Set()).add(this);
  }

  /** Outermost first, this scope last. */
  get lineage(): readonly Scope[] {
    const scopes: Scope[] = [];
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) scopes.push(scope);
    return scopes.reverse();
  }

  /** Context that is added to this scope's next turn. */
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

  /** Moves this scope and its descendants below another parent. */
  moveTo(parent: Scope): void {
    // Caches compare sums of versions along the ancestors, so the sums must not shrink when the ancestors change.
    this.version += 1 + this.lineage.reduce((sum, { version }) => sum + version, 0);
    this.#typeChanges += 1 + this.typeChanges;
    if (this.parent) this.parent.#children?.delete(this);
    this.parent = parent;
    parent.#children = (parent.#children ?? new Set()).add(this);
    for (const scope of this.tree().reverse()) scope.depth = (scope.parent?.depth ?? 0) + 1;
  }

  /** The agent's type, if known (spawnHooks). */
  get agentType(): string | undefined {
    return this.#agentType;
  }

  /** Sets the agent's type when it becomes known, or removes it. */
  setType(type: string | undefined): void {
    if (type === this.#agentType) return;
    this.#agentType = type;
    this.#typeChanges++;
  }

  /** Grows whenever the type of this scope or of an ancestor changes, or `typesBefore` does. */
  get typeChanges(): number {
    let changes = this.#typeChanges;
    for (let above = this.parent; above !== undefined; above = above.parent) changes += above.#typeChanges;
    return changes;
  }

  /** The types of the ancestors that this agent had when an earlier scope of the same agent ended. */
  get typesBefore(): readonly string[] {
    return this.#typesBefore;
  }

  set typesBefore(types: readonly string[]) {
    this.#typesBefore = types;
    this.#typeChanges++;
  }

  /** The types of the agent's present and earlier ancestors. */
  get typesAbove(): ReadonlySet<string> {
    const types = new Set(this.#typesBefore);
    for (let above = this.parent; above !== undefined; above = above.parent) {
      if (above.#agentType !== undefined) types.add(above.#agentType);
      for (const type of above.#typesBefore) types.add(type);
    }
    return types;
  }

  /** Whether a session driver holds this scope. Then only fires of that session run in it, and it stays open while it is empty. */
  get heldBySession(): boolean {
    return this.#heldBySession;
  }

  hold(isHeld = true): void {
    this.#heldBySession = isHeld;
    // Plans leave held scopes out.
    this.version++;
  }

  /** This scope's own registrations for an event, in running order. */
  own(event: string): readonly Registration[] {
    return this.#find(event)?.own?.sorted ?? NONE;
  }

  /** Calls `look` with the hook names that the event would have after adding these, and whether the order would be impossible. Returns `undefined` if no hook has `before` or `after`. */
  withNames<T>(
    event: string,
    added: readonly Registration[],
    look: Parameters<typeof OwnRegistrations.look<T>>[2],
  ): T | undefined {
    return OwnRegistrations.look(this.#find(event)?.own, added, look);
  }

  /** The events for which this scope itself has registrations. */
  events(): string[] {
    const events: string[] = [];
    for (let of = this.#events; of !== undefined; of = of.next) if (of.own !== undefined) events.push(of.event);
    return events;
  }

  /** The plan that the host has cached for an event; `undefined` if it has another stamp or the scope has ended. */
  cached(event: string, stamp: number): unknown {
    const of = this.#find(event);
    return of?.stamp === stamp ? of.cached : undefined;
  }

  cache(event: string, stamp: number, value: unknown): void {
    const of = this.#of(event);
    of.cached = value;
    of.stamp = stamp;
  }

  #find(event: string): EventHooks | undefined {
    let of = this.#events;
    while (of !== undefined && of.event !== event) of = of.next;
    return of;
  }

  #of(event: string): EventHooks {
    const known = this.#find(event);
    if (known !== undefined) return known;
    const added = new EventHooks(event);
    this.#link(this.#last(), added);
    return added;
  }

  #last(): EventHooks | undefined {
    let last = this.#events;
    while (last?.next !== undefined) last = last.next;
    return last;
  }

  #drop(gone: EventHooks): void {
    let before: EventHooks | undefined;
    for (let of = this.#events; of !== gone; of = of?.next) before = of;
    this.#link(before, gone.next);
  }

  /** Links `next` behind `before`, or at the start of the list if `before` is undefined. */
  #link(before: EventHooks | undefined, next: EventHooks | undefined): void {
    if (before === undefined) this.#events = next;
    else before.next = next;
  }

  /** Adds all registrations or, if it throws an OrderCircle, none. */
  add(registrations: readonly Registration[]): void {
    const groups = [...byEvent(registrations)];
    // All events are checked before any is changed.
    if (groups.length > 1) for (const [event, added] of groups) OwnRegistrations.check(this.#find(event)?.own, added);
    for (const [event, added] of groups) this.#of(event).own = OwnRegistrations.with(this.#find(event)?.own, added);
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

  /** Claims the single run of a `once` registration. Returns false if it was claimed before. */
  claim(registration: Registration): boolean {
    if (this.claimed(registration)) return false;
    this.#claimed ??= new WeakSet();
    this.#claimed.add(handlerOf(registration));
    return true;
  }

  /** Undoes a claim, because the hook did not run. */
  giveBack(registration: Registration): void {
    this.#claimed?.delete(handlerOf(registration));
  }

  claimed(registration: Registration): boolean {
    return this.#claimed?.has(handlerOf(registration)) ?? false;
  }

  /** Whether the scope has no registrations, no plugins and no children. */
  get empty(): boolean {
    return this.children.size === 0 && this.lives === 0 && this.events().length === 0;
  }

  /** This scope and its descendants, innermost first. */
  tree(): Scope[] {
    const found: Scope[] = [];
    // A work list instead of recursion: thousands of agents that start one another must not overflow the stack.
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

/** Identifies a registration: the handler is the same object in all of its copies. */
const handlerOf = ({ work }: Registration): object => work as object;
