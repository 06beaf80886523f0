import { isDeepStrictEqual } from 'node:util';
import type { Node, ParseError } from 'jsonc-parser';
import { HookscopeError } from '../errors.js';
import { positionAt } from '../files/json-file.js';
import { isTooDeep } from '../files/nesting.js';
import { isObject } from '../values/shape.js';

/** A group of hooks, as a settings file has it. */
export type HookGroupText = { readonly hooks: readonly Readonly<Record<string, unknown>>[] };
export type HandlerTest = (handler: Readonly<Record<string, unknown>>) => boolean;

type Json = Readonly<Record<string, unknown>>;
const MARK = '\uFEFF';

/**
 * A settings text with one more group at the end of each event; comments, order and spacing of the rest stay as they are. What is read
 * from the result, without these groups, is what was read before, or nothing is returned: throws FILE.
 */
export async function withGroups(
  text: string,
  groups: Readonly<Record<string, HookGroupText>>,
  file: string,
): Promise<string> {
  const before = await readSettings(text, file);
  const edit = await editor(text, file);
  for (const [event, group] of Object.entries(groups)) {
    const there = (before['hooks'] as Json | undefined)?.[event] as readonly unknown[] | undefined;
    if (there === undefined) edit.set(['hooks', event], [group]);
    else edit.set(['hooks', event, there.length], group, true);
  }
  const result = edit.text();
  const hooks: Record<string, unknown> = { ...(before['hooks'] as Json | undefined) };
  for (const [event, group] of Object.entries(groups)) hooks[event] = [...((hooks[event] as unknown[]) ?? []), group];
  return checked(result, { ...before, hooks }, file);
}

/** The text without the handlers that are meant; groups, events and `hooks` that are empty then are gone too. Throws FILE. */
export async function withoutHandlers(text: string, isMeant: HandlerTest, file: string): Promise<string> {
  const before = await readSettings(text, file);
  const edit = await editor(text, file);
  const left: [string, unknown][] = [];
  let touched = false;
  for (const [event, groups] of Object.entries((before['hooks'] ?? {}) as Record<string, unknown>)) {
    const list = groups as readonly unknown[];
    const kept = list.map((group) => withoutMeant(group, isMeant));
    // From the end, so that what is left keeps its place.
    for (let at = list.length - 1; at >= 0; at--) {
      if (kept[at] === list[at]) continue;
      touched = true;
      if (kept[at] === undefined) edit.set(['hooks', event, at], undefined);
      else edit.set(['hooks', event, at, 'hooks'], (kept[at] as HookGroupText).hooks);
    }
    const some = kept.filter((group) => group !== undefined);
    if (some.length > 0 || list.length === 0) left.push([event, some]);
    else edit.set(['hooks', event], undefined);
  }
  if (!touched) return text;
  const { hooks: _, ...others } = before;
  if (left.length > 0) return checked(edit.text(), { ...others, hooks: Object.fromEntries(left) }, file);
  edit.set(['hooks'], undefined);
  return checked(edit.text(), others, file);
}

/** The group itself where nothing of it is meant, what is left of it, or undefined: nothing is. */
function withoutMeant(group: unknown, isMeant: HandlerTest): unknown {
  if (!isObject(group) || !Array.isArray(group['hooks'])) return group;
  const hooks = group['hooks'].filter((handler) => !(isObject(handler) && isMeant(handler)));
  if (hooks.length === group['hooks'].length) return group;
  return hooks.length === 0 ? undefined : { ...group, hooks };
}

/** What the text holds, if hooks can be added to it: an object, each key once, each event a list. */
async function readSettings(text: string, file: string): Promise<Json> {
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
  const hooks = onlyEntry(root, 'hooks', wrong);
  if (hooks !== undefined) {
    if (hooks.type !== 'object') throw wrong('"hooks" is expected to be an object of events', hooks.offset);
    for (const entry of hooks.children ?? []) {
      const [key, value] = entry.children as [Node, Node | undefined];
      onlyEntry(hooks, key.value as string, wrong);
      if (value?.type !== 'array') throw wrong(`"hooks.${key.value}" is expected to be a list of groups`, key.offset);
    }
  }
  // Plain objects, as they are compared with.
  return JSON.parse(JSON.stringify(getNodeValue(root)));
}

/** The value of a key that must not stand there twice: of two, only one is read. */
function onlyEntry(object: Node, key: string, wrong: (problem: string, at: number) => Error): Node | undefined {
  const found = (object.children ?? []).filter((entry) => entry.children?.[0]?.value === key);
  if (found[1]) throw wrong(`"${key}" stands here again`, found[1].offset);
  return found[0]?.children?.[1];
}

/** Edits a text in steps, in its own indentation and line ends. */
async function editor(text: string, file: string) {
  const { applyEdits, modify } = await import('jsonc-parser');
  let now = bare(text);
  const eol = now.includes('\r\n') ? '\r\n' : '\n';
  if (now.trim() === '') now = `{}${eol}`;
  const indent = /\n([ \t]+)\S/.exec(now)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol,
  };
  return {
    set(path: (string | number)[], value: unknown, isArrayInsertion = false): void {
      try {
        now = applyEdits(now, modify(now, path, value, { formattingOptions, isArrayInsertion }));
      } catch (error) {
        throw unedited(file, error);
      }
    },
    text: (): string => (text.startsWith(MARK) ? MARK : '') + now,
  };
}

async function checked(result: string, expected: Json, file: string): Promise<string> {
  const found = await readSettings(result, file).catch((error: unknown) => Promise.reject(unedited(file, error)));
  if (!isDeepStrictEqual(found, expected)) throw unedited(file, undefined);
  return result;
}

function unedited(file: string, cause: unknown): HookscopeError {
  const problem = 'it is written in a way that cannot be edited safely; nothing was changed';
  return new HookscopeError('FILE', { file, problem }, { cause });
}

const bare = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text);
