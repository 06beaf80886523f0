import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Jiti } from 'jiti';
import { messageOf } from '../values/waiting/promises.js';

const TYPESCRIPT = /\.[cm]?ts$/;

/**
 * The default export of a file. TypeScript goes through jiti on every Node, so that a file means the same everywhere; the Node
 * floor cannot read it at all. Nothing is cached on disk: what runs is what the file says. Rejects with what the file throws.
 */
export async function importDefault(file: string): Promise<unknown> {
  const module = isTypeScript(file) ? await importTypeScript(file) : await import(pathToFileURL(file).href);
  return (module as { default?: unknown }).default;
}

export function isTypeScript(file: string): boolean {
  return TYPESCRIPT.test(file);
}

async function importTypeScript(file: string): Promise<unknown> {
  return (await jitiFor(file)).import(file);
}

/** TypeScript as the JavaScript it becomes, imports of types left out; undefined: it cannot be read. Nothing runs. */
export async function stripTypes(text: string, file: string): Promise<string | undefined> {
  try {
    return (await jitiReader()).transform({ source: text, filename: file, ts: true, async: true });
  } catch {
    return undefined;
  }
}

/**
 * Where an import in a file leads, by every way there is to resolve it: real paths of files that are there. Nothing runs.
 * `typescript`: the program began with a file of it, and is loaded by its rules.
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
      // It leads nowhere in this way.
    }
  }
  return [...found];
}

/** Resolves like an `import` in that file: to a URL. Rejects like Node. */
export async function resolveImport(specifier: string, from: string): Promise<string> {
  const { resolve } = await import('import-meta-resolve');
  return resolve(specifier, pathToFileURL(from).href);
}

async function jitiFor(file: string): Promise<Jiti> {
  const { createJiti } = await import('jiti');
  return createJiti(file, { fsCache: false, moduleCache: false, interopDefault: false });
}

let reader: Promise<Jiti> | undefined;

/** One for all that is only read. */
function jitiReader(): Promise<Jiti> {
  reader ??= jitiFor(import.meta.url);
  return reader;
}

/** Where jiti's parser stopped, at the end of a line of its message; it counts columns from 0. */
const PARSED = /^ParseError: .*\n +(\S.*):(\d+):(\d+)\s*$/m;

/** What a file that could not be run has thrown, on one line; of a syntax error also where it is, in which file if not in this one. */
export async function whyNotRun(error: unknown, file: string): Promise<string> {
  const why = firstLineOf(error)
    .replace(/^ParseError: /, '')
    .trimEnd();
  const place =
    PARSED.exec(messageOf(error)) ??
    ((error as Error | undefined)?.name === 'SyntaxError' ? await unparsable(file) : undefined);
  if (!place) return why;
  const [, found, line, column] = place as [string, string, string, string];
  return `${why}, at line ${line}, column ${Number(column) + 1}${sameFile(found, file) ? '' : ` of ${found}`}`;
}

const sameFile = (one: string, other: string): boolean => one === other || one === realpathSync(other);

/** Node does not say where a syntax error is to those who catch it. jiti gives it as code that throws it. */
async function unparsable(file: string): Promise<readonly unknown[] | undefined> {
  const source = readFileSync(file, 'utf8');
  const code = (await jitiReader()).transform({ source, filename: file, ts: true, async: true });
  const [, found] = /^exports\.__JITI_ERROR__ = (\{.*\})/m.exec(code) ?? [];
  if (found === undefined) return undefined;
  const { line, column } = JSON.parse(found) as { readonly line: number; readonly column: number };
  return ['', file, line, column];
}

/** The first line of what was thrown: syntax errors bring the source with them. */
export function firstLineOf(error: unknown): string {
  return (messageOf(error).trim().split('\n', 1)[0] as string).replace(/\.$/, '');
}
