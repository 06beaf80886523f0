/** Compiles text in which `*` matches any run of characters, including spaces and slashes. Matching never backtracks. */
export function compileWildcard(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
    let from = first.length;
    const end = text.length - last.length;
    for (const piece of rest) {
      const at = text.indexOf(piece, from);
      if (at === -1 || at + piece.length > end) return false;
      from = at + piece.length;
    }
    return true;
  };
}

/** Splits at `|` and `,` outside brackets of any kind: `{a,b}` and `@(a|b)` are one glob each. */
export function alternatives(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if ('{[('.includes(char)) depth++;
    else if ('}])'.includes(char)) depth = Math.max(0, depth - 1);
    if (depth === 0 && (char === '|' || char === ',')) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${char}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
