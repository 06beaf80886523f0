import { relative } from 'node:path';
import { completeFiles } from '../claude-code/files/places.js';
import { HOOK_EVENTS } from '../events/catalogue.js';
import { ended } from '../plain.js';
import { formatPath } from '../values/problem.js';
import { homeFolder } from '../values/user-folders.js';
import { checkAgentFile } from './check-agent.js';
import { checkAgentOutputs } from './check-agent-outputs.js';
import { checkDuplicates } from './check-duplicates.js';
import { checkEnv } from './check-env.js';
import { checkFields } from './check-fields.js';
import { checkGuards } from './check-guards.js';
import { checkHandlers, checkPolicy } from './check-handlers.js';
import { checkMatchers } from './check-matchers.js';
import { checkOutputs } from './check-outputs.js';
import { checkManifestHooks, checkScripts } from './check-scripts.js';
import {
  checkClaudeShape,
  checkDuplicateKeys,
  checkOwnShape,
  checkRead,
  checkSyntax,
  checkTimes,
} from './check-shape.js';
import { checkShell } from './check-shell.js';
import { checkUnheard } from './check-unheard.js';
import { type CheckFinding, type CheckMachine, createChecking, type FileCheck } from './checking.js';
import { handlersOf } from './files/agent-handlers.js';
import type { FileKind } from './files/kinds.js';
import type { SourceFile } from './files/source-file.js';
import { createLines } from './files/tree.js';
import { findPolicies } from './policies.js';
import { readFiles } from './read-files.js';
import type { Level } from './rules/rule.js';
import { RULES, type RuleId } from './rules/rules.js';

export interface CheckOptions {
  /** Files, or folders to search. */
  readonly paths: readonly string[];
  /** Files that will be passed to `--hooks`. Their names do not matter. */
  readonly hooksFiles?: readonly string[];
  /** Treats all files as this agent's (`codex`, `copilot`, `gemini`, `cursor`), wherever they are. */
  readonly as?: string;
  /** The base of relative paths and of the file names in findings. Default: the process's working directory. */
  readonly cwd?: string;
  /** The home folder. Default: the user's. */
  readonly home?: string;
  /** The folder of managed settings. Default: the platform's. */
  readonly managedDir?: string;
  /** The search path for programs. Default: the process's PATH. */
  readonly path?: string;
}

/** A finding of a rule. Lines and columns count from 1; columns count UTF-16 units. */
export interface HookFinding {
  readonly rule: RuleId;
  readonly level: Level;
  /** The file, relative to the working directory if it is inside it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** The key in the hook file: `hooks.PreToolUse[0].hooks[1].timeout`. */
  readonly where: string;
  /** The hook file, if `file` is a script that it runs. */
  readonly hookFile?: string;
  readonly message: string;
  readonly why: string;
  readonly fix: string;
}

export interface HookReport {
  readonly files: readonly { readonly file: string; readonly kind: FileKind; readonly hooks: number }[];
  /** Sorted by file, line and column. */
  readonly findings: readonly HookFinding[];
  /** How many hooks need more than a shell, by type. Absent if there are none. */
  readonly kinds?: Readonly<Record<string, number>>;
  /** Other agents' files, which are not checked. Absent if there are none. */
  readonly others?: readonly { readonly file: string; readonly agent: string }[];
  /** Files with hooks in places that are searched only if they are named. Absent if there are none. */
  readonly notSearched?: readonly string[];
}

/**
 * Checks hook files of any origin without running anything.
 * @throws HookscopeError FILE: a path does not exist
 */
export async function checkHookFiles(options: CheckOptions): Promise<HookReport> {
  const { cwd = process.cwd(), home = homeFolder(), path = process.env['PATH'] ?? '' } = options;
  const managed = options.managedDir ?? completeFiles({ projectDir: cwd }, HOOK_EVENTS).managedDir;
  const machine: CheckMachine = { cwd, home, path, managed, env: process.env };
  const { files, others, elsewhere } = await readFiles(options, machine);
  const report = await checkSources(files, machine);
  const name = (file: string): string => shortest(cwd, file);
  return {
    ...report,
    ...kindsOf(files),
    ...(others.length > 0 ? { others: others.map(({ path, agent }) => ({ file: name(path), agent })) } : {}),
    ...(elsewhere.length > 0 ? { notSearched: elsewhere.map(name) } : {}),
  };
}

/** Checks files that have been read already. */
export async function checkSources(files: readonly SourceFile[], machine: CheckMachine): Promise<HookReport> {
  const name = (file: string): string => shortest(machine.cwd, file);
  const checks: readonly FileCheck[] = [...CHECKS, checkPolicy(await findPolicies(files, machine, name))];
  const about = createChecking(files, machine, name);
  const findings = files.flatMap((file) =>
    (file.agent === undefined ? checks : AGENT_CHECKS).flatMap((check) =>
      [...check(file, about)].map((found) => ({ found: placed(found, file, name), subject: found.subject })),
    ),
  );
  return {
    files: files.map((file) => ({
      file: name(file.path),
      kind: file.kind,
      hooks: file.agent === undefined ? file.handlers.length : handlersOf(file).length,
    })),
    findings: bounded(unique(oncePerSubject(findings)).sort(byPlace)),
  };
}

function kindsOf(files: readonly SourceFile[]): Pick<HookReport, 'kinds'> {
  const kinds: Record<string, number> = {};
  for (const { type = '' } of files.flatMap((file) => file.handlers))
    if (/^(prompt|agent|mcp_tool)$/.test(type)) kinds[type] = (kinds[type] ?? 0) + 1;
  return Object.keys(kinds).length > 0 ? { kinds } : {};
}

const CHECKS: readonly FileCheck[] = [
  checkSyntax,
  checkRead,
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
  checkEnv,
  checkGuards,
  checkOutputs,
  checkUnheard,
  checkFields,
];

/** The checks for files of other agents. */
const AGENT_CHECKS: readonly FileCheck[] = [checkSyntax, checkDuplicateKeys, checkAgentFile, checkAgentOutputs];

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

/** The path relative to the working directory if it is inside it, otherwise unchanged. */
function shortest(cwd: string, file: string): string {
  const short = relative(cwd, file);
  return short.startsWith('..') || short === '' ? file : short;
}

/** Reports findings about this machine once per subject, even if several checks found them. */
function oncePerSubject(
  findings: readonly { readonly found: HookFinding; readonly subject?: string | undefined }[],
): HookFinding[] {
  const groups = new Map<string, HookFinding[]>();
  for (const [i, { found, subject }] of findings.entries()) {
    const key = subject === undefined ? `${i}` : JSON.stringify([found.rule, subject]);
    const group = groups.get(key);
    if (group) group.push(found);
    else groups.set(key, [found]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group.sort(byPlace) as [HookFinding];
    const more = new Set(group.map(({ file, hookFile, where }) => JSON.stringify([hookFile ?? file, where]))).size - 1;
    if (more === 0) return first;
    const others = more === 1 ? 'One more hook asks' : `${more} more hooks ask`;
    return { ...first, message: `${first.message} ${others} for it.` };
  });
}

/** Removes duplicate findings, for instance about a script that several hooks run. */
function unique(findings: readonly HookFinding[]): HookFinding[] {
  const seen = new Map<string, HookFinding>();
  for (const found of findings) {
    const key = JSON.stringify([found.rule, found.file, found.line, found.column, found.message]);
    if (!seen.has(key)) seen.set(key, found);
  }
  return [...seen.values()];
}

/** The maximum number of findings of one rule in one file; nobody reads more. */
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
