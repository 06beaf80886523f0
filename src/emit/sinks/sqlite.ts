import { join } from 'node:path';
import { stateFolder } from '../../values/state-folder.js';
import type { Sink } from '../sink.js';
import { recordSink, type SqliteOptions } from './sqlite/sink.js';

export type { SqliteOptions } from './sqlite/sink.js';

/**
 * Keeps records in a SQLite file that only its owner can read, which `hookscope history` and others read while it is written; several processes may
 * write the same one. Node's own SQLite is used where there is one (22.13 and later), else the package libsql. A file of an earlier version is
 * brought to this one. What cannot be written (a full disk) is dropped and counted, the logger is informed, and the next records are tried
 * again.
 *
 * ```ts
 * import { sqliteSink } from 'hookscope/sinks/sqlite';
 * const sink = sqliteSink('logs/hooks.db', { maxAge: 7 * 86_400 });
 * sink.attach(host.events$);
 * await sink.close();
 * ```
 * `path`: default `$XDG_STATE_HOME/hookscope/records.db`.
 * @throws HookscopeError INVALID_OPTIONS; with `durability: 'sync'` also FILE, else the logger is told and the sink is detached.
 */
export function sqliteSink(path: string = join(stateFolder(), 'records.db'), options: SqliteOptions = {}): Sink {
  return recordSink(path, options);
}
