import type { Json } from '../../values/shape.js';
import type { TypedText } from '../table.js';

/** Control characters other than line ends; a terminal treats them as keys. */
const KEY = /(?![\r\n])\p{Cc}/u;

/** The command that results from typing the text into a shell; undefined if the text has keys that edit the line. */
export function commandTyped({ field, enter, others }: TypedText, call: Json): string | undefined {
  const text = call[field];
  if (typeof text !== 'string' || KEY.test(text)) return undefined;
  const isEdited = others.some((key) => text.toLowerCase().includes(key));
  const end = new RegExp(enter.replace(/[{}]/g, '\\$&'), 'gi');
  return isEdited ? undefined : text.replaceAll('\r', '\n').replace(end, '\n');
}
