/** What people do who write JSON by hand; undefined if the parser's words say more. */
export function usualMistake(json: string, offset: number): string | undefined {
  if (json.trim() === '') return 'it is empty';
  const rest = json.slice(offset, offset + 20);
  if (/^\/[/*]/.test(rest)) return 'JSON has no comments';
  if (/^(?:<{7}|={7}|>{7})/.test(rest)) return 'this is left over from a merge';
  if (!/^\s*[{[]/.test(json)) return undefined;
  const before = json.slice(0, offset).trimEnd();
  if (/^[}\]]/.test(rest) && before.endsWith(',')) return `remove the comma before this ${rest[0]}`;
  // The quote before it has ended a string.
  if (json[offset - 1] === '"' && /^[\w$'`\\.%@~<>-]/.test(rest))
    return 'the string before this has no closing quote, or has a quote within it, which is written \\"';
  const open = openBefore(json, offset);
  const innermost = open.at(-1);
  const opening = rest[0] === '}' ? '{' : '[';
  if (/^[}\]]/.test(rest) && innermost !== undefined && open.every((at) => json[at] !== opening))
    return `no ${opening} is open that this ${rest[0]} would close`;
  if (innermost !== undefined && !isClosedBy(json[innermost] as string, rest))
    return `the ${json[innermost]} in line ${json.slice(0, innermost).split('\n').length} is not closed`;
  if (innermost === undefined && before !== '') return 'the file holds one value, which ends before this';
  if (UNCLOSED.test(json.slice(offset).replace(/\\./g, '')))
    return 'this string has no closing quote in its line; a line break in it is written \\n';
  if (WORD.test(rest)) return 'JSON has no other words than true, false and null';
  return /[{[,:]$/.test(before) && /^['`‘’“”A-Za-z_$]/.test(rest) ? 'names and strings need double quotes' : undefined;
}

/** Brackets, and the strings without escapes and the comments in which none counts. */
const BRACKETS = /"[^"]*"|\/\/[^\n]*|\/\*.*?(?:\*\/|$)|[{}[\]]/gs;

/** The places of the brackets that are open at an offset, outermost first. */
function openBefore(json: string, offset: number): readonly number[] {
  const open: number[] = [];
  for (const { 0: found, index } of json.slice(0, offset).replace(/\\./g, '  ').matchAll(BRACKETS)) {
    if (/^[{[]/.test(found)) open.push(index);
    else if (/^[}\]]/.test(found)) open.pop();
  }
  return open;
}

/** Whether a bracket is closed here or may be later: not at the end of the file, nor at a closing bracket of the other kind. */
const isClosedBy = (bracket: string, rest: string): boolean =>
  /^[}\]]/.test(rest) ? rest[0] === (bracket === '{' ? '}' : ']') : rest.trim() !== '';

/** A string without escapes that its line does not end. */
const UNCLOSED = /^"[^"\r\n]*(?:[\r\n]|$)/;

/** A value that is no text: a word of JSON, misspelt or as other languages have it. */
const WORD = /^(?:(?:true?|false?|null?|nil|none|undefined|nan)\w?|infinity|yes|no|on|off)(?![\w.|-]|\s*:)/i;
