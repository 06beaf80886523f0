import { basename, resolve } from 'node:path';
import { inScript, isPage, pageAround } from '../../server/page.js';
import { openStore } from '../../store/place.js';
import { periodOf } from '../history/filter.js';
import { jsonOf } from '../history/history.js';
import { maskOf } from '../history/masked.js';
import type { Flags } from '../options.js';
import { checkFree, type OutKind, openOutFile } from '../out-file.js';
import type { Terminal } from '../terminal.js';

type PageFlags = Flags<'out' | 'since' | 'until' | 'redactStored'>;

const PAGE: OutKind = { name: 'page of hookscope', option: '--out', isOurs: isPage };

/** Writes one file: the live page with the records of a store in it. */
export async function pageCommand(
  [place = '']: readonly string[],
  flags: PageFlags,
  terminal: Terminal,
): Promise<number> {
  const query = periodOf(flags);
  const mask = maskOf(flags);
  const out = resolve(flags.out ?? `${basename(place).replace(/\.(?:ndjson|jsonl|db)$/, '')}.html`);
  await checkFree(out, PAGE);
  const store = await openStore(place, { note: terminal.tell });
  let count = 0;
  try {
    const [before, after] = pageAround(basename(place));
    const file = await openOutFile(out, PAGE);
    try {
      await file.write(before);
      for await (const record of store.records(query)) {
        if (terminal.signal.aborted) return 1;
        await file.write(`${inScript(jsonOf(mask.record(record)))}\n`);
        count += 1;
      }
      await file.write(after);
      await file.finish();
    } finally {
      await file.discard();
    }
  } finally {
    await store.close();
  }
  await terminal.print(
    `${out} holds ${count} records of ${store.place}${flags.redact === false ? ', secrets as they are kept' : ''}`,
  );
  return 0;
}
