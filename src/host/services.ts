import type { Bus } from '../emit/bus.js';
import type { RecordedPolicy } from '../emit/record.js';
import type { OnFailure } from '../events/failure.js';
import type { Meanings } from '../events/output/meant.js';
import type { EventSpec } from '../events/spec.js';
import type { Registration } from '../scopes/registration.js';
import type { ScopeLookup } from '../scopes/tree.js';
import type { Alarms } from './alarms/alarms.js';
import type { Clock } from './call/clock.js';
import type { LargeOutput } from './call/large-output.js';
import type { AnyDecision } from './decide/decision.js';
import type { Decisions } from './decide/fold.js';
import type { AskTeam } from './elsewhere.js';
import type { SessionFields } from './fire/input.js';
import type { EventHook, RawTap } from './hooks.js';
import type { EventPlans } from './plan/plans.js';
import type { Notices } from './tell/notices.js';
import type { Wake } from './types.js';

/** What a fire needs from its host; plain fields, because every fire reads them. */
export interface Services {
  /** The public host, as handlers see it in their context; a function, since the host is made after its services. */
  publicHost(): unknown;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly alarms: Alarms;
  readonly largeOutput: LargeOutput;
  readonly decisions: Decisions;
  /** Which scopes' hooks run in a fire. */
  readonly merge: 'lineage' | 'all';
  /** Seconds; 0: slow hooks are not reported. */
  readonly slowAfter: number;
  /** The most bytes of JSON for an input that leaves the process. */
  readonly maxInputBytes: number;
  readonly projectDir: string | undefined;
  readonly session: SessionFields;
  closed: boolean;
  /** The host exists for one fire, without a server, and its records say so. */
  stateless?: true;
  /** The project of a call in a folder if there is no `projectDir`. Default: the folder. */
  projectOf?: (cwd: string) => string;
  /** For a host that has joined a fleet: the policies in force, by channel. Frozen; replaced together with the hooks. */
  policies?: readonly RecordedPolicy[] | undefined;
  /** Puts asks to approvers of the fleet that the host has joined. */
  elsewhere?: AskTeam | undefined;
  /** The result of an ask that no one has answered: `block` denies it, otherwise the ask stands. */
  readonly unanswered: OnFailure;
  /** Writes to the logger. Lines with the same `repeats` within a minute are written once and counted. */
  report(message: string, detail?: unknown, repeats?: string): void;
  /** Reports hooks that have changed since they were accepted. */
  readonly notices: Notices;
  wake(wake: Wake): void;
  /** The configuration as one hash. */
  revision(): string;
  /** How many registrations for the event are outside the fire's plan, which has `planned`. */
  outOfScope(spec: EventSpec, planned: number, agentType: string | undefined): number;
}

/** What a host keeps for one event. */
export interface EventState {
  readonly spec: EventSpec;
  readonly plans: EventPlans;
  /** The event ends the scope of its agent. */
  readonly closes: boolean;
  readonly endsSession: boolean;
  /** The event says that a tool call has failed or was denied. */
  readonly endsCall: boolean;
  /** The event starts an agent. */
  readonly opens: boolean;
  hook: EventHook | undefined;
  /** The answer to every fire without registrations and subscribers. */
  readonly quiet: Promise<AnyDecision>;
  /** Meanings of callbacks' answers that need not be parsed. */
  readonly meanings: Meanings;
  /** A quick check of an input; false only means that the full check must run. */
  accepts: (input: unknown) => boolean;
}

/** All hooks and raw taps that a fire there would find; the same object is the same hook. */
export function hooksOf(state: EventState, found: ScopeLookup): readonly Registration[] {
  const own = state.plans.of(found).registrations;
  return state.hook?.foreign ? [...own, ...tapsOf(state).map(({ registration }) => registration)] : own;
}

export const tapsOfAll = ({ events }: { readonly events: Readonly<Record<string, EventState>> }): Registration[] =>
  Object.values(events).flatMap((state) => tapsOf(state).map(({ registration }) => registration));

/** Raw taps on the event's own hook, in the order in which they run. */
export const tapsOf = ({ hook }: EventState): readonly RawTap[] => (hook?.foreign ? hook.taps() : []);
