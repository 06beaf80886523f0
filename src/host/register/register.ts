import { ON_FAILURE, type OnFailure } from '../../events/failure.js';
import { claudeSeconds, hasName, isLoneHandler, LONE_HANDLER } from '../../events/handler-kinds.js';
import type { EventSpec } from '../../events/spec.js';
import type { HandlerDescription } from '../../handlers/handler.js';
import { whyNever } from '../../matching/claude-matcher.js';
import { compileMatcher, type MatcherContext } from '../../matching/matcher.js';
import { compileRule } from '../../matching/rule.js';
import type { Registration, Skip, Source, UntrustedChange } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import { noteThrown } from '../../scopes/thrown.js';
import { bindScripts } from '../../trust/bound-script.js';
import { describeError } from '../../values/message.js';
import { nearest } from '../../values/nearest.js';
import { checkOptions, type Keys, refuseSymbols } from '../../values/options.js';
import { checks, FILLED, isObject, itemsOf, oneOf, SECONDS } from '../../values/shape.js';
import { ENFORCE } from '../options.js';
import type { HookGroup } from '../types.js';
import { HookDefinition } from './definition.js';
import { enforcedShare, SHADOW } from './enforce.js';
import { checkHooks, type HandlerOptions, type Options, readHandler, whatIs, wrong } from './handler-entry.js';
import { warnOfAsync, whyIdle } from './idle.js';
import { AnonymousNames } from './names/anonymous.js';

/** What all registrations of one `register` call share. */
export interface RegistrationOptions extends HandlerOptions {
  readonly scope: Scope;
  readonly source: Source;
  readonly name?: string | undefined;
  readonly plugin?: string | undefined;
  /** Prefix of the names of a plugin's hooks. */
  readonly group?: string | undefined;
  readonly onFailure?: OnFailure | undefined;
  /** Set if `onFailure` is only the default. */
  readonly usualFailure?: true | undefined;
  readonly timeoutFor?: 'handler' | 'group' | undefined;
  /** Values of `enforce` that apply to all of them; the smallest counts. */
  readonly enforce?: readonly (boolean | number | undefined)[] | undefined;
  /** Seconds, unless the handler or its group says otherwise. */
  readonly timeout: number;
  /** Why all or some of them are listed but never run. */
  readonly skip?: Skip | ((handler: HandlerDescription) => Skip | undefined) | undefined;
  /** Called before every run of each handler: why it must not run now. */
  readonly guard?: ((source: Source) => UntrustedChange | undefined) | undefined;
  readonly trustCheckOf?: ((handler: HandlerDescription) => Registration['trustCheck']) | undefined;
  /** The root for file patterns in `if` that begin with one slash. */
  readonly root?: string | undefined;
  readonly racing?: true | undefined;
  /** The project's directory, where it is known. */
  readonly dir?: string | undefined;
  /** The place in the user's code where the hooks are registered; `undefined`: unknown, or hooks of a file, whose path says more. */
  place(): string | undefined;
  /** Equal handlers count as copies of one hook only within one family (claude dialect). */
  readonly family?: string | undefined;
  spec(event: string): EventSpec | undefined;
  /** The names of all events, for suggestions. */
  readonly events: readonly string[];
  nextId(name: string): string;
  /** Receives problems that occur while the hooks run. Default: `warn`. */
  report?(message: string): void;
}

/**
 * Turns hooks in Claude Code's shape, { event: [{ matcher, hooks }] }, into registrations. Throws INVALID_HOOKS, naming the place,
 * before anything is registered.
 */
export function readRegistrations(hooks: unknown, how: RegistrationOptions): Registration[] {
  checkHooks(hooks, how.events);
  refuseSymbols('', hooks, 'INVALID_HOOKS');
  const anonymous = new AnonymousNames(how.scope, how.place, { group: how.group, alone: countHandlers(hooks) < 2 });
  return Object.entries(hooks).flatMap(([event, groups]) => {
    const spec = how.spec(event);
    if (!spec) throw wrong(event, 'is not a known event', nearest(event, how.events));
    if (groups === undefined) return [];
    if (!Array.isArray(groups)) throw wrong(event, 'expected an array of groups, [{ "matcher": "…", "hooks": [ … ] }]');
    return itemsOf(groups).flatMap((group, i) => readGroup(spec, group, `${event}[${i}]`, how, anonymous));
  });
}

/** The keys of a group, with the checks of their values. */
export const GROUP = {
  matcher: checks.any,
  if: checks.text,
  stage: checks.number,
  before: checks.names,
  after: checks.names,
  mode: oneOf('series', 'parallel'),
  timeout: SECONDS,
  timeoutFor: oneOf('handler', 'group'),
  onFailure: oneOf(...ON_FAILURE),
  phase: oneOf('rewrite', 'decide', 'observe'),
  once: checks.flag,
  enforce: ENFORCE,
  name: FILLED,
  hooks: checks.list,
} satisfies Keys<HookGroup>;

function readGroup(
  named: EventSpec,
  group: unknown,
  where: string,
  how: RegistrationOptions,
  anonymous: AnonymousNames,
): Registration[] {
  if (!isObject(group)) throw wrong(where, 'expected a group, { "matcher": "…", "hooks": [ … ] }');
  if (isLoneHandler(group)) throw wrong(where, LONE_HANDLER);
  checkOptions(`${where}.`, group, GROUP, 'INVALID_HOOKS');
  const { hooks, ...shared } = group as { hooks?: unknown[] } & Options;
  if (hooks === undefined) throw wrong(`${where}.hooks`, 'is missing; expected an array of handlers');
  const ownStop = how.scope.kind === 'agent' && named.inAgentScope !== undefined;
  const spec = ownStop ? (how.spec(named.inAgentScope as string) as EventSpec) : named;
  const dialect = how.dialect ?? 'code';
  const matching: MatcherContext = {
    dialect,
    event: named,
    where: `${where}.matcher`,
    onError: (error) => {
      const why = describeError(error);
      noteThrown(`its matcher threw, so the hook runs: ${why}`);
      (how.report ?? how.warn)(`The matcher of ${where} threw, so its hooks run, but for a rule that allows: ${why}`);
    },
  };
  const { matcher, warnings } = compileMatcher(shared.matcher, matching);
  for (const warning of warnings) how.warn(warning);
  warnOfUnit(shared.timeout, where, how);
  const enforce = enforcedShare([...(how.enforce ?? []), shared.enforce]);
  const byGroup = (shared.timeoutFor ?? how.timeoutFor) === 'group' ? {} : undefined;
  let isGroupTold = false;
  const registrations = itemsOf(hooks).map((hook, i): Registration => {
    const at = `${where}.hooks[${i}]`;
    const { work, own, kind, label, dedup, invalid, permits = false } = readHandler(hook, at, spec, how);
    if (kind === 'rule' && (shared.phase ?? 'decide') !== 'decide')
      throw wrong(`${where}.phase`, `a rule decides, so it cannot be in the phase ${shared.phase}`);
    const root = how.root === undefined ? {} : { root: how.root };
    const rule = compileRule(permits ? own.if || shared.if : (own.if ?? shared.if), {
      dialect,
      where: `${at}.if`,
      permits,
      ...root,
    });
    for (const warning of rule.warnings) how.warn(warning);
    // A rule of the group is told of once, at its first hook without one of its own.
    if (rule.rule && dialect === 'code' && (own.if || !isGroupTold)) {
      const why = whyIdle(spec, rule.rule, warnings.length === 0 ? matcher : undefined);
      if (why !== undefined) how.warn(`${own.if ? at : where}.if: ${why}, so the hook never runs`);
      isGroupTold ||= why !== undefined && !own.if;
    }
    const async = own.async ?? own.asyncRewake ?? false;
    if (async === true && own.onFailure !== undefined) warnOfAsync(spec, own.onFailure, at, how);
    warnOfUnit(own.timeout, at, how);
    const { name, isNamed, groups } = namesIn(how, own.name ?? shared.name, {
      label,
      isName: hasName(kind),
      alone: anonymous.alone,
      place: () => anonymous.next() ?? at,
    });
    const never = dialect === 'claude' ? whyNever([...warnings, ...rule.warnings]) : undefined;
    const skip =
      (typeof how.skip === 'function' ? how.skip(hook as HandlerDescription) : how.skip) ??
      invalid ??
      (never === undefined ? undefined : { reason: 'invalid', why: never }) ??
      (enforce === 0 ? SHADOW : undefined);
    const timeout = timeLimit(spec, own.timeout ?? shared.timeout, usualTime(how, spec, kind));
    return {
      // Not the name in the claude dialect: it is a command line, which would make a poor id.
      id: how.nextId(dialect === 'claude' ? (how.source.name ?? how.source.kind) : name),
      name,
      isNamed,
      kind,
      work,
      spec,
      eventName: spec.name,
      scope: how.scope,
      matcher: permits ? compileMatcher(shared.matcher, { ...matching, permits }).matcher : matcher,
      rule: rule.rule,
      stage: shared.stage ?? 0,
      before: listOf(shared.before),
      after: listOf(shared.after),
      groups,
      mode: shared.mode ?? (dialect === 'claude' ? 'parallel' : 'series'),
      timeout,
      shared: byGroup,
      onFailure: own.onFailure ?? shared.onFailure ?? (how.onFailure as OnFailure),
      usualFailure: (own.onFailure ?? shared.onFailure) === undefined ? how.usualFailure : undefined,
      phase: shared.phase ?? 'decide',
      enforce,
      // In Claude Code's files `once` counts only in skills.
      once: (dialect === 'code' || how.source.kind === 'skill') && (own.once ?? shared.once ?? false),
      async,
      asyncTimeout: own.asyncTimeout ?? (dialect === 'claude' ? timeout : 30),
      rewake: own.asyncRewake ? [own.rewakeSummary, own.rewakeMessage].filter((line) => line !== undefined) : undefined,
      statusMessage: own.statusMessage,
      dialect,
      source: how.source,
      plugin: how.plugin,
      ownStop,
      racing: how.racing,
      dedup: dedup === undefined ? undefined : JSON.stringify([how.family ?? null, dedup]),
      skip,
      trustCheck: trustCheckOf(hook, how),
      definition: new HookDefinition(whatIs(hook), how),
    };
  });
  // If some hook of the group is waited for, its policy is for that one.
  const isUnused = registrations.length > 0 && registrations.every((r) => r.async === true);
  if (isUnused && shared.onFailure !== undefined) warnOfAsync(spec, shared.onFailure, where, how);
  return registrations;
}

/**
 * First the host's guard, which checks all sources, then the check of the source itself. Where the source has none, scripts are bound by
 * their place, but in the claude dialect a relative path means what it means in the client.
 */
function trustCheckOf(hook: unknown, how: RegistrationOptions): Registration['trustCheck'] {
  const { guard, source, dialect, dir } = how;
  const what = whatIs(hook);
  const own =
    (isObject(hook) ? how.trustCheckOf?.(hook) : undefined) ??
    (isObject(what) && dialect !== 'claude' ? bindScripts(what, { source, dir }) : undefined);
  return guard === undefined ? own : (input, folders) => guard(source) ?? own?.(input, folders);
}

/** A timeout longer than an hour was probably meant in milliseconds. */
const HOUR = 3_600;

function warnOfUnit(timeout: number | undefined, where: string, { dialect, warn }: RegistrationOptions): void {
  if (dialect !== 'claude' && isLong(timeout)) warn(tooLong(`${where}.timeout`, timeout));
}

export const isLong = (timeout: number | undefined): timeout is number => timeout !== undefined && timeout > HOUR;

export function tooLong(where: string, timeout: number): string {
  return `${where} is ${timeout} seconds, more than an hour: the unit is seconds, not milliseconds`;
}

const NONE: readonly string[] = Object.freeze([]);

const listOf = (names: string | readonly string[] | undefined): readonly string[] =>
  typeof names === 'string' ? [names] : names === undefined ? NONE : itemsOf(names);

/** The default timeout in seconds, if neither the handler nor its group sets one. */
function usualTime(how: RegistrationOptions, { timeout }: EventSpec, kind: Registration['kind']): number {
  return how.dialect === 'claude' ? (timeout?.claude ?? claudeSeconds(kind)) : how.timeout;
}

/** The timeout in seconds. An event that must be quick (SessionEnd) has its own default and maximum, for hooks from code as well. */
function timeLimit({ timeout }: EventSpec, own: number | undefined, usual: number): number {
  if (timeout?.max === undefined) return own ?? usual;
  return Math.min((own ?? timeout.claude) || timeout.max, timeout.max);
}

/** What names a handler for which no name was given. */
interface Label {
  readonly label: string | undefined;
  /** The label is a name (of a function or a tool), not a text such as a command line. */
  readonly isName: boolean;
  readonly alone: boolean;
  place(): string;
}

/**
 * A plugin's hook is named `plugin/hook`. If the `register` call has a name, its only hook and hooks without a name of their own have that
 * name, and others `call/hook`. If it has none, unnamed hooks are named by the place where they were registered.
 */
function namesIn(
  { dialect, name: call, group }: RegistrationOptions,
  own: string | undefined,
  { label, isName, alone, place }: Label,
): Pick<Registration, 'name' | 'isNamed' | 'groups'> {
  const hasOwn = own !== undefined || (isName && label !== undefined);
  if (dialect === 'claude') return { name: own ?? label ?? place(), isNamed: hasOwn, groups: NONE };
  const below = (name: string): string => (group === undefined ? name : `${group}/${name}`);
  const isCall = label === undefined || (alone && group === undefined);
  const inCall = call === undefined ? (label ?? place()) : isCall ? call : `${call}/${label}`;
  // Copied, because arrays from `filter` have spare capacity and every registration keeps one.
  const named = [group, call === undefined ? undefined : below(call)].filter((name) => name !== undefined);
  const groups = named.length === 0 ? NONE : named.slice();
  return { name: below(own ?? inCall), isNamed: hasOwn || (isCall && call !== undefined), groups };
}

function countHandlers(hooks: Readonly<Record<string, unknown>>): number {
  const groups = Object.values(hooks).filter(Array.isArray).flatMap(itemsOf) as { hooks?: unknown }[];
  return groups.reduce((sum, group) => sum + (Array.isArray(group?.hooks) ? group.hooks.length : 0), 0);
}
