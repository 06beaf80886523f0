/** Part of a text. `open`: the text ends within it, so that text that follows may belong to it. */
export type TextSpan = readonly [start: number, end: number, open?: boolean];

/** The end of a quoted value is searched within this many characters, so that a long text is not read again for each quote. */
export const QUOTED = 4096;

export const OPENING = /(?:\$|[bBrRfFuUN]{1,2})?(\\*["'`])/y;
export const RUN = /[^\s"'`,;&|<>(){}[\]\\]+/y;
/** Escaped separators (`\,`) are part of the value. */
export const SHELL_RUN = /[^\s"'`;&|<>()\\](?:[^\s"'`;&|<>()\\]|\\{1,4}[ ,;&|<>()$!*?#~=](?=\S))*/y;
const LONG_RUN = /[^\s"']+/y;

/** A command that outputs its argument: `$(echo X)`, `<(printf %s X)`, `"$(cat <<< X)"`. */
const SAYS =
  /(?:\\*["'])?(?:[$<]\(|\\*`|\()[ \t]*(?:(?:echo|printf|print|Write-Output)(?:[ \t]+-[neEr]+)*[ \t]+(?:\\*(["']?)[^"'\s]{0,12}%[^"'\s]{0,12}\1[ \t]+)?|cat[ \t]*<<<[ \t]*)/y;
const SAID = /[^\s"'`;&|<>()\\]+/y;

/** The value at an index: a quoted text, a run of characters that `run` matches, or the text that a command outputs. */
export function valueAt(
  text: string,
  at: number,
  run: RegExp,
): { readonly span: TextSpan; readonly quote?: string } | undefined {
  if (`$<(\`"'\\`.includes(text[at] ?? ' ') && take(SAYS, text, at) !== undefined) {
    const said = plainAt(text, SAYS.lastIndex, SAID);
    // Counts as quoted, since `echo` outputs a text; a variable in it is still a placeholder.
    return said === undefined ? undefined : { span: said.span, quote: said.quote ?? '"' };
  }
  return plainAt(text, at, run);
}

const DOUBLE = /^'[^\s'"]/;
const ESCAPED_DOUBLE = /^'[^\s'",.;:)\]}&|<>/+-]/;

function plainAt(text: string, at: number, run: RegExp): ReturnType<typeof valueAt> {
  const quote = take(OPENING, text, at)?.[1];
  if (quote === undefined) {
    const end = runEnd(text, at, run);
    return end === undefined ? undefined : { span: [at, end] };
  }
  const start = OPENING.lastIndex;
  const mark = quote.at(-1) as string;
  // `"""` in TOML and Python.
  if (text.startsWith(quote + quote, start)) return tripleAt(text, start + 2 * quote.length, quote);
  const reach = text.slice(start, start + QUOTED);
  const line = reach.indexOf('\n');
  for (let end = reach.indexOf(quote); end >= 0 && (line < 0 || end < line); end = reach.indexOf(quote, end + 1)) {
    const isEscaped = reach[end - 1] === '\\';
    // `'it''s'` of YAML and SQL. In `'it\'',` of code, the second one ends the text.
    if (quote === "'" && (isEscaped ? ESCAPED_DOUBLE : DOUBLE).test(reach.slice(end + 1, end + 3))) end++;
    // Inside an escaped quote, a quote with more backslashes belongs to the text.
    else if (!isEscaped) return { span: [start, start + end], quote: mark };
  }
  return take(LONG_RUN, text, start) === undefined ? undefined : { span: [start, LONG_RUN.lastIndex], quote: mark };
}

/** A long run that was read: from any place in it, it ends where it ends, so that the many names that may be in it do not read it again. */
let long: { readonly text: string; readonly run: RegExp; readonly start: number; readonly end: number } | undefined;
const IN_RUN = /[^\s"'`;&|<>()\\]/;

/** The end of the run of characters at an index; undefined: there is none. */
function runEnd(text: string, at: number, run: RegExp): number | undefined {
  const isKnown = long?.run === run && long.start <= at && at < long.end && long.text === text;
  if (isKnown && IN_RUN.test(text[at] as string)) return long?.end;
  if (take(run, text, at) === undefined) return undefined;
  const end = run.lastIndex;
  if (end - at > QUOTED) long = { text, run, start: at, end };
  return end;
}

function tripleAt(text: string, start: number, quote: string): { readonly span: TextSpan; readonly quote: string } {
  const from = text[start] === '\n' ? start + 1 : start;
  const end = text.slice(from, from + QUOTED).indexOf(quote.repeat(3));
  const mark = quote.at(-1) as string;
  if (end >= 0) return { span: [from, from + end], quote: mark };
  const most = Math.min(text.length, from + QUOTED);
  return { span: [from, most, most === text.length], quote: mark };
}

export function take(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
