import type { Host } from '../../../create-host.js';
import { HookscopeError } from '../../../errors.js';
import type { CustomEvents, NoEvents } from '../../../events/catalogue.js';
import type { AgentHooks } from '../../../host/types.js';
import { checkOptions } from '../../../values/options.js';
import { checks, isObject, isText, oneOf, SECONDS, type Shape } from '../../../values/shape.js';
import type { Json } from '../peer/wire.js';
import { LISTEN, type ListenMode } from './listening.js';
import type { CanUseTool } from './permission.js';

/** Options of `connectClaude`. All times are seconds. */
export interface ConnectOptions<C extends CustomEvents = NoEvents> {
  /** The host whose hooks are called. */
  readonly host: Host<C>;
  /** The program: a name on the PATH, or a path. A JavaScript file is run by the current Node. Default: `claude`. */
  readonly executable?: string;
  /** Additional arguments: `['--model', 'opus']`. Those that the protocol needs are always passed. */
  readonly args?: readonly string[];
  /** The program's whole environment, which replaces that of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program's working directory. Default: the host's `session.cwd`, else that of this process. */
  readonly cwd?: string;
  /** Hooks for subagents, by their exact type. They are registered in the scope of each such agent while it lives. */
  readonly spawnHooks?: Readonly<Record<string, AgentHooks<C>>>;
  /**
   * The events about which the program asks; each costs a round trip. `all`: hooks can be registered at any time. `needed`: only events
   * that are needed to judge and follow calls and agents, and those that have hooks when it connects. Default: `all`.
   */
  readonly listen?: ListenMode;
  /** Asks the user about a call that no rule and no PermissionRequest hook has decided. Without it, the program asks nobody. */
  readonly canUseTool?: CanUseTool;
  /** Ends the program when it is aborted. */
  readonly signal?: AbortSignal;
  /** More fields of the `initialize` request: `agents`, `appendSystemPrompt` … */
  readonly initialize?: Readonly<Record<string, unknown>>;
  /** How long the program waits for all our hooks to answer one event, in seconds. Default: 600. */
  readonly timeout?: number;
  /** How long to wait for the program to be ready, in seconds. Default: 60. */
  readonly initializeTimeout?: number;
  /** How long `close` waits for the program to end on its own, in seconds. Default: 5. */
  readonly closeTimeout?: number;
  /** Called with what the program writes to stderr. */
  readonly stderr?: (text: string) => void;
  /** The maximum size of a message in bytes. A longer one is skipped and reported. Default: 256 MiB. */
  readonly maxLine?: number;
}

/** The options in the form that the connection needs. */
export type ConnectSettings = Omit<ConnectOptions, 'host' | 'spawnHooks'> & {
  readonly spawnHooks?: Readonly<Record<string, unknown>>;
};

const WORDS = {
  expected: 'an array of strings',
  accepts: (v: unknown) => Array.isArray(v) && v.every(isText),
};

export const BYTES = {
  expected: 'a whole number of bytes over 0',
  accepts: (v: unknown) => Number.isInteger(v) && (v as number) > 0,
};

export const SIGNAL = {
  expected: 'an AbortSignal',
  accepts: (v: unknown) => v instanceof AbortSignal,
};

const SHAPE: Shape = {
  host: checks.object,
  executable: { expected: 'a string that is not empty', accepts: (v) => isText(v) && v !== '' },
  args: WORDS,
  env: { expected: 'an object of strings', accepts: (v) => isObject(v) && Object.values(v).every(isText) },
  cwd: checks.text,
  spawnHooks: { expected: 'an object of hooks by agent type', accepts: isObject },
  listen: oneOf(...LISTEN),
  canUseTool: checks.fn,
  signal: SIGNAL,
  initialize: checks.object,
  timeout: { ...SECONDS, expected: 'seconds, a number over 0', accepts: (v) => SECONDS.accepts(v) && v !== 0 },
  initializeTimeout: SECONDS,
  closeTimeout: SECONDS,
  stderr: checks.fn,
  maxLine: BYTES,
};

/** Throws INVALID_OPTIONS with the key, the expected value and the nearest known key. */
export function checkConnectOptions(options: unknown): void {
  if (!isObject(options)) {
    const expected = 'expected an object of options, { host }';
    throw new HookscopeError('INVALID_OPTIONS', { where: 'connectClaude(options)', expected });
  }
  checkOptions('connectClaude: ', options, SHAPE);
  const { initialize } = options as { initialize?: Json };
  for (const key of ['subtype', 'hooks']) {
    if (initialize && key in initialize)
      throw new HookscopeError('INVALID_OPTIONS', {
        where: `connectClaude: initialize.${key}`,
        expected: 'is said by connectClaude itself; register hooks on the host',
      });
  }
}

/** Arguments that make the program report its own hooks, which is useful but not required. */
export const TELEMETRY: readonly string[] = ['--include-hook-events'];

/** All arguments: those that the protocol needs, followed by the caller's. */
export function programArgs(options: ConnectSettings, telemetry: readonly string[]): string[] {
  const person = options.canUseTool ? ['--permission-prompt-tool', 'stdio'] : [];
  return [
    '--output-format',
    'stream-json',
    '--verbose',
    '--input-format',
    'stream-json',
    ...telemetry,
    ...person,
    ...(options.args ?? []),
  ];
}

/** The source of the first session (`startup`, `resume`), as far as the arguments tell. */
export function startSource(args: readonly string[]): string {
  const names = args.map((arg) => arg.split('=')[0]);
  if (names.includes('--fork-session')) return 'fork';
  return ['--resume', '-r', '--continue', '-c'].some((name) => names.includes(name)) ? 'resume' : 'startup';
}
