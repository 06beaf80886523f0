import type { Consent, TrustRequest } from './consent.js';

/** A file that differs from what was accepted. */
export interface Held<Kind extends string> {
  readonly kind: Kind;
  /** Of a plugin, agent or skill. */
  readonly name?: string;
  readonly file: string;
  /**
   * `never`: it was not accepted, and contributes nothing. `changed`, `gone`: hooks that were accepted and are no longer so do not run,
   * and fail with the cause `untrusted`.
   */
  readonly state: 'never' | 'changed' | 'gone';
  readonly why: string;
  /** What accepting it would bind; of a file that is gone, that it is gone. */
  readonly request: TrustRequest;
  /** What was accepted last, if anything was. */
  readonly previous?: Consent;
}
