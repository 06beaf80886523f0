import { HookscopeError, isErrorOf } from '../../errors.js';
import type { EventSpec } from '../../events/spec.js';
import { wellFormedJson } from '../../plain.js';
import { bytesAsJson } from '../../values/copies/binary.js';
import { type CopyBudget, copyJson, DEEPEST, NotJson } from '../../values/copies/copy.js';
import { put } from '../../values/copies/put.js';
import { isObject, type Json } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';

/** An input as hooks outside the process get it: a plain copy, and its JSON. */
export interface CarriedInput {
  readonly input: Json;
  readonly json: string;
  /** The line that replaces the rewritable field, if that field cannot be carried. */
  readonly withheld?: string | undefined;
}

/**
 * Makes an input ready to leave the process. Values that are nested too deeply, too large or not JSON cannot leave. In events before the
 * fact such an input is refused with INVALID_INPUT; in events after the fact those values are withheld and the rest is carried.
 */
export function carry(spec: EventSpec, input: Json, most: number): CarriedInput | HookscopeError {
  // Before the fact binary data is refused, because its JSON form may leave content out of an input that hooks judge.
  const room: CopyBudget = { left: most, bytes: spec.afterTheFact && bytesAsJson };
  const copied: Record<string, unknown> = {};
  let withheld: string | undefined;
  for (const key of Object.keys(input)) {
    // The rewritable field goes to the model: it is withheld as a whole, never in part.
    const found = part(input, key, room, spec.afterTheFact === true && key !== spec.rewrites?.field);
    if ('value' in found) {
      if (found.value !== undefined) put(copied, key, found.value);
      continue;
    }
    if (!spec.afterTheFact) return refused(spec, key, found.why);
    const line = withheldLine(key, found.why);
    if (key === spec.rewrites?.field) withheld = line;
    copied[key] = line;
  }
  const json = wellFormedJson(copied);
  if (json.length <= most / 3 || Buffer.byteLength(json) <= most) return { input: copied, json, withheld };
  const why = tooLarge(most);
  return spec.afterTheFact ? smallest(spec, copied, why) : refused(spec, '(the input)', why);
}

function part(from: Json, key: string, room: CopyBudget, tells: boolean): { value: unknown } | { why: string } {
  const { left } = room;
  try {
    const value = from[key];
    return { value: value === undefined ? undefined : copyJson(value, key, room) };
  } catch (error) {
    room.left = left;
    const several = tells ? listOf(from, key) : undefined;
    if (several) return { value: several.map((one) => lightened(one, room)) };
    return { why: whyNot(error) };
  }
}

/** A list whose items may be carried in part, such as the calls of a batch. */
function listOf(from: Json, key: string): readonly Json[] | undefined {
  try {
    const value = from[key];
    // Not `every`, which iterates over holes, up to four billion of them.
    return Array.isArray(value) && value.findIndex((one) => !isObject(one)) === -1 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One item of a list, without the fields that cannot be carried. If the item itself cannot be, one line replaces it. */
function lightened(one: Json, room: CopyBudget): unknown {
  const { left } = room;
  try {
    return copyJson(one, 'it', room);
  } catch (error) {
    room.left = left;
    const why = whyNot(error);
    const copied: Record<string, unknown> = {};
    let lacks = false;
    try {
      for (const key of Object.keys(one)) {
        const found = part(one, key, room, false);
        lacks ||= 'why' in found;
        put(copied, key, 'value' in found ? found.value : withheldLine(key, found.why));
      }
    } catch {
      lacks = false;
    }
    return lacks ? copied : withheldLine('it', why);
  }
}

/** Keeps the short texts of an input, which say what it is about, and withholds everything else. */
function smallest(spec: EventSpec, input: Json, why: string): CarriedInput {
  const short = (value: unknown): boolean => typeof value !== 'object' && String(value).length <= 10_000;
  const copied = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, short(value) ? value : withheldLine(key, why)]),
  );
  const field = spec.rewrites?.field;
  const withheld = field !== undefined && !short(input[field]) ? withheldLine(field, why) : undefined;
  return { input: copied, json: wellFormedJson(copied), withheld };
}

/** The line that replaces a value which cannot be carried. */
export function withheldLine(what: string, why: string): string {
  return `[${what} was withheld because it cannot be serialised: ${why}]`;
}

/** Why a value cannot be copied, in words. */
export function whyNot(error: unknown): string {
  return isErrorOf(error, NotJson) ? error.message : `it cannot be read: ${messageOf(error)}`;
}

const tooLarge = (most: number): string => `its JSON has more than ${most} bytes (the host option maxInputBytes)`;

function refused(spec: EventSpec, field: string, why: string): HookscopeError {
  const expected = `cannot be given to a hook outside this process (JSON data, at most ${DEEPEST} levels deep, maxInputBytes): ${why}`;
  return new HookscopeError('INVALID_INPUT', { event: spec.name, field, expected });
}

/** The input of one fire as it leaves the process, made once for each version however many hooks need it. */
export class InputCarrier {
  readonly #spec: EventSpec;
  readonly #most: number;
  readonly #refuse: (error: HookscopeError) => void;
  #last: { readonly input: Json; readonly as: CarriedInput } | undefined;

  constructor(spec: EventSpec, most: number, refuse: (error: HookscopeError) => void) {
    this.#spec = spec;
    this.#most = most;
    this.#refuse = refuse;
  }

  of(input: Json): CarriedInput | undefined {
    if (this.#last?.input === input) return this.#last.as;
    const as = carry(this.#spec, input, this.#most);
    if (as instanceof HookscopeError) {
      this.#refuse(as);
      return undefined;
    }
    this.#last = { input, as };
    return as;
  }

  /** A value that hooks could not see is withheld from the model too. */
  get withheld(): { readonly value: string } | undefined {
    const line = this.#last?.as.withheld;
    return line === undefined ? undefined : { value: line };
  }
}
