/** A frontmatter of which strict YAML refuses something, made readable. */
export interface Lenient {
  readonly yaml: string;
  /** What stands in it for what was taken out, as text. */
  readonly texts: Readonly<Record<string, string>>;
}

const KEY = /^(?:"([^"\n]+)"[ \t]*|'([^'\n]+)'[ \t]*|([^\s#"'[\]{},:-][^:\n]*)):(?=\s|$)/;
const ENTRY = /^(\s*(?:-[ \t]+)*)([\w"'-]+:[ \t]+)(\S.*)$/;
/** What belongs to nothing before it: neither indented nor a list, a closing bracket or a comment. */
const STARTS = /^[^\s\-\]}#]/;
const BLOCK = /^[|>][-+\d]*[ \t]*(?:#.*)?$/;

/**
 * Takes out the entries of a frontmatter that are no YAML on their own, each replaced by spaces, so that every place in it stays
 * where it was. Of `hooks` nothing is taken out: what its lines say is put in quotes where it cannot be read otherwise.
 */
export function makeLenient(yaml: string, parses: (text: string) => boolean): Lenient {
  const texts: Record<string, string> = {};
  const entries = entriesOf(yaml).map(({ key, text }) => {
    const plain = text.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length));
    if (key === undefined ? text.trim() === '' : parses(text)) return text;
    if (key === 'hooks') return parses(plain) ? plain : quoted(plain, parses);
    if (key !== undefined) texts[key] = text.replace(KEY, '').trim();
    return text.replace(/[^\n]/g, ' ');
  });
  return { yaml: entries.join(''), texts };
}

/** Text from one key at the beginning of a line to the next. */
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

/** Values that are no YAML, in quotes. Lines of a block (`|`) are text already. */
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
