import type { AlarmRecord } from '../../emit/record.js';
import { beginning } from '../../emit/redact/total.js';
import { own } from '../../values/own.js';

/** Reported once a minute at most: one of the forgotten calls may have been denied, and its alarm is lost. */
export const FORGOTTEN =
  'A call ran whose decision is no longer remembered, because too many calls were decided since. Whether it was honoured is not known';

/** Each kind of alarm: as the predicate after "the call X of Y", and as a clause that describes all alarms of that kind. */
const WHAT = {
  not_honoured: { call: 'was denied, and it ran', all: 'A call ran that had been denied' },
  other_input: { call: 'ran with an input that nobody judged', all: 'A call ran with an input that nobody had judged' },
  unasked: { call: 'ran, and no hook was asked about it', all: 'A call ran that no hook had been asked about' },
  reopened: {
    call: 'is of an agent that had ended or was never seen to start; its scope was opened again by its type',
    all: 'An agent went on that had ended or was never seen to start, so its scope was opened again by its type',
  },
} as const satisfies Readonly<Record<AlarmRecord['alarm'], object>>;

/** Describes a kind of alarm, without a full stop. A record of a later version may have a kind that is unknown here. */
export const alarmsInWords = (kind: string): string =>
  own(WHAT, kind)?.all ?? 'What was done differed from what was decided';

interface AlarmedCall {
  readonly tool: string;
  readonly id: string;
  readonly denial?: { readonly reason: string | undefined } | undefined;
}

/** The beginning of a reason, which is all that is remembered. */
export const shortReason = (reason: string | undefined): string | undefined =>
  reason === undefined ? undefined : beginning(reason, 1_000);

/** An alarm in a sentence. */
export function alarmMessage(alarm: AlarmRecord['alarm'], { tool, id, denial }: AlarmedCall): string {
  const clip = (text: string): string => JSON.stringify(beginning(text, 120));
  const why = denial?.reason === undefined ? '' : ` (${clip(denial.reason)})`;
  return `the call ${clip(id)} of ${clip(tool)} ${WHAT[alarm].call}${why}`;
}
