import type { Host } from '../../../create-host.js';
import { HookscopeError } from '../../../errors.js';
import type { CustomEvents, NoEvents } from '../../../events/catalogue.js';
import type { AgentHooks } from '../../../host/types.js';
import { checkOptions } from '../../../values/options.js';
import { checks, isObject, isText, oneOf, SECONDS, type Shape } from '../../../values/shape.js';
import type { Json } from '../peer/wire.js';
import { LISTEN, type Listen } from './listening.js';
import type { CanUseTool } from './permission.js';

/** Options of `connectClaude`. All times are seconds. */
export interface ConnectOptions<C extends CustomEvents = NoEvents> {
  /** The host whose hooks answer. */
  readonly host: Host<C>;
  /** The program: a name on the PATH, or a path; a JavaScript file is run by this Node. Default `claude`. */
  readonly executable?: string;
  /** Arguments besides those that the protocol needs: `['--model', 'opus']`. */
  readonly args?: readonly string[];
  /** Its whole environment, instead of this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder in which it runs. Default: the host's `session.cwd`, else this process's folder. */
  readonly cwd?: string;
  /** Hooks for its subagents by their exact type, each in its own scope as long as that agent lives. */
  readonly spawnHooks?: Readonly<Record<string, AgentHooks<C>>>;
  /**
   * Which events the program asks about, each a round trip: `all`, so that hooks may come at any time, or what is `needed`: to judge
   * and watch calls and agents, and where there are hooks when it is connected. Default `all`.
   */
  readonly listen?: Listen;
  /** Asks the user about a call that no rule and no PermissionRequest hook has decided. Without it the program asks no one. */
  readonly canUseTool?: CanUseTool;
  /** Aborting it ends the program. */
  readonly signal?: AbortSignal;
  /** More fields of the `initialize` request: `agents`, `appendSystemPrompt` … */
  readonly initialize?: Readonly<Record<string, unknown>>;
  /** Seconds that the program waits for the answer of all our hooks to one event. Default 600. */
  readonly timeout?: number;
  /** Seconds to wait for the program to be ready. Default 60. */
  readonly initializeTimeout?: number;
  /** Seconds that `close` waits for it to end on its own. Default 5. */
  readonly closeTimeout?: number;
  /** Called with what it writes to stderr. */
  readonly stderr?: (text: string) => void;
  /** Bytes of one message; a longer one is skipped and reported. Default 256 MiB. */
  readonly maxLine?: number;
}

/** The same, in the form that the connection needs. */
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

/** Throws INVALID_OPTIONS with the key, what was expected and the nearest right name. */
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

/** Makes it report its own hooks, which is useful but not required. */
export const TELEMETRY: readonly string[] = ['--include-hook-events'];

/** The arguments that the protocol needs, before the caller's own. */
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

/** How its first session starts, as far as the arguments show. */
export function startSource(args: readonly string[]): string {
  const names = args.map((arg) => arg.split('=')[0]);
  if (names.includes('--fork-session')) return 'fork';
  return ['--resume', '-r', '--continue', '-c'].some((name) => names.includes(name)) ? 'resume' : 'startup';
}
