import type { Node } from 'jsonc-parser';

/** A text to insert into another one, and the offset. */
export interface TextInsert {
  readonly at: number;
  readonly text: string;
}

/** The line end of a text, and its unit of indentation. */
interface IndentStyle {
  readonly eol: string;
  readonly unit: string;
}

export function styleOf(text: string): IndentStyle {
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ' };
}

/** A value as it is written `indent` deep, without the indentation of its first line. */
export function written(value: unknown, indent: string, { eol, unit }: IndentStyle): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`);
}

/** The place in an object or a list where items are added. */
export interface InsertPlace {
  /** The indentation of its elements. */
  readonly indent: string;
  /** The pieces of text that insert items after everything else, including comments. */
  put(items: readonly string[]): TextInsert[];
}

/** `node`: the object or list; undefined: the text is empty, and gets an object. */
export function insertPlace(text: string, node: Node | undefined, style: IndentStyle): InsertPlace {
  const { eol, unit } = style;
  if (node === undefined) {
    const end = text === '' ? eol : '';
    const lines = (items: readonly string[]): string => items.map((item) => `${eol}${unit}${item}`).join(',');
    return { indent: unit, put: (items) => [{ at: 0, text: `{${lines(items)}${eol}}${end}` }] };
  }
  const close = node.offset + node.length - 1;
  const first = node.children?.[0];
  const last = node.children?.at(-1);
  const outer = indentAt(text, node.offset).indent;
  const sibling = first && indentAt(text, first.offset);
  const indent = sibling?.isFirst ? sibling.indent : outer + unit;
  const from = last === undefined ? node.offset + 1 : last.offset + last.length;
  const rest = text.slice(from, close);
  const at = from + rest.trimEnd().length;
  const comma = last !== undefined && !rest.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '').includes(',') ? ',' : '';
  const end = text.slice(at, close).includes('\n') ? '' : `${eol}${outer}`;
  return {
    indent,
    put(items) {
      const block = `${items.map((item) => `${eol}${indent}${item}`).join(',')}${end}`;
      if (at === from || comma === '') return [{ at, text: comma + block }];
      return [
        { at: from, text: comma },
        { at, text: block },
      ];
    },
  };
}

/** The indentation of the line that contains an offset, and whether nothing else comes before the offset. */
function indentAt(text: string, offset: number): { readonly indent: string; readonly isFirst: boolean } {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const indent = /^[ \t]*/.exec(before)?.[0] ?? '';
  return { indent, isFirst: indent === before };
}
