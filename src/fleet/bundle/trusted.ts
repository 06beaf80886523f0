import { HookscopeError } from '../../errors.js';
import { type SealedBundle, withoutFiles } from './bundle.js';

/** Bytes of what proves the changes of the keys, all together: they are kept in one file. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * The keys that bundles of a channel are signed with: first those of the host's configuration. A bundle that names others, and is signed with one of them and
 * with each new one, puts those in their place.
 */
export class TrustedKeys {
  /** Each once, however often it was named. */
  #keys: readonly string[];
  readonly #first: readonly string[];
  /** What the bundles that have changed them have signed, in their order: what is on disk proves itself. */
  readonly rotations: SealedBundle[] = [];

  constructor(keys: readonly string[]) {
    this.#keys = [...new Set(keys)];
    this.#first = this.#keys;
  }

  get all(): readonly string[] {
    return this.#keys;
  }

  /** Those that count, or have counted once, and those that have signed a change. */
  get known(): ReadonlySet<string> {
    const of = (one: SealedBundle): string[] => [...(one.manifest.keys ?? []), ...one.signers.filter(one.isSignedBy)];
    return new Set([...this.#first, ...this.#keys, ...this.rotations.flatMap(of)]);
  }

  /** Why nothing signed like this counts; undefined: one of the keys has signed it. */
  readonly whyNot = (isSignedBy: SealedBundle['isSignedBy']): string | undefined => {
    if (this.#keys.length === 0) return 'no key is known here: join with the key that signs (--key, keys)';
    if (this.#keys.some(isSignedBy)) return undefined;
    return `it is signed with none of the keys ${this.#keys.join(', ')}, nor with one that the bundles kept in the channel have put in their place; where the team has changed its keys, join with the new one`;
  };

  /** Throws BUNDLE_REFUSED for one that none of the keys has signed, or that names keys which have not, or which there is no room to keep. */
  check(bundle: SealedBundle): void {
    const refuse = (reason: string): never => {
      throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
    };
    const why = this.whyNot(bundle.isSignedBy);
    if (why !== undefined) refuse(why);
    const { keys } = bundle.manifest;
    const unsigned = keys?.find((key) => !bundle.isSignedBy(key));
    if (unsigned !== undefined)
      refuse(`it names the new key ${unsigned}, which has not signed it: sign it with the old key and the new one`);
    if (keys === undefined || this.#isSame(keys)) return;
    const bytes = [...this.rotations, this.#proof(bundle)].reduce((sum, one) => sum + one.bytes.length, 0);
    if (bytes > MOST_BYTES)
      refuse('it changes the keys, and there is no room to keep how it may: join again with the new key');
  }

  /** Accepts a bundle that was checked. */
  take(bundle: SealedBundle): void {
    const { keys } = bundle.manifest;
    if (keys === undefined || this.#isSame(keys)) return;
    this.rotations.push(this.#proof(bundle));
    this.#keys = [...new Set(keys)];
  }

  /** The same keys, which change on their own. */
  copy(): TrustedKeys {
    const keys = new TrustedKeys(this.#first);
    keys.#keys = this.#keys;
    keys.rotations.push(...this.rotations);
    return keys;
  }

  #isSame(keys: readonly string[]): boolean {
    const named = new Set(keys);
    return named.size === this.#keys.length && this.#keys.every((key) => named.has(key));
  }

  #proof(bundle: SealedBundle): SealedBundle {
    return withoutFiles(bundle, [...this.#keys, ...(bundle.manifest.keys ?? [])]);
  }
}
