import { plain } from '../plain.js';
import type { ForeignProblem } from './parse.js';

/** A problem as one line: `.cursor/hooks.json:12:5: hooks.stop: expected a list`. */
export function formatForeign({ file, line, column, where, message }: ForeignProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return plain(`${place}: ${where === '' ? '' : `${where}: `}${message}`);
}
