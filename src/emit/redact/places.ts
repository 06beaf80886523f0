import { isListed } from './find/lists.js';
import type { ListKind } from './find/names.js';

/** Whether a value is a secret in a list of this name. */
export const isOfList = (value: unknown, kind: ListKind, name: string): boolean =>
  typeof value === 'string' && isListed(value, kind, name, { quote: '"', expands: false });

/** The depth at which a field begins: an input or output begins with known fields, `updatedInput` and the like do not. */
export const beginOf = (key: string): number => (DATA.test(key) ? 1 : key.startsWith('updated') ? 2 : 0);
const DATA = /^(?:input|final_input|versions|output|value)$/;

/** Whether a key is too short to hold a secret. */
export const isPlain = (key: string): boolean => key.length < 8 || (key.length < 16 && !/[=:@ ]/.test(key));

/** Whether a key is the one at this place of a path. */
export const matches = (wanted: string | undefined, key: string): boolean => wanted === '*' || wanted === key;
