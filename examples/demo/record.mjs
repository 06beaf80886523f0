// Keeps the records of a recorded session: node examples/demo/record.mjs SESSION FILE
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyConfig, createHost, loadConfig, ndjsonSink } from 'hookscope';

const [session, file] = process.argv.slice(2);
const { config, hostOptions, file: from } = await loadConfig(join(import.meta.dirname, 'hookscope.config.ts'));
const host = createHost({ ...hostOptions, logger: () => undefined });
await applyConfig(host, config, { file: from });

const sink = ndjsonSink(file);
sink.attach(host.events$);
for (const line of readFileSync(session, 'utf8').trim().split('\n')) {
  const { event, input } = JSON.parse(line);
  await host.fireAny(event, input);
}
await host.close();
await sink.close();
