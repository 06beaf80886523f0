import { checkOption, checkOptions } from '../../values/options.js';
import { checks, isText, oneOf, SECONDS, type Shape } from '../../values/shape.js';
import type { ExternalCall } from '../handler.js';
import { type ExternalOptions, frozen, OUTSIDE, TEXT } from '../options.js';

/** Options of `command()`. All times are seconds. */
export interface CommandOptions extends ExternalOptions {
  /** Given (even empty): exec form. The command is a program, started with these arguments, and no shell reads them. */
  readonly args?: readonly string[];
  /** The shell that reads the command line: a path or a name like `bash` or `powershell`. Default `/bin/sh`; false: exec form. */
  readonly shell?: boolean | string;
  /** Seconds until the hook and everything it started are ended; 0: no limit. Default: the group's, else 60. */
  readonly timeout?: number;
  /** Go on without it: it decides nothing, and its context comes later. `two-phase`: called first as usual, then again in the background. */
  readonly async?: boolean | 'two-phase';
  /** Seconds a background run may take; 0: no limit. Default 30. A limit that the hook itself asks for (`asyncTimeout`) takes precedence. */
  readonly asyncTimeout?: number;
  /** Runs in the background; exit 2 wakes the agent with its stderr. */
  readonly asyncRewake?: boolean;
  /** Text for the agent that is woken, before the hook's stderr. */
  readonly rewakeMessage?: string;
  /** One line before all that. */
  readonly rewakeSummary?: string;
  /**
   * An object is added to the inherited environment. An array of names is an allowlist: nothing else is inherited, PATH and
   * HOME neither unless listed.
   */
  readonly env?: readonly string[] | Readonly<Record<string, string>>;
  /** The folder in which it runs, relative to the project's. Default: the input's `cwd`. */
  readonly cwd?: string;
  /**
   * For a hook that starts a server on purpose. What it leaves behind when it has ended by itself is ended by nobody: not by
   * `close`, not with this process. While the hook itself runs, its timeout, an abort, `close` and the end of this process
   * end its process group and nothing else: what has left that (`setsid`) lives on. Let the server print to a file: pipes break
   * with this process. Default false: a timeout or abort ends all that the hook started (on Linux also what has its own group or session),
   * `close` its group and descendants.
   */
  readonly keep?: boolean;
  /** Bytes of stdout, and of stderr, that are kept. More on stdout is the failure `too_large`. Default 1 MiB. */
  readonly outputLimit?: number;
}

/** A shell hook as plain frozen data, what `command()` returns. */
export interface CommandSpec extends CommandOptions {
  readonly type: 'command';
  readonly command: string;
}

/** What a registration's source adds to its commands. */
export interface CommandContext {
  /** Variables added to the hook's environment. */
  readonly env?: Readonly<Record<string, string>> | ((call: ExternalCall) => Readonly<Record<string, string>>);
  /** Whether a first line `{ "async": true }` asks to continue without the hook. Default true; not in the files of agents that know no such word. */
  readonly wishes?: boolean;
}

/**
 * A shell hook: the event is one line of JSON on its stdin; what it prints and its exit code are its answer.
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

/** Whether a hook of a registration is a shell hook's description. */
export function isCommandSpec(hook: unknown): hook is CommandSpec {
  return typeof hook === 'object' && hook !== null && 'type' in hook && hook.type === 'command';
}

/** The command line as people read it. */
export function commandText(spec: CommandSpec): string {
  return [spec.command, ...(spec.args ?? [])].join(' ');
}

export const COMMAND: Shape = {
  ...OUTSIDE,
  args: { expected: 'an array of strings', accepts: (v) => Array.isArray(v) && v.every(isText) },
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
    accepts: (v) => typeof v === 'object' && v !== null && Object.values(v).every(isText),
  },
  cwd: TEXT,
  keep: checks.flag,
  outputLimit: {
    expected: 'a number of bytes over 0',
    accepts: (v) => typeof v === 'number' && Number.isFinite(v) && v > 0,
  },
};
