import { warn } from '../../plain.js';
import { redactorOf } from './redactor.js';

/** As `warn`, with secrets masked: a process warning is a print, and what a hook wrote may hold one. */
export function warnMasked(message: string): void {
  warn(redactorOf(undefined)?.text(message) ?? message);
}
