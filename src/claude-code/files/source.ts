import { HookscopeError } from '../../errors.js';
import type { Variables } from '../../trust/named/variables.js';
import { broken, type HookFile, type ReadFileOptions } from './settings.js';

/** Where hooks can come from, in the order in which they run. */
export type ClaudeSourceKind = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'plugin' | 'agent' | 'skill';

/** The scope of a source's hooks. */
export type Target =
  | { readonly for: 'managed' | 'host' }
  | { readonly for: 'agent'; readonly id: string; readonly type: string }
  /** Every agent of one of these types. */
  | { readonly for: 'types'; readonly types: readonly string[] }
  /** The main thread, once the skill is invoked. */
  | { readonly for: 'skill'; readonly names: readonly string[] };

/** One file with hooks, and all that is known of where it lies. */
export interface ClaudeSource {
  readonly kind: ClaudeSourceKind;
  /** The name of a plugin, agent or skill. */
  readonly name?: string;
  readonly plugin?: string;
  /** Types of the agent, names of the skill. */
  readonly names?: readonly string[];
  readonly file: HookFile;
  /** Distinguishes several parts of one file. */
  readonly part?: string;
  readonly variables: Variables;
  /** The base folder of `if` rules with one leading slash. */
  readonly root: string;
  /** It runs only if it is accepted. */
  readonly needsTrust: boolean;
  /** An earlier agent of the same name, if that one counts, goes before it. */
  readonly yields?: true;
  readonly target: Target;
}

/** A plugin's folder. */
export interface PluginEntry {
  readonly dir: string;
  /** The user named it explicitly: its hooks run without consent. Default false. */
  readonly trusted?: boolean;
  /** Its user configuration, before what settings say. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** An agent's markdown file. */
export interface AgentEntry {
  readonly file: string;
  /** Its hooks are for this agent alone; default: for every agent of its type, or the main thread (`mainAgent`). */
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
  readonly plugins: readonly PluginEntry[];
  readonly agents: readonly AgentEntry[];
  readonly mainAgent: string | undefined;
}

/** Facts about a source besides its file. */
export type SourceDetails = Partial<
  Pick<ClaudeSource, 'name' | 'names' | 'plugin' | 'root' | 'needsTrust' | 'variables' | 'yields'>
>;

/** One source, with what it does not say itself. */
export function makeSource(
  { projectDir }: FindOptions,
  kind: ClaudeSourceKind,
  file: HookFile,
  target: Target,
  given: SourceDetails,
): ClaudeSource {
  return { variables: { projectDir }, root: projectDir, needsTrust: false, ...given, kind, file, target };
}

/** An agent that is the main thread has no id: its hooks apply to all agents, and its Stop stays Stop. */
export function agentTarget(types: readonly string[], { mainAgent }: Pick<FindOptions, 'mainAgent'>): Target {
  return mainAgent !== undefined && types.includes(mainAgent) ? { for: 'host' } : { for: 'types', types };
}

/** A file that exists and cannot be read. Rethrows any other error. */
export function unread(path: string, error: unknown): HookFile {
  if (!(error instanceof HookscopeError) || error.code !== 'FILE') throw error;
  return broken(path, { message: (error.details as { problem: string }).problem });
}
