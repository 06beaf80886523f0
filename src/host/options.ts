import type { Tracing } from '../emit/tracing.js';
import { HookscopeError, isHookscopeError } from '../errors.js';
import type { CustomEvents, HookEvent, NoEvents } from '../events/catalogue.js';
import { ON_FAILURE, type OnFailure } from '../events/failure.js';
import { EXTERNAL_OPTIONS, type ExternalHostOptions } from '../handlers/external.js';
import { checkMcpServers } from '../handlers/mcp/server-options.js';
import { checkKeys, checkOptions, checkPlain, type Keys } from '../values/options.js';
import {
  COUNT,
  checks,
  FILLED,
  isObject,
  isText,
  KEYED,
  type OptionCheck,
  oneOf,
  SECONDS,
  type Shape,
  SIGNAL,
  show,
} from '../values/shape.js';
import { messageOf } from '../values/waiting/promises.js';
import type { HookAlarm } from './alarms/alarms.js';
import type { SessionFields } from './fire/input.js';
import type { UseOptions } from './plugin-types.js';
import type { RegisterOptions, Wake } from './types.js';

/** Options of `createHost`. All times are seconds. */
export interface HostOptions<C extends CustomEvents = NoEvents> extends ExternalHostOptions {
  /** Fields that are filled into every fire's input where they are missing. Default: a new session id, no transcript, the process's directory. */
  readonly session?: SessionFields;
  /** Seconds that a handler may take if neither it nor its group sets a timeout; 0: no limit. Default 60. */
  readonly timeout?: number;
  /** Seconds that `close` waits for hooks that are still running. Default 5. */
  readonly closeTimeout?: number;
  /** The effect of a handler's failure (docs/failures.md). Default `continue`: it is reported, and the other hooks decide. */
  readonly onFailure?: OnFailure;
  /** `lineage` (default): one agent's hooks never run for another's calls. `all`: the hooks of the host and of every open scope run. */
  readonly merge?: 'lineage' | 'all';
  /** How several verdicts on a gate become one: the strictest (default), or the first or last in order. */
  readonly decisions?: 'strictest' | 'first' | 'last';
  /** `group`: a group's timeout is shared by its handlers. Default `handler`. */
  readonly timeoutFor?: 'handler' | 'group';
  /** How many times in a row Stop hooks may keep a session's loop going before it ends. Default 8. */
  readonly maxStopContinuations?: number;
  /** Seconds after which a handler is reported as slow. Default: handlers are not timed. */
  readonly slowAfter?: number;
  /** Largest input, in bytes of JSON, for hooks outside the process; a larger one is refused (docs/semantics.md 8). Default 64 MiB. */
  readonly maxInputBytes?: number;
  /** Events of your own, made with `defineEvent`. */
  readonly events?: C & { readonly [Name in HookEvent]?: never };
  /** Gets every failure and warning, with or without subscribers. For those of a hook, `detail` is `{ event, hook }`. Default: `process.emitWarning`. */
  readonly logger?: (message: string, detail?: unknown) => void;
  /** Called when what ran differs from what was decided: `not_honoured`, `other_input`, `unasked` (docs/semantics.md 13). Not awaited. */
  readonly onAlarm?: (alarm: HookAlarm) => void;
  /** Makes trace spans while the host works: `otelSink()` of hookscope/sinks/otel. `close` flushes it; you close it yourself. */
  readonly tracing?: Tracing;
  /** Called when a background hook wants the agent to be woken (`asyncRewake`). */
  readonly onWake?: (wake: Wake) => void;
}

const SHAPE = {
  session: KEYED,
  timeout: SECONDS,
  closeTimeout: SECONDS,
  onFailure: oneOf(...ON_FAILURE),
  merge: oneOf('lineage', 'all'),
  decisions: oneOf('strictest', 'first', 'last'),
  timeoutFor: oneOf('handler', 'group'),
  maxStopContinuations: COUNT,
  slowAfter: SECONDS,
  maxInputBytes: {
    expected: 'a whole number of bytes over 0',
    accepts: (v) => Number.isInteger(v) && (v as number) > 0,
  },
  events: KEYED,
  logger: checks.fn,
  onWake: checks.fn,
  onAlarm: checks.fn,
  tracing: {
    expected: 'what otelSink() returned, or an object with begin, attach and flush',
    accepts: (v) => isObject(v) && ['begin', 'attach', 'flush'].every((key) => typeof v[key] === 'function'),
  },
  ...EXTERNAL_OPTIONS,
} satisfies Keys<HostOptions>;

const SESSION: Keys<SessionFields> = {
  session_id: FILLED,
  transcript_path: checks.text,
  cwd: checks.text,
  permission_mode: checks.text,
};

/** The names of the options. */
export const HOST_OPTIONS: readonly string[] = Object.keys(SHAPE);

/** Throws INVALID_OPTIONS with the key, what was expected, and the nearest right name. */
export function checkHostOptions(options: object): void {
  if (!isObject(options)) {
    throw new HookscopeError('INVALID_OPTIONS', {
      where: 'createHost(options)',
      expected: 'expected an object of options',
    });
  }
  checkPlain(options, 'createHost(options)', SHAPE);
  checkOptions('', options, SHAPE);
  const { session } = options as { session?: Readonly<Record<string, unknown>> };
  if (session) checkOptions('session.', session, SESSION);
  const { mcpServers } = options as HostOptions;
  if (mcpServers) checkMcpServers(mcpServers);
}

/** The values that `enforce` accepts. */
export const ENFORCE: OptionCheck = {
  expected: 'true, false, or the share of sessions from 0 to 1',
  accepts: (v) => typeof v === 'boolean' || (typeof v === 'number' && v >= 0 && v <= 1),
};

const REGISTER: Keys<RegisterOptions> = {
  enforce: ENFORCE,
  name: FILLED,
  onFailure: SHAPE.onFailure,
  timeoutFor: SHAPE.timeoutFor,
  source: checks.object,
};

/** Checks the options of `register`. */
export function checkRegisterOptions<Options extends RegisterOptions>(
  options: Options | undefined,
  where: string,
  more: Readonly<Record<string, true>> = {},
): Options | undefined {
  if (options !== undefined) checkKeys(options, { ...REGISTER, ...more }, `${where}: `);
  return options;
}

const USE: Keys<UseOptions> = {
  enforce: ENFORCE,
  name: FILLED,
};

/** Checks how a plugin is used, apart from its own options. */
export const checkUseOptions = (options: unknown): void => checkKeys(options, USE, 'use: ');

/** Throws INVALID_OPTIONS for a malformed scope, which would name another one. `{}` is allowed: the session that is meant where none is named. */
export function checkScopeRef(ref: unknown, where: string): void {
  if (isObject(ref)) checkKeys(ref, { session: true, agent: true }, `${where}: `);
  if (isScopeRef(ref) || (isObject(ref) && Object.values(ref).every((v) => v === undefined))) return;
  const expected = `expected an agent's id, or { session, agent }, none of them empty, got ${show(ref)}`;
  throw new HookscopeError('INVALID_OPTIONS', { where, expected });
}

const FIRE: Shape = {
  scope: { expected: "an agent's id, or { session, agent }", accepts: isScopeRef },
  canAsk: checks.flag,
  signal: SIGNAL,
};

/** Throws INVALID_OPTIONS for a misspelt option, with which the fire would use another scope than was meant. */
export function checkFireOptions(options: object): void {
  const where = 'fire(…, options)';
  try {
    if (!isObject(options))
      throw new HookscopeError('INVALID_OPTIONS', { where, expected: 'expected an object of options' });
    checkPlain(options, where, FIRE);
    checkEach(options);
  } catch (error) {
    if (isHookscopeError(error)) throw error;
    throw new HookscopeError(
      'INVALID_OPTIONS',
      { where, expected: `cannot be read: ${messageOf(error)}` },
      { cause: error },
    );
  }
}

function checkEach(options: object): void {
  const { scope } = options as { scope?: unknown };
  if (isObject(scope)) checkKeys(scope, { session: true, agent: true }, 'fire: scope: ');
  checkOptions('fire: ', options, FIRE);
}

function isScopeRef(value: unknown): boolean {
  if (!isObject(value)) return typeof value === 'string' && value !== '';
  const named = Object.entries(value).every(
    ([key, v]) => ['session', 'agent'].includes(key) && (v === undefined || (isText(v) && v !== '')),
  );
  return named && Object.keys(value).length > 0;
}
