import { warn } from '../../plain.js';
import { redactorOf } from './redactor.js';

/** Like `warn`, with secrets masked: a process warning is printed, and a hook's text may hold secrets. */
export function warnMasked(message: string): void {
  warn(redactorOf(undefined)?.text(message) ?? message);
}
