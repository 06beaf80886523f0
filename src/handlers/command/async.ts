import type { Json } from '../../values/shape.js';
import { parseObject } from '../output.js';

/** Characters a first line may have that asks to continue without its hook. */
const LONGEST = 4096;

/** The object `{ "async": true, … }` if it is the first line of stdout; null if that is something else, undefined if nobody can tell yet. */
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

/** Stdout without that line. */
export function withoutWish(stdout: string): string {
  if (!asyncWish(stdout)) return stdout;
  const text = stdout.trimStart();
  const end = text.indexOf('\n');
  return end < 0 ? '' : text.slice(end + 1);
}
