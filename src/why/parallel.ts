import { isSame } from '../emit/reading/answers.js';
import type { FireRecord, HookRecord, ToolCallRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { isDenied, isShadow } from './meaning.js';

/** A call, or a possible part of one. */
export interface CallRecording {
  records: HookRecord[];
  /** The fires that decided whether it may run. */
  asks: FireRecord[];
  /** The call has run, or ended without running. */
  isOver: boolean;
  isDeferred: boolean;
  /** Shared by parts that may or may not be one call. */
  chain: CallChain;
  /** Calls of the same id that had not ended when this one began, the latest first. */
  readonly beside: readonly CallRecording[];
}

export interface CallChain {
  /** In the order of time. */
  calls: CallRecording[];
  /** For each host, the latest part that it fired an event about. */
  readonly byHost: Map<string | undefined, CallRecording>;
}

/** The most calls of one id that are taken for calls of one step. */
const MOST = 20;

/** The calls that had not ended when the call after `before` began. */
export const besideOf = (before: CallRecording): readonly CallRecording[] =>
  before.isOver ? [] : [before, ...before.beside].slice(0, MOST);

/**
 * Which of the calls of one step that share an id a record is about: `last`, unless the record cannot be about it and can be about another one.
 */
export function fittingCall(record: HookRecord, last: CallRecording): CallRecording {
  if (last.beside.length === 0) return last;
  const some = [last, ...last.beside].filter(({ asks }) => asks.some(({ host_id }) => host_id === record.host_id));
  for (const fits of fitsOf(record)) {
    const found = some.find(fits);
    if (found !== undefined) return found;
  }
  return last;
}

type Fits = (call: CallRecording) => boolean;

/** What a call must be like for the record to be about it, the strictest condition first. */
function fitsOf(record: HookRecord): readonly Fits[] {
  if (record.type === 'tool_call') {
    const isOpen: Fits = ({ records }) => !records.some(({ type }) => type === 'tool_call');
    if (isDeniedByHook(record)) return [(call) => isOpen(call) && hasDenial(call)];
    if (!record.ran) return [];
    return [
      (call) => isOpen(call) && !hasDenial(call) && call.records.some(hasRun),
      (call) => isOpen(call) && !hasDenial(call),
    ];
  }
  if (!hasRun(record)) return [];
  const isNew: Fits = ({ records }) => !records.some(hasRun);
  return [
    (call) => isNew(call) && !hasDenial(call) && isAskedAbout(call, record),
    (call) => isNew(call) && !hasDenial(call),
  ];
}

const isDeniedByHook = ({ status, denied_by: by }: ToolCallRecord): boolean => status === 'denied' && by === 'hook';

const hasDenial: Fits = ({ asks }) => asks.some(isDenied);

const hasRun = (record: HookRecord): record is FireRecord & HookRecord =>
  record.type === 'hook_fire' && !isShadow(record) && specOf(record.event)?.callRole === 'ran';

/** Whether the call was asked about with the input that it ran with. */
function isAskedAbout({ asks }: CallRecording, { input }: FireRecord): boolean {
  const last = asks.at(-1);
  const asked = (last?.final_input ?? last?.input)?.['tool_input'];
  return asked !== undefined && isSame(asked, input['tool_input']);
}
