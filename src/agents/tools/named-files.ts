import type { Json } from '../../values/shape.js';

/** Where a call says which files it is about. */
export interface FileSource {
  readonly key: string;
  /** It is a patch; else a list of paths or patterns. */
  readonly patch: boolean;
}

/** What a path has that may be more than one file to who expands it; a backslash may be a slash there. */
const MAGIC = /[*?[{!(\\]/;

/** How many files or patterns a call names, and the path where that is one file. */
export function filesNamed({ key, patch }: FileSource, call: Json): { count: number; path?: string } {
  const files = new Set(patch ? patched(call[key]) : listed(call[key]));
  const [only] = files;
  const isOne = files.size === 1 && only !== undefined && (patch || !MAGIC.test(only));
  return { count: files.size, ...(isOne ? { path: only } : {}) };
}

/** A list with anything but texts in it names none. */
function listed(value: unknown): string[] {
  const all: unknown[] = [value].flat();
  return all.every((one) => typeof one === 'string') ? all : [];
}

const HEADER = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/s;

/** The files of a patch. Lines end with a line feed alone, and space around a header does not count, as where it is applied. */
function patched(patch: unknown): string[] {
  if (typeof patch !== 'string') return [];
  return patch.split('\n').flatMap((line) => HEADER.exec(trimmed(line))?.[1]?.trim() ?? []);
}

/** Of all that is white space to Unicode, which counts one more than JavaScript does. */
const trimmed = (line: string): string => line.replace(/^[\s\u0085]+|[\s\u0085]+$/g, '');
