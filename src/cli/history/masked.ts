import type { HookRecord } from '../../emit/record.js';
import { redactorOf } from '../../emit/redact/redactor.js';
import type { Flags } from '../options.js';

/** `redact` is false with `--no-redact`. */
export type MaskFlags = Flags<'redactStored'>;

/** Masks secrets in what is shown: stores of older versions, and stores without redaction, contain them. */
export interface RecordMask {
  record<R extends HookRecord>(record: R): R;
  text(text: string): string;
}

/** A name from a record that was not masked. */
export const maskedName = (name: string | undefined, mask: RecordMask): string | undefined =>
  name === undefined ? undefined : mask.text(name);

export function maskOf({ redact = true }: MaskFlags): RecordMask {
  const redactor = redactorOf(redact ? undefined : false);
  return {
    record: <R extends HookRecord>(record: R) => (redactor?.redact(record) ?? record) as R,
    text: (text) => redactor?.text(text) ?? text,
  };
}
