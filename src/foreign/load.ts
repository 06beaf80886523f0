import { resolve } from 'node:path';
import { agentCodec, TABLES } from '../agents/agents.js';
import { hookVariables } from '../agents/subjects.js';
import type { AgentTable } from '../agents/table.js';
import type { Host } from '../create-host.js';
import { HookscopeError } from '../errors.js';
import type { CustomEvents } from '../events/catalogue.js';
import { ON_FAILURE, type OnFailure } from '../events/failure.js';
import { whyNoFolder } from '../files/folder.js';
import { readNamedText } from '../files/json-file.js';
import type { HandlerDescription } from '../handlers/handler.js';
import { servicesOf } from '../host/internals.js';
import { ENFORCE } from '../host/options.js';
import type { Undo } from '../host/types.js';
import type { Registration } from '../scopes/registration.js';
import { checkOutside, createTrustStore, defaultTrustFile, type TrustStore } from '../trust/store.js';
import { checkKeys, checkOption, type Keys } from '../values/options.js';
import { checks, FILLED, isObject, oneOf } from '../values/shape.js';
import { type HeldAgentFile, type JudgedFile, judgeFound } from './consent.js';
import { type ForeignProblem, readForeign } from './parse.js';
import { findForeign } from './places.js';
import { prepareForeign } from './prepare.js';

/** Options of `loadAgentHooks`. */
export interface LoadAgentHooksOptions<C extends CustomEvents = CustomEvents> {
  readonly host: Host<C>;
  /** `codex`, `copilot`, `gemini` or `cursor`. */
  readonly agent: string;
  /** A hook file of the agent, JSON or TOML. Naming it is consent. Default: the files in that agent's places. */
  readonly file?: string;
  /** The project's folder: its files are looked for there, and hooks without a `cwd` run there. Default: the current directory. */
  readonly projectDir?: string;
  /** The home folder in which the user's files are looked for. Default: the user's own. */
  readonly home?: string;
  /**
   * Project files that are found need consent: `stored` (default) reads it from the user's own consent file; `all` accepts every
   * file, for callers that have asked in another way.
   */
  readonly trust?: 'all' | 'stored' | TrustStore;
  /** The failure policy of hooks whose file does not set one. Default: the host's, since each of these agents continues. */
  readonly onFailure?: OnFailure;
  /** A group's `enforce` for the hooks of all files, except those in `system` and `policy` places. Default: true. */
  readonly enforce?: boolean | number;
}

const LOAD: Keys<LoadAgentHooksOptions> = {
  host: true,
  agent: FILLED,
  file: FILLED,
  projectDir: FILLED,
  home: FILLED,
  trust: {
    expected: '"stored", "all" or a store, as createTrustStore makes it',
    accepts: (v) => v === 'all' || v === 'stored' || isObject(v),
  },
  onFailure: oneOf(...ON_FAILURE),
  enforce: ENFORCE,
};

/** One file of another agent, and what became of it. */
export interface LoadedAgentFile {
  readonly file: string;
  /** The kind of its place: `project`, `user`, `system` or `policy`; `named`: it was given as `file`. */
  readonly place: string;
  /** `held`: not accepted. `untrusted`: changed or gone since it was accepted, so its hooks fail. `dropped`: the agent itself ignores the file. */
  readonly status: 'loaded' | 'held' | 'untrusted' | 'dropped';
  readonly hooks: number;
}

/** The result of `loadAgentHooks`. */
export interface LoadedAgentHooks {
  /** Mistakes and keys without effect, each with file, key and position; the errors first. */
  readonly problems: readonly ForeignProblem[];
  readonly files: readonly LoadedAgentFile[];
  /** Files that are not, or no longer, accepted. */
  readonly held: readonly HeldAgentFile[];
  /** Files of another agent that this agent reads as well; they were not loaded. */
  readonly leftAlone: readonly string[];
  /** Unregisters everything; safe to call twice. */
  undo: Undo;
}

/**
 * Registers the hooks in the files of Codex, Copilot, Gemini or Cursor, and runs them as that agent does: with its matchers, units and order, its
 * own payload on standard input, and its rules for exit codes and output. Hooks that never run are listed too, with the reason. A failing hook
 * has the effect that it has in that agent; docs/agents.md lists the differences.
 *
 * ```ts
 * await loadAgentHooks({ host, agent: 'codex', file: '.codex/hooks.json' });
 * ```
 * @throws HookscopeError INVALID_OPTIONS; FILE: the named file cannot be read, or the agent would drop it, with line and column; UNTRUSTED
 */
export async function loadAgentHooks<C extends CustomEvents>(
  options: LoadAgentHooksOptions<C>,
): Promise<LoadedAgentHooks> {
  checkOption('loadAgentHooks(options)', options, {
    ...checks.object,
    expected: 'an object of options, { host, agent }',
  });
  checkKeys(options, LOAD, 'loadAgentHooks: ');
  checkOption('loadAgentHooks: agent', options.agent, FILLED);
  return loadForeign(options);
}

/** `loadAgentHooks` for our own callers. `checksOf`: the trust checks before each run of a named file's commands. */
export async function loadForeign<C extends CustomEvents>(
  options: LoadAgentHooksOptions<C>,
  checksOf?: (file: string) => (handler: HandlerDescription) => Registration['trustCheck'],
): Promise<LoadedAgentHooks> {
  const table = tableOf(options.agent);
  const services = servicesOf(options.host);
  const projectDir = resolve(options.projectDir ?? process.cwd());
  const { judged, leftAlone } =
    options.file === undefined
      ? await judgeForeign(table, { projectDir, home: options.home, trust: options.trust ?? 'stored' })
      : { judged: [await readNamed(table, options.file)], leftAlone: [] };
  const prepared = prepareForeign(table, judged, {
    projectDir,
    onFailure: options.onFailure,
    enforce: options.enforce,
    checksOf,
    events: Object.fromEntries(Object.entries(services.events).map(([name, { spec }]) => [name, spec])),
    variables: (call) => hookVariables(table, call.projectDir, call.input),
  });
  const undos: Undo[] = [];
  const undo = (): void => {
    for (const take of undos.splice(0).reverse()) take();
  };
  try {
    for (const { hooks, origin } of prepared.registrations)
      undos.push(services.registrar.register(undefined, hooks, origin));
  } catch (error) {
    undo();
    throw error;
  }
  const message = options.projectDir === undefined ? undefined : whyNoFolder(projectDir);
  const noProject: ForeignProblem[] =
    message === undefined ? [] : [{ level: 'error', file: projectDir, where: '', message }];
  const problems = [...noProject, ...judged.flatMap(({ read }) => read.problems), ...(await prepared.problems())];
  return {
    problems: [...problems.filter((p) => p.level === 'error'), ...problems.filter((p) => p.level === 'warning')],
    files: judged.map(summaryOf),
    held: judged.flatMap(({ held }) => held ?? []),
    leftAlone,
    undo,
  };
}

interface LookOptions {
  readonly projectDir: string;
  readonly home?: string | undefined;
  readonly trust: 'all' | 'stored' | TrustStore;
}

/** The files in the agent's places, each with its consent. Nothing runs. */
async function judgeForeign(
  table: AgentTable,
  { projectDir, home, trust }: LookOptions,
): Promise<{ judged: JudgedFile[]; leftAlone: string[] }> {
  const { found, leftAlone } = findForeign(table, { projectDir, home });
  const all = trust === 'all' ? trust : storeFor(trust, projectDir, found.length > 0).list();
  const judged = await judgeFound(table, found, projectDir, all);
  return { judged, leftAlone: leftAlone.map(({ file }) => file) };
}

/** An agent's files in a project that are not, or no longer, accepted. */
export async function listHeldAgentFiles(agent: string, look: LookOptions): Promise<HeldAgentFile[]> {
  const { judged } = await judgeForeign(tableOf(agent), look);
  return judged.flatMap(({ held }) => held ?? []);
}

/** The consent store. Its file must be outside the project, which could otherwise accept its own hooks. */
function storeFor(trust: 'stored' | TrustStore, projectDir: string, isAsked: boolean): TrustStore {
  const path = trust === 'stored' ? defaultTrustFile() : trust.path;
  if (path !== undefined && isAsked) checkOutside(path, projectDir);
  return trust === 'stored' ? createTrustStore() : trust;
}

/** Reads a named file. If the agent would drop it, this throws, because whoever names a file wants its hooks to run. */
async function readNamed(table: AgentTable, name: string): Promise<JudgedFile> {
  const file = resolve(name);
  const read = await readForeign(table, await readNamedText(file), file);
  if (read.dropped === undefined) return { read, place: 'named', state: 'accepted' };
  const [{ line, column, where = '', message = read.dropped } = {}] = read.problems.filter(
    ({ level }) => level === 'error',
  );
  const at = line === undefined ? '' : `line ${line}, column ${column}: `;
  throw new HookscopeError('FILE', { file, problem: `${at}${where === '' ? '' : `${where}: `}${message}` });
}

/** The agent's table. Claude Code is refused: its files have a loader of their own. */
function tableOf(agent: string): AgentTable {
  agentCodec(agent);
  const table = TABLES.find(({ name }) => name === agent) as AgentTable;
  if (table.runs !== undefined) return table;
  throw new HookscopeError('INVALID_OPTIONS', {
    where: 'loadAgentHooks: agent',
    expected: 'expected codex, copilot, gemini or cursor; for claude-code there is loadClaudeCode (--claude-code)',
  });
}

function summaryOf({ read, place, state }: JudgedFile): LoadedAgentFile {
  const status =
    state === 'never'
      ? 'held'
      : state === 'untrusted'
        ? 'untrusted'
        : read.dropped === undefined
          ? 'loaded'
          : 'dropped';
  return { file: read.file, place, status, hooks: read.hooks.length };
}
