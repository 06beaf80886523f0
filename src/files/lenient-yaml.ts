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
const BLOCK = /^[|>][-+\d]*[ \t]*(?:#.*)?$/;

/**
 * Replaces every top-level entry of a frontmatter that is not valid YAML with spaces, so that positions stay the same.
 * Of an entry whose first line is valid, only the others are replaced. `hooks` is never removed; instead, values in it that are not
 * valid YAML are quoted, and lines that are indented less than its events are replaced.
 */
export function makeLenient(yaml: string, parses: (text: string) => boolean): LenientYaml {
  const texts: Record<string, string> = {};
  const entries = entriesOf(yaml).map(({ key, text }) => {
    const plain = text.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length));
    if (key === undefined ? text.trim() === '' : parses(text)) return text;
    if (key === 'hooks') return hooksIn(plain, parses);
    const [first, rest] = parted(text);
    // A line below it that is indented by mistake.
    if (key !== undefined && rest !== '' && parses(first)) return first + blank(rest);
    if (key !== undefined) texts[key] = first.replace(KEY, '').trim();
    return blank(text);
  });
  return { yaml: entries.join(''), texts };
}

/** Splits the text at each key that starts a line. */
function entriesOf(yaml: string): { key: string | undefined; text: string }[] {
  const entries: { key: string | undefined; text: string }[] = [];
  for (const line of yaml.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const found = KEY.exec(line);
    const last = entries.at(-1);
    if (found || !last || STARTS.test(line))
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

/** The hooks as the first reading that is valid gives them. */
function hooksIn(text: string, parses: (text: string) => boolean): string {
  if (parses(text)) return text;
  const whole = quoted(text, parses);
  if (parses(whole)) return whole;
  const [first, rest] = parted(text);
  const depth =
    rest
      .split('\n')
      .find((line) => /^\s*[^\s#]/.test(line))
      ?.search(/\S/) ?? 0;
  const lines = rest
    .split('\n')
    .map((line) => (/^\s+[^\s-]/.test(line) && line.search(/\S/) < depth ? blank(line) : line));
  const kept = first + lines.join('\n');
  return parses(kept) ? kept : quoted(kept, parses);
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
    return parses(`x: ${value}`) ? line : `${before}${key}${JSON.stringify(value)}`;
  });
  return lines.join('\n');
}
