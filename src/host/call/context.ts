import { LazySignal } from '../../values/waiting/lazy-signal.js';
import { ignoreRejections } from '../../values/waiting/promises.js';
import type { CallReporter } from './attempt.js';

/** The third argument of a callback. It belongs to one call; its members also work when they are destructured. */
export interface HookContext<Host = unknown> {
  /** Aborts on this handler's timeout, on the caller's own signal and when the host closes. Made when first read. */
  readonly signal: AbortSignal;
  /** The id of the scope in which the event was fired. */
  readonly scope: string;
  readonly host: Host;
  /** `reask`: the input was rewritten after this handler had judged it; `async`: the second call of a two-phase handler. */
  readonly call: 'first' | 'reask' | 'async';
  /** Reports to subscribers; without any, nothing happens. */
  progress(text: string): void;
}

/** The parts of a fire that a context shows. */
export interface ContextFire {
  readonly scopeId: string;
  readonly services: { publicHost(): unknown };
}

/** One handler's context. Its state is private: a handler can read the call, never change it. */
export class Context implements HookContext {
  readonly call: 'first' | 'reask' | 'async';
  readonly #fire: ContextFire;
  readonly #reporter: CallReporter | undefined;
  #ended: unknown;
  #ending: LazySignal | undefined;

  constructor(fire: ContextFire, call: 'first' | 'reask' | 'async', reporter: CallReporter | undefined) {
    this.#fire = fire;
    this.#reporter = reporter;
    this.call = call;
  }

  get signal(): AbortSignal {
    return Context.ending(this).signal;
  }

  get scope(): string {
    return this.#fire.scopeId;
  }

  get host(): unknown {
    return this.#fire.services.publicHost();
  }

  /** A getter that returns a closure: it works when destructured, and costs nothing unless it is read. */
  get progress(): (text: string) => void {
    return (text) => {
      if (typeof text !== 'string') {
        ignoreRejections(text);
        throw new TypeError(`context.progress(text) takes a string, got ${typeof text}`);
      }
      this.#reporter?.progress({ text });
    };
  }

  /** @internal Aborts the signal, even if it is first read later. */
  static end(context: Context, reason: unknown): void {
    if (context.#ended !== undefined) return;
    context.#ended = reason;
    context.#ending?.abort(reason);
  }

  /** @internal The lazy signal behind `signal`. */
  static ending(context: Context): LazySignal {
    if (!context.#ending) {
      context.#ending = new LazySignal();
      if (context.#ended !== undefined) context.#ending.abort(context.#ended);
    }
    return context.#ending;
  }
}

// Shared by all contexts: no handler may change it for the others.
Object.freeze(Context.prototype);
