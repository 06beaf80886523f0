import { isObject, type Json } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import { PARTS, VERDICT } from './helper-keys.js';
import { FAULTS } from './printed.js';

/** The key of the parts of an answer that are read each by itself. */
export const READ_APART = Symbol('read apart');

/** Parts of an answer in the event's own keys. */
export interface ReadApart {
  readonly parts: readonly unknown[];
  /** A part leaves the decision to the user, so no other may allow in the user's place. */
  readonly asks: boolean;
}

/** What `combine` has left in parts, and the answer around it as one more part. `leavesToUser`: to ask means no decision on this event. */
export function readApart(
  { [PARTS]: parts, ...around }: Json,
  leavesToUser: boolean | undefined,
  inWords: (part: unknown) => unknown,
): { readonly [READ_APART]: ReadApart } {
  const all: readonly unknown[] = [
    ...(Array.isArray(parts) ? parts : [parts]),
    ...(Object.keys(around).length > 0 ? [around] : []),
  ];
  const translated = all.map((part) => {
    try {
      return inWords(part);
    } catch (error) {
      return { [FAULTS]: [messageOf(error)] };
    }
  });
  return { [READ_APART]: { parts: translated, asks: leavesToUser === true && all.some(asks) } };
}

function asks(part: unknown): boolean {
  const said = isObject(part) ? part[VERDICT] : undefined;
  return isObject(said) && (said['verdict'] === 'ask' || said['verdict'] === 'defer');
}
