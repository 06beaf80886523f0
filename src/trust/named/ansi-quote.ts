const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', e: '\u001b', a: '\u0007', b: '\b' };

/** Resolves the escape sequences in the text of `$'…'`. */
export function ansiUnescaped(text: string): string {
  return text.replace(
    /\\(?:x([\dA-Fa-f]{1,2})|u([\dA-Fa-f]{1,4})|U([\dA-Fa-f]{1,6})|([0-7]{1,3})|(.))/gs,
    (_, x: string, u: string, U: string, octal: string, char: string) => {
      if (char !== undefined) return ESCAPES[char] ?? char;
      const code = octal === undefined ? Number.parseInt(x ?? u ?? U, 16) : Number.parseInt(octal, 8);
      return code <= 0x10_ffff ? String.fromCodePoint(code) : '';
    },
  );
}
