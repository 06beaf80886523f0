// Write every fire to a file, one line of JSON each. The agent never waits for it.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, deny, type FireRecord, ndjsonSink } from 'hookscope';

const folder = await mkdtemp(join(tmpdir(), 'audit-'));
const file = join(folder, 'hooks.ndjson');

const host = createHost();
const sink = ndjsonSink(file, { maxBytes: 10_000_000, keep: 3 }); // hooks.ndjson.1 to .3 beside it
sink.attach(host.events$);

host.register(
  { PreToolUse: [{ matcher: 'Bash', if: 'Bash(git push*)', onFailure: 'block', hooks: [() => deny('push by hand')] }] },
  { name: 'no-push' },
);
for (const command of ['git status', 'git push --force']) {
  await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command } });
}
await host.close();
await sink.close(); // writes what still waits

const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
const records = lines.map((line) => JSON.parse(line) as FireRecord);
for (const { type, seq, decision, handlers } of records) {
  if (type !== 'hook_fire') continue;
  for (const h of handlers)
    console.log(`record ${seq}: ${h.name} ${h.status} ${h.reason ?? ''} -> ${decision.verdict}`);
}
console.log(`${lines.length} lines, ${sink.dropped} dropped, mode ${((await stat(file)).mode & 0o777).toString(8)}`);
await rm(folder, { recursive: true });
