import { createContext, Script } from 'node:vm';
import { analyse } from 'scslre';

/** Why a regular expression can need exponential time; undefined: it was not found to. The pattern must compile. */
export function whyCatastrophic(pattern: string): string | undefined {
  // Without a repeated group nothing can be repeated in more than one way.
  if (!/\)[*+{]/.test(pattern)) return undefined;
  return repeatedTwice(pattern) ?? slowOn(pattern);
}

function repeatedTwice(pattern: string): string | undefined {
  const report = analyse(new RegExp(pattern)).reports.find(({ exponential }) => exponential);
  return report && `${report.type === 'Self' ? `${report.quant.raw} is repeated` : 'it repeats'} in more than one way`;
}

/** Of a name no longer than names of tools are. */
const LENGTH = 64;

/** Alternatives that overlap, `(a|aa)+`, are found by trying what the pattern itself is made of, again and again. */
function slowOn(pattern: string): string | undefined {
  const words = new Set([...(pattern.match(/\w+/g) ?? []), ...pattern.replace(/\W/g, ''), 'a', '0', '_']);
  const start = /^\^?(\w*)/.exec(pattern)?.[1] ?? '';
  const context = createContext({});
  for (const word of words) {
    for (const begin of new Set(['', start])) {
      const text = `${begin}${word.repeat(LENGTH).slice(0, LENGTH)}\n!`;
      // Twice: the machine may have been busy.
      if (!ends(pattern, text, 100, context) && !ends(pattern, text, 500, context))
        return `"${word}" repeated, for one`;
    }
  }
  return undefined;
}

/** Whether the test has an answer within so many milliseconds. */
function ends(pattern: string, text: string, timeout: number, context: object): boolean {
  const test = new Script(`new RegExp(${JSON.stringify(pattern)}).test(${JSON.stringify(text)})`);
  try {
    test.runInContext(context, { timeout });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
