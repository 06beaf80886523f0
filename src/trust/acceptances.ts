import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { appendLines } from '../files/append-lines.js';
import { writeError } from '../files/json-file.js';
import { readRegularFile } from '../files/regular-file.js';
import { isObject, isText } from '../values/shape.js';
import { stateFolder } from '../values/user-folders.js';

/** One change that was accepted. */
export interface AcceptedChange {
  /** The path of the file, or words about what is no longer served or accepted. */
  readonly what: string;
  /** The SHA-256 before and now, of the file or, if it was accepted with `hookscope trust`, of its hooks and the files that they name; null: there is none. */
  readonly from: string | null;
  readonly to: string | null;
  /** The file could be executed before, and cannot now. */
  readonly executable?: false;
  /** The files that it names and that are bound by their names alone now; absent: all are bound by their bytes. */
  readonly data?: readonly string[];
}

/** An accepted change as it is kept. */
export interface Acceptance extends AcceptedChange {
  /** In ISO 8601. */
  readonly at: string;
  /** The command or the request. */
  readonly how: string;
  /** It was not accepted after all: the line before it with the same time says what. */
  readonly refused?: true;
}

/** Beside the records, one line of JSON each. */
export const acceptancesFile = (state: string = stateFolder()): string => join(state, 'acceptances.jsonl');

/**
 * Keeps what is about to be accepted. Throws FILE if it cannot be, since nothing may be accepted that is not kept. What it returns keeps
 * that it was refused.
 */
export function keepAcceptances(
  how: string,
  changes: readonly AcceptedChange[],
  state: string = stateFolder(),
): () => void {
  const at = new Date().toISOString();
  const keep = (more: Pick<Acceptance, 'refused'>): void => {
    const lines = changes.map((change) => JSON.stringify({ at, how, ...change, ...more } satisfies Acceptance));
    const file = acceptancesFile(state);
    try {
      if (lines.length > 0) appendLines(file, lines);
    } catch (error) {
      throw writeError(file, error);
    }
  };
  keep({});
  return () => keep({ refused: true });
}

/** What was accepted since then, in milliseconds since 1970, the last one first. Throws the error of `readRegularFile`. */
export function readAcceptances(since: number, state: string = stateFolder()): Acceptance[] {
  const file = acceptancesFile(state);
  if (!existsSync(file)) return [];
  const all = readRegularFile(file).toString('utf8').split('\n').flatMap(acceptanceIn);
  const keyOf = ({ at, how, what }: Acceptance): string => JSON.stringify([at, how, what]);
  const refused = new Set(all.flatMap((one) => (one.refused ? [keyOf(one)] : [])));
  return all.filter((one) => !refused.has(keyOf(one)) && !(Date.parse(one.at) < since)).reverse();
}

/** A line that ends too early, as after a full disk, has none. */
function acceptanceIn(line: string): Acceptance[] {
  try {
    const found: unknown = JSON.parse(line);
    return isObject(found) && [found['at'], found['how'], found['what']].every(isText) ? [found as never] : [];
  } catch {
    return [];
  }
}
