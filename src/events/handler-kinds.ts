interface KindFacts {
  /** What a handler of this type depends on. Some events cannot wait for the network or a model. */
  readonly asks: 'nobody' | 'process' | 'machine' | 'network' | 'model';
  /** The keys that say what the handler does, besides `type`. A description has all of them. */
  readonly keys: readonly string[];
  /** What in the description names files of this machine that the handler runs, or takes its answer from. Consent and relative scripts bind them. */
  readonly binds: 'command' | 'nothing';
  /** The handler has a process's exit code; any code but 0 is an `error` in records. */
  readonly exits?: true;
  /** The handler sends a request to a server, and the trace context along with it. */
  readonly requests?: true;
  /** What the handler runs has a name, such as that of a function or a tool, which records use. */
  readonly named?: true;
  /** Claude Code does not have this type. In its own files it is unknown and never runs. */
  readonly ours?: true;
  /** The timeout in Claude Code's files, in seconds, if neither the file nor the event sets one. Default: 600. */
  readonly claudeSeconds?: number;
}

/** The types that `handlers/kinds.ts` creates from a description. Some events allow only a part of them, because they cannot wait for a network or model. */
const DESCRIBED = {
  command: { asks: 'machine', keys: ['command'], binds: 'command', exits: true },
  http: { asks: 'network', keys: ['url'], binds: 'nothing', requests: true },
  mcp_tool: { asks: 'machine', keys: ['server', 'tool'], binds: 'nothing', requests: true, named: true },
  prompt: { asks: 'model', keys: ['prompt'], binds: 'nothing', claudeSeconds: 30 },
  agent: { asks: 'model', keys: ['prompt'], binds: 'nothing', claudeSeconds: 60 },
} as const satisfies Record<string, KindFacts>;

/** All handler types. The values of `handler` in records, the default `types` of events and the names in `check` are derived from this table. */
const KINDS = {
  callback: { asks: 'process', keys: ['handler'], binds: 'nothing', named: true, ours: true },
  ...DESCRIBED,
  rule: { asks: 'nobody', keys: ['decision'], binds: 'nothing', ours: true },
} as const satisfies Record<string, KindFacts>;

/** What a handler runs: a function in this process, a child process, a request, a tool, a question to a model; or, for a rule, nothing. */
export type HandlerKind = keyof typeof KINDS;
/** All types except functions and rules. */
export type ExternalKind = keyof typeof DESCRIBED;
/** The types that Claude Code's files may contain. */
export type ClaudeKind = {
  [Kind in ExternalKind]: (typeof KINDS)[Kind] extends { readonly ours: true } ? never : Kind;
}[ExternalKind];

export const HANDLER_KINDS: readonly HandlerKind[] = Object.freeze(Object.keys(KINDS) as HandlerKind[]);

const factsOf = (kind: HandlerKind): KindFacts => KINDS[kind];
const kindsWhere = (accepts: (asks: KindFacts['asks']) => boolean): readonly ExternalKind[] =>
  Object.freeze((Object.keys(DESCRIBED) as ExternalKind[]).filter((kind) => accepts(factsOf(kind).asks)));

/** The default `types` of an event. */
export const EXTERNAL_KINDS = kindsWhere(() => true);
/** The `types` of events that cannot wait for a model. */
export const PROGRAMS = kindsWhere((asks) => asks !== 'model');
/** The `types` of events that happen before the network can be relied on. */
export const LOCAL = kindsWhere((asks) => asks !== 'model' && asks !== 'network');

/** The types that need a model. */
export const MODEL_KINDS = kindsWhere((asks) => asks === 'model');

/** The types that Claude Code's files may name. */
export const CLAUDE_KINDS: readonly ClaudeKind[] = Object.freeze(
  HANDLER_KINDS.filter((kind): kind is ClaudeKind => factsOf(kind).ours !== true),
);

/** The default timeout of a handler type in Claude Code's files, in seconds. */
export const claudeSeconds = (kind: string): number =>
  (Object.hasOwn(KINDS, kind) ? factsOf(kind as HandlerKind).claudeSeconds : undefined) ?? 600;

/** The keys that a description of this type has. */
export const keysOfKind = (kind: HandlerKind): readonly string[] => factsOf(kind).keys;

/** The type that a description without one seems to be, and those of its keys that show it. */
export function likelyKind(description: object): { kind: HandlerKind; keys: readonly string[] } | undefined {
  const own = HANDLER_KINDS.map((kind) => ({
    kind,
    keys: keysOfKind(kind).filter((key) => Object.hasOwn(description, key)),
  }));
  return own.find(({ keys }) => keys.length > 0);
}

/** Whether a group is a handler that stands in its place. */
export const isLoneHandler = (group: Readonly<Record<string, unknown>>): boolean =>
  group['hooks'] === undefined && ['type', 'command', 'handler'].some((key) => key in group);
export const LONE_HANDLER = 'is a handler where a group was expected; put it into { "hooks": [ … ] }';

/** What binds the files that a handler of this type runs, or takes its answer from. An unknown type never runs. */
export const bindsOf = (type: unknown): KindFacts['binds'] =>
  typeof type === 'string' && Object.hasOwn(KINDS, type) ? factsOf(type as HandlerKind).binds : 'nothing';

function whoseRow(has: 'exits' | 'requests' | 'named'): (kind: string) => boolean {
  const kinds: readonly string[] = HANDLER_KINDS.filter((kind) => factsOf(kind)[has]);
  return (kind) => kinds.includes(kind);
}

/** Whether the exit code of such a handler is that of a process, not another status. */
export const exits = whoseRow('exits');
/** Whether such a handler sends a request to a server. */
export const requests = whoseRow('requests');
/** Whether what such a handler runs has a name of its own. */
export const hasName = whoseRow('named');
