import { randomUUID } from 'node:crypto';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { FLEET_NAME, type FleetEngine, type OpenQuestion } from '../engine.js';
import type { Connection } from './connection.js';
import type { Subjects } from './subjects.js';

/** Milliseconds that the asking host has to reply to an answer. */
const PATIENCE = 5_000;

interface OwnQuestion {
  readonly question: Uint8Array;
  answered(answer: Uint8Array): Uint8Array;
}

/** The questions of one host, and how they are announced while there is a connection. */
interface OpenQuestions {
  readonly all: Map<string, OwnQuestion>;
  tell?: ((id: string, one: OwnQuestion) => void) | undefined;
  gone?: ((id: string) => void) | undefined;
}

/** Said of a question that waits no more. */
const NONE = new Uint8Array();

/**
 * Only the asking process keeps a question: it announces the question when it is opened and when a client wants to know what waits, and takes the answers. So a
 * question goes away with its host, and one place decides which answer was first. Each question has its own subjects: the server lets no host announce another's, and
 * several processes may ask for one host.
 */
export function createQuestions(connection: Connection, subjects: Subjects): FleetEngine['ask'] {
  const hosts = new Map<string, OpenQuestions>();

  const serve = (host: string, asking: OpenQuestions): void => {
    connection.each(async (nc, signal) => {
      const taken = new Map<string, () => void>();
      asking.tell = (id, one) => {
        if (!taken.has(id)) taken.set(id, take(nc, asking.all, subjects.answer(host, id), id));
        publish(nc, subjects.asked(host, id), one.question);
      };
      asking.gone = (id) => {
        taken.get(id)?.();
        taken.delete(id);
        publish(nc, subjects.asked(host, id), NONE);
      };
      const tellAll = (): void => {
        for (const [id, one] of asking.all) asking.tell?.(id, one);
      };
      const listing = nc.subscribe(subjects.waiting, {
        callback: (error) => {
          if (error) connection.refused(error);
          else tellAll();
        },
      });
      tellAll();
      await over(signal);
      asking.tell = undefined;
      asking.gone = undefined;
      for (const stop of [listing.unsubscribe.bind(listing), ...taken.values()]) stop();
    });
  };

  /** Takes answers to one question. */
  const take = (nc: NatsConnection, all: OpenQuestions['all'], subject: string, id: string): (() => void) => {
    const answers = nc.subscribe(subject, {
      callback: (error, { reply, data }) => {
        if (error) connection.refused(error);
        else if (reply) publish(nc, reply, all.get(id)?.answered(data) ?? NONE);
      },
    });
    // Answers under way get a reply: otherwise their sender would wait in vain.
    return () => void answers.drain().catch(() => undefined);
  };

  return {
    open(host, id, question, answered) {
      const asking: OpenQuestions = hosts.get(host) ?? { all: new Map() };
      const one = { question, answered };
      asking.all.set(id, one);
      if (hosts.has(host)) asking.tell?.(id, one);
      else {
        hosts.set(host, asking);
        serve(host, asking);
      }
      return () => {
        if (asking.all.get(id) !== one) return;
        asking.all.delete(id);
        asking.gone?.(id);
      };
    },
    watch(seen, failed) {
      const known = new Map<string, OpenQuestion>();
      const forget = (key: string): void => {
        const question = known.get(key);
        if (question === undefined) return;
        known.delete(key);
        seen({ host: question.host, id: question.id });
      };
      const hear = ({ subject, data }: Msg): void => {
        const [host, id] = subjects.askedIn(subject);
        const key = `${host}/${id}`;
        if (data.length === 0) forget(key);
        const before = known.get(key)?.bytes;
        if (data.length === 0 || (before !== undefined && Buffer.compare(before, data) === 0)) return;
        const question = { host, id, bytes: data };
        known.set(key, question);
        seen(question);
      };
      return connection.each(async (nc, signal) => {
        // A host that disappeared while the connection was down could not withdraw its questions.
        for (const key of [...known.keys()]) forget(key);
        const told = nc.subscribe(subjects.asked('*', '*'), {
          callback: (error, message) => {
            if (error) failed?.(connection.failed(error));
            else hear(message);
          },
        });
        nc.publish(subjects.waiting);
        await over(signal);
        told.unsubscribe();
      });
    },
    async answer(host, id, answer) {
      const nobody = `nobody waits for an answer to ${id}`;
      if (!FLEET_NAME.test(host) || !FLEET_NAME.test(id)) throw connection.failed(nobody);
      try {
        const data = await asked(connection.get(), subjects.answer(host, id), answer, (one) =>
          subjects.taken(host, one),
        );
        if (data.length === 0) throw connection.failed(nobody);
        return data;
      } catch (error) {
        const text = String(error);
        if (/no responders/i.test(text)) throw connection.failed(nobody);
        if (!/timeout/i.test(text)) throw connection.failed(error);
        const silent = `${host} did not say within ${PATIENCE / 1000} s what it made of the answer to ${id}`;
        throw connection.failed(silent);
      }
    },
  };
}

/** A request whose reply comes back on a subject of the host's own: it may publish on no other. */
async function asked(
  nc: NatsConnection,
  subject: string,
  bytes: Uint8Array,
  replyOn: (one: string) => string,
): Promise<Uint8Array> {
  const reply = replyOn(randomUUID());
  const replies = nc.subscribe(reply, { max: 1, timeout: PATIENCE });
  nc.publish(subject, bytes, { reply });
  for await (const { data, headers } of replies) {
    if (data.length === 0 && headers?.code === 503) throw new Error('no responders');
    return data;
  }
  throw new Error('timeout');
}

function publish(nc: NatsConnection, subject: string, bytes: Uint8Array): void {
  try {
    nc.publish(subject, bytes);
  } catch {
    // A client that reconnects asks what waits; a question that is too large for the server reaches no one.
  }
}

function over(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
