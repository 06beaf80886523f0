import type { BashReading } from './reading.js';

/** Removes the prefixes of make recipes: `@rm x`, `-rm x`. */
export function withoutMarks(text: string): string {
  return text.replace(/(^|[\n;])([ \t]*)(?=[@+-])[@+]*-?[@+]*(?!-)/g, '$1$2');
}

/** Whether one word may name a command in another language, or in a setting: `system("rm")`, `core.pager=rm`, `!rm`. */
export function mayName(word: string): boolean {
  return /[=!|"'(;]|\b(?:exec|system|shell):/i.test(word) && !word.includes('://');
}

/** The command lines that a word may contain in the syntax of some program: after `=`, `!`, `;`, `@` or sed's `e`, and in `s/x/line/e`. */
export function linesIn(word: string): string[] {
  const start = word.slice(0, 200);
  const starts = [...start.matchAll(/[=!;@]|(?<![A-Za-z])e\s|^[\d,$]+e/g)].slice(0, 5);
  const [, , replacement] = /(?:^|[\s;{}\d$/!])s([^\w\s\\])[^\n]*?\1([^\n]*?)\1[gpiImM\d]*e/.exec(start) ?? [];
  const lines = starts.flatMap(({ index, 0: mark }) => {
    const line = word.slice(index + mark.length);
    const end = line.indexOf('\n');
    return end === -1 ? [line] : [line, line.slice(0, end)];
  });
  return replacement === undefined ? lines : [...lines, replacement];
}

const EXPANDED = ': <<HOOKSCOPE_END\n';
/** Whether it is the reading of a text of which only the substitutions are run. */
export const isExpanded = (reading: string): boolean => reading.startsWith(EXPANDED);

/** All readings of a text as shell code: as it is, with its escapes resolved, and without the prefix of another program. */
export function readingsOf(text: string): string[] {
  const readings = new Set([text, unescaped(text), withoutMarks(text).replace(/^\s*[!|@]+/, '')]);
  // In arithmetic, a prompt or the name of a variable, only substitutions are run.
  if (/`|\$\(/.test(text)) readings.add(`${EXPANDED}${text.trimEnd()}\nHOOKSCOPE_END`);
  return [...readings];
}

/** Resolves escapes as `printf` and `echo -e` do. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:x([\da-f]{1,2})|0?([0-7]{1,3})|([abefnrtv]))/gi, (_, hex?: string, octal?: string) =>
    hex || octal ? String.fromCharCode(Number.parseInt(hex ?? octal ?? '', hex ? 16 : 8)) : '\n',
  );
}

/** A substitution in an index, which arithmetic runs: `a[$(rm x)]`. A template of JavaScript is none: b[`${a}`]. */
const IN_INDEX = /\w\[(?:[^\]\n`]|\[\w*\]){0,200}?(?:\$\(|`[^`$\n]*`)/;

/** Whether a substitution in a text that the line only shows may run where its output is expanded: `v=$(echo 'a[$(rm x)]'); ((v))`. */
export const isExpandedLater = (text: string, { commands: [line] }: BashReading): boolean =>
  IN_INDEX.test(text) || (/\$\(|`/.test(text) && line?.text.includes('@P}') === true);
