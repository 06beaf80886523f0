import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../files/regular-file.js';
import { makeFolder } from '../values/make-folder.js';
import { isObject, isText } from '../values/shape.js';
import { stateFolder } from '../values/state-folder.js';

/** One change that was accepted. */
export interface AcceptedChange {
  /** The path of the file, or words about what is no longer served or accepted. */
  readonly what: string;
  /** The SHA-256 before and now, of the file or, if it was accepted with `hookscope trust`, of its hooks and the files that they name; null: there is none. */
  readonly from: string | null;
  readonly to: string | null;
}

/** An accepted change as it is kept. */
export interface Acceptance extends AcceptedChange {
  /** In ISO 8601. */
  readonly at: string;
  /** The command or the request. */
  readonly how: string;
}

/** Beside the records, one line of JSON each. */
export const acceptancesFile = (state: string = stateFolder()): string => join(state, 'acceptances.jsonl');

/** Keeps what is about to be accepted. Throws the system's error, since nothing may be accepted that is not kept. */
export function keepAcceptances(how: string, changes: readonly AcceptedChange[], state: string = stateFolder()): void {
  if (changes.length === 0) return;
  const at = new Date().toISOString();
  const lines = changes.map((change) => `${JSON.stringify({ at, how, ...change } satisfies Acceptance)}\n`);
  makeFolder(state);
  appendFileSync(acceptancesFile(state), lines.join(''), { mode: 0o600 });
}

/** What was accepted since then, in milliseconds since 1970, the last one first. Throws the error of `readRegularFile`. */
export function readAcceptances(since: number, state: string = stateFolder()): Acceptance[] {
  const file = acceptancesFile(state);
  if (!existsSync(file)) return [];
  return readRegularFile(file)
    .toString('utf8')
    .split('\n')
    .flatMap(acceptanceIn)
    .filter(({ at }) => !(Date.parse(at) < since))
    .reverse();
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
