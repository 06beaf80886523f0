import { isDeepStrictEqual } from 'node:util';
import { changesOf } from '../files/text-diff.js';
import { isObject, type Json } from '../values/shape.js';
import { withoutHandlers } from './cut-out.js';
import type { ConnectedFile } from './journal.js';
import { type HandlerTest, hasNoCommaTooMany, parseSettings } from './settings-text.js';

/** A text in a file, and how the handlers in it that connect has written are recognised. */
export interface ConnectedText {
  readonly text: string;
  readonly file: string;
  readonly isOurs: HandlerTest;
}

/** What is left of the text. */
export interface RestoredText {
  readonly rest: string;
  /** Exactly what connect had inserted was removed, byte for byte. */
  readonly isExact: boolean;
}

/**
 * The text without what connect has written: byte for byte the original, with later changes of the user, as far as they can be separated.
 * Without `connection`, the original is unknown.
 */
export async function withoutOurs(
  { text, file, isOurs }: ConnectedText,
  connection: ConnectedFile | undefined,
): Promise<RestoredText> {
  const rest = await withoutHandlers(text, isOurs, file);
  if (connection === undefined) return { rest, isExact: rest === text };
  const cut = await withoutPieces(connection, text);
  const isExact = cut !== undefined && (await isSame(cut, rest, [text, originalOf(connection)], file));
  return isExact ? { rest: cut, isExact } : { rest, isExact: rest === text };
}

/** Cuts out the inserted parts; undefined if one of them was changed, or the parts are unknown. */
async function withoutPieces({ written, added }: ConnectedFile, text: string): Promise<string | undefined> {
  if (written === undefined || added === undefined) return undefined;
  const was = Buffer.from(written, 'base64').toString();
  const changes = await changesOf(was, text);
  if (changes === undefined) return undefined;
  const pieces = added.map(([at, length]) => ({ from: at, to: at + length, value: '' }));
  // The others were already removed by the user.
  const left = pieces.filter((piece) => !changes.some(({ from, to }) => from <= piece.from && piece.to <= to));
  const isTouched = left.some((piece) => changes.some(({ from, to }) => from < piece.to && piece.from < to));
  if (isTouched) return undefined;
  let result = '';
  let at = 0;
  for (const { from, to, value } of [...changes, ...left].sort((a, b) => a.from - b.from || a.to - b.to)) {
    result += was.slice(at, from) + value;
    at = to;
  }
  return result + was.slice(at);
}

/** The text that connect found. */
function originalOf({ written, added = [] }: ConnectedFile): string {
  const was = Buffer.from(written ?? '', 'base64').toString();
  return added.toReversed().reduce((text, [at, length]) => text.slice(0, at) + text.slice(at + length), was);
}

/** Whether `cut` has the content of `rest`, and no trailing comma except one that the user wrote. */
async function isSame(cut: string, rest: string, others: readonly string[], file: string): Promise<boolean> {
  try {
    const [one, other] = [await parseSettings(cut, file), await parseSettings(rest, file)];
    if (!isDeepStrictEqual(said(one), said(other))) return false;
    if (await hasNoCommaTooMany(cut)) return true;
    for (const other of others) if (!(await hasNoCommaTooMany(other))) return true;
    return false;
  } catch {
    return false;
  }
}

/** The content without empty events, which mean nothing, and without the version, which connect may have added. */
function said({ hooks, version: _, ...others }: Json): Json {
  const events = Object.entries(isObject(hooks) ? hooks : {});
  const some = events.filter(([, list]) => !(Array.isArray(list) && list.length === 0));
  return { ...others, hooks: Object.fromEntries(some) };
}
