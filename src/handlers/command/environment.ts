import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ExternalCall } from '../handler.js';
import { markVariable } from './run-mark.js';
import type { CommandContext, CommandSpec } from './spec.js';

/**
 * What a hook finds in its environment: what it may inherit, its own additions, those of its source, and where it runs.
 * An array of names is an allowlist: PATH and HOME too are inherited only if listed. The marks of runs are in it whatever else is.
 */
export function environment(
  spec: CommandSpec,
  context: CommandContext,
  call: ExternalCall,
  mark?: string,
): Record<string, string> {
  const { env } = spec;
  const all: NodeJS.ProcessEnv = { ...(isList(env) ? inherited(env) : process.env) };
  // Ours may be an agent that runs as another's hook: what it was told does not go further.
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
    // It belongs to another trace.
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
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

export type WorkingDirectory = { readonly cwd: string; readonly warning?: string } | { readonly problem: string };

/** The folder in which a hook runs: its own `cwd`, which must exist; else the input's, the project's or ours, whichever exists first. */
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

/** The first that is a directory: the input's, the project's, ours. */
export function usualDirectory(wanted: unknown, projectDir: string): string {
  return (
    [wanted, projectDir].find((path): path is string => typeof path === 'string' && isDirectory(path)) ?? process.cwd()
  );
}

function isDirectory(path: string): boolean {
  try {
    return path !== '' && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
  } catch {
    // Not reachable (no right to enter, too long, a file on the way): for a hook that is as good as absent.
    return false;
  }
}
