import { CATALOGUE } from '../../events/catalogue.js';
import type { EventSpec } from '../../events/spec.js';
import { isObject } from '../../values/shape.js';
import type { FireRecord, HandlerRecord } from '../fire-record.js';

/** One answer of a hook: a hook that was asked again about another one's rewrite has several. */
export interface Answer {
  /** The hook's row as if this were its only answer. Of all but the last it has no verdict: that is what counted in the end. */
  readonly handler: HandlerRecord;
  /** It announced a later answer, and none came. */
  readonly unjudged: boolean;
  /** What hooks are asked about, in the form that this one was given; undefined: the record does not have it. */
  readonly given: unknown;
  /** What it made of that; undefined: it left it as it was. `dropped`: another hook's rewrite stood in place of it. */
  readonly rewrite: { readonly value: unknown; readonly dropped: boolean } | undefined;
}

interface Draft extends Omit<Answer, 'rewrite'> {
  readonly judged: number;
  readonly made: { readonly value: unknown } | undefined;
}
type Drafts = ReadonlyMap<string, readonly Draft[]>;

/** The answers of each hook that was asked, by its id. */
export function answersIn(record: FireRecord): ReadonlyMap<string, readonly Answer[]> {
  const drafts = draftsIn(record);
  const found = new Map<string, readonly Answer[]>();
  for (const [id, own] of drafts)
    found.set(
      id,
      own.map(({ handler, unjudged, given, made }, at) => {
        const rewrite = made && { value: made.value, dropped: isDropped(record, drafts, id, at) };
        return { handler, unjudged, given, rewrite };
      }),
    );
  return found;
}

function draftsIn(record: FireRecord): Drafts {
  const spec = specOf(record.event);
  const forms = formsIn(record, spec?.rewrites?.field);
  const asked = record.handlers.filter(({ status }) => status !== 'skipped');
  // Older records say of no answer what it is about: each hook was given what the ones before it had made.
  const isOlder = !asked.some(({ judged, answers }) => judged !== undefined || answers !== undefined);
  const drafts = new Map<string, readonly Draft[]>();
  let now = forms[0];
  for (const row of asked) {
    const { id, status, output, judged = 0 } = row;
    const all: NonNullable<HandlerRecord['answers']> = row.answers?.length
      ? row.answers
      : [{ judged, status, output } as never];
    const own = all.map((answer, at) => {
      const given = isOlder ? now : forms[answer.judged];
      const made = answer.status === 'ran' ? madeBy(answer.output, spec) : undefined;
      return {
        handler: at === all.length - 1 ? row : earlier(row, answer),
        unjudged: answer.status === 'unjudged',
        judged: answer.judged,
        given,
        made: made !== undefined && isSame(made.value, given) ? undefined : made,
      };
    });
    drafts.set(id, own);
    const made = own[0]?.made;
    if (made !== undefined && !record.conflicts.some(({ loser }) => loser === id)) now = made.value;
  }
  return drafts;
}

const specOf = (event: string): EventSpec | undefined =>
  Object.hasOwn(CATALOGUE, event) ? (CATALOGUE as Readonly<Record<string, EventSpec>>)[event] : undefined;

/** What hooks were asked about, and each form that a rewrite made of it. */
function formsIn(
  { input, final_input: final, versions = [], truncated = [] }: FireRecord,
  field: string | undefined,
): readonly unknown[] {
  const part = (of: FireRecord['input']): unknown => (field !== undefined && Object.hasOwn(of, field) ? of[field] : of);
  if (final === undefined || truncated.includes('versions')) return [part(input)];
  return [part(input), ...versions, part(final)];
}

/** What the row tells of an answer that was not the last. */
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

/** What an answer replaces the input or output with. */
function madeBy(output: unknown, spec: EventSpec | undefined): Draft['made'] {
  if (spec?.rewrites === undefined) return undefined;
  const { keys, mcpKeys = [] } = spec.rewrites;
  const own = isObject(output) ? output['hookSpecificOutput'] : undefined;
  const place = spec.nestedDecision && isObject(own) ? own['decision'] : own;
  if (!isObject(place)) return undefined;
  const key = [...keys, ...mcpKeys].find((one) => Object.hasOwn(place, one));
  return key === undefined ? undefined : { value: place[key] };
}

/** Whether another hook's rewrite stood in place of that of an answer (docs/semantics.md 6). */
function isDropped({ conflicts }: FireRecord, drafts: Drafts, id: string, at: number): boolean {
  const own = drafts.get(id) ?? [];
  const { judged, given, made } = own[at] as Draft;
  const winners = conflicts.flatMap(({ winner, loser }) => (loser === id ? [madeIn(drafts, winner)] : []));
  const all = madeIn(drafts, id);
  // One that has rewritten once has lost with that.
  if (winners.length === 0 || all.length === 1) return winners.length > 0;
  const isAgain = all[0] !== own[at];
  // The other rewrote at the same time; or had made what this one was given; or was given what this one made. Who rewrites for the first time takes nobody's place.
  return winners.some((others) =>
    others.some(
      (other, i) =>
        other.judged === judged ||
        (isAgain && isSame(other.made?.value, given)) ||
        (i > 0 && isSame(other.given, made?.value)),
    ),
  );
}

const madeIn = (drafts: Drafts, id: string): readonly Draft[] =>
  (drafts.get(id) ?? []).filter(({ made }) => made !== undefined);

function isSame(a: unknown, b: unknown): boolean {
  try {
    return jsonOf(a) === jsonOf(b);
  } catch {
    // It nests too deep.
    return false;
  }
}

/** With the keys of each object in one order. */
const jsonOf = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
