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

/** One character, by its choice of letters; `star`: any run of them. */
type Piece = ((char: string) => boolean) | 'star';

const PIECES = /\[([!^]?)([^\]]+)\]|\*+|./gs;

function pieceOf([piece, not, set]: readonly (string | undefined)[]): Piece {
  if (set === undefined) return piece?.startsWith('*') ? 'star' : (char) => piece === '?' || piece === char;
  return (char) => isIn(char, set) !== (not !== '');
}

/** `a-c` are letters between. */
function isIn(char: string, set: string): boolean {
  for (let i = 0; i < set.length; i++) {
    const [from = '', dash, to] = set.slice(i, i + 3);
    if (dash !== '-' || to === undefined) {
      if (char === from) return true;
    } else {
      if (char >= from && char <= to) return true;
      i += 2;
    }
  }
  return false;
}

/** Each place of the name is compared with each of the pattern at most once. */
function nameTest(glob: string): (name: string) => boolean {
  const pieces = [...glob.matchAll(PIECES)].map(pieceOf);
  return (name) => {
    let at = 0;
    let star = -1;
    let from = 0;
    for (let i = 0; i < name.length; ) {
      const piece = pieces[at];
      if (piece === 'star') {
        star = at++;
        from = i;
      } else if (piece?.(name[i] as string)) {
        at++;
        i++;
      } else if (star === -1) return false;
      else {
        at = star + 1;
        i = ++from;
      }
    }
    while (pieces[at] === 'star') at++;
    return at === pieces.length;
  };
}
