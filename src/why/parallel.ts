import type { FireRecord, HookRecord, ToolCallRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { greatest } from '../values/append.js';
import { fitOf } from './evidence.js';
import { isDenied, isShadow } from './meaning.js';

/** A call, or a possible part of one. */
export interface CallRecording {
  records: HookRecord[];
  /** The fires that decided whether it may run. */
  asks: FireRecord[];
  /** Says that the call has run, or ended without running. */
  end: HookRecord | undefined;
  isDeferred: boolean;
  /** Shared by parts that may or may not be one call, and by calls of which it cannot be told which one a record is about. */
  chain: CallChain;
  /** The call that this one has turned out to be a part of. */
  into?: CallRecording;
  /** Records that are about this call and no other. */
  readonly certain: HookRecord[];
  /** Calls of the same id that may not have ended when this one began, the latest first. */
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

/** The calls that may not have ended when the call after `before` began. */
export const besideOf = (before: CallRecording): readonly CallRecording[] =>
  [before, ...before.beside].filter(({ certain }) => !certain.some(isLast)).slice(0, MOST);

/** Nothing follows it but alarms. */
const isLast = (record: HookRecord): boolean => record.type === 'tool_call' && record.status !== 'deferred';

/**
 * Which of the calls of one step that share an id a record may be about, the latest first; what says more counts first: the input, the host, who
 * denied it. `last`: the call that was begun last.
 */
export function fittingCalls(record: HookRecord, last: CallRecording): readonly CallRecording[] {
  if (last.beside.length === 0 || !isPlaced(record)) return [last];
  const open = [last, ...last.beside].filter(({ certain }) => certain.every((one) => areOfOne(one, record)));
  return narrowed(record, open.length > 0 ? open : [last]);
}

/** Which calls that have not ended a PermissionRequest may be about; none: it may begin another call. */
export function answeredCalls(record: FireRecord & HookRecord, last: CallRecording): readonly CallRecording[] {
  if (last.beside.length === 0) return [];
  const open = [last, ...last.beside].filter(
    ({ certain, asks }) =>
      asks.length > 0 &&
      !asks.some((one) => roleIn(one) === 'answers' && areOfOneHost(one, record)) &&
      certain.every(({ type }) => type === 'hook_alarm'),
  );
  return open.length === 0 ? [] : narrowed(record, open);
}

function narrowed(record: HookRecord, open: readonly CallRecording[]): readonly CallRecording[] {
  if (open.length === 1) return open;
  const fits = new Map(open.map((call) => [call, fitOf(record, call.asks)]));
  const best = greatest(Number.NEGATIVE_INFINITY, fits.values());
  const narrowest = [(call: CallRecording) => fits.get(call) === best, ...hostsOf(record), ...endsOf(record)];
  return narrowest.reduce<readonly CallRecording[]>((calls, fit) => {
    const some = calls.filter(fit);
    return some.length === 0 ? calls : some;
  }, open);
}

type Fits = (call: CallRecording) => boolean;

/**
 * A process that answers one event has an id of its own, so that only the session and the configuration join it to others. What hookscope itself
 * answered may stand for a fire of any host.
 */
function hostsOf(record: HookRecord): readonly Fits[] {
  const asked =
    (fits: (ask: FireRecord) => boolean): Fits =>
    ({ asks }) =>
      asks.some((ask) => ask.unanswered !== undefined || fits(ask));
  if (!isStateless(record)) return [asked((ask) => (ask as HookRecord).host_id === record.host_id)];
  const { revision } = record as FireRecord;
  return [asked(isStateless), asked((ask) => revision !== undefined && ask.revision === revision)];
}

/** A session obeys: a call that a hook has denied does not run. */
function endsOf(record: HookRecord): readonly Fits[] {
  if (record.type !== 'tool_call') return [];
  if (isDeniedByHook(record)) return [hasDenial];
  return record.ran ? [(call) => !hasDenial(call)] : [];
}

const isDeniedByHook = ({ status, denied_by: by }: ToolCallRecord): boolean => status === 'denied' && by === 'hook';

export const hasDenial: Fits = ({ asks }) => asks.some(isDenied);

/** Whether two records that are not the first of a call can be about the same one. */
export function areOfOne(a: HookRecord, b: HookRecord): boolean {
  if ([a, b].some((one) => one.type === 'hook_alarm' || !isPlaced(one))) return true;
  if (a.type === 'tool_call')
    return b.type === 'tool_call' ? a.status === 'deferred' || b.status === 'deferred' : canEnd(a, b);
  if (b.type === 'tool_call') return canEnd(b, a);
  if (a.type !== 'hook_fire' || b.type !== 'hook_fire') return true;
  const [first, second] = [roleIn(a), roleIn(b)];
  if (first === 'answers' || second === 'answers') return first !== second || !areOfOneHost(a, b);
  return a.event === b.event && !areOfOneHost(a, b);
}

function canEnd({ status, host_id: host }: ToolCallRecord & HookRecord, fire: HookRecord): boolean {
  if (fire.type !== 'hook_fire' || fire.host_id !== host || roleIn(fire) === 'answers') return true;
  if (roleIn(fire) === 'ran') return status !== 'denied' && status !== 'deferred';
  return fire.event === 'PermissionDenied' ? status === 'denied' || status === 'interrupted' : status !== 'ran';
}

/** Whether the same hooks were asked: those of one host, or of one configuration. */
function areOfOneHost(a: FireRecord, b: FireRecord): boolean {
  if (!isStateless(a) || !isStateless(b)) return (a as HookRecord).host_id === (b as HookRecord).host_id;
  return a.revision === b.revision;
}

export const isStateless = (record: object): boolean => (record as { readonly stateless?: boolean }).stateless === true;

/** The part that the event has in a call; undefined: none, or the record is that of a hook that is not enforced. */
export const roleIn = (record: HookRecord | FireRecord): string | undefined =>
  record.type === 'hook_fire' && !isShadow(record as HookRecord) ? specOf(record.event)?.callRole : undefined;

/** Whether the record is an event about a tool call, or of its end: others are about the call that was begun last. */
export function isPlaced(record: HookRecord): boolean {
  if (record.type !== 'hook_fire') return true;
  return !isShadow(record) && specOf(record.event)?.tool === true;
}
