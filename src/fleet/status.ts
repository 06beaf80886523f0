import { schema, zod } from '../values/zod.js';
import type { Shared } from './engine.js';

/** What a host reports about itself: its policy, its log, and how often a decision was not honoured. Times are ISO 8601. */
export interface HostStatus {
  readonly host: string;
  /** When it reported this. */
  readonly at: string;
  /** The version of hookscope. */
  readonly version: string;
  /** It has announced that it is leaving. */
  readonly left?: true;
  readonly channels: readonly ChannelStatus[];
  readonly log: LogStatus;
  /** For how many calls the outcome differed from the decision. */
  readonly alarms: number;
}

/** What a host reports about one channel. */
export interface ChannelStatus {
  readonly channel: string;
  /** The revision in force; absent: no bundle is. */
  readonly revision?: string;
  readonly sequence?: number;
  /** SHA-256 of its bytes: another bundle may have its revision and its number. Absent beside a revision: an older hookscope reports none. */
  readonly digest?: string;
  /** The number that counted last, where that is higher: this host refuses it, or it is a canary for others. */
  readonly counted?: number;
  /** When it came into force. */
  readonly since?: string;
  /** The share of hosts that have this one. */
  readonly canary?: number;
  /** Why every gate asks. */
  readonly asks?: string;
  /** The last one that was not taken, and why. */
  readonly refused?: {
    readonly revision?: string;
    readonly sequence?: number;
    readonly reason: string;
    readonly at: string;
  };
}

/** The state of a host's log. */
export interface LogStatus {
  /** Acknowledged, since its processes began their logs. */
  readonly sent: number;
  readonly waiting: number;
  /** When the oldest waiting record was made, ISO 8601: how far the broker is behind. */
  readonly oldest?: string;
  /** Lost: the log was full, or could not be written. */
  readonly dropped: number;
}

const statusSchema = schema(() =>
  zod().object({
    host: zod().string(),
    at: zod().string(),
    version: zod().string(),
    left: zod().literal(true).exactOptional(),
    channels: zod().array(
      zod().object({
        channel: zod().string(),
        revision: zod().string().exactOptional(),
        sequence: zod().number().exactOptional(),
        digest: zod().string().exactOptional(),
        counted: zod().number().exactOptional(),
        since: zod().string().exactOptional(),
        canary: zod().number().exactOptional(),
        asks: zod().string().exactOptional(),
        refused: zod()
          .object({
            revision: zod().string().exactOptional(),
            sequence: zod().number().exactOptional(),
            reason: zod().string(),
            at: zod().string(),
          })
          .exactOptional(),
      }),
    ),
    log: zod().object({
      sent: zod().number(),
      waiting: zod().number(),
      oldest: zod().string().exactOptional(),
      dropped: zod().number(),
    }),
    alarms: zod().number(),
  }),
);

/** undefined: it is not a status. */
export function readStatus(bytes: Uint8Array): HostStatus | undefined {
  try {
    const read = statusSchema().safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** What a host has reported, and when that was by the clock of the broker. */
export interface ReportedStatus extends HostStatus {
  /** Milliseconds since then; absent: the engine does not say. */
  readonly age?: number;
}

/** The reports of hosts, in order. */
export function hostsIn(all: readonly Shared[]): ReportedStatus[] {
  return all
    .flatMap(({ host, bytes, age }): ReportedStatus[] => {
      const status = readStatus(bytes);
      // A report under another host's name does not count.
      if (status === undefined || status.host !== host) return [];
      const isKnown = age !== undefined && age > -SKEW;
      return [isKnown ? { ...status, age: Math.max(0, age) } : status];
    })
    .sort((a, b) => (a.host < b.host ? -1 : 1));
}

/** What a host has in force, beside what is posted for all. `ahead`: another with a higher number, as a canary has. An older hookscope reports no digest. */
export function standingOf(
  { revision, sequence = 0, digest }: ChannelStatus,
  posted: { readonly revision: string; readonly sequence: number; readonly digest: string },
): 'has it' | 'ahead' | 'behind' {
  const isSame =
    digest === undefined ? revision === posted.revision && sequence === posted.sequence : digest === posted.digest;
  if (isSame) return 'has it';
  return sequence > posted.sequence ? 'ahead' : 'behind';
}

/** It has not spoken for a while, or says a time that is none. Its own clock counts only where the broker's is not known, or was set back since. */
export function isSilent({ at, age }: ReportedStatus, now = Date.now()): boolean {
  const since = age !== undefined && age > -SKEW ? age : now - Date.parse(at);
  return Number.isNaN(Date.parse(at)) || !(since <= SILENT * 1000);
}

/** Seconds between two words of a host, and after which it is taken for gone. */
export const HEARTBEAT = 15;
const SILENT = 50;
/** Milliseconds by which a report may be later than the time at which the broker was asked for it. */
const SKEW = 1_000;
