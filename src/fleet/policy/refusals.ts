import type { SealedBundle } from '../bundle/bundle.js';
import type { ChannelStatus } from '../status.js';

/** What is refused, each in a place of its own, in the order in which they matter: what cannot be read; the last that counts, for all hosts and for a share of them; what was in force; and what is posted and does not count. */
const WHAT = ['unread', 'main', 'canary', 'kept', 'head of main', 'head of canary'] as const;
export type PolicyPart = (typeof WHAT)[number];

type BundleRefusal = NonNullable<ChannelStatus['refused']>;

/** What a host refuses of a channel, and tells of it. */
export class Refusals {
  readonly #all = new Map<PolicyPart, BundleRefusal>();
  readonly #options: { changed(): void; tell(text: string): void };

  constructor(options: { changed(): void; tell(text: string): void }) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The one to report. */
  get first(): BundleRefusal | undefined {
    return WHAT.map((what) => this.#all.get(what)).find((one) => one !== undefined);
  }

  get(what: PolicyPart): BundleRefusal | undefined {
    return this.#all.get(what);
  }

  /** The same refusal is not told twice. */
  add(what: PolicyPart, reason: string, bundle: Pick<SealedBundle, 'name' | 'manifest'> | undefined): void {
    const { revision, sequence } = bundle?.manifest ?? {};
    const last = this.#all.get(what);
    if (last?.reason === reason && last.sequence === sequence) return;
    const known = revision === undefined || sequence === undefined ? {} : { revision, sequence };
    this.#all.set(what, { ...known, reason, at: new Date().toISOString() });
    this.#options.tell(`the bundle ${bundle?.name ?? 'that was sent'} is refused: ${reason}`);
    this.#options.changed();
  }

  /** It is not refused any more. */
  pass(what: PolicyPart): void {
    if (this.#all.delete(what)) this.#options.changed();
  }
}
