import { isListed } from './find/lists.js';
import { type ListKind, nameKind } from './find/names.js';
import { isWord, looksRandom } from './find/values.js';

/** Whether a value is a secret in a list of this name. */
export const isOfList = (value: unknown, kind: ListKind, name: string): boolean =>
  typeof value === 'string' && isListed(value, kind, name, { quote: '"', expands: false });

/** The depth at which a field begins: an input or output begins with known fields, `updatedInput` and the like do not. */
export const beginOf = (key: string): number => (DATA.test(key) ? 1 : key.startsWith('updated') ? 2 : 0);
const DATA = /^(?:input|final_input|versions|output|value)$/;

/** Whether a key is too short to hold a secret. */
export const isPlain = (key: string): boolean => key.length < 8 || (key.length < 16 && !/[=:@ ]/.test(key));

/** Whether a path is that of a key at a place. */
export const isAt = (path: readonly string[], place: readonly string[], key: string): boolean =>
  path.length === place.length + 1 && path.every((name, i) => name === '*' || name === (place[i] ?? key));

/** Whether the name of a key says that its value is a secret. */
export function isNamedSecret(key: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null || value === undefined) return false;
  const kind = nameKind(key);
  if (kind === undefined) return false;
  if (typeof value === 'number') return kind === 'password';
  if (kind === 'short') return typeof value === 'string' && value.length >= 3 && !isWord(value);
  return kind !== 'weak' || (typeof value === 'string' && looksRandom(value));
}
