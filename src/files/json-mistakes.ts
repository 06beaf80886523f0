/** What people do who write JSON by hand; undefined if the parser's words say more. */
export function usualMistake(json: string, offset: number): string | undefined {
  if (json.trim() === '') return 'it is empty';
  const rest = json.slice(offset, offset + 20);
  if (/^\/[/*]/.test(rest)) return 'JSON has no comments';
  if (!/^\s*[{[]/.test(json)) return undefined;
  const before = json.slice(0, offset).trimEnd();
  if (/^[}\]]/.test(rest) && before.endsWith(',')) return `remove the comma before this ${rest[0]}`;
  // The quote before it has ended a string.
  if (json[offset - 1] === '"' && /^[\w$'`\\.%@~<>-]/.test(rest))
    return 'the string before this has no closing quote, or has a quote within it, which is written \\"';
  return /[{[,:]$/.test(before) && /^['`‘’“”A-Za-z_$]/.test(rest) && !WORD.test(rest)
    ? 'names and strings need double quotes'
    : undefined;
}

/** A value that is no text: a word of JSON, misspelt or as other languages have it. */
const WORD = /^(?:(?:true?|false?|null?|nil|none|undefined|nan)\w?|infinity|yes|no|on|off)\b(?!\s*:)/i;
