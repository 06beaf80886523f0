/** What people do who write JSON by hand; undefined if the parser's words say more. */
export function usualMistake(json: string, offset: number): string | undefined {
  if (json.trim() === '') return 'it is empty';
  const rest = json.slice(offset, offset + 20);
  if (/^\/[/*]/.test(rest)) return 'JSON has no comments';
  if (!/^\s*[{[]/.test(json)) return undefined;
  if (/^[}\]]/.test(rest) && json.slice(0, offset).trimEnd().endsWith(','))
    return `remove the comma before this ${rest[0]}`;
  return /^(?!(?:True|False|None|undefined|NaN)\b)['`‘’“”A-Za-z_$]/.test(rest)
    ? 'names and texts need double quotes'
    : undefined;
}
