import { realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Jiti } from 'jiti';
import { messageOf } from '../values/waiting/promises.js';

const TYPESCRIPT = /\.[cm]?ts$/;

/**
 * Imports a file and returns its default export. TypeScript is loaded by jiti on every version of Node, so that a file means the same
 * everywhere; the oldest supported Node cannot run TypeScript itself. Nothing is cached on disk, so the file's current content runs.
 * Rejects with the error that the file throws, and if it is a pipe or a device, which Node would wait for without an end.
 */
export async function importDefault(file: string): Promise<unknown> {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile() && !stat.isDirectory()) throw new TypeError('It is not a regular file.');
  const module = isTypeScript(file) ? await importTypeScript(file) : await import(pathToFileURL(file).href);
  return (module as { default?: unknown }).default;
}

export function isTypeScript(file: string): boolean {
  return TYPESCRIPT.test(file);
}

async function importTypeScript(file: string): Promise<unknown> {
  return (await jitiFor(file)).import(file);
}

/** Compiles TypeScript to JavaScript, without type imports; undefined if it cannot be parsed. Runs nothing. */
export async function stripTypes(text: string, file: string): Promise<string | undefined> {
  try {
    return (await jitiReader()).transform({ source: text, filename: file, ts: true, async: true });
  } catch {
    return undefined;
  }
}

/**
 * Resolves an import in a file in every possible way, to the real paths of existing files. Runs nothing.
 * `typescript`: the program's entry is TypeScript, so jiti's rules apply too.
 */
export async function resolveAll(specifier: string, from: string, typescript: boolean): Promise<string[]> {
  const jiti = typescript ? await jitiReader() : undefined;
  const ways = [
    () => resolveImport(specifier, from),
    () => createRequire(from).resolve(specifier),
    () => String(jiti?.esmResolve(specifier, { parentURL: pathToFileURL(from).href, try: true })),
  ];
  const found = new Set<string>();
  for (const way of ways) {
    try {
      const place = await way();
      const path = place.startsWith('file:') ? fileURLToPath(place) : place;
      if (isAbsolute(path) && statSync(path).isFile()) found.add(realpathSync(path));
    } catch {
      // This way does not resolve the specifier.
    }
  }
  return [...found];
}

/** Resolves like an `import` in the file `from`, to a URL. Rejects like Node. */
export async function resolveImport(specifier: string, from: string): Promise<string> {
  const { resolve } = await import('import-meta-resolve');
  return resolve(specifier, pathToFileURL(from).href);
}

async function jitiFor(file: string): Promise<Jiti> {
  const { createJiti } = await import('jiti');
  return createJiti(file, { fsCache: false, moduleCache: false, interopDefault: false });
}

let reader: Promise<Jiti> | undefined;

/** The position of the first error in a program, with columns from 0; undefined if it can be parsed. Runs nothing: jiti compiles such a program to code with the error as JSON. */
export async function parseError(
  source: string,
  file: string,
): Promise<{ readonly line: number; readonly column: number } | undefined> {
  const code = (await jitiReader()).transform({ source, filename: file, ts: true, async: true });
  const [, found] = /^exports\.__JITI_ERROR__ = (\{.*\})/m.exec(code) ?? [];
  return found === undefined ? undefined : JSON.parse(found);
}

/** A shared instance for everything that runs nothing. */
function jitiReader(): Promise<Jiti> {
  reader ??= jitiFor(import.meta.url);
  return reader;
}

/** The first line of an error's message; further lines of a syntax error quote the source. */
export function firstLineOf(error: unknown): string {
  return (messageOf(error).trim().split('\n', 1)[0] as string).replace(/\.$/, '');
}
