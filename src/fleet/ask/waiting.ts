import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetEngine } from '../engine.js';
import { type AskedQuestion, MOST_WAITING, readQuestion } from './question.js';

/** After this many milliseconds without another question, all hosts are assumed to have reported; and the longest wait. */
const QUIET = 300;
const MOST = 3_000;

/**
 * What waits for an answer now, and what was just answered. `id`: until that one is found. The one that must be answered first stands first. Rejects
 * where the engine says why nothing is seen.
 */
export async function waitingQuestions(engine: FleetEngine, id?: string): Promise<AskedQuestion[]> {
  const found = new Map<string, { readonly question: AskedQuestion; readonly size: number }>();
  /** Bytes by host: one that asks too much hides no other's questions. */
  const sizes = new Map<string, number>();
  let last = performance.now();
  const began = last;
  let isThere = false;
  let failure: Error | undefined;
  const stop = engine.ask.watch(
    ({ host, id: of, bytes }) => {
      last = performance.now();
      const key = `${host}/${of}`;
      const sizeOf = (sizes.get(host) ?? 0) - (found.get(key)?.size ?? 0);
      sizes.set(host, sizeOf);
      found.delete(key);
      if (bytes === undefined || sizeOf + bytes.length > MOST_WAITING) return;
      const question = readQuestion(bytes);
      // A host asks for itself alone.
      if (question?.host !== host || question.id !== of) return;
      found.set(key, { question, size: bytes.length });
      sizes.set(host, sizeOf + bytes.length);
      isThere ||= of === id;
    },
    (error) => (failure ??= error),
  );
  while (!isThere && failure === undefined && performance.now() - last < QUIET && performance.now() - began < MOST)
    await sleep(20);
  stop();
  if (failure !== undefined) throw failure;
  const all = [...found.values()].map(({ question }) => question);
  return all.sort((a, b) => Date.parse(a.deadline) - Date.parse(b.deadline) || (a.id < b.id ? -1 : 1));
}
