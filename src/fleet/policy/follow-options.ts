import type { FireRecord } from '../../emit/fire-record.js';
import type { FleetEngine } from '../engine.js';
import type { AllowList } from './allowed.js';
import type { ManagedPolicies } from './managed.js';

/** What following a channel needs. */
export interface FollowOptions {
  readonly engine: FleetEngine;
  readonly team: string;
  readonly channel: string;
  readonly host: string;
  /** The folder of the last good bundle. */
  readonly folder: string;
  /** The folder in which commands run. */
  readonly directory: string;
  readonly keys: readonly string[];
  readonly managed: ManagedPolicies;
  allowed(): AllowList;
  /** Roots of the other channels' bundles. */
  claimed(): readonly string[];
  /** The newest decisions of this host. */
  recent(): AsyncIterable<FireRecord>;
  changed(): void;
  tell(text: string): void;
}
