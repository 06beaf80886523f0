import { HookscopeError } from '../../errors.js';
import type { Bundle } from './bundle.js';

/**
 * The keys that bundles of a channel are signed with: first those of the host's configuration. A bundle that names others, and is signed with one of them and
 * with each new one, puts those in their place.
 */
export class TrustedKeys {
  #keys: readonly string[];
  /** The bundles that have changed them, in their order: what is on disk proves itself. */
  readonly rotations: Bundle[] = [];

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  get all(): readonly string[] {
    return this.#keys;
  }

  /** Throws BUNDLE_REFUSED for one that none of the keys has signed, or that names keys which have not. */
  check(bundle: Bundle): void {
    const refuse = (reason: string): never => {
      throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
    };
    if (this.#keys.length === 0) refuse('no key is known here: join with the key that signs (--key, keys)');
    if (!this.#keys.some((key) => bundle.isSignedBy(key)))
      refuse(
        `it is signed with none of the keys ${this.#keys.join(', ')}; where the team has changed its keys, join with the new one`,
      );
    const unsigned = bundle.manifest.keys?.find((key) => !bundle.isSignedBy(key));
    if (unsigned !== undefined)
      refuse(`it names the new key ${unsigned}, which has not signed it: sign it with the old key and the new one`);
  }

  /** Accepts a bundle that was checked. */
  take(bundle: Bundle): void {
    const { keys } = bundle.manifest;
    if (keys === undefined || (keys.length === this.#keys.length && keys.every((key) => this.#keys.includes(key))))
      return;
    this.#keys = keys;
    this.rotations.push(bundle);
  }
}
