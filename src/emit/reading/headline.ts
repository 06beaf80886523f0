import { clip, plain } from '../../plain.js';
import { own } from '../../values/own.js';
import type { FireRecord, RecordedDecision } from '../fire-record.js';
import type { ToolCallRecord } from '../record.js';
import type { HandlerVerdict } from '../recorded.js';
import { isWithdrawn } from './answers.js';
import { reasonIn } from './reason.js';
import { isGiven } from './value.js';
import { wouldDo } from './would.js';

export type PrintStyle = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
export type PrintPaint = (style: PrintStyle | undefined, text: string) => string;

export const VERDICT_STYLE: Partial<Record<HandlerVerdict, PrintStyle>> = {
  allow: 'green',
  ask: 'yellow',
  defer: 'yellow',
  deny: 'red',
  block: 'red',
};

/** `denied by the user: "not now"`, `ran (mode) 12 ms`. `decider`: the name of the hook that decided, where it is known. */
export function callWords(record: ToolCallRecord, paint: PrintPaint, decider = record.decided_by): string {
  const { status, denied_by, approver, reason, duration_ms } = record;
  // `decided_by` may name the hook that allowed the call; it is not shown beside another source's denial.
  const isOther = denied_by !== undefined && denied_by !== 'hook';
  const hook = decider === undefined || isOther ? '' : ` ${plain(decider)}`;
  const by =
    denied_by !== undefined ? ` by ${denied_by}${hook}` : approver !== undefined ? ` (${approver}${hook})` : hook;
  const why = reason === undefined ? '' : `: "${clip(reason, 120)}"`;
  const took = duration_ms === undefined ? '' : ` ${paint('dim', duration(duration_ms))}`;
  return `${paint(own(CALL_STYLE, status), status)}${by}${why}${took}`;
}

const CALL_STYLE: Readonly<Record<ToolCallRecord['status'], PrintStyle>> = {
  ran: 'green',
  failed: 'red',
  denied: 'red',
  deferred: 'yellow',
  interrupted: 'yellow',
};

/** The decision in a few words: `deny by guard: "not here"`. */
export function headline(record: FireRecord, paint: PrintPaint): string {
  if (record.error !== undefined) return paint('red', `not decided: ${plain(record.error)}`);
  if (record.would !== undefined) return wouldWords(record, record.would, paint);
  const { decision, unanswered } = record;
  // Hookscope let the event through.
  if (unanswered !== undefined && decision.decidedBy === undefined)
    return `${paint('yellow', 'no hook answered')}: "${clip(unanswered, 120)}"`;
  const names = handlerNames(record);
  const [word, style] = verdictWord(decision);
  const by = decision.decidedBy === undefined ? '' : ` by ${names(decision.decidedBy)}`;
  const { own: said, other } = reasonIn(record);
  const theirs = other === undefined ? '' : ` (${names(other.id)}: "${clip(other.text, 120)}")`;
  const reason = said === undefined ? theirs : `: "${clip(said, 120)}"`;
  const over = decision.overruled.length === 0 ? '' : `, over ${decision.overruled.map(names).join(', ')}`;
  const rewritten = record.final_input === undefined || isWithdrawn(record) ? '' : ', input rewritten';
  const ends = decision.continue ? '' : ", ends the agent's loop";
  const failed = decision.failures.length === 0 ? '' : `, ${decision.failures.length} failed`;
  return `${paint(style, word)}${by}${reason}${over}${rewritten}${ends}${failed}${answeredWords(record)}`;
}

/** The remote approver's answer to an `ask`, and who gave it. */
function answeredWords({ answered }: FireRecord): string {
  if (answered === undefined) return '';
  if (answered.answer === 'none') return `, not answered: ${clip(answered.reason ?? '', 120)}`;
  return `, ${answered.answer} by ${clip(answered.by ?? '', 64)} from ${clip(answered.from ?? '', 64)}`;
}

/** For a hook that is not enforced: `not enforced: guard would deny`. */
function wouldWords(record: FireRecord, would: HandlerVerdict, paint: PrintPaint): string {
  const who = record.handlers.map(({ name }) => plain(name)).join(', ');
  const words = wouldDo(record).map((word) => (word === would ? paint(own(VERDICT_STYLE, would), word) : word));
  const what = words.join(', ') || 'say nothing';
  return `${paint('dim', 'not enforced:')} ${who} would ${what}`;
}

function verdictWord(decision: RecordedDecision): [string, PrintStyle | undefined] {
  const { fold, verdict = 'none', blocked, continues, endedBy } = decision;
  if (fold === 'gate') return verdict === 'none' ? ['no opinion', undefined] : [verdict, own(VERDICT_STYLE, verdict)];
  if (endedBy) return [`stops (${endedBy})`, 'yellow'];
  if (fold === 'stop') return continues ? ['goes on', 'yellow'] : ['stops', 'green'];
  return blocked ? ['blocked', 'red'] : [isGiven(decision) ? 'value given' : 'done', 'green'];
}

export function handlerNames(record: FireRecord): (id: string) => string {
  return (id) => plain(record.handlers.find((handler) => handler.id === id)?.name ?? id);
}

export function duration(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
