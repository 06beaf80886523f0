import type { Json } from '../values/shape.js';

/** The text with which the redactor replaces a secret. */
const MASK = /\[redacted(?: [\w-]+ hmac:[0-9a-f]+|: it could not be read)\]/;
export const MASKS: RegExp = new RegExp(MASK, 'g');

/** Stands for an unknown value that a hook may have put in. It has a symbol as key, so no recorded value equals it. */
export const ANY_VALUE: object = Object.freeze({ [Symbol('any value')]: true });

/** The unknown parts of an input. */
export interface InputGaps {
  /** Whether secrets are masked. `anywhere`: the masks cannot be distinguished from other text. */
  readonly masked: boolean | 'anywhere';
  /** Paths in the input that were left out, such as `tool_input.data`. An `…` at the end: all paths that begin like this. */
  readonly missing: readonly string[];
}

export const isMasked = (text: string, { masked }: InputGaps): boolean =>
  masked === 'anywhere' || (masked && MASK.test(text));

/** The result of a test on an input; `undefined` if the test has read an unknown part. */
export function look(input: Json, gaps: InputGaps, test: (input: Json) => boolean): boolean | undefined {
  let blind = false;
  const seen = (value: unknown, place: string): unknown => {
    if (typeof value === 'string') {
      if (isMasked(value, gaps)) blind = true;
      return value;
    }
    return typeof value === 'object' && value !== null ? watched(value, place) : value;
  };
  const watched = (of: object, place: string): object => {
    const nobodyKnows = of === ANY_VALUE;
    const look = (key: string | symbol): void => {
      if (nobodyKnows || (typeof key === 'string' && isMissing(below(place, key), gaps.missing))) blind = true;
    };
    // A copy, because a proxy may not return other values than its frozen target has.
    return new Proxy(Array.isArray(of) ? [...of] : { ...of }, {
      get(target, key, receiver) {
        look(key);
        const value: unknown = Reflect.get(target, key, receiver);
        return typeof key === 'string' && Object.hasOwn(target, key) ? seen(value, below(place, key)) : value;
      },
      has(target, key) {
        look(key);
        return Reflect.has(target, key);
      },
      ownKeys(target) {
        if (nobodyKnows || gaps.missing.some((gone) => gone.startsWith(place))) blind = true;
        return Reflect.ownKeys(target);
      },
    });
  };
  const said = test(watched(input, '') as Json);
  return blind ? undefined : said;
}

const below = (place: string, key: string): string => (place === '' ? key : `${place}.${key}`);

function isMissing(place: string, missing: readonly string[]): boolean {
  return missing.some((gone) => gone === place || (gone.endsWith('…') && place.startsWith(gone.slice(0, -2))));
}
