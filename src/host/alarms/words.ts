import type { AlarmRecord } from '../../emit/record.js';

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

/** An alarm in a sentence. */
export function alarmMessage(alarm: AlarmRecord['alarm'], { tool, id, denial }: AlarmedCall): string {
  const clip = (text: string): string => JSON.stringify(text.length > 120 ? `${text.slice(0, 119)}…` : text);
  const why = denial?.reason === undefined ? '' : ` (${clip(denial.reason)})`;
  return `the call ${clip(id)} of ${clip(tool)} ${WHAT[alarm]}${why}`;
}
