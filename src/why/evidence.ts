import type { FireRecord, HookRecord } from '../emit/record.js';
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
  if (record.type === 'hook_alarm') return fitOfHash(record.ran_sha256, own);
  const given = record.input['tool_input'];
  if (given === undefined || isCut(record)) return FIT.unknown;
  const [exact, loose] = [keyOf(given, false), keyOf(given, true)];
  if (exact !== undefined && own.some((inputs) => inputs.exact.has(exact))) return FIT.equal;
  if (loose !== undefined && own.some((inputs) => inputs.loose.has(loose))) return FIT.loose;
  return asks.some(isCut) || own.some(({ exact: some }) => some.size === 0) ? FIT.unknown : FIT.unlike;
}

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
