import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Host } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { callbacks, preToolUse as input } from './recorded.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What telling whoever watches adds to what is built of a file: each line as it is, and as it would be without. */
const TELLING: readonly [file: string, as: RegExp, without: string][] = [
  ['host/fire/fire.ts', /services\.bus\.observed/g, 'false'],
  ['host/fire/fire-run.ts', /watched \? new BusFireReporter\([^)]*\) : (?:undefined|void 0)/, 'undefined'],
  ['host/fire/fire-run.ts', /this\.reporter\?\.clock \?\? /, ''],
  ['host/fire/conclude.ts', /reporter\??\.ended\([^;]*;/, ''],
  ['host/call/handler-call.ts', /fire\.reporter\?\.started\([^;]*;/, 'undefined;'],
];

/** The chunk that all of them are in, each behind a comment with its name. */
const HOST = 'chunks/host.js';
const partOf = (file: string): RegExp => new RegExp(`^(.*\\n// src/${file}\\n)(.*?)((?:\\n// src/.*)?)$`, 's');

/** A host from a copy of the build. Both candidates are copies, so that neither is better known to the engine. */
async function hostOf(edits: typeof TELLING): Promise<Host> {
  const folder = await mkdtemp(`${ROOT}dist-bench-`);
  // Some of it is loaded when it is first needed.
  process.once('exit', () => rmSync(folder, { recursive: true }));
  await cp(`${ROOT}dist`, folder, { recursive: true });
  for (const [file, as, without] of edits) {
    const source = await readFile(`${folder}/${HOST}`, 'utf8');
    const [, before = '', part = '', after = ''] = partOf(file).exec(source) ?? [];
    const stripped = part.replace(as, without);
    if (stripped === part) throw new Error(`bench/telemetry.ts: ${as} is not in ${file} any more`);
    await writeFile(`${folder}/${HOST}`, before + stripped + after);
  }
  const { createHost } = (await import(pathToFileURL(`${folder}/index.js`).href)) as typeof import('hookscope');
  return createHost();
}

async function candidate(name: string, edits: typeof TELLING): Promise<Candidate> {
  const host = await hostOf(edits);
  host.register({ PreToolUse: [{ hooks: callbacks(10, 'async () => undefined') }] });
  return { name, run: () => host.fire('PreToolUse', input) };
}

export const cases: Case[] = [
  {
    name: 'nobody subscribed',
    goal: 1.1,
    candidates: () => Promise.all([candidate('no telemetry code', TELLING), candidate('nobody subscribed', [])]),
    floor: 'no telemetry code',
    subject: 'nobody subscribed',
  },
];
