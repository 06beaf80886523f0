import { type Redactor, redactorOf } from '../emit/redact/redactor.js';
import type { Flags } from './options.js';
import type { Terminal } from './terminal.js';

export type RedactFlags = Flags<'redact'>;

/** undefined: nothing is masked. */
export function redactorFor({ redact }: RedactFlags): Redactor | undefined {
  return redactorOf(redact === false ? false : undefined);
}

/** Masks secrets in output: besides records, names of hooks and notes may contain them. */
export function maskedTerminal<T extends Terminal>(
  terminal: T,
  redactor: Redactor,
  parts: readonly ('print' | 'tell')[] = ['print', 'tell'],
): T {
  const masked = parts.map((part) => [part, { value: (text: string) => terminal[part](redactor.text(text)) }]);
  return Object.create(terminal, Object.fromEntries(masked)) as T;
}

/** Masks a message about what went wrong: a wrong value, or what foreign code throws, may contain a secret. */
export const maskedText = (text: string, flags: RedactFlags = {}): string => redactorFor(flags)?.text(text) ?? text;
