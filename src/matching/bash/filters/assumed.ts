import type { BashFiles } from '../reading.js';

/**
 * What is assumed of an expansion in the words of a filter. `address`, `code`, `string`, `regex`: it does not make another program of it.
 * `word`, `words`, `operand`: it is one word and no option; `words` may come from a command, and an operand may become several.
 */
export type Assumption = 'address' | 'code' | 'string' | 'regex' | 'word' | 'words' | 'operand' | 'glob';

const RISKS: Readonly<Record<Assumption, RegExp>> = {
  address: /[wWerR\n;]/,
  code: /[>|"#\\/\n]|system|getline/,
  string: /["\\\n]/,
  regex: /[/\n[]|\\$/,
  word: /[\s*?[]|^-/,
  words: /[\s*?[]|^-/,
  operand: /(?:^|\s)-/,
  glob: /^-/,
};
/** Notes of the arguments of a command begin with this, since it may be a function. */
export const ARGUMENTS = '@';
/** What is assumed of texts in a script of sed, whose end is this mark. */
const END = 'end of ';

/** A text within the output of a command that is a command of sed: `$(echo 'w s')`. */
const WRITES = /(?:^|[^\w-]|\d|\\n)[wW](?:\s*[./~$]|\s+\w)/;
/** An expansion in a text. */
export const UNIT = /\0([^\0]*)\0/g;
const VARIABLE = /^"?\$\{?[!#]?(\w+)/;
/** The text that stands for a variable, or for a part of its value. */
const DEFAULT = /^"?\$\{\w+(?::?[-+=]|\/)(.*)\}$/s;

export const assumed = (what: Assumption, unit: string): string => `${what}\0${unit}`;
export const assumedText = (mark: string, unit: string): string => `${END}${mark}\0${unit}`;

function isRisk(what: string, text: string): boolean {
  if (!what.startsWith(END)) return RISKS[what as Assumption].test(text);
  const at = Math.min(
    ...[what.slice(END.length), '\n'].map((mark) => text.indexOf(mark)).filter((found) => found >= 0),
  );
  return (at < text.length && /[wWe]/.test(text.slice(at))) || /\\$|\[[^\]]*$/.test(text);
}

/** Whether the line itself sets or makes something for which an assumption about a filter is wrong. */
export function isDeceived(found: BashFiles): boolean {
  const seen = new Set<string>();
  const isRisky = (what: string, unit: string): boolean => {
    if (/^"?(?:\$\(\(|\$\[)/.test(unit)) return false;
    if (/^"?(?:\$\(|`)/.test(unit)) return what === 'word' || WRITES.test(unit);
    const [, instead] = DEFAULT.exec(unit) ?? [];
    if (instead !== undefined && isRisk(what, instead)) return true;
    const [, name] = VARIABLE.exec(unit) ?? [];
    if (name === undefined || seen.has(`${what}\0${name}`)) return false;
    seen.add(`${what}\0${name}`);
    // The arguments of any function.
    const names = /^\d+$/.test(name) ? [ARGUMENTS, ...[...found.defined].map((one) => ARGUMENTS + one)] : [name];
    return names.some((one) => [...(found.set.get(one) ?? [])].some((value) => isRiskyText(what, value)));
  };
  const isRiskyText = (what: string, value: string): boolean =>
    isRisk(what, value.replace(UNIT, '')) || [...value.matchAll(UNIT)].some(([, unit = '']) => isRisky(what, unit));
  return [...found.assumed].some((one) => {
    const end = one.indexOf('\0');
    const what = one.slice(0, end);
    return what === 'glob' ? makesOption(found) : isRisky(what, one.slice(end + 1));
  });
}

/** Whether the line makes a file with the name of an option, which a glob may find. */
function makesOption({ written, moved }: BashFiles): boolean {
  const isOption = (name: string): boolean => name.startsWith('-');
  return [...written.keys()].some(isOption) || [...moved.values()].some((copies) => [...copies].some(isOption));
}
