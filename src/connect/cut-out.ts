import type { Node } from 'jsonc-parser';
import { isObject, type Json } from '../values/shape.js';
import { type CutRange, cut, rangesOf } from './ranges.js';
import { checked, type HandlerTest, parseSettings, treeOf } from './settings-text.js';

/**
 * The text without the handlers that pass the test. Groups, events and `hooks` that become empty are removed, too, unless a comment is left
 * in them. Nothing else is touched. Throws FILE.
 */
export async function withoutHandlers(text: string, isMeant: HandlerTest, file: string): Promise<string> {
  const { hooks: events, ...others } = await parseSettings(text, file);
  const root = await treeOf(text);
  const hooks = root && propertyOf(root, 'hooks');
  if (!isObject(events) || hooks === undefined) return text;
  const left: [string, unknown][] = [];
  const gone: Node[] = [];
  const ranges: CutRange[] = [];
  for (const property of hooks.children?.[1]?.children ?? []) {
    const event = String(property.children?.[0]?.value);
    const list = events[event];
    const found = Array.isArray(list) ? entriesIn(text, property.children?.[1] as Node, list, isMeant) : undefined;
    if (found?.isEmpty) gone.push(property);
    else {
      ranges.push(...(found?.ranges ?? []));
      left.push([event, found?.kept ?? list]);
    }
  }
  if (gone.length === 0 && ranges.length === 0) return text;
  const inHooks = rangesOf(text, hooks.children?.[1] as Node, gone);
  const isEmpty = left.length === 0 && isBlank(text, hooks.children?.[1] as Node, inHooks);
  const all = isEmpty ? rangesOf(text, root as Node, [hooks]) : [...inHooks, ...ranges];
  return checked(cut(text, all), isEmpty ? others : { ...others, hooks: Object.fromEntries(left) }, file);
}

const propertyOf = (object: Node, key: string): Node | undefined =>
  object.children?.find(({ children }) => children?.[0]?.value === key);

/** What to take out of an event's list. */
interface ListCut {
  readonly kept: readonly unknown[];
  readonly ranges: readonly CutRange[];
  /** Nothing is left of the list. */
  readonly isEmpty: boolean;
}

/** Undefined if there is nothing to take out. */
function entriesIn(text: string, node: Node, list: readonly unknown[], isMeant: HandlerTest): ListCut | undefined {
  const gone: Node[] = [];
  const inner: CutRange[] = [];
  const kept: unknown[] = [];
  for (const [i, entry] of list.entries()) {
    const child = node.children?.[i] as Node;
    const rest = withoutMeant(entry, isMeant);
    if (rest === undefined) gone.push(child);
    else kept.push(rest);
    if (rest === undefined || rest === entry) continue;
    const handlers = propertyOf(child, 'hooks')?.children?.[1] as Node;
    const meant = ((entry as Json)['hooks'] as unknown[]).map((handler) => isObject(handler) && isMeant(handler));
    inner.push(...rangesOf(text, handlers, handlers.children?.filter((_, at) => meant[at]) ?? []));
  }
  if (gone.length === 0 && inner.length === 0) return undefined;
  const ranges = rangesOf(text, node, gone);
  return { kept, ranges: [...ranges, ...inner], isEmpty: kept.length === 0 && isBlank(text, node, ranges) };
}

/** Whether nothing but blanks is left between the brackets of a node. */
function isBlank(text: string, { offset, length }: Node, ranges: readonly CutRange[]): boolean {
  const left = cut(text.slice(0, offset + length - 1), ranges);
  return left.slice(offset + 1).trim() === '';
}

/** What is left of an entry without the handlers that pass the test: the entry itself if it has none, undefined if nothing is left. */
function withoutMeant(entry: unknown, isMeant: HandlerTest): unknown {
  if (!isObject(entry)) return entry;
  if (!Array.isArray(entry['hooks'])) return isMeant(entry) ? undefined : entry;
  const hooks = entry['hooks'].filter((handler) => !(isObject(handler) && isMeant(handler)));
  if (hooks.length === entry['hooks'].length) return entry;
  return hooks.length === 0 ? undefined : { ...entry, hooks };
}
