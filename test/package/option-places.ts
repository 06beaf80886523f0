import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './sources.js';

/** What a user imports from, as it is built: without the bodies there is less to read. */
const ENTRIES = [
  'index',
  'claude-code',
  'agents',
  'adapters/ai',
  'adapters/kit',
  'adapters/openai-agents',
  'adapters/langchain',
  'adapters/anthropic',
  'emit/sinks/sqlite',
  'emit/sinks/otel',
  'fleet',
  'replay',
  'testing',
].map((name) => join(ROOT, `dist/${name}.d.ts`));

/** Whose declarations are read: ours are made with theirs. Of other packages ours have no keys, and to read them takes seconds. */
const READ = /^(?:\.|zod$)/;

/** What a user is handed otherwise than by a function that returns it. */
const HANDED = ['PluginScope', 'HookContext'];

/**
 * Every function of the package, and every method of what its functions return, that takes an object of options: `createHost`,
 * `Session.spawn`. From the declarations, so that none can be forgotten.
 */
export function optionPlaces(): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    noEmit: true,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: [],
  };
  const compiler = ts.createCompilerHost(options);
  compiler.resolveModuleNameLiterals = (names, file, _, given) =>
    names.map(({ text }) =>
      READ.test(text) ? ts.resolveModuleName(text, file, given, compiler) : { resolvedModule: undefined },
    );
  const program = ts.createProgram(ENTRIES, options, compiler);
  const checker = program.getTypeChecker();
  const places = new Set<string>();
  const seen = new Set<ts.Symbol>();

  const isOurs = (symbol: ts.Symbol | undefined): boolean =>
    (symbol?.declarations ?? []).some((d) => d.getSourceFile().fileName.startsWith(join(ROOT, 'dist')));
  /** A type's own parts: of a union its members, of a promise what it brings, of a list what is in it. */
  const parts = (type: ts.Type): ts.Type[] => {
    const plain = checker.getNonNullableType(type);
    if (plain.isUnion()) return plain.types.flatMap(parts);
    const holds = plain.getSymbol()?.name === 'Promise' || checker.isArrayType(plain);
    const brought = holds ? checker.getTypeArguments(plain as ts.TypeReference) : [];
    return brought.length > 0 ? brought.flatMap(parts) : [plain];
  };
  /** An object with at least one key that may be left out: misspelt, it would be dropped. */
  const isOptions = (type: ts.Type): boolean =>
    parts(type).some((part) => {
      if (!(part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection | ts.TypeFlags.Conditional))) return false;
      if (part.getCallSignatures().length > 0) return false;
      const keys = part.getProperties();
      return keys.some((key) => (key.flags & ts.SymbolFlags.Optional) !== 0) && keys.some(isOurs);
    });

  const readCalls = (type: ts.Type, place: string): void => {
    for (const call of type.getCallSignatures()) {
      const given = call.getParameters().map((parameter) => checker.getTypeOfSymbol(parameter));
      if (given.some(isOptions)) places.add(place);
      for (const part of parts(call.getReturnType())) readMembers(part);
    }
  };
  const readMembers = (type: ts.Type, path?: string): void => {
    const symbol = type.aliasSymbol ?? type.getSymbol();
    if (symbol === undefined || !isOurs(symbol) || (path === undefined && seen.has(symbol))) return;
    if (path === undefined) seen.add(symbol);
    for (const member of type.getProperties().filter(isOurs)) {
      const of = checker.getNonNullableType(checker.getTypeOfSymbol(member));
      const place = `${path ?? symbol.name}.${member.name}`;
      if (of.getCallSignatures().length > 0) readCalls(of, place);
      // `session.task.create`
      else if (of.getSymbol()?.name === '__type' && path === undefined) readMembers(of, place);
      else readMembers(of);
    }
  };

  for (const entry of ENTRIES) {
    const source = program.getSourceFile(entry);
    const file = source && checker.getSymbolAtLocation(source);
    if (!file) throw new Error(`${entry} has no exports`);
    for (const exported of checker.getExportsOfModule(file)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (symbol.flags & ts.SymbolFlags.Value) {
        const type = checker.getTypeOfSymbol(symbol);
        readCalls(type, exported.name);
        for (const made of type.getConstructSignatures()) {
          if (made.getParameters().some((parameter) => isOptions(checker.getTypeOfSymbol(parameter))))
            places.add(exported.name);
          readMembers(made.getReturnType());
        }
      } else if (HANDED.includes(exported.name)) readMembers(checker.getDeclaredTypeOfSymbol(symbol));
    }
  }
  return [...places].sort();
}
