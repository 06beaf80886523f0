import { HookscopeError } from '../../errors.js';
import type { Reply } from '../../handlers/handler.js';
import { LONGEST_TIMER } from '../../values/waiting/timer.js';
import { logProblems, readReturned } from './answer.js';
import type { Attempt } from './attempt.js';
import { Context } from './context.js';
import type { BackgroundCall, BackgroundWork } from './facts.js';
import { threw } from './threw.js';
import { handlerOf } from './work.js';

interface KeptWork {
  readonly name: string;
  /** Closing waits for it; anything that is not followed (a child left behind) is ended at once. */
  readonly followed: boolean;
  readonly done: Promise<unknown>;
  end(): Promise<void>;
  readonly runs: (() => boolean) | undefined;
}

/** Work that continues after its fire has ended: async handlers, processes left behind. None of it outlives the host. */
export class Background implements BackgroundWork {
  readonly #kept = new Set<KeptWork>();
  #due: (() => void) | undefined;

  /** Keeps `begin` until the caller of the fire has continued. Closing calls it at once. */
  postpone(begin: () => void): void {
    this.#due = begin;
  }

  /** Returns the postponed function and forgets it: the caller has to run it. */
  takePostponed(): (() => void) | undefined {
    const due = this.#due;
    this.#due = undefined;
    return due;
  }

  /** Names of the work under way. */
  names(): string[] {
    return [...this.#kept].filter((k) => k.runs?.() !== false).map((k) => k.name);
  }

  /** Resolves when every async handler has ended. */
  async followed(): Promise<void> {
    this.takePostponed()?.();
    for (let left = this.#followed(); left.length > 0; left = this.#followed())
      await Promise.all(left.map((k) => k.done));
  }

  #followed(): KeptWork[] {
    return [...this.#kept].filter((k) => k.followed);
  }

  /** Resolves when everything has ended. */
  async drained(): Promise<void> {
    while (this.#kept.size > 0) await Promise.all([...this.#kept].map((k) => k.done));
  }

  /** Ends everything: signals are fired, process groups killed. */
  async endAll(): Promise<void> {
    this.takePostponed()?.();
    await Promise.all([...this.#kept].map((k) => k.end()));
  }

  keep(
    name: string,
    done: Promise<unknown>,
    end: () => Promise<void>,
    { followed = false, runs }: { readonly followed?: boolean; readonly runs?: (() => boolean) | undefined } = {},
  ): void {
    const kept: KeptWork = { name, followed, done: done.then(noop, noop), end, runs };
    this.#kept.add(kept);
    void kept.done.then(() => this.#kept.delete(kept));
  }

  /** A handler that timed out and is still cleaning up. */
  linger(name: string, answer: Promise<unknown>): void {
    this.keep(name, answer, () => Promise.resolve(), { followed: true });
  }

  /** Follows an async handler: its late context joins the pending context of the scope it was fired in. */
  follow(followed: BackgroundCall): void {
    const { registration, limitMs, reporter } = followed;
    // Without subscribers no clock is read.
    const began = reporter ? performance.now() : 0;
    let stop: (result: Attempt) => void = noop;
    const stopped = new Promise<Attempt>((resolve) => {
      stop = resolve;
    });
    const timer =
      limitMs > 0 ? setTimeout(() => this.#expire(followed, stop), Math.min(limitMs, LONGEST_TIMER)) : undefined;
    timer?.unref();
    const done = Promise.race([this.#answer(followed), stopped]).then((result) => {
      clearTimeout(timer);
      this.#arrive(followed, reporter ? { ...result, durationMs: performance.now() - began } : result);
    });
    this.keep(
      registration.name,
      done,
      async () => {
        this.#cut(followed, new HookscopeError('CLOSED', {}));
        stop({ failure: { cause: 'aborted', message: 'was still running in the background when the host closed' } });
      },
      { followed: true },
    );
  }

  async #answer({ later, ...asked }: BackgroundCall): Promise<Attempt> {
    try {
      const outside = handlerOf(asked.registration) !== undefined;
      let value = await later;
      // A command that was async from the start replies twice: when it has started, and with its output.
      while (outside && (value as Reply).later !== undefined) value = await (value as Reply).later;
      return readReturned(asked, value);
    } catch (error) {
      return { failure: threw(error) };
    }
  }

  /** Fires the signal. A handler outside the process (a command, a request) takes time to stop: closing waits for that, but not for its answer. */
  #cut({ registration, context, later }: BackgroundCall, reason: Error): void {
    Context.end(context, reason);
    if (handlerOf(registration) !== undefined) this.linger(registration.name, later);
  }

  #expire(followed: BackgroundCall, stop: (result: Attempt) => void): void {
    const { registration, limitMs } = followed;
    this.#cut(followed, new DOMException('Its background time was up', 'TimeoutError'));
    const message = `did not end within its background time of ${limitMs / 1000} s`;
    stop({ failure: { cause: 'timeout', message: `${registration.name} ${message}` } });
  }

  #arrive({ fire, registration, reporter }: BackgroundCall, result: Attempt): void {
    const { background, outcome } = result;
    // The handler asked to continue in the background; its answer is still to come.
    if (background) return;
    reporter?.responded(result);
    if (result.failure || result.warnings?.length) logProblems(fire, registration, result);
    // What an observer answers is only recorded.
    if (registration.phase === 'observe') return;
    const late = [outcome?.additionalContext, outcome?.systemMessage].filter((text) => text !== undefined);
    if (late.length > 0) fire.addContext(late);
    if (registration.rewake && result.exitCode === 2) {
      fire.services.wake({
        scope: fire.scopeId,
        handler: registration.id,
        text: [...registration.rewake, (result.stderr ?? '').trim()].join('\n').trim(),
      });
    }
  }
}

function noop(): void {
  // `keep` only waits; results and errors are reported by those who started the work.
}
