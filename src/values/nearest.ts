import { distance } from 'fastest-levenshtein';

/** The candidate a mistyped name most likely meant; a name that is only begun (`PreTool`) means the shortest that begins so. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  // Of what is wrongly given in a name's place too.
  if (typeof name !== 'string') return undefined;
  const all = [...candidates];
  return nearestSpelling(name, all) ?? begunWith(name, all);
}

/** Fewer letters begin too much. */
const FEWEST = 3;

function begunWith(name: string, candidates: readonly string[]): string | undefined {
  const letters = (text: string): string => text.replace(/[-_\s]/g, '').toLowerCase();
  const wanted = letters(name);
  if (wanted.length < FEWEST) return undefined;
  const begun = candidates.filter((candidate) => letters(candidate).startsWith(wanted));
  return begun.reduce<string | undefined>((best, one) => (best && best.length <= one.length ? best : one), undefined);
}

/** The same by spelling alone, ignoring case; undefined if none is near: more than a third of the letters differ. */
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

/** Two neighbouring letters that are swapped are one slip, not two. */
function stepsTo(wanted: string, name: string): number {
  return isSwapped(wanted, name) ? 1 : distance(wanted, name);
}

function isSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}
