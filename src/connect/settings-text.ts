import { isDeepStrictEqual } from 'node:util';
import type { Node, ParseError } from 'jsonc-parser';
import { HookscopeError } from '../errors.js';
import { positionAt } from '../files/json-file.js';
import { isTooDeep } from '../files/nesting.js';
import { isObject, type Json } from '../values/shape.js';
import { insertPlace, styleOf, type TextInsert, written } from './insert.js';
import type { Layout } from './layout.js';

/** A handler, as a file of hooks has it. */
export type SettingsHandler = Json;
/** An element of an event's list: a group of handlers, or a handler. */
export type SettingsEntry = Json;
/** A test that selects handlers. */
export type HandlerTest = (handler: SettingsHandler) => boolean;

const MARK = '\uFEFF';

/** The handlers of an entry. */
export const handlersIn = (entry: unknown): readonly SettingsHandler[] => {
  if (!isObject(entry)) return [];
  return Array.isArray(entry['hooks']) ? entry['hooks'].filter(isObject) : [entry];
};

/** A text, and the parts that were inserted into it: their positions and lengths. */
export interface ExtendedText {
  readonly text: string;
  readonly added: readonly (readonly [at: number, length: number])[];
}

/**
 * A settings text with one more entry at the end of each event's list; every other byte stays. Throws FILE if the result, without these
 * entries, would not read as the text did before.
 */
export async function withEntries(
  text: string,
  entries: Readonly<Record<string, SettingsEntry>>,
  layout: Layout,
  file: string,
): Promise<ExtendedText> {
  const before = await parseSettings(text, file, layout, Object.keys(entries));
  const version = layout.version === undefined || 'version' in before ? {} : { version: layout.version };
  const result = extended(text, await piecesFor(bare(text), entries, version));
  const hooks: Record<string, unknown> = { ...(before['hooks'] as Json | undefined) };
  for (const [event, entry] of Object.entries(entries)) hooks[event] = [...((hooks[event] as unknown[]) ?? []), entry];
  await checked(result.text, { ...before, ...version, hooks }, file);
  return result;
}

async function piecesFor(
  text: string,
  entries: Readonly<Record<string, SettingsEntry>>,
  version: Json,
): Promise<TextInsert[]> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const style = styleOf(text);
  const root = parseTree(text);
  const hooks = root && findNodeAtLocation(root, ['hooks']);
  const pieces: TextInsert[] = [];
  const missing: [event: string, list: readonly SettingsEntry[]][] = [];
  for (const [event, entry] of Object.entries(entries)) {
    const list = root && findNodeAtLocation(root, ['hooks', event]);
    if (list === undefined) missing.push([event, [entry]]);
    else {
      const place = insertPlace(text, list, style);
      pieces.push(...place.put([written(entry, place.indent, style)]));
    }
  }
  const add = (node: Node | undefined, keys: readonly (readonly [string, unknown])[]): void => {
    if (keys.length === 0) return;
    const { indent, put } = insertPlace(text, node, style);
    pieces.push(...put(keys.map(([key, value]) => `${JSON.stringify(key)}: ${written(value, indent, style)}`)));
  };
  if (hooks !== undefined) add(hooks, missing);
  add(root, [
    ...Object.entries(version),
    ...(hooks === undefined ? [['hooks', Object.fromEntries(missing)] as const] : []),
  ]);
  return pieces;
}

function extended(text: string, pieces: readonly TextInsert[]): ExtendedText {
  const mark = text.length - bare(text).length;
  const added: [number, number][] = [];
  let result = text.slice(0, mark);
  let from = mark;
  for (const piece of pieces.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(from, mark + piece.at);
    from = mark + piece.at;
    added.push([result.length, piece.text.length]);
    result += piece.text;
  }
  return { text: result + text.slice(from), added };
}

/**
 * The content of a text to which hooks can be added: an object, in which `hooks` and each event occur once, and each event of `lists` is a
 * list. With `layout`, it holds only what the agent reads. Throws FILE.
 */
export async function parseSettings(
  text: string,
  file: string,
  layout?: Layout,
  lists: readonly string[] = [],
): Promise<Json> {
  const { parseTree, getNodeValue, printParseErrorCode } = await import('jsonc-parser');
  const json = bare(text);
  if (json.trim() === '') return {};
  const wrong = (problem: string, at?: number): HookscopeError => {
    const place = at === undefined ? undefined : positionAt(json, at);
    const where = place === undefined ? '' : `line ${place.line}, column ${place.column}: `;
    return new HookscopeError('FILE', { file, problem: `${where}${problem}; nothing was changed` });
  };
  if (isTooDeep(json)) throw wrong('its values are nested too deeply');
  const errors: ParseError[] = [];
  const root = parseTree(json, errors, { disallowComments: false, allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first)
    throw wrong(
      printParseErrorCode(first.error).replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      first.offset,
    );
  if (root?.type !== 'object') throw wrong('an object was expected', root?.offset ?? 0);
  if (layout !== undefined) await checkLayout(text, root, layout, wrong);
  const hooks = onlyEntry(root, 'hooks', wrong);
  if (hooks !== undefined) {
    if (hooks.type !== 'object') throw wrong('"hooks" is expected to be an object of events', hooks.offset);
    for (const entry of hooks.children ?? []) {
      const [key, value] = entry.children as [Node, Node | undefined];
      onlyEntry(hooks, key.value as string, wrong);
      if (value?.type !== 'array' && lists.includes(key.value as string))
        throw wrong(`"hooks.${key.value}" is expected to be a list of groups`, key.offset);
    }
  }
  // Plain objects, since the content is compared with such.
  return JSON.parse(JSON.stringify(getNodeValue(root)));
}

/** The first thing that is not plain JSON and makes the file void for its agent; undefined if there is none. */
async function unreadIn(text: string, { title, reads }: Layout): Promise<{ problem: string; at: number } | undefined> {
  if (reads === undefined) return undefined;
  const voided = (what: string, at: number) => ({
    problem: `${title} does not accept ${what} here, and reads none of this file's hooks`,
    at,
  });
  if (text.startsWith(MARK) && !reads.includes('mark')) return voided('a byte order mark', 0);
  const { parseTree, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  parseTree(bare(text), errors, {
    disallowComments: !reads.includes('comments'),
    allowTrailingComma: reads.includes('commas'),
    allowEmptyContent: true,
  });
  const [first] = errors;
  if (first === undefined) return undefined;
  const isComment = printParseErrorCode(first.error) === 'InvalidCommentToken';
  return voided(isComment ? 'comments' : 'a trailing comma', first.offset);
}

/** Why the agent will run none of the hooks of a file that is connected all the same, with the line; undefined: it runs them. */
export async function voidOf(text: string, layout: Layout): Promise<string | undefined> {
  const found = layout.void === 'told' ? await unreadIn(text, layout) : undefined;
  return found && `line ${positionAt(bare(text), found.at).line}: ${found.problem}`;
}

/** Throws if something makes the file void for its agent. */
async function checkLayout(
  text: string,
  root: Node,
  layout: Layout,
  wrong: (problem: string, at?: number) => Error,
): Promise<void> {
  const { title, keys, version } = layout;
  const unread = layout.void === 'told' ? undefined : await unreadIn(text, layout);
  if (unread) throw wrong(unread.problem, unread.at);
  for (const entry of root.children ?? []) {
    const [key, value] = entry.children as [Node, Node | undefined];
    if (keys !== undefined && !keys.includes(key.value as string))
      throw wrong(
        `${title} reads only ${keys.map((one) => `"${one}"`).join(' and ')} at the top of this file: "${key.value}" voids it, and none of its hooks run. Take that out`,
        key.offset,
      );
    if (version !== undefined && key.value === 'version' && value?.value !== version)
      throw wrong(`${title} reads files of "version": ${version}, and none of this one's hooks run`, key.offset);
  }
}

/** The value of a key that must not occur twice: of two, only one is read. */
function onlyEntry(object: Node, key: string, wrong: (problem: string, at: number) => Error): Node | undefined {
  const found = (object.children ?? []).filter((entry) => entry.children?.[0]?.value === key);
  if (found[1]) throw wrong(`"${key}" appears here a second time`, found[1].offset);
  return found[0]?.children?.[1];
}

/** The root node of a text, with the offsets of all nodes; undefined if the text is empty. */
export async function treeOf(text: string): Promise<Node | undefined> {
  const { parseTree } = await import('jsonc-parser');
  // A blank replaces the byte order mark, so that offsets stay.
  return parseTree(text.startsWith(MARK) ? ` ${text.slice(1)}` : text, [], { allowTrailingComma: true });
}

/** Whether a text has no trailing commas. */
export async function hasNoCommaTooMany(text: string): Promise<boolean> {
  const { parseTree } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  parseTree(bare(text), errors, { disallowComments: false, allowTrailingComma: false, allowEmptyContent: true });
  return errors.length === 0;
}

/** The text, if `expected` is its content. Throws FILE. */
export async function checked(result: string, expected: Json, file: string): Promise<string> {
  const found = await parseSettings(result, file).catch((error: unknown) => Promise.reject(unedited(file, error)));
  if (!isDeepStrictEqual(found, expected)) throw unedited(file, undefined);
  return result;
}

function unedited(file: string, cause: unknown): HookscopeError {
  const problem = 'it is written in a way that cannot be edited safely; nothing was changed';
  return new HookscopeError('FILE', { file, problem }, { cause });
}

const bare = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text);
