import { HookscopeError } from '../../errors.js';
import type { CommandVariables } from '../../trust/named/variables.js';
import { broken, type HookFile, type ReadFileOptions } from './settings.js';

/** The kinds of sources of hooks, in the order in which their hooks run. */
export type ClaudeSourceKind = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'plugin' | 'agent' | 'skill';

/** The scope of a source's hooks. */
export type SourceTarget =
  | { readonly for: 'managed' | 'host' }
  | { readonly for: 'agent'; readonly id: string; readonly type: string }
  /** All agents of these types. */
  | { readonly for: 'types'; readonly types: readonly string[] }
  /** The main thread, from the time when the skill is invoked. */
  | { readonly for: 'skill'; readonly names: readonly string[] };

/** A file with hooks and all that its location determines. */
export interface ClaudeSource {
  readonly kind: ClaudeSourceKind;
  /** The name of a plugin, agent or skill. */
  readonly name?: string;
  readonly plugin?: string;
  /** The types of the agent, or the names of the skill. */
  readonly names?: readonly string[];
  readonly file: HookFile;
  /** Distinguishes several parts of the same file. */
  readonly part?: string;
  readonly variables: CommandVariables;
  /** The base folder of paths in `if` rules that begin with one slash. */
  readonly root: string;
  /** Whether its hooks run only after they are accepted. */
  readonly needsTrust: boolean;
  /** An earlier source for an agent of the same name, if it counts, replaces this one. */
  readonly yields?: true;
  readonly target: SourceTarget;
}

/** A plugin's folder. */
export interface PluginFolder {
  readonly dir: string;
  /** The user named it explicitly, so its hooks run without consent. Default: false. */
  readonly trusted?: boolean;
  /** Its user configuration, which settings override. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** The Markdown file of an agent. */
export interface AgentEntry {
  readonly file: string;
  /** Limits the hooks to the agent with this id. Default: all agents of its type, or the main thread (`mainAgent`). */
  readonly id?: string;
  readonly trusted?: boolean;
}

export interface FindOptions extends Pick<ReadFileOptions, 'events' | 'onInvalid'> {
  readonly projectDir: string;
  readonly home: string;
  readonly managedDir: string;
  /** Which of the usual places are read. */
  readonly places: readonly string[];
  readonly settings: readonly string[];
  readonly plugins: readonly PluginFolder[];
  readonly agents: readonly AgentEntry[];
  readonly mainAgent: string | undefined;
}

/** Facts about a source besides its file. */
export type SourceDetails = Partial<
  Pick<ClaudeSource, 'name' | 'names' | 'plugin' | 'root' | 'needsTrust' | 'variables' | 'yields'>
>;

/** Makes a source and fills in defaults. */
export function makeSource(
  { projectDir }: FindOptions,
  kind: ClaudeSourceKind,
  file: HookFile,
  target: SourceTarget,
  given: SourceDetails,
): ClaudeSource {
  return { variables: { projectDir }, root: projectDir, needsTrust: false, ...given, kind, file, target };
}

/** The target of an agent's hooks. An agent that is the main thread has no id: its hooks apply to all agents, and its Stop remains Stop. */
export function agentTarget(types: readonly string[], { mainAgent }: Pick<FindOptions, 'mainAgent'>): SourceTarget {
  return mainAgent !== undefined && types.includes(mainAgent) ? { for: 'host' } : { for: 'types', types };
}

/** The result for a file that exists but cannot be read. Rethrows any other error. */
export function unread(path: string, error: unknown): HookFile {
  if (!(error instanceof HookscopeError) || error.code !== 'FILE') throw error;
  return broken(path, { message: (error.details as { problem: string }).problem });
}
