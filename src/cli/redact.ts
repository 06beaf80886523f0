import { type Redactor, redactorOf } from '../emit/redact/redactor.js';
import type { Flags } from './options.js';
import type { Terminal } from './terminal.js';

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
