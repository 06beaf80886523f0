import { checkKeys, type Keys, wrongOption } from '../values/options.js';
import type { SessionOptions, SessionSettings, SpawnOptions } from './options.js';

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

/** Each call's options: what is misspelt is refused before anything is fired. */
export const checkSession = (options: unknown): void => {
  checkKeys(options, SESSION, 'openSession: ');
  checkEnds(options, 'openSession', ['session_id']);
};
export const checkSpawn = (options: unknown): void => {
  checkKeys(options ?? null, SPAWN, 'spawn: ');
  checkEnds(options, 'spawn', ['id']);
};

/** A session's name is its own: an empty one would be everybody's. */
function checkEnds(options: unknown, where: string, keys: readonly string[]): void {
  for (const key of keys) {
    const value = (options as Readonly<Record<string, unknown>> | undefined)?.[key];
    if (value === undefined || (typeof value === 'string' && value !== '')) continue;
    throw wrongOption(`${where}: ${key}`, 'expected a string that is not empty');
  }
}
