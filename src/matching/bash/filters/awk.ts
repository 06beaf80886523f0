import type { KnownWord } from '../words.js';
import { AwkProgram } from './awk-program.js';
import {
  assumeOne,
  type FilterReader,
  fixedIn,
  isUnknown,
  markedIn,
  mayVanish,
  namedIn,
  readings,
  UnclearError,
  understood,
} from './filter.js';

/** Options that change nothing about which files are written. */
const LONG =
  /^--(?:posix|traditional|re-interval|csv|characters-as-bytes|non-decimal-data|optimize|bignum|sandbox|lint(?:=\w+)?|(?:field-separator|assign)=.*)$/s;
/** Options with which awk only prints something about itself. */
const TELLS = /^(?:--?version|--?help|-V|-h|-W (?:version|help))$/;

interface AwkWords {
  readonly program: KnownWord;
  /** Whether there are no options and files. */
  readonly isAlone: boolean;
}

/** The program among the words. Options end at the first other word. */
function wordsOf(words: readonly KnownWord[], assumes: Set<string>): AwkWords {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as KnownWord;
    const { text } = word;
    if (text === '--') at++;
    if (text === '--' || !text.startsWith('-')) {
      const program = words[at];
      if (program === undefined || isUnknown(program) || /^\0.*\0-/s.test(markedIn(program))) break;
      assumeOne(program, assumes);
      return { program, isAlone: words.length === 1 };
    }
    assumeOne(word, assumes);
    if (/^-[Fv]./s.test(text) && fixedIn(word).length <= 2) throw new UnclearError();
    if (text === '-F' || text === '-v') {
      const value = words[++at];
      if (value === undefined || mayVanish(value)) break;
      assumeOne(value, assumes);
    } else if (!/^-[Fv]/.test(text) && !LONG.test(text)) break;
  }
  throw new UnclearError();
}

/** A program that writes lines as they are. */
const COPIES = /^\s*\{\s*print\s*>\s*"[^"\\]*"\s*\}\s*$/;

export const readAwk: FilterReader = (words) =>
  understood(() => {
    if (words.length <= 2 && TELLS.test(words.map(({ text }) => text).join(' '))) return { files: [], grows: true };
    const assumes = new Set<string>();
    const { program, isAlone } = wordsOf(words, assumes);
    const read = readings(markedIn(program), (text) => new AwkProgram(text));
    for (const one of read) one.read();
    for (const one of read) for (const what of one.assumes) assumes.add(what);
    return {
      files: [...new Set(read.flatMap(({ files }) => files))].map(namedIn),
      copies: isAlone && program.sure === undefined && COPIES.test(program.text),
      runs: read.flatMap(({ runs }) => [...runs]),
      assumes,
    };
  });
