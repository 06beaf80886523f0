import { copyJson, NotJson } from '../../values/copies/copy.js';
import { put } from '../../values/copies/put.js';
import { kindOf } from '../../values/problem.js';
import { isObject, isPlain, isText, type Json } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import { CATALOGUE } from '../catalogue.js';
import { once } from '../once.js';
import { CONTEXT, HELPER_KEYS, isHelperKey, REWRITE, STOP, VERDICT, WRONG } from './helper-keys.js';
import { joinParts } from './join-parts.js';
import { asObject, asPrinted, BadOutput, printed, refuseInherited } from './printed.js';
import { outputShape, topFields } from './shape.js';

/** Whether the value is right for one event at least. */
type Accepts = (value: unknown) => boolean;
type KnownKeys = ReadonlyMap<string, Accepts>;

const isReason: Accepts = (reason) => reason === undefined || isText(reason);

/** What is set aside: texts, which are errors on every event, and values, which are read by the event as parts of an answer. */
const isAside = (said: unknown): said is readonly (string | Json)[] =>
  Array.isArray(said) && said.every((one) => isText(one) || isObject(one));

const HELPER_WORDS: readonly (readonly [string, Accepts])[] = [
  [VERDICT, (said) => isObject(said) && VERDICTS.includes(said['verdict']) && isReason(said['reason'])],
  [REWRITE, (said) => isObject(said) && said['value'] !== undefined],
  [CONTEXT, isText],
  [STOP, (said) => said === true || isText(said)],
  [WRONG, isAside],
];
const VERDICTS: readonly unknown[] = ['allow', 'ask', 'defer', 'deny', 'block'];

const topKeys = once((): KnownKeys => {
  const words = [...topFields()].map(([key, { accepts }]) => [key, accepts] as const);
  return new Map<string, Accepts>([...words, ...HELPER_WORDS, ['async', (said) => said === false]]);
});

/** The keys of `hookSpecificOutput` on all events. */
const innerKeys = once((): KnownKeys => {
  const known = new Map<string, Accepts>([['hookEventName', isText]]);
  for (const spec of Object.values(CATALOGUE))
    for (const [key, { accepts }] of outputShape(spec).specific) {
      const before = known.get(key);
      known.set(key, before === undefined ? accepts : (value) => before(value) || accepts(value));
    }
  return known;
});

const INNER = 'hookSpecificOutput';

/** A place for words: how messages name it, its keys, and a value there as a part of an answer. */
interface WordPlace {
  readonly where: string;
  readonly known: () => KnownKeys;
  readonly alone: (key: string, value: unknown) => Json;
}
const TOP: WordPlace = { where: '', known: topKeys, alone: (key, value) => ({ [key]: value }) };
const INSIDE: WordPlace = {
  where: `${INNER}.`,
  known: innerKeys,
  alone: (key, value) => ({ [INNER]: { [key]: value } }),
};

/**
 * A part of `combine` as JSON shows it. What no event takes is set aside under a key of its own, so that it takes nothing away that is right, and the
 * event that reads the answer refuses it. Throws BadOutput for what is no part, and what its `toJSON` throws.
 */
export function rightPart(given: unknown): Json {
  const part = asObject(printed(given), 'combine');
  refuseInherited(part, '', HELPER_KEYS);
  // Of an answer in the background nothing else is read.
  if (part['async'] === true) return part;
  const wrong: unknown[] = [];
  orAside(INNER, wrong, () => refuseInherited(part, '', [INNER]));
  const { [INNER]: inner, ...right } = sift(part, TOP, wrong);
  // Beside a helper's words null says nothing.
  if (inner !== undefined && !(inner === null && Object.keys(part).some(isHelperKey)))
    orAside(INNER, wrong, () => put(right, INNER, sift(asPrinted(inner, INNER), INSIDE, wrong)));
  return wrong.length === 0 ? right : { ...right, [WRONG]: [...((right[WRONG] as unknown[]) ?? []), ...wrong] };
}

/** The right values of an object; what is wrong is added to `wrong`. Keys that no event knows are no matter of types. */
function sift(whole: Json, { where, known, alone }: WordPlace, wrong: unknown[]): Record<string, unknown> {
  const right: Record<string, unknown> = {};
  if (!isPlain(whole))
    for (const key of known().keys()) orAside(where + key, wrong, () => refuseInherited(whole, where, [key]));
  for (const key of Object.keys(whole))
    orAside(where + key, wrong, () => {
      const said = whole[key];
      // JSON has neither.
      if (said === undefined || key === 'toJSON') return;
      const accepts = known().get(key);
      const value = accepts === undefined ? said : copyJson(said, where + key);
      if (accepts === undefined || accepts(value)) {
        put(right, key, value);
        return;
      }
      wrong.push(alone(key, value));
      const counted = countedOf(key, value, accepts);
      if (counted !== undefined) put(right, key, counted);
    });
  return right;
}

/** What cannot be read, or is no JSON, is set aside as a message. */
function orAside(field: string, wrong: unknown[], read: () => void): void {
  try {
    read();
  } catch (error) {
    const isNamed = error instanceof BadOutput || error instanceof NotJson;
    wrong.push(isNamed ? error.message : `${field}: it cannot be read: ${messageOf(error)}`);
  }
}

/** What counts of a wrong value: that it ends the loop, and a verdict without what is wrong beside it. */
function countedOf(key: string, value: unknown, accepts: Accepts): unknown {
  if (key === STOP) return true;
  if (!isObject(value)) return undefined;
  const word = key === VERDICT ? 'verdict' : 'behavior';
  let counted: Json = { [word]: value[word] };
  if (!accepts(counted)) return undefined;
  for (const more of Object.keys(value)) {
    const longer: Json = { ...counted, [more]: value[more] };
    if (accepts(longer)) counted = longer;
  }
  return counted;
}

/** What `combine` has set aside is a fault where the event does not take it; the rest belongs to the answer. */
export function withAside(
  output: { readonly [WRONG]?: unknown },
  whyNot: (part: Json) => string | undefined,
): { answer: object; faults: string[] } {
  const faults: string[] = [];
  const right: Json[] = [];
  if (!(WRONG in output)) return { answer: output, faults };
  for (const one of asideIn(output)) {
    if (isText(one)) {
      faults.push(one);
      continue;
    }
    const why = whyNot(one);
    if (why === undefined) right.push(one);
    else faults.push(why);
  }
  const { [WRONG]: _, ...rest } = output;
  return { answer: faults.length > 0 && right.length === 0 ? output : joinParts([rest, ...right]), faults };
}

function asideIn(output: { readonly [WRONG]?: unknown }): readonly (string | Json)[] {
  try {
    if (output[WRONG] === undefined) return [];
    const aside = copyJson(output[WRONG], WRONG);
    return isAside(aside) ? aside : [`${WRONG}: expected array of texts and parts, got ${kindOf(aside)}`];
  } catch (error) {
    return [`${WRONG}: it cannot be read: ${messageOf(error)}`];
  }
}
