import { HookscopeError, isHookscopeError } from '../../errors.js';
import { nearest } from '../../values/nearest.js';
import { wrongOption } from '../../values/options.js';
import type { Flags } from '../options.js';

export type ConnectFlags = Flags<
  'write' | 'undo' | 'user' | 'project' | 'hooks' | 'config' | 'plugin' | 'attended' | 'codex' | 'http' | 'port'
>;

/** Throws INVALID_OPTIONS for flags that do not go together. */
export function checkFlags(agent: string, flags: ConnectFlags): void {
  if (flags.user && flags.project) throw wrongOption('--user', 'expected without --project');
  if (flags.undo && flags.write) throw wrongOption('--undo', 'expected without --write: it writes by itself');
  if (flags.http && agent !== 'claude-code')
    throw wrongOption(
      '--http',
      'expected with claude-code alone: other agents have no hooks of this kind that are asked about tools',
    );
  if (flags.codex !== undefined && agent !== 'codex') throw wrongOption('--codex', 'expected with codex alone');
  if (flags.attended && agent !== 'gemini')
    throw wrongOption('--attended', 'expected with gemini alone: no other agent needs it');
  if (!flags.http && flags.port !== undefined) throw wrongOption('--port', 'expected together with --http');
}

/**
 * Throws for a named file that is missing or unreadable, or has a misspelt event or one of another agent: as a guard it would block every
 * call. Warns of an event that only a configuration elsewhere may define.
 */
export async function checkFiles(
  files: Pick<ConnectFlags, 'hooks' | 'config' | 'plugin'>,
  warn: (text: string) => void,
): Promise<void> {
  const { configuresHere, namedErrors, unknownEventsIn } = await import('../host/named-problems.js');
  const [error] = await namedErrors(files);
  if (error !== undefined) throw forConnect(error);
  // A configuration or a plugin may define events.
  if (files.config !== undefined || files.plugin !== undefined) return;
  for (const file of files.hooks ?? []) {
    for (const { error: unknown, isMistake } of await unknownEventsIn(file)) {
      if (isMistake && !(await configuresHere())) throw unknown;
      warn(`warning: ${unknown.message} Where no configuration defines it, every call is denied.`);
    }
  }
}

/** The error with the command that has the options that it names; `connect` has none of them. */
function forConnect(error: unknown): unknown {
  if (!isHookscopeError(error) || error.code !== 'INVALID_CONFIG') return error;
  const { details } = error as HookscopeError<'INVALID_CONFIG'>;
  const expected = details.expected.replace(/\buse (?=--)/, 'use hookscope serve ');
  return new HookscopeError('INVALID_CONFIG', { ...details, expected });
}

export function checkAgent(agent: string, agents: readonly string[], where = 'connect'): void {
  if (agents.includes(agent)) return;
  const near = nearest(agent, [...agents]);
  throw wrongOption(where, `"${agent}" is not an agent that can be connected; there are ${agents.join(', ')}`, near);
}
