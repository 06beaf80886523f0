import { type Redactor, redactorOf } from '../emit/redact/redactor.js';
import type { Flags } from './options.js';
import type { OwnTerminal, Terminal } from './terminal.js';

export type RedactFlags = Flags<'redact'>;

/** undefined: nothing is masked. */
export function redactorFor({ redact }: RedactFlags): Redactor | undefined {
  return redactorOf(redact === false ? false : undefined);
}

/** Masks what is left in what is printed: names of hooks, notes, texts beside records. */
export function maskedTerminal<T extends Terminal>(terminal: T, redactor: Redactor): T {
  return Object.create(terminal, {
    print: { value: (text: string) => terminal.print(redactor.text(text)) },
    tell: { value: (text: string) => terminal.tell(redactor.text(text)) },
  }) as T;
}

/** Says what went wrong, with an error's stack where there is one: a wrong value may be a secret, and so may what other code throws. */
export function tellMasked(terminal: OwnTerminal, flags: RedactFlags, message: string, stack?: string): void {
  const redactor = redactorFor(flags);
  const masked = (text: string): string => redactor?.text(text) ?? text;
  terminal.tell(masked(message));
  if (stack !== undefined) terminal.tellLines(masked(stack));
}
