/** Whether a key is a comment, as people write them in JSON: `"// Stop"` and `"_Stop"`. A name that every object has, such as `__proto__`, is none. */
export const isRemark = (key: unknown): boolean =>
  typeof key === 'string' && /^(\/\/|_|#|\$)/.test(key) && !(key in Object.prototype);

/** Replaces the comments of a JSON text with spaces, so that positions stay the same. An unterminated comment is kept. */
export function withoutComments(json: string): string {
  const parts: string[] = [];
  const begins = /"|\/[/*]/g;
  let from = 0;
  for (let found = begins.exec(json); found; found = begins.exec(json)) {
    const { index, 0: mark } = found;
    const end = endOf(json, index, mark);
    if (end === undefined) break;
    if (mark !== '"') {
      const blank = json.slice(index, end).replace(/[^\r\n]+/g, (text) => ' '.repeat(text.length));
      parts.push(json.slice(from, index), blank);
      from = end;
    }
    begins.lastIndex = end;
  }
  return parts.join('') + json.slice(from);
}

/** The offset after the string or comment that begins at `start`; undefined if it is unterminated. */
function endOf(json: string, start: number, mark: string): number | undefined {
  if (mark === '"') return endOfText(json, start);
  if (mark === '/*') {
    const end = json.indexOf('*/', start + 2);
    return end < 0 ? undefined : end + 2;
  }
  const line = /[\r\n]|$/g;
  line.lastIndex = start;
  return line.exec(json)?.index;
}

function endOfText(json: string, start: number): number | undefined {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json[before - 1] === '\\') before--;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return undefined;
}
