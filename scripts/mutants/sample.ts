import ts from 'typescript';
import { randomFrom } from '../../test/seed.js';
import { type Mutant, mutated } from './mutate.js';

/** The same order for the same seed (Fisher and Yates). */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const result = [...list];
  const next = randomFrom(seed);
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}

/** Whether a mutant has no type error in its own file: one that has could not be shipped and needs no test. */
export function typeChecker(root: string, files: ReadonlyMap<string, string>): (mutant: Mutant) => boolean {
  const config = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  let current: { path: string; text: string; version: number } = { path: '', text: '', version: 0 };
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, noEmit: true }),
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => (path === current.path ? `${current.version}` : '0'),
    getScriptSnapshot(path) {
      const text = path === current.path ? current.text : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return (mutant) => {
    const path = `${root}/${mutant.file}`;
    current = { path, text: mutated(files.get(mutant.file) as string, mutant), version: current.version + 1 };
    return service.getSyntacticDiagnostics(path).length + service.getSemanticDiagnostics(path).length === 0;
  };
}
