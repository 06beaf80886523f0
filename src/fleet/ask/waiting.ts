import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetEngine } from '../engine.js';
import { type AskedQuestion, readQuestion } from './question.js';

/** Milliseconds without another question, after which all hosts are taken to have said what waits there; and the most. */
const QUIET = 300;
const MOST = 3_000;

/** What waits for an answer now, and what was just answered. `id`: until one is found that begins with it. The one that must be answered first stands first. */
export async function waitingQuestions(engine: FleetEngine, id?: string): Promise<AskedQuestion[]> {
  const found = new Map<string, AskedQuestion>();
  let last = performance.now();
  const began = last;
  const stop = engine.ask.watch(({ host, id: of, bytes }) => {
    last = performance.now();
    const question = bytes === undefined ? undefined : readQuestion(bytes);
    // A host asks for itself alone.
    if (question === undefined || question.host !== host || question.id !== of) found.delete(`${host}/${of}`);
    else found.set(`${host}/${of}`, question);
  });
  const isThere = (): boolean => id !== undefined && [...found.values()].some((question) => question.id === id);
  while (!isThere() && performance.now() - last < QUIET && performance.now() - began < MOST) await sleep(20);
  stop();
  return [...found.values()].sort((a, b) => (a.deadline < b.deadline ? -1 : 1));
}
