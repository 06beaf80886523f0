import type { Sealed } from '../bundle/bundle.js';
import type { ChannelStatus } from '../status.js';

/** What is refused, each in a place of its own, in the order in which they matter: what cannot be read; the last that counts, for all hosts and for a share of them; what was in force; and what is posted and does not count. */
const WHAT = ['unread', 'main', 'canary', 'kept', 'head of main', 'head of canary'] as const;
export type What = (typeof WHAT)[number];

type Refusal = NonNullable<ChannelStatus['refused']>;

/** What a host refuses of a channel, and tells of it. */
export class Refusals {
  readonly #all = new Map<What, Refusal>();
  readonly #options: { changed(): void; tell(text: string): void };

  constructor(options: { changed(): void; tell(text: string): void }) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The one to report. */
  get first(): Refusal | undefined {
    return WHAT.map((what) => this.#all.get(what)).find((one) => one !== undefined);
  }

  get(what: What): Refusal | undefined {
    return this.#all.get(what);
  }

  /** The same refusal is not told twice. */
  add(what: What, reason: string, bundle: Pick<Sealed, 'name' | 'manifest'> | undefined): void {
    const { revision, sequence } = bundle?.manifest ?? {};
    const last = this.#all.get(what);
    if (last?.reason === reason && last.sequence === sequence) return;
    const known = revision === undefined || sequence === undefined ? {} : { revision, sequence };
    this.#all.set(what, { ...known, reason, at: new Date().toISOString() });
    this.#options.tell(`the bundle ${bundle?.name ?? 'that was sent'} is refused: ${reason}`);
    this.#options.changed();
  }

  /** It is not refused any more. */
  pass(what: What): void {
    if (this.#all.delete(what)) this.#options.changed();
  }
}
