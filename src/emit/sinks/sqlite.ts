import { join } from 'node:path';
import { stateFolder } from '../../values/user-folders.js';
import type { Sink } from '../sink.js';
import { recordSink, type SqliteOptions } from './sqlite/sink.js';

export type { SqliteOptions } from './sqlite/sink.js';

/**
 * Stores records in a SQLite file that only its owner can read. `hookscope history` and other readers can read it while it is written, and several
 * processes may write it. Uses Node's own SQLite if there is one (22.13 and later), else the package libsql. A file of an earlier version is
 * migrated. Records that cannot be written (a full disk, a file that is read-only) are dropped and counted, the logger reports it, and the next records are tried
 * again.
 *
 * ```ts
 * import { sqliteSink } from 'hookscope/sinks/sqlite';
 * const sink = sqliteSink('logs/hooks.db', { maxAge: 7 * 86_400 });
 * sink.attach(host.events$);
 * await sink.close();
 * ```
 * `path`: default `$XDG_STATE_HOME/hookscope/records.db`.
 * @throws HookscopeError INVALID_OPTIONS; with `durability: 'sync'` also FILE (otherwise the logger reports it and the sink is detached).
 */
export function sqliteSink(path: string = join(stateFolder(), 'records.db'), options: SqliteOptions = {}): Sink {
  return recordSink(path, options);
}
