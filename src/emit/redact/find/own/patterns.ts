/** Not within a longer name; the letter of an escaped line end is none of its letters. */
const BEGINS = String.raw`(?:(?<![\p{L}\p{N}_]|[\p{L}\p{N}_]-)|(?<=\\[nrt]))`;

/** Where values may follow names: after a sign, after an option, in an element; `any`: whether a name is in a text at all. */
export function namePatterns(
  names: readonly string[],
): Readonly<Record<'assigned' | 'option' | 'element' | 'any', RegExp>> {
  const name = names.map(asPattern).join('|');
  const assigned = new RegExp(
    String.raw`${BEGINS}(${name})(?:\?|\[\])?[\\"'\x60\]*]{0,40}[ \t]{0,8}(?:\|\|?|\?\?|\+)?(?=[:=])`,
    'giu',
  );
  const option = new RegExp(
    String.raw`(?<=^|[\s"'\x60(\[,=])--?(${name})(?:\\*["'\x60](?:[ \t]*,\s*|[ \t]+)|[ \t]+(?:\\\r?\n[ \t]*)?)(?=[^\s,])(?!:?=|::|:[ \t"'\x60])`,
    'giu',
  );
  const element = new RegExp(String.raw`<((?:[\w.-]{1,40}:)?(?:${name}))(?=[\s>])[^<>]{0,400}>`, 'giu');
  return { assigned, option, element, any: new RegExp(name, 'iu') };
}

/** Matches a name in any case; blanks of any width, and letters as JSON may escape them. */
function asPattern(name: string): string {
  return [...name.trim().replace(/\s+/g, ' ')]
    .map((letter) => {
      if (letter === ' ') return String.raw`[ \t]{1,8}`;
      const plain = letter.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
      if (letter < '\x80') return plain;
      const escaped = [letter.toLowerCase(), letter.toUpperCase()].map((one) =>
        Array.from(one.split(''), (unit) => String.raw`\\+u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
          '',
        ),
      );
      return `(?:${[plain, ...new Set(escaped)].join('|')})`;
    })
    .join('');
}

/** A type in `name: type = value` that cannot be a value, with the sign behind it. */
export function typePattern(): RegExp {
  const known = `(?:str|string|text|char|any|bool|boolean|number|bigint|decimal|float|double|long|u?int|[iuf](?:8|16|32|64|128)|usize|id|uuid|bytes|object|null|none|nil|undefined|unknown|optional|option|union|list|array|set|final|const|cow|box|rc|arc|vec|secretstr)`;
  const generic = String.raw`(?:[<[(][^<>[\]()"'=\n]{0,60}[>\])]{1,2})?(?:\[\])?[?!]?`;
  const one = String.raw`(?:[&*]{1,2}(?:'\w{1,20}[ \t])?)?(?:(?:mut|const|final|readonly)[ \t])?(?:\w{1,40}(?:\.|::)){0,4}${known}${generic}`;
  return new RegExp(
    String.raw`${one}(?:[ \t]*[|&][ \t]*${one}){0,5}[ \t]*=(?![=>])[ \t]*(?=\\*["'\x60]|[A-Za-z@$]{1,2}["'\x60]|-?\d)`,
    'iy',
  );
}
