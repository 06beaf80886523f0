import type { OnFailure } from '../events/failure.js';
import type { HandlerKind } from '../events/handler-kinds.js';
import type { Dialect, EventSpec } from '../events/spec.js';
import type { Matcher } from '../matching/matcher.js';
import type { Rule } from '../matching/rule.js';
import type { SkipReason } from './skip.js';

/** `rewrite`: the hook only rewrites. `decide`: the default. `observe`: it runs last, once, and decides nothing. */
export type Phase = 'rewrite' | 'decide' | 'observe';
/** Whether a hook runs on its own or at the same time as its neighbours of the same scope and stage. */
export type Mode = 'series' | 'parallel';
/** Why a handler is listed but does not run, and the file or setting that is the reason. */
export interface Skip {
  readonly reason: SkipReason;
  readonly why: string;
}

/** A change since the user accepted a hook file: the file, and the change in words. */
export interface UntrustedChange {
  readonly file: string;
  readonly why: string;
}

/** Where a registration came from, as records and `describe()` show it. */
export interface Source {
  /** `code`, `plugin`, `config`, `hooks-file`, `spawn`, `tap`, `user`, `project`, `local`, `managed`, `flag`, `agent`, `skill`, `sdk` … */
  readonly kind: string;
  readonly name?: string;
  readonly file?: string;
}

export type ScopeKind = 'managed' | 'host' | 'session' | 'agent';

/** What a registration knows about its scope: its identity, and which registrations have used their single run (`once`). */
export interface RegisteredIn {
  readonly id: string;
  readonly kind: ScopeKind;
  readonly depth: number;
  readonly session: string;
  /** The agent's type, if known. */
  readonly agentType: string | undefined;
  /** Claims the single run of a `once` registration. Returns false if it was claimed before. */
  claim(registration: Registration): boolean;
  /** Undoes a claim, because the hook did not run. */
  giveBack(registration: Registration): void;
  claimed(registration: Registration): boolean;
}

/** One registered handler: event, matcher, `if`, stage, handler, scope, source, policies. Never changes once made. */
export interface Registration<Work = unknown> {
  /** Unique in the host and readable: `guards#3`. */
  readonly id: string;
  readonly name: string;
  /** True if the user gave the name, or it is the name of a function or of a server's tool; otherwise the name is a command line, a URL, a prompt, a rule or a place in a file. */
  readonly isNamed: boolean;
  /** `unknown`: a type that this version does not know; the hook is listed but never runs. */
  readonly kind: HandlerKind | 'tap' | 'unknown';
  /** The handler. Its shape is known to the host, not to scopes. */
  readonly work: Work;
  readonly spec: EventSpec;
  /** The event name that `hookEventName` in the hook's output must have. */
  readonly eventName: string;
  readonly scope: RegisteredIn;
  /** The depth of its scope in the fire, if that differs from the one in its own tree: its agent may be known under two session names. */
  readonly depth?: number;
  readonly matcher: Matcher;
  readonly rule?: Rule | undefined;
  readonly stage: number;
  /** Names of hooks or groups that this one runs before, or after. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Further names by which `before` and `after` of other hooks can refer to this one: its plugin, the name of its `register` call. */
  readonly groups: readonly string[];
  readonly mode: Mode;
  /** Seconds; 0: no limit. */
  readonly timeout: number;
  /** Handlers that share one deadline (`timeoutFor: 'group'`) hold the same object. */
  readonly shared?: object | undefined;
  readonly onFailure: OnFailure;
  /** Set if `onFailure` is the default and not set by the user. */
  readonly usualFailure?: true | undefined;
  readonly phase: Phase;
  /** The share of sessions in which its decision counts, 0 to 1. In the others it runs as a shadow. undefined: all sessions. */
  readonly enforce?: number | undefined;
  readonly once: boolean;
  readonly async: boolean | 'two-phase';
  /** The timeout of a background run, in seconds. */
  readonly asyncTimeout: number;
  /** A text that a harness can show while the hook runs. */
  readonly statusMessage?: string | undefined;
  /** If set, exit code 2 of a background run wakes the agent with these lines followed by the stderr. */
  readonly rewake?: readonly string[] | undefined;
  readonly dialect: Dialect;
  readonly source: Source;
  readonly plugin?: string | undefined;
  /** A Stop hook among an agent's own registrations, registered as SubagentStop. It runs only for that agent. */
  readonly ownStop: boolean;
  /** If several hooks of one parallel group rewrite, the last to finish wins; without this flag, the last in order. */
  readonly racing?: true | undefined;
  /** Hooks with the same key are one hook and run once (claude dialect only). */
  readonly dedup?: string | undefined;
  /** A hash of what the hook runs, computed when a record first lists it. */
  readonly definition?: { readonly hash: string } | undefined;
  /** If set, the hook is registered and listed but not asked before a decision. Only one with the reason `shadow` runs, after it. */
  readonly skip?: Skip | undefined;
  /** Called before every run. If the hook would run something else than the user accepted, it returns the change, and the hook fails without running. */
  readonly trustCheck?:
    | ((input: Readonly<Record<string, unknown>>, folders?: CallFolders) => UntrustedChange | undefined)
    | undefined;
}

export const depthOf = ({ depth, scope }: Registration): number => depth ?? scope.depth;

/** How the project of a call is found: it decides where a command runs if the input's folder does not exist. */
export interface CallFolders {
  readonly projectDir?: string | undefined;
  projectOf?(cwd: string): string;
}
