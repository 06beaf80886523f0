import { specOf } from '../../events/catalogue.js';
import { isMcpTool, REWRITE_NOT_ALLOWED, rewriteKeys } from '../../events/output/what-counts.js';
import type { EventSpec } from '../../events/spec.js';
import { isObject } from '../../values/shape.js';
import type { FireRecord, HandlerRecord } from '../fire-record.js';

/** One answer of a hook: a hook that was called again because another one rewrote the input has several. */
export interface HookAnswer {
  /** The hook's row as if this were its only answer. Only the last answer has a verdict, since the record holds the one that counted in the end. */
  readonly handler: HandlerRecord;
  /** The hook announced that it would answer later, and no answer came. */
  readonly unjudged: boolean;
  /** A later answer of the hook replaces this one, with its context and messages. A failed one replaces only a failure or a less strict answer. */
  readonly replaced: boolean;
  /** The version of the input (or of the output that hooks may replace) that the hook was given; undefined: the record does not have it. */
  readonly given: unknown;
  /** The hook's rewrite of `given`; undefined: it changed nothing. `dropped`: the rewrite had no effect: another hook's won, or this hook only observes. */
  readonly rewrite: { readonly value: unknown; readonly dropped: boolean } | undefined;
}

interface HookAnswerDraft extends Omit<HookAnswer, 'rewrite'> {
  readonly judged: number;
  readonly made: { readonly value: unknown } | undefined;
}
type Drafts = ReadonlyMap<string, readonly HookAnswerDraft[]>;

/** The answers of each hook that was called, by its id. */
export function answersIn(record: FireRecord): ReadonlyMap<string, readonly HookAnswer[]> {
  const drafts = draftsIn(record);
  const found = new Map<string, readonly HookAnswer[]>();
  for (const [id, own] of drafts)
    found.set(
      id,
      own.map(({ handler, unjudged, replaced, given, made }, at) => {
        const rewrite = made && { value: made.value, dropped: isDropped(record, drafts, id, at) };
        return { handler, unjudged, replaced, given, rewrite };
      }),
    );
  return found;
}

function draftsIn(record: FireRecord): Drafts {
  const spec = specOf(record.event);
  const forms = formsIn(record, spec?.rewrites?.field);
  const asked = record.handlers.filter(({ status }) => status !== 'skipped');
  // Older records, and those in which no hook was called after a rewrite, do not say which version an answer is about: each wave got what the one before had made.
  const isOlder = !asked.some(({ judged, answers }) => judged !== undefined || answers !== undefined);
  const drafts = new Map<string, readonly HookAnswerDraft[]>();
  let now = forms[0];
  let next: MadeRewrite | undefined;
  let wave: number | null = null;
  for (const row of asked) {
    if (row.wave !== wave) {
      if (next !== undefined) now = next.value;
      next = undefined;
      wave = row.wave;
    }
    const own = draftsOf(row, { spec, givenTo: (judged) => (isOlder ? now : forms[judged]), record, forms });
    drafts.set(row.id, own);
    const made = own[0]?.made;
    const isTaken = row.phase !== 'observe' && !record.conflicts.some(({ loser }) => loser === row.id);
    // Of rewrites in one wave the last to finish wins, if the record has their order.
    if (made !== undefined && isTaken && (next?.at ?? -1) <= (row.finished ?? 0))
      next = { value: made.value, at: row.finished ?? 0 };
  }
  return drafts;
}

interface MadeRewrite {
  readonly value: unknown;
  readonly at: number;
}
type RowAnswer = NonNullable<HandlerRecord['answers']>[number];

/** The answers of one hook. */
function draftsOf(
  row: HandlerRecord,
  about: {
    readonly record: FireRecord;
    readonly spec: EventSpec | undefined;
    readonly givenTo: (judged: number) => unknown;
    readonly forms: readonly unknown[];
  },
): readonly HookAnswerDraft[] {
  const { spec, givenTo, record, forms } = about;
  const { status, output, failure, judged = 0 } = row;
  const place = `handlers.${record.handlers.indexOf(row)}`;
  const cut = isCut(record, `${place}.output`) || isCut(record, `${place}.answers`);
  const all: readonly RowAnswer[] = row.answers?.length
    ? row.answers
    : [{ judged, status, output, failure } as RowAnswer];
  // Where the original input came back, what counts is the answer about it, which need not be the last.
  const last = all.length - 1;
  const counting = isWithdrawn(record) ? all.findLastIndex((answer) => answer.judged === judged) : last;
  return all.map((answer, at) => {
    const given = givenTo(answer.judged);
    const offered = hasAnswered(answer) && !cut ? rewriteOf(answer.output, spec, record) : undefined;
    // What a wrong answer says may count in part. Its rewrite does if it is among those that were made.
    const isCounted = answer.failure?.cause !== 'bad_schema' || forms.some((form) => isSame(form, offered?.value));
    const made = isCounted ? offered : undefined;
    return {
      handler: at !== counting ? earlier(row, answer) : all.length === 1 ? row : withOutput(row, answer.output),
      unjudged: answer.status === 'unjudged',
      replaced: counting === last ? isReplaced(row, all, at) : at !== counting,
      judged: answer.judged,
      given,
      made: made !== undefined && isSame(made.value, given) ? undefined : made,
    };
  });
}

/** A failed hook may have answered too (a command that printed JSON). */
const hasAnswered = ({ status, output }: RowAnswer): boolean =>
  status === 'ran' || (status === 'failed' && output !== undefined);

/** Whether another answer of the hook replaces the answer at `at` (docs/semantics.md 6). */
function isReplaced(row: HandlerRecord, all: readonly RowAnswer[], at: number): boolean {
  const later = all.slice(at + 1);
  if (later.some(({ status }) => status === 'ran')) return true;
  const failed = later.filter(({ status }) => status === 'failed');
  const own = all[at] as RowAnswer;
  if (own.status === 'failed')
    return failed.length > 0 || (own.output !== undefined && !isSame(own.output, row.output));
  // The answer of a failed call counts only if it is stricter.
  const isKept = row.output === undefined || isSame(own.output, row.output);
  return !isKept && failed.some(({ output }) => output !== undefined && isSame(output, row.output));
}

/** The row has the output that counts; an answer may have had another one, or none. */
function withOutput({ output: _, ...row }: HandlerRecord, output: unknown): HandlerRecord {
  return output === undefined ? row : { ...row, output };
}

/** Whether something at or below this path of the record was left out. */
const isCut = ({ truncated = [] }: FireRecord, place: string): boolean =>
  truncated.some((cut) => cut === place || cut.startsWith(`${place}.`) || cut.startsWith(`${place}…`));

/** Every version of the rewritable field (or of the whole input), from the original to the last rewrite; undefined: the record has it only in part. */
function formsIn(record: FireRecord, field: string | undefined): readonly unknown[] {
  const { input, final_input: final, versions = [] } = record;
  const part = (of: FireRecord['input'], place: string): unknown => {
    const isWhole =
      !isCut(record, field === undefined ? place : `${place}.${field}`) && !record.truncated?.includes(place);
    if (!isWhole) return undefined;
    return field !== undefined && Object.hasOwn(of, field) ? of[field] : of;
  };
  const first = part(input, 'input');
  if (isCut(record, 'versions')) return [first];
  return [first, ...versions, ...(final === undefined ? [] : [part(final, 'final_input')])];
}

/** The row of an answer that was not the last: without the verdict and the other fields that describe the last one. */
function earlier(
  { id, name, handler, plugin, source, scope, stage, wave, phase, dialect, on_failure: onFailure }: HandlerRecord,
  { status, output, failure }: NonNullable<HandlerRecord['answers']>[number],
): HandlerRecord {
  return {
    ...{ id, name, handler, source, scope, stage, wave },
    status: status === 'unjudged' ? 'ran' : status,
    ...(plugin === undefined ? {} : { plugin }),
    ...(phase === undefined ? {} : { phase }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(onFailure === undefined ? {} : { on_failure: onFailure }),
    ...(output === undefined ? {} : { output }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The value with which an answer replaces the input or output; undefined: it replaces nothing. */
export function rewriteOf(
  output: unknown,
  spec: EventSpec | undefined,
  { input, fired }: Pick<FireRecord, 'input' | 'fired'>,
): HookAnswerDraft['made'] {
  if (spec?.rewrites === undefined) return undefined;
  const own = isObject(output) ? output['hookSpecificOutput'] : undefined;
  const place = spec.nestedDecision && isObject(own) ? own['decision'] : own;
  if (!isObject(place)) return undefined;
  const keys = rewriteKeys(spec, isMcpTool(input['tool_name']), place['behavior']);
  const key = keys.find((one) => Object.hasOwn(place, one));
  if (key === undefined) return undefined;
  const [old, value] = [input[spec.rewrites.field], place[key]];
  return { value: fired?.keeps_keys && isObject(old) && isObject(value) ? { ...old, ...value } : value };
}

/** Whether another hook's rewrite won over the rewrite of this answer (docs/semantics.md 6). */
function isDropped(record: FireRecord, drafts: Drafts, id: string, at: number): boolean {
  const own = drafts.get(id) ?? [];
  const { handler, judged, given, made } = own[at] as HookAnswerDraft;
  if (handler.phase === 'observe' || isWithdrawn(record)) return true;
  const winners = record.conflicts.flatMap(({ winner, loser }) => (loser === id ? [madeIn(drafts, winner)] : []));
  const all = madeIn(drafts, id);
  // A hook that rewrote only once lost with that rewrite.
  if (winners.length === 0 || all.length === 1) return winners.length > 0;
  const isAgain = all[0] !== own[at];
  // The winner rewrote the same version, or made the one that this answer was given, or was given the one that it made. A first rewrite replaces no earlier one.
  return winners.some((others) =>
    others.some(
      (other, i) =>
        other.judged === judged ||
        (isAgain && isSame(other.made?.value, given)) ||
        (i > 0 && isSame(other.given, made?.value)),
    ),
  );
}

/** Whether the original came back because no allow carried the rewrites. A hook may have made it again, too, with an allow or beside a deny. */
export function isWithdrawn({ event, input, final_input: final, versions, decision, handlers }: FireRecord): boolean {
  const { nestedDecision, rewrites } = specOf(event) ?? {};
  if (!nestedDecision || rewrites === undefined || final === undefined || !versions?.length) return false;
  if (!isSame(input[rewrites.field], final[rewrites.field])) return false;
  const isSettled = decision.verdict === 'allow' || decision.verdict === 'deny';
  return !isSettled || handlers.some(({ warnings }) => warnings?.includes(REWRITE_NOT_ALLOWED));
}

const madeIn = (drafts: Drafts, id: string): readonly HookAnswerDraft[] =>
  (drafts.get(id) ?? []).filter(({ made }) => made !== undefined);

export function isSame(a: unknown, b: unknown): boolean {
  try {
    return jsonOf(a) === jsonOf(b);
  } catch {
    // Nested too deeply for JSON.
    return false;
  }
}

/** JSON with sorted keys. */
const jsonOf = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
