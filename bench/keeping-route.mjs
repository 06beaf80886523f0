// A bare hono route that keeps as much as `hookscope serve` does: three records of the same size for each request, written in batches to a SQLite file
// by a thread, with the same table. It judges nothing, masks nothing and checks nobody. Arguments: a folder, and a file with the three records.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const TOGETHER = 25;

if (isMainThread) {
  const [folder, samples] = process.argv.slice(2);
  const [started, response, fired] = JSON.parse(readFileSync(samples, 'utf8'));
  const thread = new Worker(new URL(import.meta.url), { workerData: { file: join(folder, 'kept.db') } });
  let seq = 0;
  let waiting = [];
  const keep = (record) => {
    if (waiting.push(record) > 1) return;
    setTimeout(() => {
      thread.postMessage(Buffer.from(JSON.stringify(waiting)));
      waiting = [];
    }, TOGETHER);
  };
  const app = new Hono();
  app.post('/hooks/:event', async (c) => {
    const input = await c.req.json();
    const time = new Date().toISOString();
    const fire_id = crypto.randomUUID();
    keep({ ...started, seq: ++seq, time, fire_id });
    keep({ ...response, seq: ++seq, time, fire_id });
    keep({ ...fired, seq: ++seq, time, fire_id, input });
    return c.json({});
  });
  serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`at :${port}`));
} else {
  const Database = createRequire(import.meta.url)('libsql');
  const file = new Database(workerData.file);
  file.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE records (id INTEGER PRIMARY KEY, host_id TEXT, seq INTEGER, last_seq INTEGER, time TEXT, at INTEGER, last_at INTEGER, type TEXT, event TEXT, session_id TEXT, agent_id TEXT,
      fire_id TEXT, tool_use_id TEXT, json TEXT, UNIQUE (host_id, seq));
    CREATE INDEX records_at ON records (at);
    CREATE INDEX records_fire ON records (fire_id) WHERE fire_id IS NOT NULL;
    CREATE INDEX records_tool_use ON records (tool_use_id) WHERE tool_use_id IS NOT NULL;
    CREATE INDEX records_session ON records (session_id, agent_id)`);
  const insert = file.prepare(
    'INSERT INTO records (host_id, seq, last_seq, time, at, last_at, type, event, session_id, agent_id, fire_id, tool_use_id, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  parentPort.on('message', (bytes) => {
    file.exec('BEGIN');
    const records = JSON.parse(Buffer.from(bytes).toString());
    // The three of a call in one row, as our sink keeps them.
    for (let i = 0; i < records.length; i += 3) {
      const { host_id, seq, time, event, hook_event, session_id, agent_id, fire_id, tool_use_id } = records[i];
      const about = [event ?? hook_event, session_id, agent_id, fire_id, tool_use_id].map((text) => text ?? null);
      const at = Date.parse(time);
      const three = JSON.stringify(records.slice(i, i + 3));
      insert.run(host_id, seq, seq + 2, time, at, at, 'system hook_fire', ...about, three);
    }
    file.exec('COMMIT');
  });
}
