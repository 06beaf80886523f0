import { canonical } from './canonical.js';
import type { CallKey } from './memory.js';

/** A call whose id may not be known: a question about one need not say it. */
type PolicyAskKey = Omit<CallKey, 'id'> & { readonly tool: string };

/** How many are remembered, the newest. */
const MOST = 1_000;

/** The calls that managed policy has asked about: then a person answers, or a managed hook does. */
export class PolicyAsks {
  readonly #calls = new Set<string>();

  get some(): boolean {
    return this.#calls.size > 0;
  }

  /** What policy last said of this call with this input. */
  note(call: PolicyAskKey, input: unknown, asks: boolean): void {
    const key = keyOf(call, input);
    this.#calls.delete(key);
    if (!asks) return;
    this.#calls.add(key);
    if (this.#calls.size > MOST) this.#calls.delete(this.#calls.values().next().value as string);
  }

  has(call: PolicyAskKey, input: unknown): boolean {
    return this.#calls.has(keyOf(call, input));
  }
}

/** An input that cannot be compared is any. */
function keyOf({ session, agent, tool }: PolicyAskKey, input: unknown): string {
  return JSON.stringify([session, agent ?? null, tool, canonical(input, true)?.key ?? null]);
}
