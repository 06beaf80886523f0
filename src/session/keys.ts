import { checkKeys, type Keys, wrongOption } from '../values/options.js';
import { COUNT, isObject, isText, oneOf, rules, SECONDS, SIGNAL } from '../values/shape.js';
import type { SessionOptions, SessionSettings, SpawnOptions } from './options.js';

const SETTINGS: Keys<SessionSettings> = {
  permission: rules.fn,
  ask: rules.fn,
  classify: rules.fn,
  onMessage: rules.fn,
  onPermissionUpdate: rules.fn,
  effort: rules.object,
  maxStopContinuations: COUNT,
  watch: rules.flag,
};
const COMMON = {
  ...SETTINGS,
  hooks: true,
  plugins: rules.list,
  cwd: rules.text,
  permission_mode: rules.text,
  model: rules.text,
  signal: SIGNAL,
} as const;

const SESSION: Keys<SessionOptions> = {
  ...COMMON,
  session_id: true,
  transcript_path: rules.text,
  source: rules.text,
  session_title: rules.text,
  agent_type: rules.text,
  resumed: rules.object,
  setup: oneOf('init', 'maintenance'),
  instructions: rules.list,
  endTimeout: SECONDS,
};
const SPAWN: Keys<SpawnOptions> = {
  ...COMMON,
  agent_type: rules.text,
  id: true,
  parent: { expected: 'an agent of this session, or its id', accepts: (v) => isText(v) || isObject(v) },
  agent_transcript_path: rules.text,
};

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
