import { resolve } from 'node:path';
import { agentCodec, TABLES } from '../agents/agents.js';
import { hookVariables } from '../agents/subjects.js';
import type { AgentTable } from '../agents/table.js';
import type { Host } from '../create-host.js';
import { HookscopeError } from '../errors.js';
import type { CustomEvents } from '../events/catalogue.js';
import { ON_FAILURE, type OnFailure } from '../events/failure.js';
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
  /** Its file, JSON or TOML. It was named on purpose: no consent is asked for. Default: what lies in that agent's places. */
  readonly file?: string;
  /** The folder with the project's places, in which hooks without a directory of their own run. Default: the process's. */
  readonly projectDir?: string;
  /** Default: the user's. */
  readonly home?: string;
  /**
   * Found files of the project run if they are accepted: `stored` (default) uses the user's own consent file, `all` accepts
   * everything, since the caller has asked in another way.
   */
  readonly trust?: 'all' | 'stored' | TrustStore;
  /** The failure policy of hooks whose file does not set one. Default: the host's, since each of these agents continues. */
  readonly onFailure?: OnFailure;
  /** Like a group's `enforce`, for the hooks of all files except those of the system and its policy. Default: true. */
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
  /** The kind of its place: `project`, `user`, `system`, `policy`; `named`: it was named. */
  readonly place: string;
  /** `held`: it is not accepted. `untrusted`: it is not as it was accepted, and its hooks fail. `dropped`: the agent itself would not read it. */
  readonly status: 'loaded' | 'held' | 'untrusted' | 'dropped';
  readonly hooks: number;
}

/** The result of `loadAgentHooks`. */
export interface LoadedAgentHooks {
  /** Mistakes, and keys without effect, with file, key and place; the errors first. */
  readonly problems: readonly ForeignProblem[];
  readonly files: readonly LoadedAgentFile[];
  /** Files that are not, or no longer, accepted. */
  readonly held: readonly HeldAgentFile[];
  /** Files of another agent that this one reads as well, and that were left alone. */
  readonly leftAlone: readonly string[];
  /** Unregisters everything; safe to call twice. */
  undo: Undo;
}

/**
 * Registers the hooks of Codex's, Copilot's, Gemini's or Cursor's own files, and runs them as that agent would: its matchers, units and order; its
 * payload on standard input under its own names; exit codes and output read by its rules. Every hook is listed, also if it never runs, with the
 * reason. Where a hook fails, what that agent does is done; docs/agents.md lists the differences.
 *
 * ```ts
 * await loadAgentHooks({ host, agent: 'codex', file: '.codex/hooks.json' });
 * ```
 * @throws HookscopeError INVALID_OPTIONS; FILE: the file that was named cannot be read, or that agent would drop it, with line and column; UNTRUSTED
 */
export async function loadAgentHooks<C extends CustomEvents>(
  options: LoadAgentHooksOptions<C>,
): Promise<LoadedAgentHooks> {
  checkOption('loadAgentHooks(options)', options, {
    ...checks.object,
    expected: 'an object of options, { host, agent }',
  });
  checkKeys(options, LOAD, 'loadAgentHooks: ');
  return loadForeign(options);
}

/** The same. `checksOf`: the checks before commands of a named file run. */
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
  const problems = [...judged.flatMap(({ read }) => read.problems), ...(await prepared.problems())];
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

/** The files in the agent's places that consent lets through. Nothing runs. */
async function judgeForeign(
  table: AgentTable,
  { projectDir, home, trust }: LookOptions,
): Promise<{ judged: JudgedFile[]; leftAlone: string[] }> {
  const { found, leftAlone } = findForeign(table, { projectDir, home });
  const all = trust === 'all' ? trust : storeFor(trust, projectDir, found.length > 0).list();
  const judged = await judgeFound(table, found, projectDir, all);
  return { judged, leftAlone: leftAlone.map(({ file }) => file) };
}

/** The files of an agent in a project that are not, or no longer, accepted. */
export async function listHeldAgentFiles(agent: string, look: LookOptions): Promise<HeldAgentFile[]> {
  const { judged } = await judgeForeign(tableOf(agent), look);
  return judged.flatMap(({ held }) => held ?? []);
}

/** A store that is a file must lie where the project cannot write it. */
function storeFor(trust: 'stored' | TrustStore, projectDir: string, isAsked: boolean): TrustStore {
  const path = trust === 'stored' ? defaultTrustFile() : trust.path;
  if (path !== undefined && isAsked) checkOutside(path, projectDir);
  return trust === 'stored' ? createTrustStore() : trust;
}

/** A file that was named is meant to run: where that agent would drop it, this is an error. */
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

/** Claude Code's files are loaded in another way. */
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
