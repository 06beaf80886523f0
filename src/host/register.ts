import { HookscopeError } from '../errors.js';
import type { Dialect, EventEntry } from '../events/define.js';
import { nearest } from '../events/nearest.js';
import { compileMatcher } from '../scopes/matcher.js';
import type { Mode, OnFailure, Phase, Registration, SkipReason, Source } from '../scopes/registration.js';
import { compileRule } from '../scopes/rule.js';
import type { Scope } from '../scopes/scope.js';
import type { CallbackFunction, Work } from './call.js';
import { handlerFor } from './handlers/kinds.js';
import { isText, oneOf, rules, SECONDS, type Shape } from './shape.js';

/** What every registration of one `register` call shares. */
export interface RegisterHow {
  readonly scope: Scope;
  readonly source: Source;
  readonly name?: string | undefined;
  readonly plugin?: string | undefined;
  readonly dialect?: Dialect | undefined;
  readonly onFailure?: OnFailure | undefined;
  readonly timeoutFor?: 'handler' | 'group' | undefined;
  /** Seconds where neither the handler nor its group says. */
  readonly timeout: number;
  /** Why all of them are listed but never run. */
  readonly skip?: { readonly reason: SkipReason; readonly why: string } | undefined;
  entry(event: string): EventEntry | undefined;
  /** Every event's name, to name the nearest one. */
  readonly events: readonly string[];
  nextId(name: string): string;
  warn(message: string): void;
}

/** Turns hooks in the shape everybody knows into registrations. Throws INVALID_HOOKS, naming the place, before anything is registered. */
export function readHooks(hooks: unknown, how: RegisterHow): Registration[] {
  if (!isObject(hooks)) throw wrong('hooks', 'expected an object of events, { PreToolUse: [{ hooks: [fn] }] }');
  const single = countHandlers(hooks) < 2;
  return Object.entries(hooks).flatMap(([event, groups]) => {
    const entry = how.entry(event);
    if (!entry) throw wrong(event, 'is not a known event', nearest(event, how.events));
    if (groups === undefined) return [];
    if (!Array.isArray(groups)) throw wrong(event, 'expected an array of groups, [{ matcher, hooks: [fn] }]');
    return groups.flatMap((group, i) => readGroup(entry, group, `${event}[${i}]`, how, single));
  });
}

const GROUP: Shape = {
  matcher: rules.any,
  if: rules.text,
  stage: rules.number,
  before: rules.names,
  mode: oneOf('series', 'parallel'),
  timeout: SECONDS,
  timeoutFor: oneOf('handler', 'group'),
  onFailure: oneOf('continue', 'block', 'ask'),
  phase: oneOf('rewrite', 'decide', 'observe'),
  once: rules.flag,
  name: rules.text,
  hooks: rules.list,
};

/** A handler's own options go before its group's. */
const HANDLER: Shape = {
  handler: rules.fn,
  name: rules.text,
  if: rules.text,
  timeout: SECONDS,
  async: oneOf(true, false, 'two-phase'),
  asyncTimeout: SECONDS,
  onFailure: oneOf('continue', 'block', 'ask'),
  once: rules.flag,
};

interface Options {
  readonly matcher?: unknown;
  readonly if?: string;
  readonly stage?: number;
  readonly before?: string | readonly string[];
  readonly mode?: Mode;
  readonly timeout?: number;
  readonly timeoutFor?: 'handler' | 'group';
  readonly onFailure?: OnFailure;
  readonly phase?: Phase;
  readonly once?: boolean;
  readonly name?: string;
  readonly async?: boolean | 'two-phase';
  readonly asyncTimeout?: number;
  readonly asyncRewake?: boolean;
}

function readGroup(
  named: EventEntry,
  group: unknown,
  where: string,
  how: RegisterHow,
  single: boolean,
): Registration[] {
  if (!isObject(group)) throw wrong(where, 'expected a group, { matcher, hooks: [fn] }');
  checkShape(group, GROUP, where);
  const { hooks, ...shared } = group as { hooks?: unknown[] } & Options;
  if (hooks === undefined) throw wrong(`${where}.hooks`, 'is missing; expected an array of handlers');
  const ownStop = how.scope.kind === 'agent' && named.inAgentScope !== undefined;
  const entry = ownStop ? (how.entry(named.inAgentScope as string) as EventEntry) : named;
  const dialect = how.dialect ?? 'code';
  const { matcher, warnings } = compileMatcher(shared.matcher, {
    dialect,
    event: entry,
    where: `${where}.matcher`,
    onError: (error) => how.warn(`The matcher of ${where} threw, so its hooks run: ${String(error)}`),
  });
  for (const warning of warnings) how.warn(warning);
  const byGroup = (shared.timeoutFor ?? how.timeoutFor) === 'group' ? {} : undefined;
  return hooks.map((hook, i) => {
    const at = `${where}.hooks[${i}]`;
    const { work, own, kind, label } = readHandler(hook, at, entry);
    const rule = compileRule(own.if ?? shared.if, { dialect, where: `${at}.if` });
    for (const warning of rule.warnings) how.warn(warning);
    const call = how.name ?? how.plugin;
    const name =
      own.name ?? shared.name ?? (call === undefined ? (label ?? at) : nameIn(call, single ? undefined : label));
    return {
      id: how.nextId(name),
      name,
      kind,
      work,
      entry,
      eventName: entry.name,
      scope: how.scope,
      matcher,
      rule: rule.rule,
      stage: shared.stage ?? 0,
      before: typeof shared.before === 'string' ? [shared.before] : (shared.before ?? []),
      mode: shared.mode ?? (dialect === 'claude' ? 'parallel' : 'series'),
      timeout: timeLimit(entry, own.timeout ?? shared.timeout, how.timeout),
      shared: byGroup,
      onFailure: own.onFailure ?? shared.onFailure ?? (how.onFailure as OnFailure),
      phase: shared.phase ?? 'decide',
      once: own.once ?? shared.once ?? false,
      async: own.async ?? false,
      asyncTimeout: own.asyncTimeout ?? 30,
      rewake: own.asyncRewake ?? false,
      dialect,
      source: how.source,
      plugin: how.plugin,
      ownStop,
      skip: how.skip?.reason,
      skipWhy: how.skip?.why,
    };
  });
}

/** Seconds. An event that must not take long (SessionEnd) has its own default, and a most, in code too. */
function timeLimit({ timeout }: EventEntry, own: number | undefined, usual: number): number {
  if (timeout?.max === undefined) return own ?? usual;
  return Math.min((own ?? timeout.claude) || timeout.max, timeout.max);
}

/** A call's only handler has the call's name; of several, each has its own behind it: `guards/checkPath`. */
function nameIn(call: string, label: string | undefined): string {
  return label === undefined ? call : `${call}/${label}`;
}

function countHandlers(hooks: Readonly<Record<string, unknown>>): number {
  const groups = Object.values(hooks).filter(Array.isArray).flat() as { hooks?: unknown }[];
  return groups.reduce((sum, group) => sum + (Array.isArray(group?.hooks) ? group.hooks.length : 0), 0);
}

interface Read {
  readonly work: Work;
  readonly kind: Registration['kind'];
  readonly own: Options;
  readonly label: string | undefined;
}

/** A function, a function with options of its own, or the description of something outside (`command()` or its JSON). */
function readHandler(hook: unknown, where: string, entry: EventEntry): Read {
  if (typeof hook === 'function') return callback(hook as CallbackFunction, {});
  if (!isObject(hook))
    throw wrong(where, 'expected a function, { handler: fn, … }, command(…) or { type: "command", command: "…" }');
  if (!('type' in hook)) {
    checkShape(hook, HANDLER, where);
    const { handler, ...own } = hook as { handler?: CallbackFunction } & Options;
    if (!handler)
      throw wrong(
        where,
        'has neither "handler" nor "type"; expected { handler: fn, … } or { type: "command", command: "…" }',
      );
    return callback(handler, own);
  }
  const made = handlerFor(hook, where, entry);
  return { work: { handler: made.handler }, kind: made.handler.kind, own: made.options, label: made.handler.name };
}

function callback(fn: CallbackFunction, own: Options): Read {
  return { work: { callback: fn }, kind: 'callback', own, label: fn.name || undefined };
}

/** Unknown keys and wrong values, each by its place. */
export function checkShape(value: Readonly<Record<string, unknown>>, shape: Shape, where: string): void {
  for (const [key, given] of Object.entries(value)) {
    const rule = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!rule)
      throw wrong(
        `${where}.${key}`,
        `is not a known key; there are ${Object.keys(shape).join(', ')}`,
        nearest(key, Object.keys(shape)),
      );
    if (given !== undefined && !rule.accepts(given))
      throw wrong(`${where}.${key}`, `expected ${rule.expected}, got ${show(given)}`);
  }
}

function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return isText(value) ? `"${value}"` : (JSON.stringify(value) ?? String(value));
}

export function wrong(where: string, expected: string, near?: string): HookscopeError {
  return new HookscopeError('INVALID_HOOKS', { where, expected, nearest: near });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
