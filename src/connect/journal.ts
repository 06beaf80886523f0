import { lstatSync } from 'node:fs';
import { join, sep } from 'node:path';
import { HookscopeError } from '../errors.js';
import { withLock } from '../files/file-lock.js';
import { readRegularFile } from '../files/regular-file.js';
import { replaceFile } from '../files/replace-file.js';
import { stateFolder } from '../values/user-folders.js';
import { schema, zod } from '../values/zod.js';

/** A file that was connected, and what it takes to restore it. */
export interface ConnectedFile {
  readonly agent: string;
  /** The real path of the file, after following links. */
  readonly file: string;
  /** Its path before links are followed; absent: an earlier version did not remember it. */
  readonly named?: string | undefined;
  /** Its original bytes in base64; null: there was no such file. */
  readonly before: string | null;
  /** `before` is not exact: the file already had entries of ours that no journal knew, and they were left out. */
  readonly cleaned?: boolean | undefined;
  /** SHA-256 of what was written. */
  readonly after: string;
  /** SHA-256 of the content that is about to be replaced; absent afterwards. If the file still has it, a killed command has changed nothing. */
  readonly replaces?: string | undefined;
  /** What was written, in base64, so that later changes by others can be told from it. */
  readonly written?: string | undefined;
  /** Our parts of `written`: their positions and lengths. */
  readonly added?: readonly (readonly [at: number, length: number])[] | undefined;
  /** Folders that were made for it, outermost first. */
  readonly folders: readonly string[];
  /** The commands or URLs by which its handlers are recognised. */
  readonly handlers: readonly string[];
  /** When it was connected, in ISO 8601. */
  readonly at?: string | undefined;
}

const journalSchema = schema(() =>
  zod().object({
    version: zod().literal(1),
    connections: zod().array(
      zod().object({
        agent: zod().string(),
        file: zod().string().min(1),
        named: zod().string().optional(),
        before: zod().string().nullable(),
        cleaned: zod().boolean().optional(),
        after: zod().string(),
        replaces: zod().string().optional(),
        written: zod().string().optional(),
        added: zod()
          .array(zod().tuple([zod().number(), zod().number()]))
          .optional(),
        folders: zod().array(zod().string()),
        handlers: zod().array(zod().string()),
        at: zod().string().optional(),
      }),
    ),
  }),
);

/** The files that this user has connected, so that it can be undone: `connections.json` in the user's state folder, 0600. */
export class Journal {
  readonly path: string;

  constructor(path: string = join(stateFolder(), 'connections.json')) {
    this.path = path;
  }

  /** Throws FILE if the file cannot be read, is not a journal, or could have been written by another user. */
  list(): readonly ConnectedFile[] {
    let text: string;
    try {
      checkOwn(this.path);
      text = readRegularFile(this.path).toString('utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw this.#wrong(`cannot be read: ${(error as Error).message}`, error);
    }
    try {
      return journalSchema().parse(JSON.parse(text)).connections;
    } catch (error) {
      throw this.#wrong(
        'is not what connect has written; move it away, and undo it then: hooks that connect has written are recognised',
        error,
      );
    }
  }

  find(file: string): ConnectedFile | undefined {
    return this.list().find((one) => one.file === file);
  }

  /** Replaces the entry of the same file. Throws FILE. */
  keep(connection: ConnectedFile): void {
    this.#change((kept) => [...kept.filter(({ file }) => file !== connection.file), connection]);
  }

  /** `folders`: those created for the file that still exist. They are handed on to other files in them; the last one removes them. Throws FILE. */
  forget(file: string, folders: readonly string[] = []): void {
    this.#change((kept) =>
      kept
        .filter((one) => one.file !== file)
        .map((one) => {
          const around = folders.filter((folder) => one.file.startsWith(folder + sep) && !one.folders.includes(folder));
          return around.length === 0 ? one : { ...one, folders: [...around, ...one.folders] };
        }),
    );
  }

  /** One command at a time: of two at once, one would overwrite the other's change. */
  #change(change: (kept: readonly ConnectedFile[]) => readonly ConnectedFile[]): void {
    try {
      withLock(this.path, () => {
        const connections = change(this.list());
        replaceFile(this.path, `${JSON.stringify({ version: 1, connections }, undefined, 2)}\n`, 0o600);
      });
    } catch (error) {
      if (error instanceof HookscopeError) throw error;
      throw this.#wrong(`cannot be written, so nothing was changed: ${(error as Error).message}`, error);
    }
  }

  #wrong(problem: string, cause: unknown): HookscopeError {
    return new HookscopeError('FILE', { file: this.path, problem }, { cause });
  }
}

/** The journal controls what is written where, so no other user may be able to write it. */
function checkOwn(file: string): void {
  const user = process.getuid?.();
  const { uid, mode } = lstatSync(file);
  if ((mode & 0o170000) !== 0o100000) throw new Error('it is not a regular file');
  if (user === undefined) return;
  if (uid !== user) throw new Error('it belongs to another user');
  if ((mode & 0o022) !== 0) throw new Error('other users may write it');
}
