import { randomUUID } from 'node:crypto';
import type { FleetEngine, OpenQuestion } from '../engine.js';
import type { Connection } from './connection.js';
import type { Subjects } from './subjects.js';

/** Milliseconds for whoever asks to say what it makes of an answer. */
const PATIENCE = 5_000;

interface Mine {
  readonly question: Uint8Array;
  answered(answer: Uint8Array): Uint8Array;
}

/** On the wire: the question itself is base64. */
interface Told {
  readonly id: string;
  readonly question?: string;
}

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/**
 * Questions are kept by nobody but who asks: it announces each, lists them to whoever wants to know, and takes the answers. So a question goes away with
 * its host, and who was first is decided in one place.
 */
export function createQuestions(connection: Connection, subjects: Subjects): FleetEngine['ask'] {
  const mine = new Map<string, Map<string, Mine>>();
  const serving = new Map<string, () => void>();

  const tell = (host: string, told: Told): void => {
    try {
      connection.get().publish(subjects.asked(host), json(told));
    } catch {
      // Whoever comes back asks what waits.
    }
  };
  const toldOf = (id: string, { question }: Mine): Told => ({ id, question: Buffer.from(question).toString('base64') });

  /** Answers for the host's questions, while it has any. */
  const serve = (host: string): void => {
    if (serving.has(host)) return;
    const all = mine.get(host) as Map<string, Mine>;
    const stop = connection.each(async (nc, signal) => {
      const listing = nc.subscribe(subjects.waiting, {
        callback: (error, message) => {
          if (error) return;
          for (const [id, one] of all) message.respond(json({ host, ...toldOf(id, one) }));
        },
      });
      const answers = nc.subscribe(subjects.answer(host), {
        callback: (error, message) => {
          if (error) return;
          const { id, answer } = read<{ id?: string; answer?: string }>(message.data);
          const one = id === undefined ? undefined : all.get(id);
          if (one === undefined || answer === undefined) message.respond(json({ gone: true }));
          else message.respond(json({ said: Buffer.from(one.answered(fromBase64(answer))).toString('base64') }));
        },
      });
      for (const [id, one] of all) tell(host, toldOf(id, one));
      await over(signal);
      listing.unsubscribe();
      answers.unsubscribe();
    });
    serving.set(host, stop);
  };

  return {
    open(host, id, question, answered) {
      const all = mine.get(host) ?? new Map<string, Mine>();
      mine.set(host, all);
      all.set(id, { question, answered });
      if (serving.has(host)) tell(host, toldOf(id, { question, answered }));
      else serve(host);
      return () => {
        if (!all.delete(id)) return;
        tell(host, { id });
      };
    },
    watch(seen) {
      const known = new Map<string, OpenQuestion>();
      const take = (host: string, { id, question }: Told): void => {
        const key = `${host}/${id}`;
        if (question === undefined) {
          if (known.delete(key)) seen({ host, id });
          return;
        }
        if (known.has(key)) return;
        const open = { host, id, bytes: fromBase64(question) };
        known.set(key, open);
        seen(open);
      };
      return connection.each(async (nc, signal) => {
        const inbox = `${connection.inbox}.waiting.${randomUUID()}`;
        const announced = nc.subscribe(subjects.asked('*'), {
          callback: (error, message) => {
            if (!error) take(subjects.hostIn(message.subject), read<Told>(message.data));
          },
        });
        const listed = nc.subscribe(inbox, {
          callback: (error, message) => {
            const told = read<Told & { host?: string }>(message.data);
            if (!error && told.host !== undefined) take(told.host, told);
          },
        });
        nc.publish(subjects.waiting, json({}), { reply: inbox });
        await over(signal);
        announced.unsubscribe();
        listed.unsubscribe();
      });
    },
    async answer(host, id, answer) {
      let found: { gone?: true; said?: string };
      try {
        const told = json({ id, answer: Buffer.from(answer).toString('base64') });
        const reply = await connection.get().request(subjects.answer(host), told, { timeout: PATIENCE });
        found = read(reply.data);
      } catch (error) {
        const text = String(error);
        if (/no responders/i.test(text)) throw connection.failed(`nobody waits for an answer to ${id}`);
        if (/timeout/i.test(text))
          throw connection.failed(
            `${host} did not say within ${PATIENCE / 1000} s what it made of the answer to ${id}`,
          );
        throw connection.failed(error);
      }
      if (found.said === undefined) throw connection.failed(`nobody waits for an answer to ${id}`);
      return fromBase64(found.said);
    },
  };
}

const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

/** Whoever sends something else has sent nothing. */
function read<T extends object>(bytes: Uint8Array): Partial<T> & { id: string } {
  try {
    const found: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof found === 'object' && found !== null) return found as Partial<T> & { id: string };
  } catch {
    // No JSON at all.
  }
  return { id: '' } as Partial<T> & { id: string };
}

function over(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
