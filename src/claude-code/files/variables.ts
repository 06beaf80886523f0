import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ExternalCall, HandlerDescription } from '../../handlers/handler.js';
import type { CommandVariables } from '../../trust/named/variables.js';
import { makeFolder } from '../../values/make-folder.js';
import { isText } from '../../values/shape.js';

/** The `${CLAUDE_…}` variables whose values are known before a hook runs. */
const PATHS: Readonly<Record<string, (variables: CommandVariables) => string | undefined>> = {
  CLAUDE_PROJECT_DIR: (v) => v.projectDir,
  CLAUDE_PLUGIN_ROOT: (v) => v.pluginRoot,
  CLAUDE_PLUGIN_DATA: (v) => v.pluginData,
  CLAUDE_SKILL_DIR: (v) => v.skillDir,
};

/** Matches text without characters that are special to a shell, in quotes or not. */
const PLAIN = /^[\w./@+:~-]+$/;

/**
 * Replaces `${…}` in a command with values. In exec form, which uses no shell, it replaces paths and `${user_config.key}`. In shell
 * form it replaces a plugin's paths, as Claude Code does, unless the value has characters that are special to the shell. Then `${…}`
 * remains, and the shell expands it to the same value. Throws a RangeError that names the variable without a value.
 */
export function substitute(handler: HandlerDescription, variables: CommandVariables): HandlerDescription {
  if (handler['type'] !== 'command' || !isText(handler['command'])) return handler;
  const { command, args } = handler as { command: string; args?: readonly string[] };
  if (args === undefined) {
    const [config] = /\$\{user_config\.[^}]*\}/.exec(command) ?? [];
    if (config !== undefined) throw new RangeError(`${config} has a value in exec form only; give "args"`);
    const line = command.replace(/\$\{(CLAUDE_PLUGIN_\w+)\}/g, (whole, name: string) => {
      const value = PATHS[name]?.(variables);
      return value !== undefined && PLAIN.test(value) ? value : whole;
    });
    return line === command ? handler : { ...handler, command: line, name: command };
  }
  const fill = (text: string): string => fillIn(text, variables);
  const filled = { command: fill(command), args: args.map(fill) };
  const named = [command, ...args].join(' ');
  return named === [filled.command, ...filled.args].join(' ') ? handler : { ...handler, ...filled, name: named };
}

function fillIn(text: string, variables: CommandVariables): string {
  return text.replace(
    /\$\{(?:user_config\.([^}]+)|(CLAUDE_\w+))\}/g,
    (whole, key: string | undefined, name: string) => {
      if (key === undefined) return PATHS[name]?.(variables) ?? whole;
      const value = Object.hasOwn(variables.userConfig ?? {}, key) ? variables.userConfig?.[key] : undefined;
      if (value === undefined || value === null)
        throw new RangeError(`${whole} has no value: the plugin is not configured`);
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    },
  );
}

export interface EnvironmentOptions extends CommandVariables {
  /** Makes the paths for CLAUDE_ENV_FILE. */
  readonly envDir: EnvFiles;
  warn(message: string): void;
}

/** The variables that Claude Code's hooks expect, besides the inherited environment. */
export function claudeEnvironment(options: EnvironmentOptions): (call: ExternalCall) => Record<string, string> {
  const { projectDir, pluginRoot, pluginData, skillDir, userConfig, envDir, warn } = options;
  let made = false;
  return (call) => {
    const { session_id: session, effort } = call.input as { session_id?: unknown; effort?: { level?: unknown } };
    const env: Record<string, string> = {
      CLAUDE_PROJECT_DIR: projectDir,
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'hookscope',
      AI_AGENT: 'hookscope',
      CLAUDE_PID: String(process.pid),
      COREPACK_ENABLE_AUTO_PIN: '0',
      NoDefaultCurrentDirectoryInExePath: '1',
    };
    if (isText(session)) env['CLAUDE_CODE_SESSION_ID'] = session;
    if (isText(effort?.level)) env['CLAUDE_EFFORT'] = effort.level;
    if (skillDir !== undefined) env['CLAUDE_SKILL_DIR'] = skillDir;
    if (pluginRoot !== undefined) env['CLAUDE_PLUGIN_ROOT'] = pluginRoot;
    if (pluginData !== undefined) {
      env['CLAUDE_PLUGIN_DATA'] = pluginData;
      if (!made) makeForHooks(pluginData, warn);
      made = true;
    }
    for (const [key, value] of Object.entries(userConfig ?? {})) {
      if (typeof value !== 'object') env[`CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`] = String(value);
    }
    if (call.spec.claude?.envFile) env['CLAUDE_ENV_FILE'] = envDir.next(call.spec.name, String(session ?? ''));
    return env;
  };
}

/** The files that hooks get as CLAUDE_ENV_FILE, for one call of `loadClaudeCode`. */
export class EnvFiles {
  readonly #folder: string;
  readonly #warn: (message: string) => void;
  readonly #files = new Map<string, string[]>();

  constructor(folder: string, warn: (message: string) => void) {
    this.#folder = folder;
    this.#warn = warn;
  }

  /** Returns a new path for one run of a hook. Its folder exists; the hook creates the file. */
  next(event: string, session: string): string {
    const files = this.#files.get(session) ?? [];
    this.#files.set(session, files);
    const folder = join(this.#folder, session.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_') || '_');
    makeForHooks(folder, this.#warn);
    const file = join(folder, `${event.toLowerCase()}-hook-${files.length}.sh`);
    files.push(file);
    return file;
  }

  /** The files that a session's hooks have written, in the order in which the hooks started. Files that do not exist are left out, because a shell that sources one may exit. */
  of(session: string): string[] {
    return (this.#files.get(session) ?? []).filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  }
}

function makeForHooks(folder: string, warn: (message: string) => void): void {
  try {
    makeFolder(folder);
  } catch (error) {
    warn(`${folder} could not be made for hooks: ${(error as Error).message}`);
  }
}
