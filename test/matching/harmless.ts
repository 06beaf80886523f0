import { readFileSync } from 'node:fs';
import fc from 'fast-check';

/** What agents type all day, and words to put in for `<name>` in it. */
const { lines: LINES, words: WORDS } = JSON.parse(
  readFileSync(new URL('../fixtures/commands/harmless.json', import.meta.url), 'utf8'),
) as { lines: string[]; words: Record<string, readonly string[]> };

const anyOne = fc
  .tuple(fc.constantFrom(...LINES), fc.array(fc.nat(), { minLength: 4, maxLength: 4 }))
  .map(([line, picks]) => {
    let at = 0;
    return line.replace(/<(\w+)>/g, (slot, name: string) => {
      const words = WORDS[name];
      return words === undefined ? slot : (words[(picks[at++ % 4] as number) % words.length] as string);
    });
  });

const anyTwo = fc
  .tuple(anyOne, anyOne, fc.constantFrom(' && ', '; ', '\n'))
  // Nothing can follow a here-document's end or a comment on its line.
  .map(([one, other, glue]) => [one, other].join(/<<|&$/.test(one) ? '\n' : glue));

/** Lines of the list with words put in, here and there two of them in one. */
export const anyHarmless: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: anyOne },
  { weight: 1, arbitrary: anyTwo },
);
