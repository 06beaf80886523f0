import type { Json } from '../../values/shape.js';
import type { Typed } from '../table.js';

/** A terminal takes other characters of this kind for keys. */
const KEY = /(?![\r\n])\p{Cc}/u;

/** What is typed into a shell, as the command that it is in a line of its own; undefined: keys change the line in ways that are not known. */
export function commandTyped({ field, enter, others }: Typed, call: Json): string | undefined {
  const text = call[field];
  if (typeof text !== 'string' || KEY.test(text)) return undefined;
  const isEdited = others.some((key) => text.toLowerCase().includes(key));
  const end = new RegExp(enter.replace(/[{}]/g, '\\$&'), 'gi');
  return isEdited ? undefined : text.replaceAll('\r', '\n').replace(end, '\n');
}
