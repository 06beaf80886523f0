import type { Consent, TrustRequest } from './consent.js';

/** A file that differs from what was accepted. */
export interface Held<Kind extends string> {
  readonly kind: Kind;
  /** The name of the plugin, agent or skill. */
  readonly name?: string;
  readonly file: string;
  /**
   * `never`: it was not accepted, and contributes nothing. `changed`, `gone`: hooks that were accepted and are no longer so do not run,
   * and fail with the cause `untrusted`.
   */
  readonly state: 'never' | 'changed' | 'gone';
  readonly why: string;
  /** What accepting it would bind; for a file that is gone, that it is gone. */
  readonly request: TrustRequest;
  /** The last acceptance, if any. */
  readonly previous?: Consent;
}
