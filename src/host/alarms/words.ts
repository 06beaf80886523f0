import type { AlarmRecord } from '../../emit/record.js';
import { beginning } from '../../emit/redact/part.js';

/** A denied call may be among them, and goes unreported. */
export const FORGOTTEN =
  'A call ran whose decision is no longer remembered, because too many calls were decided since. Whether it was honoured is not known';

const WHAT = {
  not_honoured: 'was denied, and it ran',
  other_input: 'ran with an input that nobody judged',
  unasked: 'ran, and no hook was asked about it',
  reopened: 'is of an agent that had ended or was never seen to start; its scope was opened again by its type',
} as const;

interface AlarmedCall {
  readonly tool: string;
  readonly id: string;
  readonly denial?: { readonly reason: string | undefined } | undefined;
}

/** As much of a reason as is remembered. */
export const shortReason = (reason: string | undefined): string | undefined =>
  reason === undefined ? undefined : beginning(reason, 1_000, '');

/** An alarm in a sentence. */
export function alarmMessage(alarm: AlarmRecord['alarm'], { tool, id, denial }: AlarmedCall): string {
  const clip = (text: string): string => JSON.stringify(beginning(text, 120));
  const why = denial?.reason === undefined ? '' : ` (${clip(denial.reason)})`;
  return `the call ${clip(id)} of ${clip(tool)} ${WHAT[alarm]}${why}`;
}
