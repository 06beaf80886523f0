import type { Consent, TrustRequest } from './consent.js';

/** A file that was never accepted or has changed since. */
export interface UnacceptedFile<Kind extends string> {
  readonly kind: Kind;
  /** The name of the plugin, agent or skill. */
  readonly name?: string;
  readonly file: string;
  /**
   * `never`: the file was not accepted, and its hooks are not registered. `changed`, `gone`: hooks that are no longer as accepted do not run
   * and fail with the cause `untrusted`.
   */
  readonly state: 'never' | 'changed' | 'gone';
  readonly why: string;
  /** What accepting the file would bind. For a file that is gone, accepting it confirms that. */
  readonly request: TrustRequest;
  /** The latest consent, if any. */
  readonly previous?: Consent;
}
