/** A frontmatter, changed so that a strict YAML parser accepts it. */
export interface LenientYaml {
  readonly yaml: string;
  /** The values of the entries that were removed, by key, as plain text. */
  readonly texts: Readonly<Record<string, string>>;
}

const KEY = /^(?:"([^"\n]+)"[ \t]*|'([^'\n]+)'[ \t]*|([^\s#"'[\]{},:-][^:\n]*)):(?=\s|$)/;
const ENTRY = /^(\s*(?:-[ \t]+)*)([\w"'-]+:[ \t]+)(\S.*)$/;
/** A line that starts a new entry: not indented, and not a list item, a closing bracket or a comment. */
const STARTS = /^[^\s\-\]}#]/;
/** A quoted text that does not end on its line, and so perhaps on a later one. */
const OPEN_QUOTE = /^(?:"(?:[^"\\]|\\.)*|'[^']*)$/;
const BLOCK = /^[|>][-+\d]*[ \t]*(?:#.*)?$/;

/** A line that begins hooks: a key `hooks` with nothing or a collection behind it. */
const BEGINS_HOOKS = /^[ \t]*(?:-[ \t]+)*(["']?)hooks\1[ \t]*:[ \t]*(?:[#{[].*)?\r?$/m;
/** The keys within hooks that say what runs and when. A line of theirs is never passed over. */
const HOOK_KEYS =
  'hooks|matcher|type|command|args|shell|if|async|asyncRewake|url|headers|prompt|server|input|once|timeout|onFailure';
const HOOK_KEY = new RegExp(`^(?:${HOOK_KEYS})$`);
/** What stands before a key: spaces, and the dashes of list items. */
const BEFORE = String.raw`^([ \t]*(?:-[ \t]+)*)(["']?)`;
const HOOK_LINE = new RegExp(String.raw`${BEFORE}(${HOOK_KEYS})\2[ \t]*:(?:\s|$)`, 'gm');
/** A list item that is a group or a handler. */
const ITEM = new RegExp(String.raw`^[ \t]*(?:-[ \t]+)+(?:[{[]|(["']?)(?:${HOOK_KEYS})\1[ \t]*:(?:\s|$))`, 'm');
const FLOW_GROUP = /[{,]\s*["']?hooks["']?[ \t]*:[ \t]*\[/;
/** A key as events have them. */
const EVENT = /^(?:[A-Z][a-z]+)+$/;

/** A key that is nearly `hooks`, with nothing or a collection behind it. */
const NEARLY_HOOKS = /^[ \t]*(?:-[ \t]+)*["']?hooks?["']?[ \t]*:+[ \t]*(?:[#{[].*)?\r?$/im;
/** A line of a handler, which has no `hooks` above it if its group is missing. */
const COMMAND = /^[ \t]+(?:-[ \t]+)?["']?type["']?[ \t]*:[ \t]*["']?command["']?[ \t]*\r?$/m;
const FLOW_COMMAND = /[{,]\s*["']?type["']?[ \t]*:[ \t]*["']?command\b/;

/** A line that begins an event's hooks, and one of a handler of any type. */
const EVENT_LINE = /^[ \t]*(["']?)(?:[A-Z][a-z]+)+\1[ \t]*:[ \t]*(?:[#&{[].*)?\r?$/m;
const TYPE = /^[^:\n]*\btype["']?[ \t]*:[ \t]*["']?(?:http|mcp_tool|prompt|agent)\b/m;

/** Whether a frontmatter may have hooks, also if they are indented by mistake, or below another key. */
export function beginsHooks(yaml: string): boolean {
  // Spaces that are not YAML's, and characters that cannot be seen.
  const text = yaml.replace(/\p{Cf}/gu, '').replace(/[^\S\r\n\t]/g, ' ');
  if (EVENT_LINE.test(text) && TYPE.test(text)) return true;
  return [NEARLY_HOOKS, FLOW_GROUP, COMMAND, FLOW_COMMAND].some((pattern) => pattern.test(text));
}

/**
 * Replaces every top-level entry of a frontmatter that is not valid YAML with spaces, so that positions stay the same.
 * Of an entry whose first line is valid, only the others are replaced. `hooks` is never removed; instead, values in it that are not
 * valid YAML are quoted, and lines between its events that cannot belong to a hook are replaced. Whatever may be a part of the hooks at a
 * wrong depth stays, so that the result is no YAML and the file is refused.
 */
export function makeLenient(yaml: string, parses: (text: string) => boolean): LenientYaml {
  const texts: Record<string, string> = {};
  const all = entriesOf(yaml);
  const at = all.findIndex(({ key }) => key === 'hooks');
  const above = new Set(at < 0 ? [] : hookLines((all[at] as Entry).text).map(({ place }) => place));
  // A line of a hook that is indented too little begins an entry. Behind another key, nothing but an event belongs to hooks.
  const far = all.findIndex(({ key }, i) => i >= at && !HOOK_KEY.test(key ?? 'hooks')) + 1 || all.length;
  const entries = all.map(({ key, text }, i) => {
    const plain = text.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length));
    if (key === undefined ? text.trim() === '' : parses(text)) return text;
    if (key === 'hooks') return hooksIn(plain, parses);
    const [first, rest] = parted(text);
    const keepsFirst = key !== undefined && rest !== '' && parses(first);
    const part: Entry = { key, text: keepsFirst ? rest : text };
    if (at < 0 ? holdsGroups(part.text) : i > at && mayHoldHooks(part, i < far && !isOwn({ key, text }) ? above : NONE))
      return text;
    // A line below it that is indented by mistake.
    if (keepsFirst) return first + blank(rest);
    if (key !== undefined) texts[key] = first.replace(KEY, '').trim();
    return blank(text);
  });
  return { yaml: entries.join(''), texts };
}

const NONE: ReadonlySet<string> = new Set();

/** Whether the lines below another key belong to it: it has no other value, and there are no groups or handlers in them. */
const isOwn = ({ key = '', text }: Entry): boolean =>
  !HOOK_KEY.test(key) && !EVENT.test(key) && OWNS.test(text) && !holdsGroups(text) && !COMMAND.test(text);
const OWNS = /^[^\n]*:[ \t]*(?:#[^\n]*)?\r?\n\s*\S/;

/** Whether an entry behind hooks may be a part of them: the groups of an event, or lines as deep as those of the hooks. `above`: their places. */
function mayHoldHooks({ key = '', text }: Entry, above: ReadonlySet<string>): boolean {
  if (EVENT.test(key) && holdsGroups(text)) return true;
  return (
    above.size > 0 && hookLines(text).some(({ place, isItem }) => above.has(place) && (isItem || HOOK_KEY.test(key)))
  );
}

/** Whether a text has a key `hooks` with groups or handlers below it. */
const holdsGroups = (text: string): boolean => (BEGINS_HOOKS.test(text) && ITEM.test(text)) || FLOW_GROUP.test(text);

/** The lines of a text that look like those of hooks. `place`: the depth of the key, and whether it is one of a group. */
function hookLines(text: string): { readonly place: string; readonly isItem: boolean }[] {
  return [...text.matchAll(HOOK_LINE)].flatMap(([, before = '', , key = '']) =>
    before === '' ? [] : { place: `${before.length} ${/^(?:hooks|matcher)$/.test(key)}`, isItem: before.includes('-') },
  );
}

interface Entry {
  readonly key: string | undefined;
  text: string;
}

/** Splits the text at each key that starts a line. */
function entriesOf(yaml: string): Entry[] {
  const entries: Entry[] = [];
  for (const line of yaml.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const found = KEY.exec(line);
    const last = entries.at(-1);
    // Groups and handlers may be items at the depth of their key; other items are no part of hooks.
    const isBesideHooks = last?.key === 'hooks' && /^-\s/.test(line) && !ITEM.test(line) && holdsGroups(last.text);
    if (found || !last || STARTS.test(line) || isBesideHooks)
      entries.push({ key: (found?.[1] ?? found?.[2] ?? found?.[3])?.trim(), text: line });
    else last.text += line;
  }
  return entries;
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** The first line with its end, and the others. */
function parted(text: string): [first: string, rest: string] {
  const end = text.indexOf('\n') + 1;
  return end === 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
}

/** The hooks as the first reading that is valid gives them; as they are if there is none. */
function hooksIn(text: string, parses: (text: string) => boolean): string {
  if (parses(text)) return text;
  const whole = quoted(text, parses);
  if (parses(whole)) return whole;
  const kept = withoutOddLines(text, parses);
  if (kept === undefined) return text;
  return parses(kept) ? kept : quoted(kept, parses);
}

const CONTENT = /^[ \t]*[^\s#]/;
const ODD = /^[ \t]+([\w.-]+)[ \t]*:[ \t]+(\S.*)$/;
/** The most runs of such lines that are read. */
const MOST_ODD = 20;

/**
 * Replaces the lines between two events, or behind the last one, that are indented less than the events; undefined if one of them may be a part of a
 * hook: it has no plain value of its own, a key that hooks have, or it stands within an event or a text of several lines.
 */
function withoutOddLines(text: string, parses: (text: string) => boolean): string | undefined {
  const [first, rest] = parted(text);
  const lines = rest.split('\n');
  const depth = (lines.find((line) => CONTENT.test(line)) ?? '').search(/\S/);
  const isOdd = (line: string): boolean => CONTENT.test(line) && line.search(/\S/) < depth;
  const parts: string[][] = [[]];
  let last: string | undefined;
  for (const line of lines) {
    if (isOdd(line)) {
      const [, key = '', value = ''] = ODD.exec(line) ?? [];
      if (key === '' || HOOK_KEY.test(key) || /^[&*!|>#]|\{/.test(value)) return undefined;
      if (last === undefined || !isOdd(last)) parts.push([]);
    } else {
      if (last !== undefined && isOdd(last) && CONTENT.test(line) && line.search(/\S/) > depth) return undefined;
      (parts.at(-1) as string[]).push(line);
    }
    if (CONTENT.test(line)) last = line;
  }
  const isWhole = (part: readonly string[]): boolean => {
    const events = first + part.join('\n');
    return parses(events) || (!endsOpen(part) && parses(quoted(events, parses)));
  };
  if (parts.length > MOST_ODD || !parts.every(isWhole)) return undefined;
  if (parts.slice(0, -1).some((part) => endsInBlock(part))) return undefined;
  return first + lines.map((line) => (isOdd(line) ? blank(line) : line)).join('\n');
}

/** Whether the last line begins a value that may go on below it. */
function endsOpen(lines: readonly string[]): boolean {
  const value = ENTRY.exec((lines.findLast((line) => CONTENT.test(line)) ?? '').trimEnd())?.[3] ?? '';
  return /^["'[{]/.test(value);
}

/** Whether the lines end within a block scalar. */
function endsInBlock(lines: readonly string[]): boolean {
  const end = lines.findLastIndex((line) => CONTENT.test(line));
  let block: number | undefined;
  for (const line of lines.slice(0, end + 1)) {
    const indent = line.search(/\S/);
    if (block !== undefined && (indent === -1 || indent > block)) continue;
    const [, before = '', , value = ''] = ENTRY.exec(line) ?? [];
    block = BLOCK.test(value.trimEnd()) ? before.length : undefined;
  }
  return block !== undefined;
}

/** Quotes the values that are not valid YAML. Lines of a block scalar (`|`) are plain text already. */
function quoted(text: string, parses: (text: string) => boolean): string {
  let block: number | undefined;
  const lines = text.split('\n').map((line) => {
    const indent = line.search(/\S/);
    if (block !== undefined && (indent === -1 || indent > block)) return line;
    block = undefined;
    const [, before = '', key = '', rest] = ENTRY.exec(line) ?? [];
    if (rest === undefined) return line;
    const value = rest.trimEnd();
    if (BLOCK.test(value)) block = before.length;
    return OPEN_QUOTE.test(value) || parses(`x: ${value}`) ? line : `${before}${key}${JSON.stringify(value)}`;
  });
  return lines.join('\n');
}
