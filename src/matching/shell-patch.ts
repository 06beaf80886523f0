import { readPatchesWith } from '../events/named-files.js';
import { isObject } from '../values/shape.js';
import { readBash } from './bash/bash.js';
import { withoutBraces } from './bash/words.js';
import { compileCommandPattern } from './command-pattern.js';
import { compileWildcard } from './wildcard.js';

/** The program that applies patches, by both of its names. */
const NAMES = ['apply_patch', 'applypatch'];
const RUNS = NAMES.map((name) => compileCommandPattern(`${name} *`));

readPatchesWith((line) =>
  readBash(line) === undefined ? mayName(line) || undefined : RUNS.some((runs) => runs(line)),
);

/** What a shell puts something in the place of: `[h]`, `{h,x}`, `${A}`, `$A`, `$(a)`, `$'\x68'`, `*`. */
const FILLED =
  /\[[^\]\s]*\]|\{[^{}\s]*\}|\$[({][^)}\s]*[)}]|\$\w+|`[^`\s]*`|\\(?:x[\da-f]{1,2}|[0-7]{1,3}|.)|[$*?{}()`'"]/gi;
/** So many letters of its name a word must have. */
const FEWEST = 4;
/** A longer word is none. */
const LONGEST = 200;

/** Whether a word of it may turn out to be the program's name. */
function mayName(line: string): boolean {
  const names = line.split(/[\s;|&<>]+/).flatMap((word) => {
    const name = word.slice(word.lastIndexOf('/') + 1);
    return name.length > LONGEST ? [] : (withoutBraces(name) ?? [name]);
  });
  return names.some((name) => {
    // A quote is nothing itself; it may end a text that is a line.
    const pattern = name.replace(FILLED, (made) => (/^['"]$/.test(made) ? '' : '*'));
    return pattern.replaceAll('*', '').length >= FEWEST && NAMES.some(compileWildcard(pattern));
  });
}

/** Where the payload of another agent has lines in which patches may be applied. */
export function shellPatch(via: unknown): string | undefined {
  const key = isObject(via) ? via['patches'] : undefined;
  return typeof key === 'string' ? key : undefined;
}
