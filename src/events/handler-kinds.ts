interface KindFacts {
  /** What a handler of this type depends on. Some events cannot wait for the network or a model. */
  readonly asks: 'nobody' | 'process' | 'machine' | 'network' | 'model';
  /** It has a process's exit code: any but 0 is an `error` in records. */
  readonly exits?: true;
  /** It is a request to a server, which a trace leads on to. */
  readonly requests?: true;
  /** What it runs has a name of its own, such as a function or a tool, by which records call it. */
  readonly named?: true;
  /** Claude Code does not have it: in its own files it is not known, and never runs. */
  readonly ours?: true;
  /** Its timeout in Claude Code's files, if neither the file nor the event sets one; absent: 600. */
  readonly claudeSeconds?: number;
}

/** The types that `handlers/kinds.ts` makes from a description. Every event takes them, but those that cannot wait for what they ask. */
const DESCRIBED = {
  command: { asks: 'machine', exits: true },
  http: { asks: 'network', requests: true },
  mcp_tool: { asks: 'machine', requests: true, named: true },
  prompt: { asks: 'model', claudeSeconds: 30 },
  agent: { asks: 'model', claudeSeconds: 60 },
} as const satisfies Record<string, KindFacts>;

/** Every type of handler: the records' `handler`, the default `types` of an event and what `check` names come from here. */
const KINDS = {
  callback: { asks: 'process', named: true, ours: true },
  ...DESCRIBED,
  rule: { asks: 'nobody', ours: true },
} as const satisfies Record<string, KindFacts>;

/** What a handler runs: a function here, a process, a request, a tool, a question to a model; or, for a rule, nothing. */
export type HandlerKind = keyof typeof KINDS;
/** The types that are neither a function nor a rule. */
export type ExternalKind = keyof typeof DESCRIBED;
/** The types that Claude Code's files may contain. */
export type ClaudeKind = {
  [Kind in ExternalKind]: (typeof KINDS)[Kind] extends { readonly ours: true } ? never : Kind;
}[ExternalKind];

export const HANDLER_KINDS: readonly HandlerKind[] = Object.freeze(Object.keys(KINDS) as HandlerKind[]);

const factsOf = (kind: HandlerKind): KindFacts => KINDS[kind];
const kindsWhere = (accepts: (asks: KindFacts['asks']) => boolean): readonly ExternalKind[] =>
  Object.freeze((Object.keys(DESCRIBED) as ExternalKind[]).filter((kind) => accepts(factsOf(kind).asks)));

/** The `types` of an event that says nothing else. */
export const EXTERNAL_KINDS = kindsWhere(() => true);
/** The `types` of events that cannot wait for a model's opinion. */
export const PROGRAMS = kindsWhere((asks) => asks !== 'model');
/** The `types` of events that happen before the network can be relied on. */
export const LOCAL = kindsWhere((asks) => asks !== 'model' && asks !== 'network');

/** The types that need a model. */
export const MODEL_KINDS = kindsWhere((asks) => asks === 'model');

/** The types that Claude Code's files may name. */
export const CLAUDE_KINDS: readonly ClaudeKind[] = Object.freeze(
  HANDLER_KINDS.filter((kind): kind is ClaudeKind => factsOf(kind).ours !== true),
);

/** Seconds that Claude Code's files give such a handler. */
export const claudeSeconds = (kind: string): number =>
  (Object.hasOwn(KINDS, kind) ? factsOf(kind as HandlerKind).claudeSeconds : undefined) ?? 600;

function whoseRow(has: 'exits' | 'requests' | 'named'): (kind: string) => boolean {
  const kinds: readonly string[] = HANDLER_KINDS.filter((kind) => factsOf(kind)[has]);
  return (kind) => kinds.includes(kind);
}

/** Whether such a handler's exit code is a process's, and not another status. */
export const exits = whoseRow('exits');
/** Whether such a handler asks a server. */
export const requests = whoseRow('requests');
/** Whether what such a handler runs has a name. */
export const hasName = whoseRow('named');
