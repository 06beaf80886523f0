import { isObject, type Json } from '../values/shape.js';

/** The key under which a call of another agent's tool names its files. Our `file_path` is derived from it. */
export interface FileSource {
  readonly key: string;
  /** True if the value is a patch, false if it is a list of paths or patterns. */
  readonly patch: boolean;
}

/** A source with the path that the call had originally, if it named one file. */
export interface NamedSource extends FileSource {
  readonly path?: string;
}

/** Characters that may make a path mean several files when it is expanded. A backslash may also be a separator. */
const MAGIC = /[*?[{!(\\]/;

/** How many files or patterns a call names and, if it is one file, its path. */
export function filesNamed(source: FileSource, call: Json): { count: number; path?: string } {
  const files = new Set(namesIn(source, call));
  const [only] = files;
  const isOne = files.size === 1 && only !== undefined && (source.patch || !MAGIC.test(only));
  return { count: files.size, ...(isOne ? { path: only } : {}) };
}

/** Every file that a call names; undefined stands for files that are not known. */
export function filesIn(source: FileSource, call: Json): readonly (string | undefined)[] {
  const files = [...new Set(namesIn(source, call))];
  return files.length === 0 ? [undefined] : files.map((file) => (source.patch ? file : knownPath(file)));
}

const namesIn = ({ key, patch }: FileSource, call: Json): string[] => (patch ? patched(call[key]) : listed(call[key]));

/** The path of one file for a tool that does not expand patterns: brackets and stars are ordinary characters. */
export const onePath = (path: unknown): string | undefined =>
  typeof path === 'string' && path !== '' && !path.includes('\n') ? path : undefined;

/** The path if every tool would read it as one file. */
export function knownPath(path: unknown): string | undefined {
  const one = onePath(path);
  return one === undefined || MAGIC.test(one) ? undefined : one;
}

/** Keeps the `file_path` of a call in step with its source while hooks rewrite the source. */
export class NamedFile {
  readonly #source: FileSource;
  /** All values that `file_path` has had. A hook that returns one of them has not changed it. */
  readonly #made: Set<unknown>;

  constructor(source: NamedSource) {
    this.#source = source;
    this.#made = new Set([undefined, source.path]);
  }

  /** The rewritten call, with `file_path` updated from its source. A path that the hook itself has set is kept. */
  in(call: unknown): unknown {
    if (!isObject(call) || !this.#made.has(call['file_path'])) return call;
    const { path } = filesNamed(this.#source, call);
    this.#made.add(path);
    if (call['file_path'] === path) return call;
    const { file_path: _, ...rest } = call;
    return path === undefined ? rest : { ...rest, file_path: path };
  }
}

/** The file source in the payload of another agent, if any. */
export function fileSourceOf({ via }: Json): NamedSource | undefined {
  const files = isObject(via) ? via['files'] : undefined;
  return isObject(files) && typeof files['key'] === 'string' ? (files as unknown as NamedSource) : undefined;
}

/** A list that contains anything but strings names no files. */
function listed(value: unknown): string[] {
  const all: unknown[] = [value].flat();
  return all.every((one) => typeof one === 'string') ? all : [];
}

const HEADER = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/s;

/** The files of a patch. As in the program that applies it, lines end only at a line feed, and white space around a header is ignored. */
function patched(patch: unknown): string[] {
  if (typeof patch !== 'string') return [];
  return patch.split('\n').flatMap((line) => HEADER.exec(trimmed(line))?.[1]?.trim() ?? []);
}

/** White space by Unicode's definition, which includes U+0085; `\s` in JavaScript does not. */
const SPACE = /[\s\u0085]/;

/** Scans by hand: a regular expression for trailing space would be tried at every space in the line. */
function trimmed(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && SPACE.test(line.charAt(from))) from++;
  while (to > from && SPACE.test(line.charAt(to - 1))) to--;
  return line.slice(from, to);
}

/**
 * A line that only runs the program with a patch, as a here-document or in quotes. A `cd` to a literal folder may precede it. Words are separated by blanks and tabs. Line feeds are allowed where a
 * shell ignores them; directly after `cd` one would end the command. To a shell, all other white space is part of a word.
 */
const ALONE =
  /^[ \t\n]*(?:cd[ \t]+(?<folder>(?:~(?=[/ \t&])|[\w./@])[\w./~@+-]*)[ \t]*&&[ \t\n]*)?apply_?patch(?<given>[ \t<].*)$/s;
const DOCUMENT = /^[ \t]*<<[ \t]*(?<quote>['"]?)(?<end>\w+)\k<quote>[ \t]*\n(?<text>.*)\n\k<end>(?:\n[ \t\n]*)?$/s;
const QUOTED = /^[ \t]+(?<quote>['"])(?<text>[^'"]*)\k<quote>[ \t\n]*$/s;
/** Characters by which a shell expands text, so that the patch may get more files or other headers. */
const EXPANDED = /[$`\\]/;

/** The files of the patch if a shell line does nothing but apply one; otherwise, or if they are not known, none. */
function patchedByShell(line: unknown): string[] {
  const { folder, given = '' } = (typeof line === 'string' && ALONE.exec(line)?.groups) || {};
  const { text, end, quote } = (DOCUMENT.exec(given) ?? QUOTED.exec(given))?.groups ?? {};
  if (text === undefined || (end !== undefined && text.split('\n').includes(end))) return [];
  const isLiteral = end === undefined ? quote === "'" : quote !== '';
  if (!isLiteral && EXPANDED.test(text)) return [];
  const files = patched(text);
  return files.map((file) => (folder === undefined || isAbsolute(file) ? file : `${folder}/${file}`));
}

const isAbsolute = (path: string): boolean => /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);

/** Tells whether a shell line runs the program; undefined if that cannot be determined. */
type LineReader = (line: string) => boolean | undefined;
let runsPatches: LineReader = () => undefined;

/** Sets the reader of shell lines. It is loaded together with rules, and not in a process that only asks a server. Without it, every line that contains the program's name may run it. */
export function readPatchesWith(reader: LineReader): void {
  runsPatches = reader;
  last = undefined;
}

interface LineRead {
  readonly given: string | readonly string[];
  readonly may: boolean;
  files?: readonly (string | undefined)[];
}

/** The last line, cached because all rules of a fire ask about the same one. */
let last: LineRead | undefined;

/** The tools that a shell line which applies a patch counts as, besides its own. */
export const PATCHED: readonly string[] = ['Edit'];

/** The program's name, in a line from which quotes, backslashes and line feeds are removed. */
const NAMED = /apply_?patch/;
/** Characters by which a shell can compose a name: a pattern, braces, a variable, an escape. */
const MAKES = /[$`*?[{]/;
/** The text of a patch, which counts even if it is unknown what the line runs. */
const PATCHES = /\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )/;

/**
 * Whether a shell line may apply a patch. If it is unknown what the line runs (`$X`, `curl … | sh`), the line must contain the program's name or a patch;
 * otherwise every such line would count as an edit.
 */
export function mayPatch(given: unknown): boolean {
  return lineRead(given)?.may === true;
}

function lineRead(given: unknown): LineRead | undefined {
  if (last !== undefined && isSame(last.given, given)) return last;
  if (typeof given === 'string') last = { given, may: readsAsPatch(given) };
  // A copy, because the caller may change the list later.
  else if (isTexts(given)) last = { given: [...given], may: readsAsPatch(given.map(quoted).join(' ')) };
  else return undefined;
  return last;
}

const isSame = (one: string | readonly string[], other: unknown): boolean =>
  one === other ||
  (typeof one !== 'string' &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((word, i) => word === other[i]));

function readsAsPatch(line: string): boolean {
  // A fast test first: most lines contain none of these, however they are quoted.
  const bare = line.replace(/['"\\\n]/g, '');
  const isTold = NAMED.test(bare) || PATCHES.test(bare);
  return (isTold || MAKES.test(bare)) && (runsPatches(line) ?? isTold);
}

const isTexts = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every((one) => typeof one === 'string');
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The files of the patch that a shell line applies; undefined stands for files that are not known. */
export function filesPatched(line: unknown): readonly (string | undefined)[] {
  const read = lineRead(line);
  if (read?.may !== true) return [];
  if (read.files === undefined) {
    const files = [...new Set(patchedByShell(line))];
    read.files = files.length === 0 ? [undefined] : files;
  }
  return [...read.files];
}
