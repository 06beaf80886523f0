import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { writeError } from '../../files/json-file.js';
import { inScript, isPage, pageAround } from '../../server/page.js';
import { openStore } from '../../store/place.js';
import { jsonOf } from '../history/history.js';
import { maskOf } from '../history/masked.js';
import type { Flags } from '../options.js';
import type { Terminal } from '../terminal.js';

type PageFlags = Flags<'out' | 'since' | 'until' | 'redactStored'>;

/** Characters that are written in one go. */
const TOGETHER = 64 * 1024;

/** The live page with the records of a store in it, as one file. */
export async function pageCommand(
  [place = '']: readonly string[],
  flags: PageFlags,
  terminal: Terminal,
): Promise<number> {
  const query = {
    ...(flags.since === undefined ? {} : { since: flags.since }),
    ...(flags.until === undefined ? {} : { until: flags.until }),
  };
  const mask = maskOf(flags);
  const out = resolve(flags.out ?? `${basename(place).replace(/\.(?:ndjson|jsonl|db)$/, '')}.html`);
  await checkFree(out);
  const store = await openStore(place, { note: terminal.tell });
  const next = `${out}.${process.pid}.tmp`;
  let count = 0;
  try {
    const [before, after] = pageAround(basename(place));
    // It contains agents' questions and answers: no other user may read it.
    const file = await open(next, 'wx', 0o600).catch((cause: unknown) => {
      throw writeError(out, cause);
    });
    try {
      let waiting = before;
      for await (const record of store.records(query)) {
        if (terminal.signal.aborted) return 1;
        waiting += `${inScript(jsonOf(mask.record(record)))}\n`;
        count += 1;
        if (waiting.length > TOGETHER) waiting = await written(file, waiting);
      }
      await written(file, waiting + after);
    } finally {
      await file.close();
    }
    await rename(next, out);
  } finally {
    await rm(next, { force: true });
    await store.close();
  }
  await terminal.print(
    `${out} holds ${count} records of ${store.place}${flags.redact === false ? ', secrets as they are kept' : ''}`,
  );
  return 0;
}

async function written(file: FileHandle, text: string): Promise<string> {
  await file.writeFile(text);
  return '';
}

/** One of our pages may be overwritten; any other file may not. */
async function checkFree(out: string): Promise<void> {
  const file = await open(out, 'r').catch((error: NodeJS.ErrnoException) => error);
  // A file that cannot be read still exists.
  if (file instanceof Error) {
    if (file.code === 'ENOENT') return;
    throw taken(out);
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    if (isPage(buffer.toString('utf8', 0, bytesRead))) return;
  } catch {
    // A folder, so not one of our pages.
  } finally {
    await file.close();
  }
  throw taken(out);
}

function taken(file: string): HookscopeError {
  return new HookscopeError('FILE', {
    file,
    problem: 'is there, and is no page of hookscope; name another file with --out',
  });
}
