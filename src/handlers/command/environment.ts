import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { hookVariable, hookVariables } from '../../values/user-folders.js';
import type { ExternalCall } from '../handler.js';
import { markVariable } from './run-mark.js';
import type { CommandContext, CommandSpec } from './spec.js';

/**
 * The environment of a hook: the inherited variables (an empty or relative HOME is replaced with the account's), the additions of the hook and of its source, and the variables that describe
 * the call. If `env` is an array it is an allowlist, even for PATH and HOME. The marks of runs are always included.
 */
export function environment(
  spec: CommandSpec,
  context: CommandContext,
  call: ExternalCall,
  mark?: string,
): Record<string, string> {
  const { env } = spec;
  const all: NodeJS.ProcessEnv = isList(env) ? inherited(env) : hookVariables();
  // This process may itself be a hook of another agent. Its own HOOKSCOPE_CALL is not passed on.
  delete all['HOOKSCOPE_CALL'];
  if (!isList(env)) Object.assign(all, env);
  Object.assign(all, {
    CLAUDE_PROJECT_DIR: call.projectDir,
    HOOKSCOPE_EVENT: call.eventName,
    HOOKSCOPE_SCOPE: call.scope,
    HOOKSCOPE_FIRE_ID: call.fireId,
    ...call.env,
  });
  if (call.trace !== undefined) {
    all['TRACEPARENT'] = call.trace.traceparent;
    // The inherited TRACESTATE belongs to another trace.
    delete all['TRACESTATE'];
    if (call.trace.tracestate !== undefined) all['TRACESTATE'] = call.trace.tracestate;
  }
  Object.assign(all, typeof context.env === 'function' ? context.env(call) : context.env);
  if (call.call === 'async') all['HOOKSCOPE_CALL'] = 'async';
  Object.assign(all, markVariable(mark));
  return all as Record<string, string>;
}

const isList = (env: CommandSpec['env']): env is readonly string[] => Array.isArray(env);

function inherited(names: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = hookVariable(name);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

export type WorkingDirectory = { readonly cwd: string; readonly warning?: string } | { readonly problem: string };

/** The folder in which a hook runs: its own `cwd`, which must exist; else the input's, the project's or this process's, whichever exists first. */
export function workingDirectory(spec: CommandSpec, call: ExternalCall): WorkingDirectory {
  if (spec.cwd !== undefined) {
    const cwd = resolve(call.projectDir, spec.cwd);
    return isDirectory(cwd) ? { cwd } : { problem: `its cwd ${cwd} is not a directory` };
  }
  const wanted = call.input['cwd'];
  const cwd = usualDirectory(wanted, call.projectDir);
  if (wanted === undefined || wanted === '' || wanted === cwd) return { cwd };
  return { cwd, warning: `The input's cwd ${String(wanted)} is not a directory; the hook ran in ${cwd}.` };
}

/** The input's or the project's directory, whichever exists first, else this process's. */
export function usualDirectory(wanted: unknown, projectDir: string): string {
  return (
    [wanted, projectDir].find((path): path is string => typeof path === 'string' && isDirectory(path)) ?? process.cwd()
  );
}

function isDirectory(path: string): boolean {
  try {
    return path !== '' && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
  } catch {
    // Not reachable (no permission, path too long, a file in the path), which is the same as absent here.
    return false;
  }
}
