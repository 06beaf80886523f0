/** Text with `*` for any run of characters, spaces and slashes too. Matching never backtracks. */
export function compileWildcard(pattern: string): (text: string) => boolean {
  return joinedBy(pattern.split('*'));
}

/** The same, with a backslash before a star or a backslash that is meant. */
export function compileEscaped(pattern: string): (text: string) => boolean {
  const pieces = pattern.split(/(?<=(?<!\\)(?:\\\\)*)\*/);
  return joinedBy(pieces.map((piece) => piece.replace(/\\([\\*])/g, '$1')));
}

function joinedBy([first = '', ...rest]: readonly string[]): (text: string) => boolean {
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
