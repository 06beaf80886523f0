import { HookscopeError } from '../../errors.js';
import { ON_FAILURE } from '../../events/failure.js';
import { CLAUDE_KINDS, HANDLER_KINDS, type HandlerKind, likelyKind } from '../../events/handler-kinds.js';
import { isHelperKey } from '../../events/output/helper-keys.js';
import type { Dialect, EventSpec } from '../../events/spec.js';
import type { ExternalServices } from '../../handlers/external.js';
import type { Handler, HandlerDescription } from '../../handlers/handler.js';
import { type HandlerContext, handlerFor, inHooks, sharedOptions } from '../../handlers/kinds.js';
import { readRule } from '../../handlers/rule/spec.js';
import { sameHookKey } from '../../handlers/same-hook.js';
import type { Registration, Skip } from '../../scopes/registration.js';
import { checkOptions, type Keys } from '../../values/options.js';
import { kindOf } from '../../values/problem.js';
import { checks, FILLED, isObject, isPlain, isText, keyless, oneOf, SECONDS } from '../../values/shape.js';
import { type CallbackFunction, CallbackWork, type Work } from '../call/work.js';
import type { CallbackSpec, HookGroup } from '../types.js';

/** Marks a ready-made handler, for hooks that come from another program. */
const MADE = Symbol('made');

/** Wraps a ready-made handler, so that it can be passed where hooks are read. */
export const madeHandler = (handler: Handler): object => ({ [MADE]: handler });

const WRAPPED = Symbol('wrapped');

/** A description whose handler is wrapped by another, which gives it the input and reads its answer in another program's format. */
interface WrappedHandler {
  readonly description: HandlerDescription;
  wrap(handler: Handler): Handler;
}

/** Marks such a description, so that it can be passed where hooks are read. */
export const wrappedHandler = (wrapped: WrappedHandler): object => ({ [WRAPPED]: wrapped });

/** The part of a hook that its hash is made from: the function, or the description. */
export function whatIs(hook: unknown): unknown {
  if (!isObject(hook)) return hook;
  if (MADE in hook) return { made: (hook[MADE] as Handler).kind, name: (hook[MADE] as Handler).name };
  return WRAPPED in hook ? (hook[WRAPPED] as WrappedHandler).description : hook;
}

/** How handlers are read. */
export interface HandlerOptions {
  readonly dialect?: Dialect | undefined;
  /** What the source adds to its handlers. */
  readonly context?: HandlerContext | undefined;
  /** What the host provides to handlers outside it. */
  readonly external: ExternalServices;
  warn(message: string): void;
}

/** A handler's own options, which take precedence over its group's. */
const HANDLER = {
  handler: checks.fn,
  name: FILLED,
  if: checks.text,
  timeout: SECONDS,
  async: oneOf(true, false, 'two-phase'),
  asyncTimeout: SECONDS,
  onFailure: oneOf(...ON_FAILURE),
  once: checks.flag,
} satisfies Keys<CallbackSpec>;

/** Options that handlers and groups share. */
export interface Options extends Omit<HookGroup, 'matcher' | 'hooks'>, Omit<CallbackSpec, 'handler'> {
  readonly matcher?: unknown;
  readonly asyncRewake?: boolean;
  readonly rewakeMessage?: string;
  readonly rewakeSummary?: string;
  readonly statusMessage?: string;
}

/** A handler after it was read. */
export interface ReadHandler {
  readonly work: Work;
  readonly kind: Registration['kind'];
  readonly own: Options;
  readonly label: string | undefined;
  readonly dedup?: string | undefined;
  readonly invalid?: Skip;
  /** A rule that allows: it permits everything it matches, so it must not match when a matcher fails. */
  readonly permits?: boolean;
}

/** The types allowed in our own files and in code. */
const DESCRIBED: readonly string[] = HANDLER_KINDS.filter((kind) => kind !== 'callback');

/** A function, a function with options, or the description of something outside (`command()` or its JSON). */
export function readHandler(hook: unknown, where: string, spec: EventSpec, how: HandlerOptions): ReadHandler {
  if (typeof hook === 'function') return callback(hook as CallbackFunction, {});
  if (!isObject(hook))
    throw wrong(
      where,
      'expected a handler, { "type": "command", "command": "…" }, or in code a function, { handler: fn, … } or command(…)',
    );
  if (MADE in hook) {
    const handler = hook[MADE] as Handler;
    return { work: { handler }, kind: handler.kind, own: {}, label: handler.name };
  }
  if (WRAPPED in hook) {
    const { description, wrap } = hook[WRAPPED] as WrappedHandler;
    const { handler, options } = handlerFor(description, where, spec, how.external, how.context, DESCRIBED);
    return { work: { handler: wrap(handler) }, kind: handler.kind, own: options, label: handler.name };
  }
  if (Object.keys(hook).some(isHelperKey))
    throw wrong(where, "is an answer, not a hook: write a function that returns it, as in () => deny('why')");
  if (!('type' in hook)) {
    checkTyped(hook, where);
    checkOptions(`${where}.`, hook, HANDLER, 'INVALID_HOOKS');
    const { handler, ...own } = hook as { handler?: CallbackFunction } & Options;
    if (!handler)
      throw wrong(
        where,
        'has neither "handler" nor "type"; expected { handler: fn, … } or { type: "command", command: "…" }',
      );
    return callback(handler, own, 'handler');
  }
  if (how.dialect === 'claude') return readDescribed(hook, where, spec, how);
  if (hook['type'] === 'rule') return ruleHandler(hook, where, spec);
  const { handler, options } = handlerFor(hook, where, spec, how.external, how.context, DESCRIBED);
  return { work: { handler }, kind: handler.kind, own: options, label: handler.name };
}

/** Throws for a description without a type, and suggests the one whose keys it has. */
function checkTyped(hook: object, where: string): void {
  const likely = 'handler' in hook ? undefined : likelyKind(hook);
  if (likely === undefined) return;
  const keys = likely.keys.map((key) => `"${key}"`).join(' and ');
  throw wrong(where, `has ${keys} and no "type"; add "type": "${likely.kind}"`);
}

/** In Claude Code's files, an unknown type, or one that the event does not allow, affects that handler alone: it is listed but never runs. */
function readDescribed(hook: HandlerDescription, where: string, spec: EventSpec, how: HandlerOptions): ReadHandler {
  try {
    const { handler, options } = handlerFor(hook, where, spec, how.external, how.context, CLAUDE_KINDS);
    const { kind, name: label } = handler;
    return { work: { handler }, kind, own: options, label, dedup: sameHookKey(hook) };
  } catch (error) {
    if (!(error instanceof HookscopeError) || error.code !== 'INVALID_HOOKS') throw error;
    const { where: place, expected } = error.details as { where: string; expected: string };
    const invalid = { reason: 'invalid', why: `${place}: ${expected}` } as const;
    how.warn(`${place}: ${expected}; the hook never runs`);
    return { ...invalidHandler(hook), invalid };
  }
}

function invalidHandler(hook: HandlerDescription): ReadHandler {
  const type = String(hook['type']);
  const label = [hook['command'], hook['url'], hook['prompt'], hook['tool'], type].find(isText) as string;
  const kind = (HANDLER_KINDS as readonly string[]).includes(type) ? (type as HandlerKind) : 'unknown';
  const run = (): Promise<never> => Promise.reject(new Error(`${label} never runs`));
  return { work: { handler: { kind: 'command', name: label, run } }, kind, own: {}, label };
}

/** A rule becomes a function that always returns the same answer. Claude Code's files cannot contain rules. */
function ruleHandler(hook: HandlerDescription, where: string, event: EventSpec): ReadHandler {
  const { spec, answer, label } = inHooks(where, () => readRule(hook, event));
  const permits = spec.decision === 'allow';
  return { work: new CallbackWork(() => answer, spec), kind: 'rule', own: sharedOptions(spec), label, permits };
}

/** `key`: the property in which the function was written. A function that has only this name counts as anonymous. */
function callback(fn: CallbackFunction, own: Options, key = ''): ReadHandler {
  return {
    work: new CallbackWork(fn),
    kind: 'callback',
    own,
    label: fn.name === key ? undefined : fn.name || undefined,
  };
}

export function wrong(where: string, expected: string, near?: string): HookscopeError {
  return new HookscopeError('INVALID_HOOKS', { where, expected, nearest: near });
}

/** Throws for hooks in which no event can be read, or of which one would be passed over: only own, enumerable keys are read. */
export function checkHooks(
  hooks: unknown,
  events: Iterable<string>,
): asserts hooks is Readonly<Record<string, unknown>> {
  const got = isObject(hooks) ? keyless(hooks) : kindOf(hooks);
  if (got !== undefined)
    throw wrong('hooks', `expected an object of events, { PreToolUse: [{ hooks: [fn] }] }, got ${got}`);
  const given = hooks as object;
  if (isPlain(given)) return;
  for (const event of events)
    if (event in given && !Object.prototype.propertyIsEnumerable.call(given, event))
      throw wrong(
        event,
        'is not a key of its own, but inherited or a getter of a class, and is not read; write an object of events',
      );
}
