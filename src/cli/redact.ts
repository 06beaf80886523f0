import { type Redactor, redactorOf } from '../emit/redact/redactor.js';
import type { Flags } from './options.js';
import type { OwnTerminal, Terminal } from './terminal.js';

export type RedactFlags = Flags<'redact'>;

/** undefined: nothing is masked. */
export function redactorFor({ redact }: RedactFlags): Redactor | undefined {
  return redactorOf(redact === false ? false : undefined);
}

/** Masks secrets in all output: besides records, names of hooks and notes may contain them. */
export function maskedTerminal<T extends Terminal>(terminal: T, redactor: Redactor): T {
  return Object.create(terminal, {
    print: { value: (text: string) => terminal.print(redactor.text(text)) },
    tell: { value: (text: string) => terminal.tell(redactor.text(text)) },
  }) as T;
}

/** Reports an error, with its stack if there is one. Both are masked: a wrong value, or what foreign code throws, may contain a secret. */
export function tellMasked(terminal: OwnTerminal, flags: RedactFlags, message: string, stack?: string): void {
  const redactor = redactorFor(flags);
  const masked = (text: string): string => redactor?.text(text) ?? text;
  terminal.tell(masked(message));
  if (stack !== undefined) terminal.tellLines(masked(stack));
}
