import { canonical } from './canonical.js';
import type { CallKey } from './memory.js';

/** A call without its id, which a question about the call need not contain. */
type AskKey = Omit<CallKey, 'id'> & { readonly tool: string };

/** How many asks are remembered; the oldest are dropped. */
const MOST = 1_000;

/** The calls that hooks have asked about. Some hooks further inside may not allow them in the user's place. */
export class Asks {
  /** The depth of the outermost scope whose hooks asked; 0: managed policy. */
  readonly #calls = new Map<string, number>();

  get some(): boolean {
    return this.#calls.size > 0;
  }

  /** Records whose hooks, when they last decided about this call with this input, asked. */
  note(call: AskKey, input: unknown, depth: number | undefined): void {
    const key = keyOf(call, input);
    this.#calls.delete(key);
    if (depth === undefined) return;
    this.#calls.set(key, depth);
    if (this.#calls.size > MOST) this.#calls.delete(this.#calls.keys().next().value as string);
  }

  depthOf(call: AskKey, input: unknown): number | undefined {
    return this.#calls.get(keyOf(call, input));
  }
}

/** All inputs that cannot be compared have the same key. */
function keyOf({ session, agent, tool }: AskKey, input: unknown): string {
  return JSON.stringify([session, agent ?? null, tool, canonical(input, true)?.key ?? null]);
}
