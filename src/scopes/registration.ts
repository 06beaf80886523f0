import type { OnFailure } from '../events/failure.js';
import type { HandlerKind } from '../events/handler-kinds.js';
import type { Dialect, EventSpec } from '../events/spec.js';
import type { Matcher } from '../matching/matcher.js';
import type { Rule } from '../matching/rule.js';
import type { SkipReason } from './skip.js';

/** `rewrite`: only rewrites. `decide`: the default. `observe`: runs last, once, and decides nothing. */
export type Phase = 'rewrite' | 'decide' | 'observe';
/** One after the other, or at once with its neighbours of the same scope and stage. */
export type Mode = 'series' | 'parallel';
/** Why a handler is listed but does not run, and which file or setting says so. */
export interface Skip {
  readonly reason: SkipReason;
  readonly why: string;
}

/** What has changed since it was accepted: the file of the hooks, and the change in words. */
export interface Untrusted {
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
  /** The agent's type, where it is known. */
  readonly agentType: string | undefined;
  /** Takes a `once` registration's single run; false when it was taken before. */
  claim(registration: Registration): boolean;
  /** Undoes a claim: nothing ran. */
  giveBack(registration: Registration): void;
  claimed(registration: Registration): boolean;
}

/** One registered handler: event, matcher, `if`, stage, handler, scope, source, policies. Never changes once made. */
export interface Registration<Work = unknown> {
  /** Unique in the host and readable: `guards#3`. */
  readonly id: string;
  readonly name: string;
  /** The name was given, or is that of a function or a server's tool; else it is a command line, a URL, a prompt, a rule or a place in a file. */
  readonly isNamed: boolean;
  /** `unknown`: a type this version does not know; such a one is listed and never runs. */
  readonly kind: HandlerKind | 'tap' | 'unknown';
  /** The handler; the host knows its shape, scopes do not. */
  readonly work: Work;
  readonly spec: EventSpec;
  /** The name its `hookEventName` must carry. */
  readonly eventName: string;
  readonly scope: RegisteredIn;
  readonly matcher: Matcher;
  readonly rule?: Rule | undefined;
  readonly stage: number;
  /** Names of others, or of what they belong to: it runs before, or after, them. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Other names for it in `before` and `after`: its plugin, the name of its `register` call. */
  readonly groups: readonly string[];
  readonly mode: Mode;
  /** Seconds; 0: no limit. */
  readonly timeout: number;
  /** Handlers that share one deadline (`timeoutFor: 'group'`) hold the same object. */
  readonly shared?: object | undefined;
  readonly onFailure: OnFailure;
  /** No failure policy was set for it: `onFailure` is the default. */
  readonly usualFailure?: true | undefined;
  readonly phase: Phase;
  /** The share of sessions in which it decides, 0 to 1; in all others it runs in the shadow of the decision. undefined: all. */
  readonly enforce?: number | undefined;
  readonly once: boolean;
  readonly async: boolean | 'two-phase';
  /** Seconds for its background run. */
  readonly asyncTimeout: number;
  /** For a harness to show while it runs. */
  readonly statusMessage?: string | undefined;
  /** Exit 2 in the background wakes the agent, with these lines before its stderr. */
  readonly rewake?: readonly string[] | undefined;
  readonly dialect: Dialect;
  readonly source: Source;
  readonly plugin?: string | undefined;
  /** A Stop in an agent's own registrations, here under SubagentStop; it is only ever its own agent's. */
  readonly ownStop: boolean;
  /** If several such hooks of one wave rewrite, the last to finish wins; of others, the last in order. */
  readonly racing?: true | undefined;
  /** Two with the same key are one hook (claude dialect only). */
  readonly dedup?: string | undefined;
  /** A hash of what it runs, made when a record first lists it. */
  readonly definition?: { readonly hash: string } | undefined;
  /** Registered, listed, never run. */
  readonly skip?: Skip | undefined;
  /** Asked before every run: why what it would run is not what was accepted. Then it does not run, and fails. */
  readonly trustCheck?: ((input: Readonly<Record<string, unknown>>) => Untrusted | undefined) | undefined;
}
