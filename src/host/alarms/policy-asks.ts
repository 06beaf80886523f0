import { canonical } from './canonical.js';
import type { CallKey } from './memory.js';

/** A call without its id, which a question about the call need not contain. */
type PolicyAskKey = Omit<CallKey, 'id'> & { readonly tool: string };

/** How many asks are remembered; the oldest are dropped. */
const MOST = 1_000;

/** The calls that managed policy has asked about: only the user or a managed hook may allow them. */
export class PolicyAsks {
  readonly #calls = new Set<string>();

  get some(): boolean {
    return this.#calls.size > 0;
  }

  /** Records whether policy, when it last decided about this call with this input, asked. */
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

/** All inputs that cannot be compared have the same key. */
function keyOf({ session, agent, tool }: PolicyAskKey, input: unknown): string {
  return JSON.stringify([session, agent ?? null, tool, canonical(input, true)?.key ?? null]);
}
