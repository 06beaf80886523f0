import type { MaskOptions } from '../log/outbox.js';
import { whyExpired } from '../policy/last-good.js';
import type { PreparedPolicy } from '../policy/prepare.js';

/** Who may answer, by the public half of a key. */
export interface Approver {
  readonly name: string;
  readonly key: string;
}

/** Those of all channels. A policy that has expired names nobody any more: who was taken off it since is not known. */
export function approversIn(policies: readonly (PreparedPolicy | undefined)[]): Approver[] {
  const inForce = policies.filter((policy) => policy !== undefined && whyExpired(policy.bundle) === undefined);
  return inForce.flatMap((policy) =>
    Object.entries(policy?.bundle.manifest.approvers ?? {}).map(([name, key]) => ({ name, key })),
  );
}

/** What policies mask beside what always is. */
export function masksIn(policies: readonly (PreparedPolicy | undefined)[]): Required<MaskOptions> {
  const masks = policies.flatMap((policy) => policy?.redact ?? []);
  return {
    keys: masks.flatMap(({ keys }) => keys),
    paths: masks.flatMap(({ paths }) => paths),
    patterns: masks.flatMap(({ patterns }) => patterns),
  };
}
