import { nameTest } from './glob-name.js';
import { unescaped } from './guess.js';
import { type BashReading, COST, lastName, spend } from './reading.js';
import { withoutBraces } from './words.js';

/** What follows a name is looked at so far. */
const LONGEST_REST = 200;
const RUNNERS = 'sudo|doas|exec|command|env|nohup|nice|time|timeout|then|do|else|\\w{1,20}=\\w{0,20}';
/** Where a command begins: at the beginning of a line or a text in quotes, behind what ends another one, or behind a runner. */
const START = new RegExp(
  `(^|[\\n;|&(\`"'!:])([ \\t@+-]{0,20})(?:(?:${RUNNERS})[ \\t]+(?:\\d{1,9}[smhd]?[ \\t]+)?){0,4}` +
    `((?:[\\w./*?[\\]{},^-]|(?<=\\[)!){1,120})(?=[\\s;|&)\`"']|$)(?=([^\\n;|&)\`"']{0,${LONGEST_REST}}))`,
  'g',
);

/** Adds the commands in a text whose names are patterns. One whose name has no letter is none: `* item`, `src/*`. */
export function addGlobs(text: string, found: BashReading): void {
  if (!/[*?[{]/.test(text)) return;
  for (const one of new Set([text, unescaped(text)].map((each) => each.replace(/\\\r?\n/g, ' '))))
    for (const { index, 1: mark = '', 2: blanks = '', 3: word = '', 4: rest = '' } of one.matchAll(START)) {
      if (!/[*?[{]/.test(word)) continue;
      const [name = '', ...more] = withoutBraces(word) ?? [word];
      const last = lastName(name);
      const key = `${word} ${rest}`;
      if (found.globs.has(key) || !/\w/.test(last.replace(/\[(?:[\^!]|[^\]]*-)[^\]]*\]/g, ''))) continue;
      if (more.length === 0 && rest.trim() === '' && !isSure(mark, blanks, one[index - 1])) continue;
      // `key: value`
      if (mark === ':' && blanks === '') continue;
      spend(COST.guess, found);
      // The rest of a long one is not known.
      const known = rest.length < LONGEST_REST ? rest.trim() : `${rest.trim()} $`;
      const behind = [...more, known].filter((part) => part !== '').map((part) => ` ${part}`);
      if (!/[{}]/.test(last))
        found.globs.set(key, { mayBe: nameTest(last), rest: behind.join('').replace(/\s+/g, ' ') });
    }
}

/** Whether a word alone is a command there: in a recipe, or behind another one. In quotes or a list it is a pattern of files. */
function isSure(mark: string, blanks: string, before: string | undefined): boolean {
  if (mark === '' || mark === '\n') return blanks.includes('\t') || blanks.includes('@');
  return mark === ';' || ((mark === '&' || mark === '|') && before === mark);
}
