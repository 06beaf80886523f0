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
export function filesNamed(source: FileSource, call: Json): { count: number; path?: string } {
  const files = new Set(namesIn(source, call));
  const [only] = files;
  const isOne = files.size === 1 && only !== undefined && (source.patch || !MAGIC.test(only));
  return { count: files.size, ...(isOne ? { path: only } : {}) };
}

/** Every file that a call names; undefined stands for those that are not known. */
export function filesIn(source: FileSource, call: Json): readonly (string | undefined)[] {
  const files = [...new Set(namesIn(source, call))];
  return files.length === 0 ? [undefined] : files.map((file) => (source.patch ? file : knownPath(file)));
}

const namesIn = ({ key, patch }: FileSource, call: Json): string[] => (patch ? patched(call[key]) : listed(call[key]));

/** The path of one file, to a tool that expands nothing: brackets and stars are letters of it. */
export const onePath = (path: unknown): string | undefined =>
  typeof path === 'string' && path !== '' && !path.includes('\n') ? path : undefined;

/** A path that is one file, whoever reads it. */
export function knownPath(path: unknown): string | undefined {
  const one = onePath(path);
  return one === undefined || MAGIC.test(one) ? undefined : one;
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

/** All that is white space to Unicode, which counts one more than JavaScript does. */
const SPACE = /[\s\u0085]/;

/** Each end is looked at once: a pattern for the end would be tried at every space in the line. */
function trimmed(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && SPACE.test(line.charAt(from))) from++;
  while (to > from && SPACE.test(line.charAt(to - 1))) to--;
  return line.slice(from, to);
}

/**
 * The program with nothing but a patch, as a here-document or in quotes; a folder to go to may stand before it, if its name says which. Blanks and tabs are between words, and line feeds where a
 * shell passes over them: behind `cd` alone one would end the command, and other white space is a letter to it.
 */
const ALONE =
  /^[ \t\n]*(?:cd[ \t]+(?<folder>(?:~(?=[/ \t&])|[\w./@])[\w./~@+-]*)[ \t]*&&[ \t\n]*)?apply_?patch(?<given>[ \t<].*)$/s;
const DOCUMENT = /^[ \t]*<<[ \t]*(?<quote>['"]?)(?<end>\w+)\k<quote>[ \t]*\n(?<text>.*)\n\k<end>(?:\n[ \t\n]*)?$/s;
const QUOTED = /^[ \t]+(?<quote>['"])(?<text>[^'"]*)\k<quote>[ \t\n]*$/s;
/** What a shell puts something in the place of: more files, or another header. */
const EXPANDED = /[$`\\]/;

/** The files of the patch that a line of a shell applies, and does nothing else; none if that is not known. */
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

/** Whether a line runs the program; undefined: nobody can tell what it runs. */
type LineReader = (line: string) => boolean | undefined;
let runsPatches: LineReader = () => undefined;

/** Gives the reader of shell lines, which comes with whatever has rules; what only asks a server does not load it. Without one, a line that has the program's name may run it. */
export function readPatchesWith(reader: LineReader): void {
  runsPatches = reader;
  last = undefined;
}

interface LineRead {
  readonly given: string | readonly string[];
  readonly may: boolean;
  files?: readonly (string | undefined)[];
}

/** All rules of a fire ask about one line in turn. */
let last: LineRead | undefined;

/** What a line that applies a patch is, besides. */
export const PATCHED: readonly string[] = ['Edit'];

/** The name of the program, with what a shell takes out of a word taken out. */
const NAMED = /apply_?patch/;
/** What a shell makes a name of: a pattern, a choice, a variable, an escape. */
const MAKES = /[$`*?[{]/;
/** A patch itself says so even where nobody can tell what the line runs. */
const PATCHES = /\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )/;

/**
 * Whether a line of a shell may apply a patch, as a rule about the program would say. Where nobody can tell what it runs (`$X`, `curl … | sh`), it may if it has the program's name or a patch: else
 * each such line would be an edit.
 */
export function mayPatch(given: unknown): boolean {
  return lineRead(given)?.may === true;
}

function lineRead(given: unknown): LineRead | undefined {
  if (last !== undefined && isSame(last.given, given)) return last;
  if (typeof given === 'string') last = { given, may: readsAsPatch(given) };
  // Whoever has the list may change it.
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
  // Most lines have none of it, however it is quoted.
  const bare = line.replace(/['"\\\n]/g, '');
  const isTold = NAMED.test(bare) || PATCHES.test(bare);
  return (isTold || MAKES.test(bare)) && (runsPatches(line) ?? isTold);
}

const isTexts = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every((one) => typeof one === 'string');
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The files of the patches that a line of a shell applies; undefined stands for those that are not known. */
export function filesPatched(line: unknown): readonly (string | undefined)[] {
  const read = lineRead(line);
  if (read?.may !== true) return [];
  if (read.files === undefined) {
    const files = [...new Set(patchedByShell(line))];
    read.files = files.length === 0 ? [undefined] : files;
  }
  return [...read.files];
}
