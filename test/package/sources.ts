import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's own folder, absolute. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Import {
  /** What is written between the quotes. */
  readonly specifier: string;
  /** The imported source file relative to `src/`, without extension; undefined: a package or a Node module. */
  readonly file: string | undefined;
  /** `import type`: erased when built. (`import { type A }` is not: the empty import stays.) */
  readonly typeOnly: boolean;
  /** `import()`, or `require`: loaded when it is reached, not before. */
  readonly dynamic: boolean;
}

export interface Source {
  /** Relative to `src/`, without extension: `host/fire`. */
  readonly name: string;
  readonly lines: number;
  readonly imports: readonly Import[];
}

const STATIC = /^(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]*?\s*from\s*)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?'([^']+)'\s*\)/g;
const REQUIRED = /\bcreateRequire\(import\.meta\.url\)\('([^']+)'\)/g;
const COMMENTS = /^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** Every import of one source text. `from` is its name relative to `src/`, without extension. */
export function importsOf(from: string, text: string): Import[] {
  const code = text.replace(COMMENTS, '');
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean, dynamic: boolean): void => {
    const file = specifier.startsWith('.')
      ? relative('/', resolve('/', dirname(from), specifier)).replace(/\.js$/, '')
      : undefined;
    found.push({ specifier, file, typeOnly, dynamic });
  };
  for (const [, type, specifier] of code.matchAll(STATIC)) {
    add(specifier as string, type !== undefined, false);
  }
  for (const [, specifier] of code.matchAll(DYNAMIC)) add(specifier as string, false, true);
  for (const [, specifier] of code.matchAll(REQUIRED)) add(specifier as string, false, true);
  return found;
}

/** Where the file of a name lies. */
export function pathOf(name: string): string {
  const path = join(ROOT, 'src', name);
  return existsSync(`${path}.ts`) ? `${path}.ts` : `${path}.tsx`;
}

/** Every TypeScript file under `src/`. */
export function readSources(folder = join(ROOT, 'src')): Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(folder, path).replace(/\.tsx?$/, '');
      const text = readFileSync(path, 'utf8');
      return { name, lines: text.trimEnd().split('\n').length, imports: importsOf(name, text) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The circles among the files, types included, each as the names along it. */
export function cycles(sources: readonly Source[]): string[] {
  const edges = new Map(sources.map((s) => [s.name, s.imports.flatMap((i) => (i.file === undefined ? [] : [i.file]))]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (name: string, path: string[]): void => {
    if (path.includes(name)) found.push([...path.slice(path.indexOf(name)), name].join(' -> '));
    if (done.has(name) || path.includes(name)) return;
    for (const next of edges.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of edges.keys()) visit(name, []);
  return found;
}
