import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { relative, resolve } from 'node:path';
import { completeFiles } from '../claude-code/files/places.js';
import { HookscopeError } from '../errors.js';
import { HOOK_EVENTS } from '../events/catalogue.js';
import { readText } from '../files/json-file.js';
import { ended } from '../plain.js';
import { formatPath } from '../values/problem.js';
import { checkDuplicates } from './check-duplicates.js';
import { checkGuards } from './check-guards.js';
import { checkHandlers, checkPolicy } from './check-handlers.js';
import { checkMatchers } from './check-matchers.js';
import { checkOutputs } from './check-outputs.js';
import { checkManifestHooks, checkScripts } from './check-scripts.js';
import { checkClaudeShape, checkDuplicateKeys, checkOwnShape, checkSyntax, checkTimes } from './check-shape.js';
import { checkShell } from './check-shell.js';
import { type Check, type CheckFinding, createChecking, type Surroundings } from './checking.js';
import { findHookFiles } from './find.js';
import { type FileKind, type FilePlace, placeOf } from './kinds.js';
import { findPolicies } from './policies.js';
import type { Level } from './rule.js';
import { RULES, type RuleId } from './rules.js';
import { readSource, type SourceFile, unreadSource } from './source-file.js';
import { createLines, entryOf, textOf } from './tree.js';

export interface CheckOptions {
  /** Files, or folders to search. */
  readonly paths: readonly string[];
  /** Files that will be given to `--hooks`, whatever they are called. */
  readonly hooksFiles?: readonly string[];
  /** What paths are relative to, and how files are named. Default: the process's. */
  readonly cwd?: string;
  /** Default: the user's. */
  readonly home?: string;
  /** Default: the platform's place for managed settings. */
  readonly managedDir?: string;
  /** Where programs are looked for. Default: the process's PATH. */
  readonly path?: string;
}

/** Something that a rule found. Lines and columns from 1; columns count UTF-16 units. */
export interface HookFinding {
  readonly rule: RuleId;
  readonly level: Level;
  /** Relative to the working directory where it lies in it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** The key in the hook file: `hooks.PreToolUse[0].hooks[1].timeout`. */
  readonly where: string;
  /** The hook file, where `file` is a script that it runs. */
  readonly hookFile?: string;
  readonly message: string;
  readonly why: string;
  readonly fix: string;
}

export interface HookReport {
  readonly files: readonly { readonly file: string; readonly kind: FileKind; readonly hooks: number }[];
  /** By file, line and column. */
  readonly findings: readonly HookFinding[];
}

/**
 * Checks hook files of any origin; runs nothing.
 * @throws HookscopeError FILE: a path leads nowhere
 */
export async function checkHookFiles(options: CheckOptions): Promise<HookReport> {
  const { cwd = process.cwd(), home = homedir(), path = process.env['PATH'] ?? '' } = options;
  const managed = options.managedDir ?? completeFiles({ projectDir: cwd }, HOOK_EVENTS).managedDir;
  const machine: Surroundings = { cwd, home, path, managed };
  return checkSources(readFiles(options, machine), machine);
}

/** Checks files that were read. */
export async function checkSources(files: readonly SourceFile[], machine: Surroundings): Promise<HookReport> {
  const name = (file: string): string => shortest(machine.cwd, file);
  const checks: readonly Check[] = [...CHECKS, checkPolicy(await findPolicies(files, machine, name))];
  const about = createChecking(files, machine, name);
  const findings = files.flatMap((file) =>
    checks.flatMap((check) => [...check(file, about)].map((found) => placed(found, file, name))),
  );
  return {
    files: files.map((file) => ({ file: name(file.path), kind: file.kind, hooks: file.handlers.length })),
    findings: bounded(unique(findings).sort(byPlace)),
  };
}

const CHECKS: readonly Check[] = [
  checkSyntax,
  checkClaudeShape,
  checkOwnShape,
  checkDuplicateKeys,
  checkTimes,
  checkMatchers,
  checkHandlers,
  checkDuplicates,
  checkManifestHooks,
  checkScripts,
  checkShell,
  checkGuards,
  checkOutputs,
];

function readFiles({ paths, hooksFiles = [] }: CheckOptions, { cwd, home }: Surroundings): SourceFile[] {
  const found = new Map<string, FileKind | undefined>();
  for (const path of paths) for (const file of findHookFiles(resolve(cwd, path))) found.set(file, undefined);
  for (const path of hooksFiles) found.set(resolve(cwd, path), 'hooks-file');
  const files: SourceFile[] = [];
  // Iterating a Map also visits entries that are added meanwhile.
  for (const [path, kind] of found) {
    const place = placeOf(path, home);
    const file = readAny(path, { ...place, kind: kind ?? place.kind });
    if (!file) continue;
    files.push(file);
    for (const named of namedBy(file)) if (!found.has(named)) found.set(named, 'plugin');
  }
  return files;
}

/** A file that cannot be read becomes a finding; the others are still checked. */
function readAny(path: string, place: FilePlace): SourceFile | undefined {
  try {
    return readSource(path, readText(path), place);
  } catch (error) {
    if (!(error instanceof HookscopeError) || error.code !== 'FILE') throw error;
    return unreadSource(path, (error.details as { problem: string }).problem, place);
  }
}

/** The existing hooks files that a manifest names. */
function namedBy({ kind, plugin, parsed }: SourceFile): string[] {
  const hooks = entryOf(parsed.root, 'hooks')?.value;
  if (kind !== 'manifest' || plugin === undefined || hooks === undefined) return [];
  return (hooks.kind === 'array' ? hooks.items : [hooks]).flatMap((node) => {
    const text = textOf(node);
    return text?.endsWith('.json') ? existing(resolve(plugin, text)) : [];
  });
}

function existing(path: string): string[] {
  return existsSync(path) ? [path] : [];
}

function placed(found: CheckFinding, file: SourceFile, name: (path: string) => string): HookFinding {
  const { rule, at, where, message, script } = found;
  const lineOf = script ? createLines(script.source) : file.lineOf;
  const start = lineOf(at.start);
  const end = lineOf(Math.max(at.start, at.end));
  const { level, why, fix } = RULES[rule];
  return {
    rule,
    level,
    file: name(script?.file ?? file.path),
    ...start,
    endLine: end.line,
    endColumn: end.column,
    where: formatPath(where),
    ...(script ? { hookFile: name(file.path) } : {}),
    message: ended(message),
    why,
    fix: ended(found.fix ?? fix),
  };
}

/** Relative to the working directory if it is inside it, otherwise unchanged. */
function shortest(cwd: string, file: string): string {
  const short = relative(cwd, file);
  return short.startsWith('..') || short === '' ? file : short;
}

/** A script that several hooks run is reported once. */
function unique(findings: readonly HookFinding[]): HookFinding[] {
  const seen = new Map<string, HookFinding>();
  for (const found of findings) {
    const key = JSON.stringify([found.rule, found.file, found.line, found.column, found.message]);
    if (!seen.has(key)) seen.set(key, found);
  }
  return [...seen.values()];
}

/** Limits the findings of one rule in one file to as many as people read. */
const MOST = 100;

function bounded(findings: readonly HookFinding[]): HookFinding[] {
  const keyOf = ({ file, rule }: HookFinding): string => JSON.stringify([file, rule]);
  const counts = new Map<string, number>();
  for (const found of findings) counts.set(keyOf(found), (counts.get(keyOf(found)) ?? 0) + 1);
  const told = new Map<string, number>();
  return findings.flatMap((found) => {
    const key = keyOf(found);
    const nth = (told.get(key) ?? 0) + 1;
    told.set(key, nth);
    const more = (counts.get(key) as number) - MOST;
    if (nth <= MOST) return [found];
    return nth === MOST + 1
      ? [{ ...found, message: `${found.message} So it is ${more - 1} times more behind this.` }]
      : [];
  });
}

function byPlace(a: HookFinding, b: HookFinding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
