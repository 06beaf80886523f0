import { readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../values/waiting/promises.js';
import { firstLineOf, parseError } from './module.js';

interface ErrorPlace {
  readonly file: string;
  readonly line: number;
  /** Counts from 1. */
  readonly column: number;
}

/**
 * Why a file could not be run, on one line; for a syntax error with its position, and with its file if that is another one. There is no position
 * unless it is certain that the error is there.
 */
export async function whyNotRun(error: unknown, file: string): Promise<string> {
  const why = firstLineOf(error)
    .replace(/^ParseError: /, '')
    .trimEnd();
  const place = placeOfParser(error) ?? placeInStack(error) ?? (await unparsable(error, file));
  if (!place) return why;
  const { file: found, line, column } = place;
  return `${why}, at line ${line}, column ${column}${sameFile(found, file) ? '' : ` of ${found}`}`;
}

function sameFile(one: string, other: string): boolean {
  try {
    return one === other || realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/** The position in a message of jiti's parser, which counts columns from 0. */
const PARSED = /^ParseError: .*\n +(\S.*):(\d+):(\d+)\s*$/m;

function placeOfParser(error: unknown): ErrorPlace | undefined {
  const [, file, line, column] = PARSED.exec(messageOf(error)) ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) + 1 };
}

const stackOf = (error: unknown): string =>
  error instanceof Error && error.name === 'SyntaxError' ? String(error.stack) : '';

/** The place that Node writes above a stack: the file and line, the line itself, and a mark below it. */
function placeInStack(error: unknown): ErrorPlace | undefined {
  const [, file, line, marks] = /^((?:file:|\/|[A-Za-z]:).*):(\d+)\n.*\n( *)\^/.exec(stackOf(error)) ?? [];
  if (file === undefined || marks === undefined) return undefined;
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  return { file: path, line: Number(line), column: marks.length + 1 };
}

/** Matches the stack of an error that Node found when it compiled a module, not one that code threw. */
const COMPILED = /^SyntaxError: .*\n +at .*\(node:internal\/(?:modules|vm)\//;
/** The most files that are searched for a syntax error. */
const MOST = 100;

/**
 * The place of a syntax error for which Node's error object has none: it is in the file, or in one that it imports by a relative path. Undefined
 * unless Node says the same of exactly one of them.
 */
async function unparsable(error: unknown, first: string): Promise<ErrorPlace | undefined> {
  if (!COMPILED.test(stackOf(error))) return undefined;
  // Loaded only here, because it parses programs.
  const { moduleWords } = await import('./module-words.js');
  const files = new Set([first]);
  const found: ErrorPlace[] = [];
  for (const file of files) {
    const source = textOf(file);
    if (source === undefined) continue;
    const at = await parseError(source, file);
    if (at !== undefined) {
      if ((await whyNotCompiled(source)) === messageOf(error)) found.push({ ...at, file, column: at.column + 1 });
      continue;
    }
    for (const path of (await moduleWords(source, file)).imports)
      if (/^\.{1,2}\//.test(path) && files.size < MOST) files.add(resolve(dirname(file), path));
  }
  return found.length === 1 ? found[0] : undefined;
}

/** What Node says about a program that it cannot compile; undefined if it can. Runs nothing: the program also imports a module that there is not. */
async function whyNotCompiled(source: string): Promise<string | undefined> {
  const never = `import 'node:hookscope-never'; ${source.replace(/^(?:\uFEFF)?(?:#!.*)?/, '')}`;
  try {
    await import(`data:text/javascript,${encodeURIComponent(never)}`);
    return undefined;
  } catch (error) {
    return COMPILED.test(stackOf(error)) ? messageOf(error) : undefined;
  }
}

function textOf(file: string): string | undefined {
  try {
    return /\.[cm]?[jt]sx?$/.test(file) ? readFileSync(file, 'utf8') : undefined;
  } catch {
    // Whether an imported file is there is not asked here.
    return undefined;
  }
}
