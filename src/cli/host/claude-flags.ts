import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatProblem } from '../../claude-code/files/findings.js';
import type { ClaudeFiles } from '../../claude-code/files/places.js';
import type { AgentEntry } from '../../claude-code/files/source.js';
import type { PrepareOptions } from '../../claude-code/hooks.js';
import type { HeldFile } from '../../claude-code/trust/held.js';
import type { Host } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import type { CustomEvents } from '../../events/catalogue.js';
import { checkFile, checkFolder } from '../../files/folder.js';
import { servicesOf } from '../../host/internals.js';
import { wordOf } from '../option-values.js';
import type { CLAUDE_OPTIONS, Flags } from '../options.js';

/** The options that name Claude Code's files. */
export type ClaudeFlags = Flags<(typeof CLAUDE_OPTIONS)[number]>;

/** What the event itself says about where it happens. */
export interface EventPlace {
  readonly cwd?: string | undefined;
  readonly session?: string | undefined;
  /** The type of an agent that is the main thread. */
  readonly mainAgent?: string | undefined;
}

/** What an event's input says about that: an agent with a type but no id is the main thread. */
export function happeningOf(input: Readonly<Record<string, unknown>>): EventPlace {
  const { cwd, session_id: session, agent_type: type, agent_id: id } = input;
  return {
    cwd: typeof cwd === 'string' && cwd !== '' ? cwd : undefined,
    session: typeof session === 'string' ? session : undefined,
    mainAgent: typeof type === 'string' && type !== '' && id === undefined ? type : undefined,
  };
}

/** Whether a command was given any of Claude Code's files. */
export function hasClaudeFlags({ claudeCode, settings, pluginDir, agent }: ClaudeFlags): boolean {
  return [claudeCode, settings, pluginDir, agent].some((flag) => flag !== undefined);
}

/** The project is never left out here: a command always has one. */
type ProjectFiles = ClaudeFiles & { readonly projectDir: string };

/** The files that flags name. Files named on the command line need no further consent. */
export function claudeFiles(flags: ClaudeFlags, { cwd, mainAgent }: EventPlace = {}): ProjectFiles {
  const { claudeCode, settings = [], pluginDir = [], agent = [] } = flags;
  return {
    projectDir: typeof claudeCode === 'string' ? claudeCode : claudeCode ? process.cwd() : (cwd ?? process.cwd()),
    // Managed policy counts wherever Claude Code's files do.
    ...(claudeCode === undefined ? { places: ['managed'] } : {}),
    settings,
    plugins: pluginDir.map((dir) => ({ dir, trusted: true })),
    agents: agent.map(agentEntry),
    ...(mainAgent === undefined ? {} : { mainAgent }),
  };
}

/** A name that leads nowhere is a mistake of the user: without the intended hooks, everything would pass. Throws FILE. */
export function checkNamed(files: ProjectFiles): void {
  const { projectDir, plugins = [] } = files;
  const folders = [projectDir, ...plugins.map((plugin) => (typeof plugin === 'string' ? plugin : plugin.dir))];
  for (const folder of folders) checkFolder(folder);
  for (const file of namedFiles(files)) checkFile(file);
}

function namedFiles({ settings = [], agents = [] }: ClaudeFiles): readonly string[] {
  return [...settings, ...agents.map((agent) => (typeof agent === 'string' ? agent : agent.file))];
}

/** Reads `FILE` or `FILE@ID`; an existing file whose name contains an @ comes first. */
function agentEntry(value: string): AgentEntry {
  const at = value.lastIndexOf('@');
  if (at <= 0 || existsSync(value) || value.includes('/', at)) return { file: value, trusted: true };
  return { file: value.slice(0, at), id: value.slice(at + 1), trusted: true };
}

/** Before anything runs, announces the files that are not, or no longer, accepted, and returns their names. */
export async function announceHeld(
  flags: ClaudeFlags,
  happening: EventPlace,
  announce: (text: string) => void,
): Promise<ReadonlySet<string>> {
  if (!hasClaudeFlags(flags) || flags.trust === 'all') return new Set();
  const { listHeld } = await import('../../claude-code/trust/held.js');
  const held = await listHeld(claudeFiles(flags, happening));
  for (const file of held) announce(wordsFor(file));
  return new Set(held.map(({ file }) => file));
}

/** The message about a file that is not, or no longer, accepted. */
export function wordsFor({ state, why }: HeldFile): string {
  return `${state === 'never' ? 'held' : 'untrusted'}: ${why}`;
}

/** Registers the hooks of the named files, and reports problems and files that are not accepted, except those already `announced`. */
export async function loadClaudeFlags<C extends CustomEvents>(
  host: Host<C>,
  flags: ClaudeFlags,
  happening: EventPlace,
  {
    tell,
    announced,
    checksOf,
    strict = false,
  }: {
    readonly tell: (text: string) => void;
    readonly announced: ReadonlySet<string>;
    readonly checksOf?: PrepareOptions['checksOf'];
    /** A file whose hooks are lost is an error unless it waits for consent. False: only one that was named itself and cannot be read. */
    readonly strict?: boolean | undefined;
  },
): Promise<void> {
  const trust = wordOf('all', 'stored')(flags.trust ?? 'stored', '--trust');
  if (!hasClaudeFlags(flags)) return;
  const files = claudeFiles(flags, happening);
  // If the project was not named it is the input's cwd, which may no longer exist.
  checkNamed(flags.claudeCode === undefined ? { ...files, projectDir: process.cwd() } : files);
  const { loadChecked } = await import('../../claude-code/load.js');
  const { problems, held, wrong } = await loadChecked({ host, ...files, trust }, checksOf);
  const named = namedFiles(files).map((file) => resolve(file));
  const [lost] = wrong.filter(({ rule, file }) => strict || (rule === 'unreadable' && named.includes(resolve(file))));
  if (lost) {
    const { file, line, column, where, message } = lost;
    throw new HookscopeError('FILE', {
      file: line === undefined ? file : `${file}:${line}:${column}`,
      problem: where === '' ? message : `${where}: ${message}`,
    });
  }
  for (const problem of problems) tell(`${problem.level}: ${formatProblem(problem)}`);
  for (const file of held) {
    if (!announced.has(file.file)) tell(wordsFor(file));
    // So that the next fire does not report it again.
    servicesOf(host).notices.skip(file.file);
  }
}
