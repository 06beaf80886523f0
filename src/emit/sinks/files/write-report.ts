import { messageOf } from '../../../values/waiting/promises.js';
import { type Logger, report } from '../../guard.js';
import { nameOf } from './owned-file.js';

/** Milliseconds without a failure after which records are said to be written again: on a full disk, small records still fit between others. */
const CALM = 1_000;

/**
 * Tells the logger once that records cannot be written to a file, whatever is written in between, and once that they are written again, with
 * how many were lost; if the file is closed before that, how many were lost.
 */
export function createWriteReport(path: string, logger: Logger) {
  /** The kinds of errors that were reported since records were written. */
  const told = new Set<string>();
  let lost = 0;
  /** The first success since the last failure, by `performance.now()`. */
  let since: number | undefined;
  return {
    failed(error: unknown, kind: string = nameOf(error)): void {
      since = undefined;
      if (!told.has(kind)) report(logger, `Records cannot be written to ${path}: ${messageOf(error)}`, error);
      told.add(kind);
    },
    lost(count: number): void {
      lost += count;
    },
    written(): void {
      if (told.size === 0) return;
      since ??= performance.now();
      if (performance.now() - since < CALM) return;
      report(logger, `Records are written to ${path} again`, { lost });
      told.clear();
      lost = 0;
    },
    closed(): void {
      if (told.size === 0) return;
      report(logger, `${lost} ${lost === 1 ? 'record was' : 'records were'} not written to ${path}, which is closed`, {
        lost,
      });
      told.clear();
      lost = 0;
    },
  };
}
