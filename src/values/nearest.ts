import { distance } from 'fastest-levenshtein';

/** The candidate that a misspelt name most likely means. An incomplete name (`PreTool`) means the shortest candidate that begins with it. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  // Callers also pass wrong values that should have been names.
  if (typeof name !== 'string') return undefined;
  const all = [...candidates];
  return nearestSpelling(name, all) ?? begunWith(name, all);
}

/** A beginning of fewer letters matches too many candidates. */
const FEWEST = 3;

function begunWith(name: string, candidates: readonly string[]): string | undefined {
  const letters = (text: string): string => text.replace(/[-_\s]/g, '').toLowerCase();
  const wanted = letters(name);
  if (wanted.length < FEWEST) return undefined;
  const begun = candidates.filter((candidate) => letters(candidate).startsWith(wanted));
  return begun.reduce<string | undefined>((best, one) => (best && best.length <= one.length ? best : one), undefined);
}

/** The candidate with the most similar spelling, ignoring case; undefined if more than a third of the letters differ from every candidate. */
export function nearestSpelling(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const steps = stepsTo(wanted, candidate.toLowerCase());
    if (steps < least) {
      best = candidate;
      least = steps;
    }
  }
  return best;
}

/** Swapping two neighbouring letters counts as one step, not two. */
function stepsTo(wanted: string, name: string): number {
  return isSwapped(wanted, name) ? 1 : distance(wanted, name);
}

function isSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}
