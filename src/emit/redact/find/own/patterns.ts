/** Not within a longer name; the letter of an escaped line end is none of its letters. */
const BEGINS = String.raw`(?:(?<![\p{L}\p{N}_]|[\p{L}\p{N}_]-)|(?<=\\[nrt])|(?<=(?:^|[\s"'\x60])-[A-Za-z])|(?<=%[57]B|%2[26]|%3F))`;

/** Where values may follow names: after a sign, after an option, in an element; `any`: whether a name is in a text at all. */
export function namePatterns(
  names: readonly string[],
): Readonly<Record<'assigned' | 'apart' | 'dotted' | 'section' | 'encoded' | 'option' | 'element' | 'any', RegExp>> {
  const name = names.map(asPattern).join('|');
  const assigned = new RegExp(
    String.raw`${BEGINS}(${name})(?:\?|\[[^[\]\n]{0,40}\]|%5D)?[\\"'\x60\]*]{0,40}[ \t]{0,8}(?:\|\|?|\?\??|\+)?(?=[:=])`,
    'giu',
  );
  const apart = new RegExp(
    String.raw`(?:\\*["'](${name})\\*["'](?:\s{1,40}|/\*[^*]{0,80}\*/){1,4}|(?<=(?:^|\n)[ \t]*\?[ \t]{1,8})(${name})[ \t]*\n[ \t]*)(?=:)`,
    'giu',
  );
  const dotted = new RegExp(
    String.raw`(?<=^|\n)[ \t]*(${name})(?:\.[\w-]{1,60}){1,4}[ \t]*(?==[ \t]*(?:["'[{]|[\d-][^\n;#]*(?:#[^\n]*)?(?:\n|$)))`,
    'giu',
  );
  const section = new RegExp(
    String.raw`(?<=^|\n)[ \t]*\[{1,2}(?:[\w-]{1,60}\.)?(${name})(?:\.[\w-]{1,60})?\]{1,2}[ \t]*\r?\n`,
    'giu',
  );
  const encoded = new RegExp(
    String.raw`(?<=[?&]|%(?:3F|26|5B|22))(${name})(?:%5D|%22)?%3[AD](?:%20|\+)*(?:%22)?((?:[^\s"'\x60&%<>\\]|%(?!2[236]|7D)[\da-f]{2})+)`,
    'giu',
  );
  const option = new RegExp(
    String.raw`(?<=^|[\s"'\x60(\[,=])--?(${name})(?:\\*["'\x60](?:[ \t]*,\s*|[ \t]+)|[ \t]+(?:\\\r?\n[ \t]*)?)(?=[^\s,])(?!:?=|::|:[ \t"'\x60])`,
    'giu',
  );
  const element = new RegExp(String.raw`<((?:[\w.-]{1,40}:)?(?:${name}))(?=[\s>])[^<>]{0,400}>`, 'giu');
  return { assigned, apart, dotted, section, encoded, option, element, any: new RegExp(name, 'iu') };
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
