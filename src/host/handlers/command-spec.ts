import { HookscopeError } from '../../errors.js';
import { nearest } from '../../events/nearest.js';
import type { Call, Handler, Reply } from './handler.js';

/** Options of `command()`. All times are seconds. */
export interface CommandOptions {
  /** Given (even empty): exec form. The command is a program, started with these arguments, and no shell reads them. */
  readonly args?: readonly string[];
  /** The shell that reads the command line: a path or a name like `bash` or `powershell`. Default `/bin/sh`; false: exec form. */
  readonly shell?: boolean | string;
  /** Seconds until the hook and all it started are ended; 0 is none. Default: the group's, else 60. */
  readonly timeout?: number;
  /** Go on without it: it decides nothing, and its context comes later. `two-phase`: called first as usual, then again in the background. */
  readonly async?: boolean | 'two-phase';
  /** Seconds a background run may take; 0 is none. Default 30. What the hook itself asks for (`asyncTimeout`) goes first. */
  readonly asyncTimeout?: number;
  /** In the background, and exit 2 wakes the agent with stderr. */
  readonly asyncRewake?: boolean;
  /**
   * An object is added to the inherited environment. An array of names is an allowlist: nothing else is inherited, PATH and
   * HOME neither unless listed.
   */
  readonly env?: readonly string[] | Readonly<Record<string, string>>;
  /** Where it runs, relative to the project's directory. Default: the input's `cwd`. */
  readonly cwd?: string;
  /** Bytes of stdout, and of stderr, that are kept. More on stdout is the failure `too_large`. Default 1 MiB. */
  readonly outputLimit?: number;
  /** How records name it. Default: the command line. */
  readonly name?: string;
}

/** A shell hook as plain frozen data, what `command()` returns. */
export interface CommandSpec extends CommandOptions {
  readonly type: 'command';
  readonly command: string;
}

/** What a registration's source adds to its commands. */
export interface CommandContext {
  /** Variables added to the hook's environment. */
  readonly env?: Readonly<Record<string, string>> | ((call: Call) => Readonly<Record<string, string>>);
}

/**
 * A shell hook: the event is one line of JSON on its stdin; what it prints and its exit code are its answer.
 *
 * ```ts
 * host.register({ PreToolUse: [{ matcher: 'Bash', hooks: [command('./guard.sh', { timeout: 5 })] }] });
 * ```
 *
 * @throws HookscopeError INVALID_OPTIONS: an unknown option or one of the wrong type.
 */
export function command(line: string, options: CommandOptions = {}): CommandSpec {
  check('command', line, TEXT);
  for (const [key, value] of Object.entries(options)) {
    const rule = RULES[key as keyof CommandOptions] as Rule | undefined;
    if (!rule) throw unknownOption(key);
    if (value !== undefined) check(key, value, rule);
  }
  return Object.freeze({ type: 'command', command: line, ...copied(options) });
}

/** Whether a hook of a registration is a shell hook's description. */
export function isCommandSpec(hook: unknown): hook is CommandSpec {
  return typeof hook === 'object' && hook !== null && 'type' in hook && hook.type === 'command';
}

/** The command line as people read it. */
export function commandText(spec: CommandSpec): string {
  return [spec.command, ...(spec.args ?? [])].join(' ');
}

type Runner = typeof import('./command-run.js');
let runner: Promise<Runner> | undefined;

/** Starting programs needs a library that is slow to load: it is loaded when the first one is to be started. */
function loadRunner(): Promise<Runner> {
  runner ??= import('./command-run.js').catch((error: unknown) => {
    // Out of file descriptors, say: the next one may have more luck.
    runner = undefined;
    throw error;
  });
  return runner;
}

/** Turns the description into what the host runs. */
export function commandHandler(spec: CommandSpec, context: CommandContext = {}): Handler {
  const shell = spec.args || spec.shell === true ? undefined : spec.shell;
  return {
    kind: 'command',
    name: spec.name ?? commandText(spec),
    dedupKey: JSON.stringify(['command', spec.command, spec.args ?? null, shell ?? null]),
    async load(): Promise<void> {
      await loadRunner();
    },
    async run(call: Call): Promise<Reply> {
      const { runCommand } = await loadRunner();
      return runCommand(spec, context, call);
    },
  };
}

interface Rule {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

const TEXT: Rule = { expected: 'must be a string that is not empty', accepts: isText };
const SECONDS: Rule = { expected: 'must be seconds, 0 or more (0 is none)', accepts: (v) => isNumber(v) && v >= 0 };
const FLAG: Rule = { expected: 'must be true or false', accepts: (v) => typeof v === 'boolean' };

const RULES: Readonly<Record<keyof CommandOptions, Rule>> = {
  args: { expected: 'must be an array of strings', accepts: (v) => Array.isArray(v) && v.every(isString) },
  shell: {
    expected: 'must be true, false, or the name or path of a shell',
    accepts: (v) => FLAG.accepts(v) || isText(v),
  },
  timeout: SECONDS,
  async: { expected: "must be true, false or 'two-phase'", accepts: (v) => FLAG.accepts(v) || v === 'two-phase' },
  asyncTimeout: SECONDS,
  asyncRewake: FLAG,
  env: {
    expected: 'must be an array of variable names, or an object of strings',
    accepts: (v) => typeof v === 'object' && v !== null && Object.values(v).every(isString),
  },
  cwd: TEXT,
  outputLimit: { expected: 'must be a number of bytes over 0', accepts: (v) => isNumber(v) && v > 0 },
  name: TEXT,
};

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
function isText(value: unknown): boolean {
  return isString(value) && value.trim() !== '';
}
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function check(key: string, value: unknown, rule: Rule): void {
  if (!rule.accepts(value))
    throw new HookscopeError('INVALID_OPTIONS', { where: `command(): ${key}`, expected: rule.expected });
}

function unknownOption(key: string): HookscopeError {
  const known = Object.keys(RULES);
  const expected = `is not an option; there are ${known.join(', ')}`;
  return new HookscopeError('INVALID_OPTIONS', { where: `command(): ${key}`, expected, nearest: nearest(key, known) });
}

/** Nobody who keeps the options can change the spec through them. */
function copied({ args, env, ...rest }: CommandOptions): CommandOptions {
  const ownArgs = args && { args: Object.freeze([...args]) };
  const ownEnv = env && { env: Object.freeze(Array.isArray(env) ? [...env] : { ...env }) };
  return { ...rest, ...ownArgs, ...ownEnv };
}
