import { HookscopeError } from '../../errors.js';
import { nearest } from '../../values/nearest.js';

export interface ConnectFlags {
  readonly write?: true;
  readonly undo?: true;
  readonly user?: true;
  readonly project?: true;
  readonly http?: true;
  readonly port?: string;
  readonly codex?: string;
  readonly attended?: true;
  readonly hooks?: readonly string[];
  readonly config?: string;
  readonly plugin?: readonly string[];
}

/** Throws INVALID_OPTIONS for flags that do not go together. */
export function checkFlags(agent: string, flags: ConnectFlags): void {
  if (flags.user && flags.project) throw wrong('--user', 'expected without --project');
  if (flags.undo && flags.write) throw wrong('--undo', 'expected without --write: it writes by itself');
  if (flags.http && agent !== 'claude-code')
    throw wrong(
      '--http',
      'expected with claude-code alone: other agents have no hooks of this kind that are asked about tools',
    );
  if (flags.codex !== undefined && agent !== 'codex') throw wrong('--codex', 'expected with codex alone');
  if (flags.attended && agent !== 'gemini')
    throw wrong('--attended', 'expected with gemini alone: no other agent needs it');
  if (!flags.http && flags.port !== undefined) throw wrong('--port', 'expected together with --http');
}

/** A guard that is not there, or cannot be read, would block every call. */
export async function checkFiles(files: Pick<ConnectFlags, 'hooks' | 'config'>): Promise<void> {
  const { namedErrors } = await import('../host/named-problems.js');
  const [error] = await namedErrors(files);
  if (error !== undefined) throw error;
}

export function checkAgent(agent: string, agents: readonly string[], where = 'connect'): void {
  if (agents.includes(agent)) return;
  const near = nearest(agent, [...agents]);
  throw wrong(where, `"${agent}" is not an agent that can be connected; there are ${agents.join(', ')}`, near);
}

export function wrong(where: string, expected: string, near?: string): HookscopeError {
  return new HookscopeError('INVALID_OPTIONS', { where, expected, nearest: near });
}
