import type { AlarmRecord, FireRecord, HookRecord, ToolCallRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { clip, ended, plain } from '../plain.js';
import { own } from '../values/own.js';
import type { CallFound } from './calls.js';
import { isDenied } from './meaning.js';
import { nameIn, quoted } from './words.js';

/** The records of a tool call, by type. */
export interface CallRecords {
  readonly fires: readonly FireRecord[];
  readonly calls: readonly ToolCallRecord[];
  readonly alarms: readonly AlarmRecord[];
}

export function callRecords(records: readonly HookRecord[]): CallRecords {
  return {
    fires: records.filter((record) => record.type === 'hook_fire'),
    calls: records.filter((record) => record.type === 'tool_call'),
    alarms: records.filter((record) => record.type === 'hook_alarm'),
  };
}

/** Sentences about whether the call ran in the end, as far as records say. */
export function whatBecame({
  records,
  before = [],
  after = [],
  others = 0,
}: Pick<CallFound, 'records'> & Partial<CallFound>): string[] {
  const { fires, calls } = callRecords(records);
  const ends = calls.map((call) => callSentence(call, fires));
  const done = fires.find(hasRun);
  const all = fires.some(isRefused) ? ', although it was denied' : '';
  const failed = fires.find(({ event }) => event === 'PostToolUseFailure');
  const seen =
    ends.length > 0
      ? []
      : done
        ? [`It ran${all}: ${plain(done.event)} was fired for it.`]
        : failed
          ? ['PostToolUseFailure was fired for it: its tool failed, or the call was not allowed to run.']
          : [];
  const { alarms } = callRecords([...before, ...records, ...after]);
  const told = [...ends, ...seen, ...(done && all === '' ? deniedElsewhere(before, after) : [])];
  const isTold = told.length > 0 || alarms.some((alarm) => records.includes(alarm));
  return [
    ...(isTold ? told : [notKnown(fires, before, after)]),
    ...alarms.flatMap((alarm) => [alarmSentence(alarm), ...(isOfOther(alarm) ? [OF_OTHER] : [])]),
  ];

  /** An alarm knows a call by its id, so that it may tell of the denial of another one. */
  function isOfOther(alarm: AlarmRecord): boolean {
    if (alarm.alarm !== 'not_honoured' || !records.includes(alarm) || fires.some(isRefused)) return false;
    const isNear = callRecords([...before, ...after]).fires.some(isRefused);
    if (calls.some(({ ran, status }) => ran && LET_RUN.includes(status))) return others > 0 || isNear;
    return alarm.denied_by === 'hook' && fires.some(isJudging) && others > 0 && !isNear;
  }
}

const OF_OTHER = 'The denial that the alarm names was that of another call with the same id.';

const hasRun = ({ event }: FireRecord): boolean => specOf(event)?.callRole === 'ran';

/** Whether hooks denied the call itself; an event of the program's own, fired within the call, can be denied too. */
const isRefused = (fire: FireRecord): boolean => isDenied(fire) && isJudging(fire);
const isJudging = ({ event }: FireRecord): boolean => JUDGING.includes(specOf(event)?.callRole ?? '');
const JUDGING: readonly string[] = ['judges', 'answers'];

/** For a call that ran: a denial under its id, earlier or later, which may have been about the same call. */
function deniedElsewhere(before: readonly HookRecord[], after: readonly HookRecord[]): string[] {
  const told = (records: readonly HookRecord[], when: string): string[] =>
    callRecords(records)
      .fires.filter(isRefused)
      .slice(0, 1)
      .map(
        ({ event }) =>
          `${plain(event)} was denied under its id ${when}; no record says whether that was about this call.`,
      );
  return [...told(before, 'before'), ...told(after, 'afterwards')];
}

function notKnown(own: readonly FireRecord[], before: readonly HookRecord[], after: readonly HookRecord[]): string {
  const fact = 'No record says whether it ran';
  const { fires } = callRecords([...after, ...before]);
  const done = fires.find(hasRun);
  // An alarm under the id is about this call, as far as it knows, and no sign of another.
  const hasOthers = [...before, ...after].some(({ type }) => type !== 'hook_alarm');
  if (done === undefined) return hasOthers ? `${fact}; another call may have the same id.` : `${fact}.`;
  const asked = fires.filter(isJudging);
  if (asked.length > 0 && asked.every(isRefused) && own.some(isJudging) && !own.some(isRefused))
    return `${plain(done.event)} was fired for it, or for a call with the same id that was denied; no record says for which.`;
  return `${fact}: ${plain(done.event)} was fired under its id, but another call may have the same id.`;
}

/** The words for each status, if the call's tool was started, and if it was not. */
const STATUS: Readonly<Record<string, readonly [begun: string, not: string]>> = {
  ran: ['The call ran', 'The call was answered without its tool'],
  failed: ['The call ran', 'The call failed before its tool began'],
  denied: ['The call was denied, after its tool had begun', 'The call was denied and did not run'],
  deferred: ['The call was left for later, after its tool had begun', 'The call was left for later'],
  interrupted: ['The call was interrupted, after its tool had begun', 'The call was interrupted'],
};

/** The statuses in which the named hook or approver let the call run. */
const LET_RUN: readonly string[] = ['ran', 'failed'];

const DENIERS: Readonly<Record<string, string>> = {
  hook: 'a hook',
  rule: 'the permission rules',
  mode: 'the permission mode',
  classifier: 'the classifier',
  user: 'the user',
  nobody: 'nobody, since nobody could be asked',
  failure: 'a question that failed',
  abort: 'whoever stopped it',
};

function callSentence(call: ToolCallRecord, fires: readonly FireRecord[]): string {
  const { status, ran, denied_by: denier, reason } = call;
  const [begun, not] = own(STATUS, status) ?? [
    `The call ended as ${plain(status)}, after its tool had begun`,
    `The call ended as ${plain(status)}`,
  ];
  const said = reason === undefined ? '' : `saying ${quoted(reason)}`;
  if (status === 'interrupted' && denier === undefined) {
    const began = ran ? ', after its tool had begun' : '';
    return `The call was left unfinished${began}, ${said === '' ? '' : `${said}, `}and nobody stopped it: it may be made again.`;
  }
  const by = whoDid(call, fires);
  const who = by === undefined ? '' : LET_RUN.includes(status) ? `, allowed by ${by}` : `: by ${by}`;
  // If the tool was started, the reason of a failed call is the tool's.
  const failed = status === 'failed' && ran ? ', and its tool failed' : '';
  return `${ran ? begun : not}${who}${failed}${said === '' ? '' : `, ${said}`}.`;
}

/** Who stopped or deferred the call, or else who let it run. Beside a denial that is not a hook's, `decided_by` names an allowing hook. */
function whoDid(call: ToolCallRecord, fires: readonly FireRecord[]): string | undefined {
  const { status, denied_by: denier, approver, decided_by: id } = call;
  if (denier !== undefined && denier !== 'hook') return byWord(denier);
  const of = fires.find((fire) => fire.handlers.some((handler) => handler.id === id));
  const hook = id === undefined ? undefined : of ? nameIn(of, id) : clip(id, 60);
  return hook ?? byWord(denier ?? (LET_RUN.includes(status) ? approver : undefined));
}

function byWord(word: string | undefined): string | undefined {
  return word === undefined ? undefined : (own(DENIERS, word) ?? word);
}

function alarmSentence({ alarm, message, evidence }: AlarmRecord): string {
  const ran = alarm === 'reopened' ? '' : ` ${plain(evidence)} shows that it ran.`;
  return `ALARM ${plain(alarm)}: ${ended(plain(message))}${ran}`;
}
