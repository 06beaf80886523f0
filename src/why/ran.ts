import type { AlarmRecord, FireRecord, HookRecord, ToolCallRecord } from '../emit/record.js';
import { clip, ended, plain } from '../plain.js';
import { own } from '../values/own.js';
import { nameIn, quoted, specOf } from './words.js';

/** The records of a call besides its own fire. */
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

/** Whether the call ran in the end, as far as records say. */
export function whatBecame({ fires, calls, alarms }: CallRecords): string[] {
  const ends = calls.map((call) => callSentence(call, fires));
  const done = fires.find(({ event }) => specOf(event)?.callRole === 'ran');
  const denied = fires.some(({ event, decision }) => specOf(event)?.callRole !== 'ran' && decision.verdict === 'deny');
  const all = denied ? ', although it was denied' : '';
  const failed = fires.find(({ event }) => event === 'PostToolUseFailure');
  const seen =
    ends.length > 0
      ? []
      : done
        ? [`It ran${all}: ${plain(done.event)} was fired for it.`]
        : failed
          ? ['PostToolUseFailure was fired for it: its tool failed, or the call was not allowed to run.']
          : [];
  const told = [...ends, ...seen, ...alarms.map(alarmSentence)];
  return told.length > 0 ? told : ['No record says whether it ran.'];
}

const STATUS: Readonly<Record<string, string>> = {
  ran: 'The call ran',
  failed: 'The call ran',
  denied: 'The call was denied and did not run',
  deferred: 'The call was left for later',
  interrupted: 'The call was interrupted',
};

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
  const { status, ran, denied_by: denier, approver, decided_by: id, reason } = call;
  const what = own(STATUS, status) ?? `The call ended as ${plain(status)}`;
  // A call that was stopped half way has begun.
  const began = ran && (status === 'denied' || status === 'interrupted') ? ', after its tool had begun' : '';
  const of = fires.find((fire) => fire.handlers.some((handler) => handler.id === id));
  const hook = id === undefined ? undefined : of ? nameIn(of, id) : clip(id, 60);
  const by = hook ?? byWord(denier ?? approver);
  const who = by === undefined ? '' : denier === undefined ? `, allowed by ${by}` : `: by ${by}`;
  // The reason of a call that failed is its tool's.
  const failed = status === 'failed' ? ', and its tool failed' : '';
  const said = reason === undefined ? '' : `saying ${quoted(reason)}`;
  if (status === 'interrupted' && denier === undefined)
    return `The call was left unfinished${began}, ${said === '' ? '' : `${said}, `}and nobody stopped it: it may be made again.`;
  return `${what}${began}${who}${failed}${said === '' ? '' : `, ${said}`}.`;
}

function byWord(word: string | undefined): string | undefined {
  return word === undefined ? undefined : (own(DENIERS, word) ?? word);
}

function alarmSentence({ alarm, message, evidence }: AlarmRecord): string {
  const ran = alarm === 'reopened' ? '' : ` ${plain(evidence)} shows that it ran.`;
  return `ALARM ${plain(alarm)}: ${ended(plain(message))}${ran}`;
}
