import type { Json } from '../../values/shape.js';
import { parseObject } from '../output.js';

/** The most characters of a first line that asks to continue without the hook. */
const LONGEST = 4096;

/** The object `{ "async": true, … }` if it is the first line of stdout, null if the line is something else, undefined if it is incomplete. */
export function asyncWish(stdout: string): Json | null | undefined {
  const text = stdout.trimStart();
  if (text === '') return undefined;
  const end = text.indexOf('\n');
  const line = (end < 0 ? text : text.slice(0, end)).trimEnd();
  if (!line.startsWith('{') || line.length > LONGEST) return null;
  const json = parseObject(line);
  if (json) return json['async'] === true ? json : null;
  return end < 0 ? undefined : null;
}

/** Stdout without the line `{ "async": true, … }`. */
export function withoutWish(stdout: string): string {
  if (!asyncWish(stdout)) return stdout;
  const text = stdout.trimStart();
  const end = text.indexOf('\n');
  return end < 0 ? '' : text.slice(end + 1);
}
