import { schema, zod } from '../values/zod.js';

/** What a host says of itself: its policy, its log, and how often a decision was not honoured. Times are ISO 8601. */
export interface HostStatus {
  readonly host: string;
  /** When it said so. */
  readonly at: string;
  /** Of hookscope. */
  readonly version: string;
  /** It has said that it goes. */
  readonly left?: true;
  readonly channels: readonly ChannelStatus[];
  readonly log: LogStatus;
  /** Of how many calls what was decided was not what was done. */
  readonly alarms: number;
}

/** What a host says of one channel. */
export interface ChannelStatus {
  readonly channel: string;
  /** Of the bundle in force; absent: none is. */
  readonly revision?: string;
  readonly sequence?: number;
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

/** How a host's log stands. */
export interface LogStatus {
  /** Acknowledged, since its processes began their logs. */
  readonly sent: number;
  readonly waiting: number;
  /** When the oldest that waits was recorded, ISO 8601: how far the broker is behind. */
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

/** Undefined: it is no such thing. */
export function readStatus(bytes: Uint8Array): HostStatus | undefined {
  try {
    const read = statusSchema().safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds between two words of a host, and after which it is taken for gone. */
export const HEARTBEAT = 15;
export const SILENT = 50;
