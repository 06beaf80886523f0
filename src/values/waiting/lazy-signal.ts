/** The part of AbortSignal's interface that is needed to end work. */
export interface EndSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** An AbortController whose signal is made on first read: AbortSignal is expensive, and most handlers finish without anyone reading it. */
export class LazySignal implements EndSignal {
  aborted = false;
  reason: unknown = undefined;
  private listeners: Set<() => void> | undefined = undefined;
  private controller: AbortController | undefined = undefined;

  /** The AbortSignal, created on first read. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.aborted) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.listeners ?? [];
    this.listeners = undefined;
    this.controller?.abort(reason);
    for (const listener of listeners) listener();
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.listeners ??= new Set();
    this.listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.listeners?.delete(listener);
  }
}
