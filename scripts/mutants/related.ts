import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Which test files reach which source file, and over how many imports. */
export class Related {
  /** By test file: the distance of each file that it reaches. */
  readonly #reach = new Map<string, Map<string, number>>();
  readonly #edges = new Map<string, string[]>();

  constructor(
    readonly root: string,
    files: readonly string[],
  ) {
    const programs = files.filter((file) => file.startsWith('test/fixtures/programs/'));
    for (const test of files.filter((file) => /^(test|examples)\/.*\.test\.ts$/.test(file))) {
      const reach = new Map([[test, 0]]);
      for (const [file, distance] of reach) {
        for (const next of this.#next(file, programs)) if (!reach.has(next)) reach.set(next, distance + 1);
      }
      this.#reach.set(test, reach);
    }
  }

  /** The tests that load a file, the nearest first. */
  of(source: string): { test: string; distance: number }[] {
    const found = [...this.#reach].flatMap(([test, reach]) => {
      const distance = reach.get(source);
      return distance === undefined ? [] : [{ test, distance }];
    });
    return found.sort((a, b) => a.distance - b.distance);
  }

  #next(file: string, programs: readonly string[]): string[] {
    const known = this.#edges.get(file);
    if (known) return known;
    const text = readFileSync(join(this.root, file), 'utf8');
    const found = [...imports(text)].flatMap((name) => this.#resolve(file, name));
    if (!file.startsWith('src/')) {
      // What a test starts as a program of its own.
      found.push(
        ...programs.filter((program) => program !== file && text.includes(program.split('/').at(-1) as string)),
      );
      for (const [, built] of text.matchAll(/\bdist\/([\w/-]+)\.js/g)) found.push(...this.#source(`src/${built}.ts`));
      for (const [path] of text.matchAll(/\bsrc\/[\w/-]+\.ts\b/g)) found.push(...this.#source(path));
      if (/\bbuilt\(|cli\/main/.test(text)) found.push(...this.#source('src/cli/main.ts'));
    }
    this.#edges.set(file, found);
    return found;
  }

  #resolve(from: string, name: string): string[] {
    if (name === 'hookscope') return ['src/index.ts'];
    if (name.startsWith('hookscope/')) return this.#source(`src/${name.slice('hookscope/'.length)}.ts`);
    if (!name.startsWith('.')) return [];
    const path = normalize(join(dirname(from), name)).replace(/^dist\//, 'src/');
    return this.#source(path.replace(/\.js$/, '.ts')).concat(path.endsWith('.js') ? [] : this.#source(path));
  }

  #source(path: string): string[] {
    return /\.[cm]?[jt]s$/.test(path) && existsSync(join(this.root, path)) ? [path] : [];
  }
}

/** What a file loads; types are not loaded. */
function imports(text: string): Set<string> {
  const all = new Set(ts.preProcessFile(text, true, true).importedFiles.map((file) => file.fileName));
  for (const [, name] of text.matchAll(/^(?:import|export) type [^;]*?from '([^']+)'/gm)) all.delete(name as string);
  return all;
}
