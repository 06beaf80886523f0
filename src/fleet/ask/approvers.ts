import type { MaskOptions } from '../log/masked.js';
import { whyExpired } from '../policy/last-good.js';
import type { PreparedPolicy } from '../policy/prepare.js';

/** Someone who may answer, identified by a public key. */
export interface Approver {
  readonly name: string;
  readonly key: string;
}

/** The approvers of all channels. An expired policy names no approvers: those removed since are not known. */
export function approversIn(policies: readonly (PreparedPolicy | undefined)[]): Approver[] {
  const inForce = policies.filter((policy) => policy !== undefined && whyExpired(policy.bundle) === undefined);
  return inForce.flatMap((policy) =>
    Object.entries(policy?.bundle.manifest.approvers ?? {}).map(([name, key]) => ({ name, key })),
  );
}

/** What policies mask in addition to the defaults. */
export function masksIn(masks: readonly (PreparedPolicy['redact'] | undefined)[]): Required<MaskOptions> {
  return {
    keys: masks.flatMap((one) => one?.keys ?? []),
    paths: masks.flatMap((one) => one?.paths ?? []),
    patterns: masks.flatMap((one) => one?.patterns ?? []),
  };
}
