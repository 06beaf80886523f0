import { randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginning } from '../../emit/redact/total.js';
import type { Outcome } from '../../events/output/outcome.js';
import { makeFolder } from '../../values/make-folder.js';
import { sha256 } from '../../values/sha256.js';
import { messageOf } from '../../values/waiting/promises.js';

/** The longest text that is passed on unchanged, in characters (docs/semantics.md 8). */
const LIMIT = 10_000;
const PREVIEW = 2_000;
const TEXTS = ['reason', 'stopReason', 'systemMessage', 'additionalContext'] as const;
/** The keys of an output that may hold such a text, and the objects inside it that may have these keys, too. */
const KEYS: readonly string[] = [...TEXTS, 'permissionDecisionReason', 'message'];
const HOLDERS: readonly string[] = ['hookSpecificOutput', 'decision'];

/** Saves long texts of hooks whole in files and passes on a preview with the path. The files are deleted with their session. */
export interface LargeOutput {
  shorten(outcome: Outcome, session: unknown): Outcome;
  /** One text: as it is, or its preview. */
  text(text: string, session: unknown): string;
  /** Something may have been saved. */
  readonly used: boolean;
  /** Deletes the files of a session that has ended: secrets in them are not redacted. */
  end(session: unknown): void;
  /** Deletes all files when the host closes, unless `keep` was called. */
  clear(): void;
  /**
   * From now on texts are saved below this folder and outlive the host, because an agent in another process will read them. They are deleted
   * when their session ends, or after a day.
   */
  keep(root: string): void;
}

/** Milliseconds for which the outputs of sessions that never end are kept. */
const OLD = 86_400_000;

/** Run when the process exits, for hosts that are never closed. One listener serves all hosts, because Node warns at the eleventh. */
const TO_CLEAR = new Set<() => void>();
const clearAll = (): void => {
  for (const clear of TO_CLEAR) clear();
};

function clearAtExit(clear: () => void): void {
  if (TO_CLEAR.size === 0) process.on('exit', clearAll);
  TO_CLEAR.add(clear);
}

function keepAtExit(clear: () => void): void {
  if (TO_CLEAR.delete(clear) && TO_CLEAR.size === 0) process.off('exit', clearAll);
}

/** A session's folder is made when first needed, readable by this user alone. */
export const createSpill = (report: (message: string) => void): LargeOutput => new OutputFiles(report);

/** A class, because a getter puts an object literal into dictionary mode, which is slow, and every answer passes here. */
class OutputFiles implements LargeOutput {
  readonly #folders = new Map<string, string>();
  readonly #report: (message: string) => void;
  #root: string | undefined = undefined;

  constructor(report: (message: string) => void) {
    this.#report = report;
  }

  get used(): boolean {
    return this.#root !== undefined || this.#folders.size > 0;
  }

  text(text: string, session: unknown): string {
    return text.length > LIMIT ? preview(text, this.#save(text, String(session))) : text;
  }

  shorten(outcome: Outcome, session: unknown): Outcome {
    const { reason, stopReason, systemMessage, additionalContext } = outcome;
    return isTooLong(reason) || isTooLong(stopReason) || isTooLong(systemMessage) || isTooLong(additionalContext)
      ? this.#shortened(outcome, session)
      : outcome;
  }

  #shortened(outcome: Outcome, session: unknown): Outcome {
    const previews = new Map<string, string>();
    for (const key of TEXTS) {
      const text = outcome[key];
      if (text === undefined || text.length <= LIMIT || previews.has(text)) continue;
      previews.set(text, preview(text, this.#save(text, String(session))));
    }
    const short: { -readonly [K in keyof Outcome]: Outcome[K] } = { ...outcome };
    // The output too, so that records and the agent get the texts that were used for the decision.
    short.output = replaced(outcome.output, previews);
    for (const key of TEXTS) if (outcome[key] !== undefined) short[key] = previews.get(outcome[key]) ?? outcome[key];
    return short;
  }

  end(session: unknown): void {
    const id = String(session);
    const folder = this.#root === undefined ? this.#folders.get(id) : this.#lasting(id);
    if (folder === undefined) return;
    this.#remove(folder);
    this.#folders.delete(id);
    if (this.#folders.size === 0) keepAtExit(this.clear);
  }

  readonly clear = (): void => {
    keepAtExit(this.clear);
    if (this.#root === undefined) for (const folder of this.#folders.values()) this.#remove(folder);
    this.#folders.clear();
  };

  keep(root: string): void {
    this.#root = root;
    removeOld(root, (folder) => this.#remove(folder));
  }

  #lasting(session: string): string {
    return join(this.#root as string, sha256(session).slice(0, 32));
  }

  #folderOf(session: string): string {
    const known = this.#folders.get(session);
    if (known !== undefined) return known;
    const folder = this.#root === undefined ? mkdtempSync(join(tmpdir(), 'hookscope-')) : this.#lasting(session);
    if (this.#root !== undefined) makeFolder(folder);
    // In case the host is never closed.
    if (this.#folders.size === 0) clearAtExit(this.clear);
    this.#folders.set(session, folder);
    return folder;
  }

  #save(text: string, session: string): string | undefined {
    try {
      const path = join(this.#folderOf(session), `output-${randomBytes(6).toString('hex')}.txt`);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      this.#report(`A hook's long output could not be saved: ${messageOf(error)}`);
      return undefined;
    }
  }

  #remove(folder: string): void {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      this.#report(`Hooks' long outputs could not be deleted: ${messageOf(error)}`);
    }
  }
}

/** Removes the outputs of sessions whose end was never reported. */
function removeOld(root: string, remove: (folder: string) => void): void {
  let names: string[];
  try {
    names = readdirSync(root);
  } catch {
    return;
  }
  for (const name of names) {
    const stats = lstatSync(join(root, name), { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > OLD) remove(join(root, name));
  }
}

const isTooLong = (text: string | undefined): boolean => text !== undefined && text.length > LIMIT;

type HandlerOutput = Outcome['output'];

function replaced(output: HandlerOutput, previews: ReadonlyMap<string, string>): HandlerOutput {
  const part = (key: string, value: unknown): unknown => {
    if (typeof value === 'string') return KEYS.includes(key) ? (previews.get(value) ?? value) : value;
    const holds = HOLDERS.includes(key) && typeof value === 'object' && value !== null;
    return holds ? replaced(value as HandlerOutput, previews) : value;
  };
  return Object.fromEntries(Object.entries(output).map(([key, value]) => [key, part(key, value)]));
}

function preview(text: string, path: string | undefined): string {
  const where = path ? `Full output saved to: ${path}` : 'The full output could not be saved';
  return `Output too large (${text.length} characters). ${where}\n\nPreview:\n${beginning(text, PREVIEW)}`;
}
