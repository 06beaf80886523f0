import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor/doctor.js';
import { historyCommand } from '../../src/cli/history/history.js';
import { statsCommand } from '../../src/cli/history/stats.js';
import { watchCommand } from '../../src/cli/history/watch.js';
import { whyCommand } from '../../src/cli/history/why.js';
import { pageCommand } from '../../src/cli/page/page.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { createFolder, type Folder } from '../plugins/folder.js';
import { SAMPLES } from '../store/records.js';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
/** Made by the host: a store that has another text there holds no records. */
const OURS = new Set(
  'seq time type subtype fire_id hook_id handler_id uuid event hook_event fold status kind phase level scope_kind'.split(
    ' ',
  ),
);
const FREE = new Set(
  'agent_id agent_type tool_use_id session_id scope name message reason tool_name cwd prompt_id stdout stderr output command file denied_by decided_by path ran_input judged_input tool_input host_id'.split(
    ' ',
  ),
);

/** The record with the token in its texts that a host does not choose itself. */
function filled(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return FREE.has(key) && !OURS.has(key) ? SECRET : value;
  if (Array.isArray(value)) return value.map((one) => filled(one, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, name)]));
}

const agent = { agent_id: SECRET, agent_type: SECRET, tool_use_id: SECRET };
const lines = SAMPLES.map((sample, i) => {
  const time = new Date(Date.now() - 60_000 + i).toISOString();
  const record = filled({ ...sample, ...agent, seq: i + 1, time }) as { input?: object };
  return `${JSON.stringify(record.input ? { ...record, input: { ...record.input, ...agent, note: SECRET } } : record)}\n`;
});

let folder: Folder;
let file: string;
beforeAll(() => {
  folder = createFolder();
  file = join(folder.path, 'raw.ndjson');
  writeFileSync(file, lines.join(''));
});
afterAll(() => folder.remove());

/** What a command prints, in this process. */
async function read(run: (terminal: Terminal) => Promise<unknown>, isEnough = (_: string): boolean => false) {
  const stop = new AbortController();
  let text = '';
  const add = (more: string): void => {
    text += `${more}\n`;
    if (isEnough(text)) stop.abort();
  };
  const terminal: Terminal = {
    color: false,
    live: false,
    columns: 200,
    signal: stop.signal,
    gone: false,
    print: async (more) => add(more),
    write: add,
    writeError: add,
    written: async () => {},
    tell: add,
  };
  await run(terminal);
  return text;
}

const hidden = (text: string): void => {
  expect(text.length).toBeGreaterThan(20);
  // A lane's and a column's name holds the first six characters of an id.
  expect(text).not.toContain(SECRET.slice(0, 8));
};

const COMMANDS: readonly (readonly [name: string, run: (terminal: Terminal) => Promise<unknown>])[] = [
  ['history', (terminal) => historyCommand([], { store: file }, terminal)],
  ['history --long', (terminal) => historyCommand([], { store: file, long: true }, terminal)],
  ['history --json', (terminal) => historyCommand([], { store: file, json: true }, terminal)],
  ['history --alarms', (terminal) => historyCommand([], { store: file, alarms: true }, terminal)],
  ['history --format trace', (terminal) => historyCommand([], { store: file, format: 'trace' }, terminal)],
  ['why last', (terminal) => whyCommand(['last'], { store: file }, terminal)],
  ['why last --json', (terminal) => whyCommand(['last'], { store: file, json: true }, terminal)],
  ['stats', (terminal) => statsCommand([], { store: file }, terminal)],
  ['stats --by agent', (terminal) => statsCommand([], { store: file, by: 'agent' }, terminal)],
  ['stats --by agent --json', (terminal) => statsCommand([], { store: file, by: 'agent', json: true }, terminal)],
  ['stats --by event', (terminal) => statsCommand([], { store: file, by: 'event' }, terminal)],
  ['doctor', (terminal) => doctorCommand([], { store: file }, terminal)],
  ['doctor --json', (terminal) => doctorCommand([], { store: file, json: true }, terminal)],
];

test.each(COMMANDS)('%s shows no secret of any record', async (_, run) => hidden(await read(run)));

test.each([undefined, true as const])('watch shows none, json: %s', async (json) => {
  const growing = join(folder.path, `watched${json}.ndjson`);
  writeFileSync(growing, lines[0] as string);
  // What is there when it begins is for history, and nobody says when that is.
  const writing = setInterval(() => appendFileSync(growing, lines.join('')), 100);
  const isEnough = (text: string): boolean => text.split('\n').length > 4;
  const flags = { store: growing, ...(json === undefined ? {} : { json }) };
  hidden(await read((terminal) => watchCommand([], flags, terminal), isEnough).finally(() => clearInterval(writing)));
});

test('page shows none', async () => {
  const out = join(folder.path, 'out.html');
  await read((terminal) => pageCommand([file], { out }, terminal));
  hidden(readFileSync(out, 'utf8'));
});

test('doctor masks a message before it cuts it: what says that it is a secret may stand behind the cut', async () => {
  const token = 'a1b2c3d4e5f6a7b8c9d0';
  const message = `${'x'.repeat(170)} https://${token}:x-oauth-basic@github.com/a`;
  const alarm = SAMPLES.find(({ type }) => type === 'hook_alarm');
  const store = join(folder.path, 'alarm.ndjson');
  writeFileSync(store, `${JSON.stringify({ ...alarm, seq: 1, time: new Date().toISOString(), message })}\n`);
  const text = await read((terminal) => doctorCommand([], { store }, terminal));
  expect(text).toContain('A call ran that had been denied');
  expect(text).not.toContain(token);
});
