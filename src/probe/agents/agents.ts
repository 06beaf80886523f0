import { HookscopeError } from '../../errors.js';
import { nearest } from '../../values/nearest.js';
import type { ProbedAgent } from './agent.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { gemini } from './gemini.js';

/** Every agent that the probe can drive. */
export const PROBED: readonly ProbedAgent[] = [claudeCode, codex, copilot, gemini];

/** The agent of this name. Throws INVALID_OPTIONS with the nearest name. */
export function probedAgent(name: string): ProbedAgent {
  const agent = PROBED.find((one) => one.name === name);
  if (agent) return agent;
  const names = PROBED.map((one) => one.name);
  const expected = `expected an agent that can be driven, one of ${names.join(', ')}, got ${JSON.stringify(name)}`;
  throw new HookscopeError('INVALID_OPTIONS', { where: '--probe', expected, nearest: nearest(name, names) });
}
