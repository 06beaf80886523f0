import { elementSecret } from '../elsewhere.js';
import { ownSecret } from '../named.js';
import type { TextSpan } from '../quoted.js';
import { bare } from './lines.js';
import { closesEarlier } from './reach.js';

const kindIn = (names: ReadonlySet<string>) => (name: string) =>
  names.has(name.toLowerCase()) ? ('password' as const) : undefined;

/** What a shell expands. */
const EXPANDED = /^\$[({]/;
/** `?iban=>{X}`, `IBAN=>X`, as no function is written. */
const BRACED = /[?&][\w.-]{1,80}=>\{$|(?:^|[\s"'`])[A-Z][A-Z\d_]{1,80}=>?$/;

/**
 * The values that are found behind a `:`, `=` or `>` and a name, however the name is written: `user.iban::X`, `iban={X`. Where more was read for
 * a name (`regions`, in order), they are masked as well, unless it was `read` already.
 */
export function behindSigns(
  text: string,
  known: ReadonlySet<string>,
  { regions, read }: { readonly regions: readonly TextSpan[]; readonly read: readonly TextSpan[] },
): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  const ends = new Map(read.map(([from, to]) => [from, to] as const));
  /** Whether the value that begins there was read in quotes, to the closing one. */
  const isClosed = (from: number): boolean => {
    const end = ends.get(from);
    return end !== undefined && /["'`]/.test(text[end] ?? '') && text[end] === text[from - 1];
  };
  /** Whether it is the first item of a list that was read. */
  const isItem = (from: number, said: string): boolean =>
    '([{'.includes(said[0] as string) && (ends.get(from + 1) ?? 0) >= from + said.replace(/[,;]$/, '').length;
  let region = 0;
  let next = 0;
  let behind = 0;
  for (const { index } of text.matchAll(/[:=>]/g)) {
    if (index < behind) continue;
    const found =
      text[index] === '>'
        ? elementSecret(text, index, kindIn(known))
        : text.startsWith('==', index)
          ? undefined
          : ownSecret(text, index, known);
    if (found === undefined) continue;
    for (const span of typeof found[0] === 'number' ? [found as TextSpan] : (found as readonly TextSpan[])) {
      behind = span[1];
      const said = text.slice(span[0], span[1]);
      while (next < read.length && (read[next] as TextSpan)[1] < span[1]) next++;
      if ((read[next]?.[0] ?? text.length) <= span[0] || EXPANDED.test(said) || isClosed(span[0])) continue;
      if (isItem(span[0], said)) continue;
      if (closesEarlier(text, span[0] - 1)) continue;
      if (text.startsWith('=>', index) && !BRACED.test(text.slice(Math.max(0, span[0] - 90), span[0]))) continue;
      while (region < regions.length && (regions[region] as TextSpan)[1] <= index) region++;
      const isRead = (regions[region]?.[0] ?? text.length) <= index;
      const value = text[index] === '=' ? bare(said) : said.trimEnd();
      if (!isRead && value === said) spans.push(span);
      else if (value !== '') spans.push([span[0], span[0] + value.length]);
    }
  }
  return spans;
}
