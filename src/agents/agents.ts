import { HookscopeError } from '../errors.js';
import { nearest } from '../values/nearest.js';
import { show } from '../values/shape.js';
import type { Codec } from './codec.js';
import { codecOf } from './make-codec.js';
import type { AgentTable } from './table.js';
import { claudeCode } from './tables/claude-code.js';
import { codex } from './tables/codex.js';
import { copilot } from './tables/copilot.js';
import { cursor } from './tables/cursor.js';
import { gemini } from './tables/gemini.js';

/** Every agent whose protocol is known, in the order in which they are listed. */
export const TABLES: readonly AgentTable[] = [claudeCode, codex, copilot, gemini, cursor];

const codecs = new Map(TABLES.map((table) => [table.name, codecOf(table)]));

/** The names that `agentCodec` knows: `claude-code`, `codex`, `copilot`, `gemini`, `cursor`. */
export const AGENT_NAMES: readonly string[] = Object.freeze([...codecs.keys()]);

/** Agents with events of their own. Claude Code is left out: its events are ours, and reading its rows would build their schemas too early. */
export const WITH_OWN_EVENTS: readonly string[] = AGENT_NAMES.filter((name) => name !== claudeCode.name);

/** The codec of an agent. An unknown name is INVALID_OPTIONS with the nearest one. */
export function agentCodec(name: string): Codec {
  const codec = codecs.get(name);
  if (codec) return codec;
  const expected = `expected the name of an agent, one of ${AGENT_NAMES.join(', ')}, got ${show(name)}`;
  throw new HookscopeError('INVALID_OPTIONS', { where: 'agent', expected, nearest: nearest(name, [...AGENT_NAMES]) });
}

/** The agents that have an event of this name. */
export const agentsWith = (event: string): readonly string[] =>
  TABLES.filter(({ events }) => events.some(({ name }) => name === event)).map(({ name }) => name);
