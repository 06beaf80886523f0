import { isObject, type Json } from '../values/shape.js';

/** Where a call of another agent's tool says which files it is about. Our `file_path` is made of it. */
export interface FileSource {
  readonly key: string;
  /** It is a patch; else a list of paths or patterns. */
  readonly patch: boolean;
}

/** With the path that the call had at first, if that is one file. */
export interface NamedSource extends FileSource {
  readonly path?: string;
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

/** Keeps the `file_path` of a call what its source says, while hooks rewrite the source. */
export class NamedFile {
  readonly #source: FileSource;
  /** What it has been: a hook hands back what it was given. */
  readonly #made: Set<unknown>;

  constructor(source: NamedSource) {
    this.#source = source;
    this.#made = new Set([undefined, source.path]);
  }

  /** The call that a hook wants, with the path that its source says now. A path of the hook's own stays. */
  in(call: unknown): unknown {
    if (!isObject(call) || !this.#made.has(call['file_path'])) return call;
    const { path } = filesNamed(this.#source, call);
    this.#made.add(path);
    if (call['file_path'] === path) return call;
    const { file_path: _, ...rest } = call;
    return path === undefined ? rest : { ...rest, file_path: path };
  }
}

/** What the payload of another agent says of it. */
export function fileSourceOf({ via }: Json): NamedSource | undefined {
  const files = isObject(via) ? via['files'] : undefined;
  return isObject(files) && typeof files['key'] === 'string' ? (files as unknown as NamedSource) : undefined;
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
