import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type HookRecord, ndjsonSink } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { callbacks, plainLoop, preToolUse } from './recorded.js';

const PRINT = 'async (input) => { globalThis.read = JSON.stringify(input).length; }';

/** A call whose input has that many bytes of text. */
function writing(bytes: number) {
  const content = 'if (found.name === "main") console.log(1);\n'.repeat(Math.ceil(bytes / 43)).slice(0, bytes);
  return { ...preToolUse, tool_name: 'Write', tool_input: { file_path: '/home/dev/project/a.ts', content } };
}

/** A call whose input has that many small values. */
const rows = (count: number) => ({
  ...preToolUse,
  tool_name: 'Write',
  tool_input: { rows: Array.from({ length: count }, (_, i) => ({ i, s: `row ${i}` })) },
});

function printing(name: string, input: typeof preToolUse): Case {
  const candidates = (): Candidate[] => {
    const host = createHost();
    host.register({ PreToolUse: [{ hooks: callbacks(10, PRINT) }] });
    return [
      { name: 'loop', run: plainLoop(callbacks(10, PRINT), input) },
      { name: 'hookscope', run: () => host.fire('PreToolUse', input) },
    ];
  };
  return { name: `10 callbacks that print ${name}`, goal: 2.5, candidates, floor: 'loop', subject: 'hookscope' };
}

/** A fire whose records a subscriber sees and a sink writes to a file, beside no more than printing such records. */
async function written(source: string): Promise<Candidate[]> {
  Object.assign(globalThis, { hookscope: await import('hookscope') });
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-bench-'));
  process.once('exit', () => void rm(folder, { recursive: true }));
  const host = createHost();
  host.register({ PreToolUse: [{ hooks: callbacks(10, source) }] });
  const records: HookRecord[] = [];
  const first = host.events$.subscribe((record) => void records.push(record));
  await host.fire('PreToolUse', preToolUse);
  first.unsubscribe();
  host.events$.subscribe(() => undefined);
  const sink = ndjsonSink(join(folder, 'records.ndjson'), { maxBytes: 16_000_000, keep: 1 });
  sink.attach(host.events$);
  const print = (): void => {
    for (const record of records) Object.assign(globalThis, { read: JSON.stringify(record).length });
  };
  const batch = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await host.fire('PreToolUse', preToolUse);
    // What was written in another candidate's turn would be counted as its own.
    await sink.flush();
  };
  return [
    { name: 'JSON.stringify of the same records', run: print },
    { name: 'hookscope', run: () => batch(1), batch },
  ];
}

const saying = (name: string, source: string): Case => ({
  name: `a subscriber and a sink to a file, 10 ${name}`,
  goal: 1.3,
  candidates: () => written(source),
  floor: 'JSON.stringify of the same records',
  subject: 'hookscope',
  warmUp: 20,
  rounds: 30,
});

/** The input and the records as text. */
export const cases: Case[] = [
  printing('an input of 1 KB', preToolUse),
  printing('an input of 100 KB', writing(100_000) as typeof preToolUse),
  printing('20,000 rows of two values', rows(20_000) as typeof preToolUse),
  saying('silent', 'async () => undefined'),
  saying('answer allow()', "async () => hookscope.allow('reviewed')"),
];
