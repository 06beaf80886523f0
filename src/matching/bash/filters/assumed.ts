import type { LineSettings } from './settings.js';

/**
 * What is assumed of an expansion in the words of a filter. `address`, `code`, `string`, `regex`: it does not make another program of it.
 * `word`: it is one word and no option. `operand`: it may become several, but no option. `glob`: it finds no file with the name of an option.
 */
export type Assumption = 'address' | 'code' | 'string' | 'regex' | 'word' | 'operand' | 'glob';

/** Values for which an assumption may be wrong. No part of another value is one of these, and neither are several of them together. */
const RISKS: Readonly<Record<Assumption, RegExp>> = {
  address: /\D/,
  code: /[^\d.]/,
  string: /["\\\n]/,
  regex: /[/\n[\]\\]/,
  word: /^$|[\s*?[]|^-/,
  operand: /(?:^|\s)-|[*?[]/,
  glob: /^/,
};
/** What is assumed of texts in a script of sed, whose end is this mark. */
const END = 'end of ';

export const assumed = (what: Assumption, unit: string): string => `${what}\0${unit}`;
export const assumedText = (mark: string, unit: string): string => `${END}${mark}\0${unit}`;

const isRisk = (what: string, text: string): boolean =>
  what.startsWith(END)
    ? text.includes(what.slice(END.length)) || /[\n\\[\]]/.test(text)
    : RISKS[what as Assumption].test(text);

const NUMBER = /^"?\$(?:[?#!$]|\{#\w+\}|\(\([\w\s$+*/%-]*\)\))$/;
const VARIABLE = /^"?\$(?:(\w+)|\{(\w+)\}|\{(\w+)(:?-|##?|%%?)([^$`"'\\{}]*)\})$/;
const LISTS = /^"?\$(?:[@*]|\{(?:[@*]|(\w+)\[[@*]\])\})$/;

/** Whether an assumption may be wrong because of what the line says. `isNested`: the variables and arguments are not those of the line. */
export function mayDeceive(one: string, line: LineSettings, isNested: boolean): boolean {
  const at = one.indexOf('\0');
  const what = one.slice(0, at);
  const unit = one.slice(at + 1);
  const mayBe = (name: string): readonly string[] | undefined => {
    if (isNested) return undefined;
    if (/^\d/.test(name)) return line.hasArguments ? undefined : [];
    return line.valuesOf(name);
  };
  const isSeveral = what === 'word' || what === 'operand';
  if (what === 'glob') return line.makesOptions;
  if (isSeveral && line.splits && !unit.startsWith('"')) return true;
  if (NUMBER.test(unit)) {
    const names = unit.startsWith('"$((') || unit.startsWith('$((') ? (unit.match(/[A-Za-z_]\w*|\$\d/g) ?? []) : [];
    return names.some((name) => mayBe(name.replace('$', ''))?.every((value) => /^\d+$/.test(value)) !== true);
  }
  // What a runner inserts.
  if (!/^"?[$`]/.test(unit)) return what !== 'operand' || !line.isFound;
  const list = LISTS.exec(unit);
  if (list !== null) return what !== 'operand' || mayBe(list[1] ?? '1')?.length !== 0;
  const [, plain, braced, changed, operator = '', text = ''] = VARIABLE.exec(unit) ?? [];
  const name = plain ?? braced ?? changed;
  if (name === undefined) return true;
  const values = mayBe(name);
  if (values === undefined) return true;
  // Parts of a value that the line sets may be something else.
  if (/[#%]/.test(operator)) return values.length > 0;
  if (operator.endsWith('-') && isRisk(what, text)) return true;
  return values.some((value) => {
    if (!/[*?]/.test(value)) return isRisk(what, value);
    // In a loop each is the name of a file.
    if (what !== 'operand' || /^-|\s/.test(value)) return true;
    return (!unit.startsWith('"') && line.mayDash) || (/^[*?]/.test(value) && line.makesOptions);
  });
}
