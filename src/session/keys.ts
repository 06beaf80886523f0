import { checkKeys, type Keys, wrongOption } from '../values/options.js';
import { COUNT, checks, FILLED, isObject, isText, oneOf, SECONDS, SIGNAL } from '../values/shape.js';
import type { SessionOptions, SessionSettings, SpawnOptions } from './options.js';
import { checkMode } from './tool/modes.js';

const SETTINGS: Keys<SessionSettings> = {
  permission: checks.fn,
  ask: checks.fn,
  classify: checks.fn,
  onMessage: checks.fn,
  onPermissionUpdate: checks.fn,
  effort: checks.object,
  passThrough: checks.fn,
  maxStopContinuations: COUNT,
  watch: checks.flag,
};
const COMMON = {
  ...SETTINGS,
  hooks: true,
  plugins: checks.list,
  cwd: checks.text,
  permission_mode: true,
  model: checks.text,
  signal: SIGNAL,
} as const;

/** The options of `openSession`. */
export const SESSION: Keys<SessionOptions> = {
  ...COMMON,
  session_id: true,
  transcript_path: checks.text,
  source: checks.text,
  session_title: checks.text,
  agent_type: FILLED,
  resumed: checks.object,
  setup: oneOf('init', 'maintenance'),
  instructions: checks.list,
  endTimeout: SECONDS,
};
const SPAWN: Keys<SpawnOptions> = {
  ...COMMON,
  agent_type: FILLED,
  id: true,
  parent: { expected: 'an agent of this session, or its id', accepts: (v) => isText(v) || isObject(v) },
  agent_transcript_path: checks.text,
};

/** Checks the options of each call before anything is fired. */
export const checkSession = (options: unknown): void => {
  checkKeys(options, SESSION, 'openSession: ');
  checkEnds(options, 'openSession', ['session_id']);
  checkMode('openSession: permission_mode', (options as SessionOptions | undefined)?.permission_mode);
};
export const checkSpawn = (options: unknown): void => {
  checkKeys(options ?? null, SPAWN, 'spawn: ', 'agent_type');
  checkEnds(options, 'spawn', ['id']);
  checkMode('spawn: permission_mode', (options as SpawnOptions).permission_mode);
};

/** Refuses empty ids, which several sessions would share. */
function checkEnds(options: unknown, where: string, keys: readonly string[]): void {
  for (const key of keys) {
    const value = (options as Readonly<Record<string, unknown>> | undefined)?.[key];
    if (value === undefined || (typeof value === 'string' && value !== '')) continue;
    throw wrongOption(`${where}: ${key}`, 'expected a string that is not empty');
  }
}
