import type { Path } from '../files/json-file.js';
import type { HandlerDescription } from '../handlers/handler.js';
import type { Origin } from '../host/register/origin.js';
import type { Registration, Skip } from '../scopes/registration.js';
import { guardFiles } from '../trust/guard.js';
import type { CommandVariables } from '../trust/named/variables.js';
import { formatPath } from '../values/problem.js';
import { type ClaudeProblem, type Finding, problemOf } from './files/findings.js';
import type { Policy } from './files/policy.js';
import type { ClaudeGroup, ClaudeHandler } from './files/schema.js';
import type { HookFile } from './files/settings.js';
import { hookTexts, lackingIn, type SettingsVariable, sayLacking } from './files/settings-env.js';
import type { ClaudeSource } from './files/source.js';
import { claudeEnvironment, type EnvFiles, substitute } from './files/variables.js';
import type { JudgedSource } from './trust/held.js';

/** One file's hooks, ready to be registered. */
export interface PreparedHooks {
  readonly source: ClaudeSource;
  readonly hooks: Readonly<Record<string, readonly PreparedGroup[]>>;
  readonly origin: Origin;
  /** Problems with the file, and those found while registering its hooks. */
  problems(): Promise<ClaudeProblem[]>;
}

interface PreparedGroup {
  readonly matcher?: string;
  readonly hooks: readonly HandlerDescription[];
}

export interface PrepareOptions {
  readonly policy: Policy;
  /** The share of sessions in which hooks decide. Applies to all hooks except managed ones. */
  readonly enforce: boolean | number | undefined;
  /** The file that defines the same agent and takes precedence over this one. */
  readonly before: string | undefined;
  readonly envFiles: EnvFiles;
  /** The variables that settings set for sessions of Claude Code. */
  readonly env: readonly SettingsVariable[];
  /** The directory in which commands run if the input does not say. */
  readonly fallback: string;
  /** Makes the trust check for commands of a file that the user named and that needs no consent. */
  readonly checksOf:
    | ((file: string, variables: CommandVariables) => (handler: HandlerDescription) => Registration['trustCheck'])
    | undefined;
  report(message: string): void;
}

/** Prepares a file's hooks for the host: applies variables, policy, consent and the environment of Claude Code. */
export function prepareHooks(judged: JudgedSource, options: PrepareOptions): PreparedHooks {
  const { source } = judged;
  const { kind, name, plugin, file, root } = source;
  const { policy, enforce, before, fallback, report } = options;
  const variables = withConfig(source, policy);
  const whole = wholeSkip(source, before);
  const findings = new Map<string, Finding>();
  const spoilt = new WeakMap<object, Skip>();
  const originals = new WeakMap<object, ClaudeHandler>();
  const managed = kind === 'managed';

  const original = (prepared: HandlerDescription, handler: ClaudeHandler): HandlerDescription => {
    originals.set(prepared, handler);
    return prepared;
  };
  const prepare = (handler: ClaudeHandler): HandlerDescription => {
    for (const finding of lacking(handler, file, options.env))
      findings.set(JSON.stringify(finding.path) + finding.message, finding);
    let prepared: HandlerDescription = handler;
    // It never runs, so a variable without a value must not replace the reason why.
    if (judged.stateOf(handler) === 'untrusted') return original({ ...handler }, handler);
    try {
      prepared = policy.restrict({ managed, plugin }, substitute(handler, variables));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const path = file.placeOf(handler) ?? [];
      findings.set(error.message, {
        rule: 'no-value',
        level: 'warning',
        path,
        message: `${error.message}; the hook never runs`,
      });
      prepared = { ...prepared };
      spoilt.set(prepared, { reason: 'invalid', why: `${formatPath(path)} in ${file.file}: ${error.message}` });
    }
    return original(prepared, handler);
  };
  const hooks = Object.fromEntries(
    Object.entries(file.hooks).map(([event, groups]) => [
      event,
      groups.map((group) => ({ ...group, hooks: group.hooks.map(prepare) })),
    ]),
  );
  const warn = (message: string): void => {
    const { path, text } = readWarning(message, file.hooks, file.placeOf);
    findings.set(message, { rule: 'never-as-meant', level: 'warning', path, message: text });
  };
  const { held, consent } = judged;
  const why = held?.why ?? `${file.file} is not as it was accepted; see hookscope trust`;
  const never = (handler: HandlerDescription): Skip | undefined => {
    const found = originals.get(handler);
    return found && judged.stateOf(found) === 'never' ? { reason: 'trust', why: neverWhy(judged) } : undefined;
  };
  const trustCheckOf = (handler: ClaudeHandler | undefined): Registration['trustCheck'] => {
    if (!handler) return undefined;
    if (isNamed(source)) return options.checksOf?.(file.file, variables)(handler);
    if (!consent) return undefined;
    if (judged.stateOf(handler) === 'untrusted') return () => ({ file: file.file, why });
    return guardFiles(handler, consent, { file: file.file, variables, fallback });
  };
  return {
    source,
    hooks,
    origin: {
      dialect: 'claude',
      source: { kind, ...(name === undefined ? {} : { name }), file: file.file },
      plugin,
      root,
      ...(managed || enforce === undefined ? {} : { enforce }),
      family:
        plugin === undefined
          ? kind === 'agent' || kind === 'skill'
            ? file.file
            : 'settings'
          : `plugin ${variables.pluginRoot}`,
      warn,
      skip: (handler) => never(handler) ?? whole ?? policy.skip({ managed, plugin }) ?? spoilt.get(handler),
      trustCheckOf: (handler) => trustCheckOf(originals.get(handler)),
      context: {
        refuseUrl: (url) => policy.refuseUrl({ managed, plugin }, url),
        env: claudeEnvironment({ ...variables, envDir: options.envFiles, warn: report }),
      },
    },
    problems: async () => [
      ...file.problems,
      ...(await Promise.all(
        [...findings.values()]
          .filter(({ rule }) => rule !== 'settings-env' || policy.skip({ managed, plugin }) === undefined)
          .map((finding) => problemOf(finding, file)),
      )),
    ],
  };
}

/** Warnings about variables that Claude Code would pass to the hook and hookscope does not, each at the key that uses the variable. */
function lacking(handler: ClaudeHandler, file: HookFile, env: readonly SettingsVariable[]): Finding[] {
  if (env.length === 0) return [];
  return ['command', 'args', 'headers'].flatMap((key) => {
    return lackingIn(hookTexts(handler as unknown as Readonly<Record<string, unknown>>, key), env, process.env).map(
      (variable) => ({
        rule: 'settings-env',
        level: 'warning' as const,
        path: [...(file.placeOf(handler) ?? []), key],
        message: sayLacking(variable, variable.file),
      }),
    );
  });
}

/** Whether the user named the source explicitly, by itself or as part of a plugin. */
function isNamed({ kind, plugin, needsTrust }: ClaudeSource): boolean {
  return !needsTrust && (kind === 'flag' || kind === 'agent' || plugin !== undefined);
}

/** Adds the plugin's options from settings, which override those of the caller and the manifest. */
function withConfig({ variables, plugin }: ClaudeSource, policy: Policy): CommandVariables {
  if (plugin === undefined) return variables;
  return { ...variables, userConfig: { ...variables.userConfig, ...policy.configOf(plugin) } };
}

/** Why a hook was never accepted: it is new in an accepted file, or its file was not accepted. */
function neverWhy({ held, source }: JudgedSource): string {
  if (held?.state === 'never') return held.why;
  return `it is new in ${source.file.file} and not accepted; see hookscope trust`;
}

function wholeSkip({ file }: ClaudeSource, before: string | undefined): Skip | undefined {
  if (file.dropped !== undefined) return { reason: 'invalid', why: `${file.file} has an error: ${file.dropped}` };
  if (before !== undefined) return { reason: 'disabled', why: `${before} is the agent of that name` };
  return undefined;
}

/** Splits off the hook at the start of a host's warning: `PreToolUse[0].hooks[1].if: …`. */
function readWarning(
  message: string,
  hooks: Readonly<Record<string, readonly ClaudeGroup[]>>,
  placeOf: (part: ClaudeGroup | ClaudeHandler) => Path | undefined,
): { path: Path; text: string } {
  const [, event, i, j, key, text] = /^(\w+)\[(\d+)\](?:\.hooks\[(\d+)\])?(?:\.(\w+))?: (.*)$/s.exec(message) ?? [];
  if (event === undefined || text === undefined) return { path: [], text: message };
  const group = hooks[event]?.[Number(i)];
  const part = j === undefined ? group : group?.hooks[Number(j)];
  const path = (part && placeOf(part)) ?? [];
  return { path: key === undefined ? path : [...path, key], text };
}
