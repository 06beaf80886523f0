import type { AlarmRecord, FireRecord, HookRecord } from '../emit/record.js';
import { sha256 } from '../values/sha256.js';
import { isObject } from '../values/shape.js';

/** How well the input of a record fits a call, the best last. */
export const FIT = { otherTool: 0, unlike: 1, unknown: 2, loose: 3, equal: 4 } as const;
export type Fit = (typeof FIT)[keyof typeof FIT];

/** How well the input of a record fits what was asked about a call, as it was asked and as hooks rewrote it. */
export function fitOf(record: HookRecord, asks: readonly FireRecord[]): Fit {
  if (record.type === 'system') return FIT.unlike;
  const tool = record.type === 'hook_fire' ? record.input['tool_name'] : record.tool_name;
  const isOtherTool = (ask: FireRecord): boolean =>
    typeof tool === 'string' && typeof ask.input['tool_name'] === 'string' && ask.input['tool_name'] !== tool;
  if (asks.length > 0 && asks.every(isOtherTool)) return FIT.otherTool;
  const own = asks.map(inputsOf);
  if (record.type === 'tool_call') return fitOfHash(record.input_sha256, own);
  // The denial in an alarm may be that of another call with its id.
  if (record.type === 'hook_alarm') return isOfMasked(record, own) ? FIT.equal : fitOfHash(record.ran_sha256, own);
  const given = record.input['tool_input'];
  if (given === undefined || isCut(record)) return FIT.unknown;
  const [exact, loose] = [keyOf(given, false), keyOf(given, true)];
  if (exact !== undefined && own.some((inputs) => inputs.exact.has(exact))) return FIT.equal;
  if (loose !== undefined && own.some((inputs) => inputs.loose.has(loose))) return FIT.loose;
  const isOpen = asks.some((ask) => isCut(ask) || isMaskedApart(ask, record));
  return isOpen || own.some(({ exact: some }) => some.size === 0) ? FIT.unknown : FIT.unlike;
}

/**
 * Whether what ran is the same as what was asked about, with the same secrets masked. The hash of an alarm is that of the input before it was masked,
 * and fits no input that has been.
 */
function isOfMasked({ redacted, ran_input: ran }: AlarmRecord, own: readonly Inputs[]): boolean {
  return redacted !== undefined && ran !== undefined && isMasked(ran) && own.some(({ exact }) => exact.has(ran));
}

/** What stands in place of a secret: a hash of it that only records with the same key can be compared by. */
const MASK = /\[redacted [a-z\d-]+ hmac:[\da-f]{16}\]/;
const isMasked = (json: string): boolean => MASK.test(json);

/** Whether the inputs of two fires differ only in secrets that were masked with different keys, or in one of them. */
function isMaskedApart(one: FireRecord, other: FireRecord): boolean {
  if (keyIdOf(one) === keyIdOf(other)) return false;
  return [...inputsOf(one).exact].some((a) => [...inputsOf(other).exact].some((b) => differInMasks(a, b)));
}

function differInMasks(one: string, other: string): boolean {
  const [a, b] = [one.split(MASK), other.split(MASK)];
  if (a.length > 1 && b.length > 1) return JSON.stringify(a) === JSON.stringify(b);
  if (a.length === b.length) return false;
  const [[first = '', ...rest], plain] = a.length > 1 ? [a, other] : [b, one];
  const last = rest.pop() ?? '';
  let at = plain.startsWith(first) && plain.endsWith(last) ? first.length : -1;
  for (const part of rest) {
    const found = at < 0 ? -1 : plain.indexOf(part, at);
    at = found < 0 ? -1 : found + part.length;
  }
  return at >= 0 && at <= plain.length - last.length;
}

const keyIdOf = (record: FireRecord): string | undefined => (record as FireRecord & HookRecord).redacted?.key;

/** A page, which would have to wait for a hash, has none. */
const CAN_HASH = sha256('') !== '';

function fitOfHash(hash: string | undefined, own: readonly Inputs[]): Fit {
  if (hash !== undefined && !CAN_HASH) return FIT.unknown;
  return hash !== undefined && own.some((inputs) => hashesOf(inputs).has(hash)) ? FIT.equal : FIT.unlike;
}

/** The tool's input of a fire in all its versions. */
interface Inputs {
  readonly exact: ReadonlySet<string>;
  readonly loose: ReadonlySet<string>;
  hashes?: ReadonlySet<string>;
}

const known = new WeakMap<FireRecord, Inputs>();

function inputsOf(ask: FireRecord): Inputs {
  const before = known.get(ask);
  if (before !== undefined) return before;
  const all = [ask.input['tool_input'], ...(ask.versions ?? []), ask.final_input?.['tool_input']];
  const keys = (loose: boolean) => new Set(all.flatMap((one) => (one === undefined ? [] : (keyOf(one, loose) ?? []))));
  const inputs = { exact: keys(false), loose: keys(true) };
  known.set(ask, inputs);
  return inputs;
}

function hashesOf(inputs: Inputs): ReadonlySet<string> {
  inputs.hashes ??= new Set([...inputs.exact].map((text) => sha256(text)));
  return inputs.hashes;
}

/** Whether the record does not hold the whole input. */
const isCut = ({ truncated = [] }: FireRecord): boolean =>
  truncated.some((place) => /^(input|final_input|versions)\b/.test(place));

/**
 * The JSON with sorted keys; undefined: nested too deeply. `loose`: without what Claude Code changes of an input that hooks or the user gave, as in
 * alarms: `"5"` may become 5, and false or null may be added.
 */
function keyOf(value: unknown, loose: boolean): string | undefined {
  try {
    return written(value, loose);
  } catch {
    return undefined;
  }
}

function written(value: unknown, loose: boolean): string {
  if (Array.isArray(value)) return `[${value.map((one) => written(one, loose)).join(',')}]`;
  if (!isObject(value))
    return JSON.stringify(loose && /^(number|boolean)$/.test(typeof value) ? String(value) : value) ?? 'null';
  const keys = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined && !(loose && (value[key] === false || value[key] === null)));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${written(value[key], loose)}`).join(',')}}`;
}
