import { isDeepStrictEqual } from 'node:util';
import { changesOf } from '../files/text-diff.js';
import { isObject, type Json } from '../values/shape.js';
import type { ConnectedFile } from './journal.js';
import { type Handler, type HandlerTest, hasNoCommaTooMany, parseSettings, withoutHandlers } from './settings-text.js';

/** How a handler is recognised. */
export const nameOf = (handler: Handler): string => String(handler['command'] ?? handler['url']);

/** The text without what connect has written: byte for byte the original, with later changes of the user, as far as they can be separated. */
export async function withoutOurs(connection: ConnectedFile, text: string): Promise<string> {
  const { file, handlers } = connection;
  const isOurs: HandlerTest = (handler) => handlers.includes(nameOf(handler));
  const rest = await withoutHandlers(text, isOurs, file);
  const cut = await withoutPieces(connection, text);
  return cut !== undefined && (await isSame(cut, rest, [text, originalOf(connection)], file)) ? cut : rest;
}

/** The written parts are cut out where they are unchanged. */
async function withoutPieces({ written, added }: ConnectedFile, text: string): Promise<string | undefined> {
  if (written === undefined || added === undefined) return undefined;
  const was = Buffer.from(written, 'base64').toString();
  const changes = await changesOf(was, text);
  if (changes === undefined) return undefined;
  const pieces = added.map(([at, length]) => ({ from: at, to: at + length, value: '' }));
  // The user has already removed it.
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

/** It contains what it should, and no trailing comma except one that the user wrote. */
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

/** Events without hooks say nothing. */
function said({ hooks, version: _, ...others }: Json): Json {
  const events = Object.entries(isObject(hooks) ? hooks : {});
  const some = events.filter(([, list]) => !(Array.isArray(list) && list.length === 0));
  return { ...others, hooks: Object.fromEntries(some) };
}
