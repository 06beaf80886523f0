import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { replaceFile } from '../files/replace-file.js';
import { textDiff } from '../files/text-diff.js';
import { sha256 } from '../values/sha256.js';
import { removeDrafts } from './drafts.js';
import { type ConnectedFile, Journal } from './journal.js';
import type { Layout } from './layout.js';
import { asWritten, isAsWritten, type OriginalFile, originalOf } from './original.js';
import { nameOf, oursIn } from './ours.js';
import { problem, readIfThere, realPath, removeEmpty, same, textOf } from './settings-file.js';
import { handlersIn, type SettingsEntry, voidOf, withEntries } from './settings-text.js';
import { withoutOurs } from './take-out.js';

export { disconnect } from './undo.js';

/** The result of connecting a file. */
export interface ConnectPlan {
  readonly file: string;
  /** As a unified diff for display. Empty: there is nothing to do. */
  readonly difference: string;
  /** Why the agent runs none of the hooks while the file is as it is, and on which line; absent: it runs them. */
  readonly void?: string;
  /** The journal has the file. If not, `write` enters it, even if there is no difference. */
  readonly isKnown: boolean;
  /** Makes the whole change, or none of it. Throws FILE. */
  write(): void;
}

interface ConnectTarget {
  readonly agent: string;
  readonly file: string;
  /** The entry that is added to the list of each event. */
  readonly entries: Readonly<Record<string, SettingsEntry>>;
  readonly layout: Layout;
}

/** The change that adds the entries to a file; earlier entries are replaced. Nothing is written yet. Rejects with FILE. */
export async function planConnect(
  { agent, file, entries, layout }: ConnectTarget,
  journal = new Journal(),
): Promise<ConnectPlan> {
  const path = realPath(file);
  const bytes = readIfThere(path);
  const text = textOf(bytes, path);
  const list = journal.list();
  const earlier = list.find((one) => one.file === path);
  const original = await foundIn({ path, named: resolve(file), text, bytes, list });
  const { text: result, added } = await withEntries(textOf(original.bytes, path), entries, layout, path);
  const next = Buffer.from(result);
  const isVoid = await voidOf(result, layout);
  return {
    file: path,
    difference: await textDiff(path, text, result),
    ...(isVoid === undefined ? {} : { void: isVoid }),
    isKnown: earlier !== undefined,
    write() {
      // Another program may have written it while the user read the difference.
      if (!same(readIfThere(path), bytes)) throw problem(path, 'it has changed in the meantime; nothing was changed');
      const folders = [...missingFolders(dirname(path)), ...(earlier?.folders ?? [])];
      const before = original.bytes === undefined ? null : original.bytes.toString('base64');
      const handlers = handlersOf(entries);
      const what = { agent, file: path, named: resolve(file), at: new Date().toISOString() };
      const was = { before, ...(original.isExact ? {} : { cleaned: true }) };
      const kept = { ...what, ...was, after: sha256(next), written: next.toString('base64'), added, folders };
      if (same(bytes, next)) return journal.keep({ ...kept, handlers });
      // The journal comes first, so that everything after it can be undone.
      const replaces = bytes && sha256(bytes);
      if (earlier !== undefined) removeDrafts(earlier);
      journal.keep({ ...kept, replaces, handlers: [...handlers, ...(earlier?.handlers ?? [])] });
      const missing = missingFolders(dirname(path));
      try {
        for (const folder of missing) mkdirSync(folder, { mode: 0o700 });
        replaceFile(path, next, bytes === undefined ? 0o600 : statSync(path).mode & 0o7777);
      } catch (error) {
        removeEmpty(missing);
        if (earlier === undefined) journal.forget(path);
        else journal.keep(earlier);
        throw problem(path, `cannot be written: ${(error as Error).message}`, error);
      }
      journal.keep({ ...kept, handlers });
    },
  };
}

interface SettingsFile {
  readonly path: string;
  readonly named: string;
  readonly text: string;
  readonly bytes: Buffer | undefined;
  readonly list: readonly ConnectedFile[];
}

/** The content before the first connection, as long as nobody else has changed the file since; else what is there, without entries of ours. */
async function foundIn({ path, named, text, bytes, list }: SettingsFile): Promise<OriginalFile> {
  if (bytes === undefined) return { bytes, isExact: true };
  const earlier = list.find((one) => one.file === path) ?? asWritten(list, bytes);
  if (earlier !== undefined && isAsWritten(earlier, bytes)) return originalOf(earlier);
  // If the name leads elsewhere by now, the file may be a changed copy of the connected one.
  const known = earlier ?? list.find((one) => one.named === named);
  const { rest, isExact } = await withoutOurs({ text, file: path, isOurs: oursIn(list) }, known);
  return { bytes: Buffer.from(rest), isExact: isExact && earlier?.cleaned !== true };
}

/** What the handlers of entries are recognised by (`nameOf`). */
export const handlersOf = (entries: ConnectTarget['entries']): string[] => [
  ...new Set(Object.values(entries).flatMap((entry) => handlersIn(entry).map(nameOf))),
];

/** The folders on the way that do not exist yet, outermost first. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder];
}
