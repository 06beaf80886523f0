import { unescaped } from './guess.js';
import { type BashReading, COST, lastName, spend } from './reading.js';
import { withoutBraces } from './words.js';

/** What follows a name is looked at so far. */
const LONGEST_REST = 200;
const WORD = '[\\w./*?[\\]{},^-]';
const GLOBBED = `${WORD}{0,60}[*?[{]${WORD}{0,60}(?=[\\s;|&)\`"']|$)`;
/** Where a command begins: at the beginning of a line, behind what ends another one, quotes or a runner; or in a folder of programs. */
const STARTS = [
  new RegExp(
    `(?:^|[\\n;|&(\`"'!:])[ \\t@+-]{0,20}(?:(?:sudo|exec|command|env|nohup|time|then|do|else|\\w{1,20}=\\w{0,20})[ \\t]+){0,4}(${GLOBBED})(?=([^\\n;|&)\`"']{0,${LONGEST_REST}}))`,
    'g',
  ),
  new RegExp(`(?<=[\\s:,=])((?:[\\w.-]{0,20}/){0,6}s?bin/${GLOBBED})(?=([^\\n;|&)\`"']{0,${LONGEST_REST}}))`, 'g'),
];
/** More of them are not told apart. */
const MOST_STARS = 3;

/** Adds the commands in a text whose names are patterns. One of no letters is none: `* item`. */
export function addGlobs(text: string, found: BashReading): void {
  if (!/[*?[{]/.test(text)) return;
  for (const one of new Set([text, unescaped(text)].map((each) => each.replace(/\\\r?\n/g, ' '))))
    for (const start of STARTS)
      for (const [, word = '', rest = ''] of one.matchAll(start)) {
        const [name = '', ...more] = withoutBraces(word) ?? [word];
        const key = `${word} ${rest}`;
        if (found.globs.has(key) || !/\w/.test(name.replace(/\[(?:\^|[^\]]*-)[^\]]*\]/g, ''))) continue;
        spend(COST.guess, found);
        const mayBe = nameTest(lastName(name));
        // The rest of a long one is not known.
        const known = rest.length < LONGEST_REST ? rest.trim() : `${rest.trim()} $`;
        const behind = [...more, known].filter((part) => part !== '').map((part) => ` ${part}`);
        if (mayBe !== undefined) found.globs.set(key, { mayBe, rest: behind.join('').replace(/\s+/g, ' ') });
      }
}

function nameTest(glob: string): ((name: string) => boolean) | undefined {
  if (/[{}]/.test(glob)) return undefined;
  if ((glob.match(/\*+/g)?.length ?? 0) > MOST_STARS) return () => true;
  const source = glob.replace(/\[([!^]?)([^\]]+)\]|[*]+|\?|[^\w]/g, (piece, not: string | undefined, set?: string) => {
    if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[[\\^]/g, '\\$&')}]`;
    return piece.startsWith('*') ? '.*' : piece === '?' ? '.' : `\\${piece}`;
  });
  try {
    const test = new RegExp(`^${source}$`);
    return (name) => test.test(name);
  } catch {
    // `[z-a]`
    return undefined;
  }
}
