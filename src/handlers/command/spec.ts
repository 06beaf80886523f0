import { checkOption, checkOptions } from '../../values/options.js';
import { checks, oneOf, SECONDS, type Shape, TEXTS } from '../../values/shape.js';
import type { ExternalCall } from '../handler.js';
import { type ExternalOptions, frozen, OUTSIDE, TEXT, TEXTS_BY_NAME } from '../options.js';

/** Options of `command()`. All times are seconds. */
export interface CommandOptions extends ExternalOptions {
  /** Exec form, even if empty: the command is a program that is started with these arguments, without a shell. */
  readonly args?: readonly string[];
  /** The shell that reads the command line: a path or a name like `bash` or `powershell`. Default `/bin/sh`; false: exec form. */
  readonly shell?: boolean | string;
  /** Seconds until the hook and everything it started are ended; 0: no limit. Default: the group's, else 60. */
  readonly timeout?: number;
  /**
   * Continues without waiting for the hook: it decides nothing, and its context is delivered later. `two-phase` first calls the hook as
   * usual, then again in the background.
   */
  readonly async?: boolean | 'two-phase';
  /** Seconds that a background run may take; 0: no limit. Default 30. An `asyncTimeout` that the hook itself prints takes precedence. */
  readonly asyncTimeout?: number;
  /** Runs in the background; exit 2 wakes the agent with its stderr. */
  readonly asyncRewake?: boolean;
  /** Text for the agent when it is woken, before the hook's stderr. */
  readonly rewakeMessage?: string;
  /** One line before `rewakeMessage`. */
  readonly rewakeSummary?: string;
  /**
   * An object is added to the inherited environment. An array of names is an allowlist of variables to inherit; even PATH and HOME
   * are inherited only if listed.
   */
  readonly env?: readonly string[] | Readonly<Record<string, string>>;
  /** The folder in which the hook runs, relative to the project's. Default: the input's `cwd`. */
  readonly cwd?: string;
  /**
   * For a hook that starts a server on purpose. The processes that it leaves behind when it has ended by itself are never ended,
   * neither by `close` nor with this process. While the hook itself runs, its timeout, an abort, `close` and the end of this process
   * end only its process group; processes that have left the group (`setsid`) live on. Let the server print to a file, because its
   * pipes break when this process ends. Default false: a timeout or abort ends everything that the hook started (on Linux also
   * processes in other groups and sessions), and `close` ends its group and descendants.
   */
  readonly keep?: boolean;
  /** The most bytes of stdout, and of stderr, that are kept. More on stdout is the failure `too_large`. Default 1 MiB. */
  readonly outputLimit?: number;
}

/** A shell hook as plain frozen data, returned by `command()`. */
export interface CommandSpec extends CommandOptions {
  readonly type: 'command';
  readonly command: string;
}

/** What a registration's source adds to its commands. */
export interface CommandContext {
  /** Variables added to the hook's environment. */
  readonly env?: Readonly<Record<string, string>> | ((call: ExternalCall) => Readonly<Record<string, string>>);
  /** Whether a first line `{ "async": true }` asks to continue without the hook. Default true; false in files of agents without this feature. */
  readonly wishes?: boolean;
}

/**
 * A shell hook. It gets the event as one line of JSON on its stdin and answers by its output and exit code.
 *
 * ```ts
 * host.register({ PreToolUse: [{ matcher: 'Bash', hooks: [command('./guard.sh', { timeout: 5, onFailure: 'block' })] }] });
 * ```
 *
 * @throws HookscopeError INVALID_OPTIONS: an unknown option or one of the wrong type.
 */
export function command(line: string, options: CommandOptions = {}): CommandSpec {
  checkOption('command(): command', line, TEXT);
  checkOptions('command(): ', options, COMMAND);
  return Object.freeze({ type: 'command', command: line, ...frozen(options) });
}

/** Whether a registration's hook is the description of a shell hook. */
export function isCommandSpec(hook: unknown): hook is CommandSpec {
  return typeof hook === 'object' && hook !== null && 'type' in hook && hook.type === 'command';
}

/** The command line for messages and records. */
export function commandText(spec: CommandSpec): string {
  return [spec.command, ...(spec.args ?? [])].join(' ');
}

export const COMMAND: Shape = {
  ...OUTSIDE,
  args: { expected: 'an array of strings', accepts: TEXTS.accepts },
  shell: {
    expected: 'true, false, or the name or path of a shell',
    accepts: (v) => typeof v === 'boolean' || TEXT.accepts(v),
  },
  async: oneOf(true, false, 'two-phase'),
  asyncTimeout: SECONDS,
  asyncRewake: checks.flag,
  rewakeMessage: TEXT,
  rewakeSummary: TEXT,
  env: {
    expected: 'an array of variable names, or an object of strings',
    accepts: (v) => TEXTS.accepts(v) || TEXTS_BY_NAME.accepts(v),
  },
  cwd: TEXT,
  keep: checks.flag,
  outputLimit: {
    expected: 'a number of bytes over 0',
    accepts: (v) => typeof v === 'number' && Number.isFinite(v) && v > 0,
  },
};
