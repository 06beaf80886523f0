import { plain, warn } from '../../plain.js';
import { messageOf } from '../../values/waiting/promises.js';
import * as part from './part.js';
import { redactorOf } from './redactor.js';

// What finds secrets is loaded when it is first needed, and that can fail under a running program (`NotLoaded`). What reports a failure must not fail itself.

/** Stands for a text in which secrets cannot be looked for. */
export const leftOut = (error: unknown): string => `[its text is left out: ${messageOf(error)}]`;

function orLeftOut(read: () => string): string {
  try {
    return read();
  } catch (error) {
    return leftOut(error);
  }
}

/**
 * The beginning of a text, of at most `most` characters, with a mark after it if it was cut. Every text that may be stored, logged or printed
 * is cut with it: secrets are masked later, by their shape and the text around them, and half a secret would not be recognised. So a secret
 * that does not fit is left out as a whole, also one that is recognised only by text after the cut. Never throws.
 */
export function beginning(text: string, most: number, mark = '…'): string {
  return text.length <= most ? text : orLeftOut(() => part.beginning(text, most, mark));
}

/** The end of a text, of at most `most` characters, cut like `beginning`. Never throws. */
export function ending(text: string, most: number): string {
  return text.length <= most ? text : orLeftOut(() => part.ending(text, most));
}

/** Names of hooks that are surely no command line, address or prompt, which may hold secrets. */
const NAME = /^[\w./-]{1,100}$/;

/** Like `warn`, with secrets masked: a process warning is printed, and a hook's text may hold secrets. Never throws: a text that cannot be masked is left out. */
export function warnMasked(message: string, detail?: unknown): void {
  let masked: string;
  try {
    masked = redactorOf(undefined)?.text(message) ?? message;
  } catch (error) {
    masked = `${subjectOf(detail)}: ${leftOut(error)}`;
  }
  warn(masked);
}

/** What a log line is about, by its `detail`. */
function subjectOf(detail: unknown): string {
  const { event, hook, cause } = (detail ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof event !== 'string' || typeof hook !== 'string') return 'A message of the host';
  const who = `${plain(event)} hook${NAME.test(hook) ? ` ${hook}` : ''}`;
  return typeof cause === 'string' ? `${who} failed (${cause})` : who;
}
