/**
 * Where records are kept: `hookscope/sinks/sqlite`, `hookscope/sinks/ndjson` (its `ndjsonSink` is also exported by `hookscope`), and for sinks of one's own
 * `hookscope/sinks/contract`. Where they are traced: `hookscope/sinks/otel`.
 *
 * @module stores
 */

export type { SinkCase, SinkUnderTest } from '../../src/emit/sinks/contract.js';
export { SINK_CONTRACT } from '../../src/emit/sinks/contract.js';
export type { OtelOptions, OtelSink } from '../../src/emit/sinks/otel.js';
export { otelSink } from '../../src/emit/sinks/otel.js';
export type { SqliteOptions } from '../../src/emit/sinks/sqlite.js';
export { sqliteSink } from '../../src/emit/sinks/sqlite.js';
