import type { DirectMsgRequest } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { messageOf } from '../../values/waiting/promises.js';
import type { Posted, Stop } from '../engine.js';
import { type Connection, pause } from './connection.js';
import { jetstreamLibrary } from './load.js';
import type { Subjects } from './subjects.js';

/** Milliseconds between two looks for what was not heard of. */
const LOOK = 30_000;
/** Milliseconds until one of what is kept has arrived: with a bundle of 1 MB that is a slow link. */
export const READ = 10_000;
/** Milliseconds until a stream has answered that it is there. */
const THERE = 5_000;
/** No post has this version. */
const NEVER = Number.MAX_SAFE_INTEGER;
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
    const directly = async (timeout: number) => (await jetstreamManager(nc, { checkAPI: false, timeout })).direct;
    const direct = await directly(READ);
    const news = hear(nc, subject, signal, connection);
    // What was asked on a connection that is lost is never answered.
    const lost = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('the connection is lost')), { once: true });
    });
    lost.catch(() => undefined);
    const ask = (what: DirectMsgRequest, by = direct, time = READ) =>
      answered(Promise.race([lost, by.getMessage(policyBucket, what)]), time);
    let version = -1;
    // Whoever follows is to know that nothing was missed.
    told = undefined;
    /** Reads what is kept now. False: it was known. */
    const look = async (): Promise<boolean> => {
      const found = await ask({ last_by_subj: subject });
      const before = version;
      version = found?.seq ?? 0;
      // An entry that was deleted is one with a header.
      const isThere = found !== null && !found.header.has('KV-Operation');
      const posted = isThere ? { bytes: found.data, version } : undefined;
      // A stream that was made again has the same numbers.
      const isNew = version !== before || told === undefined || !isSame(told.posted, posted);
      if (isNew && !signal.aborted) tell(posted);
      return isNew;
    };
    try {
      // A stream that is not there yet is asked again before a bundle could have arrived.
      await ask({ seq: NEVER, next_by_subj: subject }, await directly(THERE), THERE);
      await look();
      while (!signal.aborted) {
        const isHeard = await news.wait(LOOK);
        if (!isHeard && (await ask({ seq: version + 1, next_by_subj: subject }))) await look();
        for (let waits = isHeard ? SOON : []; waits[0] !== undefined && !signal.aborted; ) {
          // What is heard of meanwhile is looked for at once.
          waits = (await news.wait(waits[0])) ? SOON : waits.slice(1);
          if (!signal.aborted && (await look())) break;
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

/** What was asked of a stream. A request from one account to another where nothing listens has no answer, not even that; nor has one whose answer takes too long to arrive. */
export async function answered<T>(asked: Promise<T>, time = READ): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (/no responders/i.test(messageOf(error))) throw new Error('stream not answered', { cause: error });
    if (!/timeout/i.test(messageOf(error))) throw error;
    throw new Error(`stream not answered within ${time / 1000} seconds`, { cause: error });
  }
}
