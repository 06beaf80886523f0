import { join } from 'node:path';
import type { Host } from '../../create-host.js';
import type { Sink } from '../../emit/sink.js';
import { hasSqlite } from '../../emit/sinks/sqlite/driver.js';
import type { RecordSink } from '../../emit/sinks/sqlite/sink.js';
import { servicesOf } from '../../host/internals.js';
import type { ServerPaths } from '../../server/places.js';

/** A database if SQLite is available, otherwise an NDJSON file. */
export const recordsFile = ({ state }: ServerPaths): string =>
  join(state, hasSqlite() ? 'records.db' : 'records.ndjson');

/** The sink that belongs to the file. */
export async function sinkFor(file: string, logger: (message: string) => void): Promise<Sink | RecordSink> {
  if (file.endsWith('.db')) return (await import('../../emit/sinks/sqlite/sink.js')).recordSink(file, { logger });
  return (await import('../../emit/sinks/ndjson.js')).ndjsonSink(file, { logger });
}

/** Keeps the records of a host that fires once. */
export async function keepRecords(host: Host, places: ServerPaths, logger: (message: string) => void): Promise<Sink> {
  const sink = await sinkFor(recordsFile(places), logger);
  sink.attach(servicesOf(host).bus.records);
  return sink;
}
