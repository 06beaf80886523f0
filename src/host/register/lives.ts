import { HookscopeError } from '../../errors.js';
import type { Scope } from '../../scopes/scope.js';
import { describeError } from '../../values/message.js';
import { checkOption } from '../../values/options.js';
import { checks } from '../../values/shape.js';
import { LazySignal } from '../../values/waiting/lazy-signal.js';
import { resultOf } from '../../values/waiting/promises.js';
import { doneWithin } from '../../values/waiting/timer.js';
import type { Undo } from '../types.js';
import type { RegistrationOptions } from './register.js';

/** Hooks that can be moved to another scope. */
interface Movable {
  moveTo(scope: Scope): void;
}

/** The hooks that the start of a session or agent has put into its scope. */
export class HooksOfStart {
  readonly #all: Movable[] = [];
  #to: Scope | undefined;

  add(added: Movable): void {
    this.#all.push(added);
    if (this.#to) added.moveTo(this.#to);
  }

  /** Moves the hooks to another scope, and all that are added later. */
  moveTo(scope: Scope): void {
    this.#to = scope;
    for (const added of this.#all) added.moveTo(scope);
  }
}

type Closer = () => unknown;

interface LivesParts {
  /** Seconds to wait for each cleanup. */
  readonly seconds: number;
  report(message: string): void;
  /** Called when something that lived in the scope has ended. */
  left(scope: Scope): void;
}

/** Things that live in scopes and end with them, mostly plugins; and the cleanups under way. */
export class Lives {
  readonly #parts: LivesParts;
  readonly #in = new Map<Scope, Set<Life>>();
  readonly #underWay = new Set<Promise<void>>();
  #closed = false;

  constructor(parts: LivesParts) {
    this.#parts = parts;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Seconds to wait for each cleanup. */
  get seconds(): number {
    return this.#parts.seconds;
  }

  /** Throws CLOSED once the host has cleaned up. */
  begin(scope: Scope, name: string, plugin = false): Life {
    if (this.#closed) throw new HookscopeError('CLOSED', {});
    const lives = this.#in.get(scope) ?? new Set();
    if (plugin && [...lives].some((life) => life.plugin && life.name === name))
      this.#parts.report(
        `Plugin ${name} is used twice in scope "${scope.id}": all of its hooks run twice. Give the second one a name, use(plugin, options, { name })`,
      );
    const life = new Life(scope, name, plugin, { over: (one) => this.#over(one), run: this.#run });
    this.#in.set(scope, lives.add(life));
    scope.lives++;
    return life;
  }

  /** Ends everything when the host closes, innermost and newest first. Resolves when all cleanups are done or have run out of time. */
  async close(): Promise<void> {
    this.#closed = true;
    const scopes = [...this.#in.keys()].reverse().sort((a, b) => b.depth - a.depth);
    void this.end(scopes);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Ends everything that lives in the scopes. */
  async end(scopes: readonly Scope[]): Promise<void> {
    const lives = scopes.flatMap((scope) => [...(this.#in.get(scope) ?? [])].reverse());
    await Promise.all(lives.map((life) => life.end()));
  }

  #over(life: Life): void {
    const { scope } = life;
    const lives = this.#in.get(scope);
    lives?.delete(life);
    if (lives?.size === 0) this.#in.delete(scope);
    scope.lives--;
    this.#parts.left(scope);
  }

  /** Starts all cleanups at once, so that one that fails or hangs does not keep the others from running. */
  readonly #run = (name: string, closers: readonly Closer[]): Promise<void> => {
    if (closers.length === 0) return Promise.resolve();
    const all = Promise.all(closers.map((closer) => this.#cleanUp(name, closer))).then(() => undefined);
    this.#underWay.add(all);
    return all.finally(() => this.#underWay.delete(all));
  };

  async #cleanUp(name: string, closer: Closer): Promise<void> {
    const { seconds, report } = this.#parts;
    try {
      const done = await doneWithin(seconds * 1000, resultOf(closer));
      if (!done) report(`Plugin ${name} did not clean up within ${seconds} s`);
    } catch (error) {
      report(`Plugin ${name} failed while it was cleaned up: ${describeError(error)}`);
    }
  }
}

interface LifeEnds {
  over(life: Life): void;
  run(name: string, closers: readonly Closer[]): Promise<void>;
}

/** The life of a plugin, or of hooks made for one agent. It ends once, at the latest with its scope. */
export class Life {
  readonly scope: Scope;
  readonly name: string;
  readonly plugin: boolean;
  /** Makes the check that runs before a command of its hooks. */
  trustCheckOf: RegistrationOptions['trustCheckOf'];
  /** If it belongs to a start that may fail: the hooks that this start has added. */
  given: HooksOfStart | undefined;
  readonly #ends: LifeEnds;
  readonly #undos = new Set<Undo>();
  readonly #closers = new Set<{ readonly call: Closer }>();
  readonly #ending = new LazySignal();
  #ended: Promise<void> | undefined;

  constructor(scope: Scope, name: string, plugin: boolean, ends: LifeEnds) {
    this.scope = scope;
    this.name = name;
    this.plugin = plugin;
    this.#ends = ends;
  }

  get over(): boolean {
    return this.#ended !== undefined;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Adds something that is undone before the cleanup. The returned undo removes it from the list. */
  undo(take: Undo): Undo {
    if (this.over) take();
    const once = (): void => {
      if (this.#undos.delete(once)) take();
    };
    this.#undos.add(once);
    return once;
  }

  /** Calls the function when the life ends, or at once if it has ended. The returned undo removes the function. */
  onClose(call: Closer): Undo {
    checkOption('onClose(fn)', call, checks.fn);
    if (this.over) {
      void this.#ends.run(this.name, [call]);
      return () => undefined;
    }
    const closer = { call };
    this.#closers.add(closer);
    return () => void this.#closers.delete(closer);
  }

  /** Ends the life: removes its hooks, aborts its signal, then starts its cleanups, the last one first. Never rejects. */
  end(): Promise<void> {
    if (this.#ended !== undefined) return this.#ended;
    let done: () => void = () => undefined;
    // Set before any user code runs, because that code may call `end` again.
    this.#ended = new Promise((resolve) => {
      done = resolve;
    });
    for (const take of [...this.#undos].reverse()) take();
    this.#ends.over(this);
    this.#ending.abort(new DOMException(`${this.name} has ended in scope "${this.scope.id}"`, 'AbortError'));
    const closers = [...this.#closers].reverse().map(({ call }) => call);
    this.#closers.clear();
    void this.#ends.run(this.name, closers).then(done);
    return this.#ended;
  }
}
