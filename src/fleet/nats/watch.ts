import type { NatsConnection } from '@nats-io/transport-node';
import { messageOf } from '../../values/waiting/promises.js';
import type { Posted, Stop } from '../engine.js';
import { type Connection, pause } from './connection.js';
import { jetstreamLibrary } from './load.js';
import type { Subjects } from './subjects.js';

/** Milliseconds between two looks for what was not heard of. */
const LOOK = 30_000;
/** Milliseconds before each look for what was just heard of: the server tells of it and keeps it at the same time. */
const SOON = [0, 20, 100, 500, 2_000];

/**
 * Follows a channel without a consumer, since whoever may make one chooses where the server delivers, and delivers with the server's rights. What is posted is heard of, and then
 * read.
 */
export function watchChannel(
  connection: Connection,
  { policyBucket, policyOf }: Subjects,
  channel: string,
  seen: (posted: Posted | undefined) => void,
): Stop {
  const subject = policyOf(channel);
  let told: { readonly posted: Posted | undefined } | undefined;
  const tell = (posted: Posted | undefined): void => {
    if (told !== undefined && isSame(told.posted, posted)) return;
    told = { posted };
    seen(posted);
  };

  return connection.each(async (nc, signal) => {
    const { jetstreamManager } = await jetstreamLibrary();
    const { direct } = await jetstreamManager(nc, { checkAPI: false });
    const news = hear(nc, subject, signal, connection);
    let version = -1;
    // Whoever follows is to know that nothing was missed.
    told = undefined;
    /** Reads what is kept now. False: it was known. */
    const look = async (): Promise<boolean> => {
      const found = await answered(direct.getMessage(policyBucket, { last_by_subj: subject }));
      const isNew = version !== (found?.seq ?? 0);
      version = found?.seq ?? 0;
      // An entry that was deleted is one with a header.
      const isThere = found !== null && !found.header.has('KV-Operation');
      if (isNew && !signal.aborted) tell(isThere ? { bytes: found.data, version } : undefined);
      return isNew;
    };
    try {
      await look();
      while (!signal.aborted) {
        const isHeard = await news.wait(LOOK);
        if (!isHeard && (await answered(direct.getMessage(policyBucket, { seq: version + 1, next_by_subj: subject }))))
          await look();
        for (const wait of isHeard ? SOON : []) {
          await pause(wait, signal);
          if (signal.aborted || (await look())) break;
        }
      }
    } finally {
      news.stop();
    }
  });
}

/** A broker that has lost its disk counts from one again, so the version alone says nothing. */
const isSame = (a: Posted | undefined, b: Posted | undefined): boolean =>
  a?.version === b?.version && Buffer.compare(a?.bytes ?? NONE, b?.bytes ?? NONE) === 0;
const NONE = new Uint8Array();

/** Hears that something is posted, which says neither what nor that it is kept. */
function hear(nc: NatsConnection, subject: string, signal: AbortSignal, connection: Connection) {
  let isHeard = false;
  let wake = new AbortController();
  const heard = nc.subscribe(subject, {
    callback: (error) => {
      if (error) return void connection.refused(error);
      isHeard = true;
      wake.abort();
    },
  });
  return {
    stop: () => heard.unsubscribe(),
    /** Resolves when something is heard, or has been since the last call; false: after this many milliseconds nothing. */
    async wait(milliseconds: number): Promise<boolean> {
      if (!isHeard) await pause(milliseconds, AbortSignal.any([signal, wake.signal]));
      const was = isHeard;
      isHeard = false;
      wake = new AbortController();
      return was;
    },
  };
}

/** A request from one account to another where nothing listens has no answer, not even that. */
export async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!/timeout|no responders/i.test(messageOf(error))) throw error;
    throw new Error('stream not answered', { cause: error });
  }
}
