import { checkKeys, type Keys } from '../../events/options.js';
import { wrongOption } from '../handlers/options.js';
import type { ToolCall } from './call.js';
import type { CompactOptions } from './compact.js';
import type { SessionOptions, SessionSettings, SpawnOptions } from './options.js';
import type { PromptCommand, PromptOptions } from './prompt.js';
import type { StopOptions } from './stop-event.js';

const SETTINGS: Keys<SessionSettings> = {
  permission: true,
  ask: true,
  classify: true,
  onMessage: true,
  onPermissionUpdate: true,
  effort: true,
  maxStopContinuations: true,
  watch: true,
};
const COMMON = {
  ...SETTINGS,
  hooks: true,
  plugins: true,
  cwd: true,
  permission_mode: true,
  model: true,
  signal: true,
} as const;

const SESSION: Keys<SessionOptions> = {
  ...COMMON,
  session_id: true,
  transcript_path: true,
  source: true,
  session_title: true,
  agent_type: true,
  resumed: true,
  setup: true,
  instructions: true,
  endTimeout: true,
};
const SPAWN: Keys<SpawnOptions> = { ...COMMON, agent_type: true, id: true, parent: true, agent_transcript_path: true };
const CALL: Keys<ToolCall> = {
  name: true,
  input: true,
  id: true,
  effect: true,
  concurrent: true,
  mcp: true,
  invalid: true,
  execute: true,
  render: true,
  permission: true,
  ask: true,
  classify: true,
};
const PROMPT: Keys<PromptOptions> = { prompt_id: true, source: true, command: true };
const COMMAND: Keys<PromptCommand> = {
  expansion_type: true,
  command_name: true,
  command_args: true,
  command_source: true,
  expanded: true,
};
const STOP: Keys<StopOptions> = {
  lastMessage: true,
  backgroundTasks: true,
  sessionCrons: true,
  error: true,
  errorDetails: true,
};
const COMPACT: Keys<CompactOptions> = { trigger: true, custom_instructions: true, model: true, run: true };

/** Each call's options: what is misspelt is refused before anything is fired. */
export const checkSession = (options: unknown): void => {
  checkKeys(options, SESSION, 'openSession: ');
  checkEnds(options, 'openSession', ['session_id']);
};
export const checkSpawn = (options: unknown): void => {
  checkKeys(options ?? null, SPAWN, 'spawn: ');
  checkEnds(options, 'spawn', ['id']);
};
export const checkPrompt = (options: PromptOptions): void => {
  checkKeys(options, PROMPT, 'prompt: ');
  checkKeys(options.command, COMMAND, 'prompt: command.');
};
export const checkStop = (options: unknown): void => checkKeys(options, STOP, 'stop: ');
export const checkCompact = (options: unknown): void => checkKeys(options, COMPACT, 'compact: ');

/** A tool may be an object of a class of its own, with whatever that needs. */
export function checkToolCall(call: unknown): void {
  const own = typeof call === 'object' && call !== null && Object.getPrototypeOf(call) !== Object.prototype;
  if (!own) checkKeys(call ?? null, CALL, 'tool: ');
}

/** A session's name is its own: an empty one would be everybody's. */
function checkEnds(options: unknown, where: string, keys: readonly string[]): void {
  for (const key of keys) {
    const value = (options as Readonly<Record<string, unknown>> | undefined)?.[key];
    if (value === undefined || (typeof value === 'string' && value !== '')) continue;
    throw wrongOption(`${where}: ${key}`, 'expected a string that is not empty');
  }
}
