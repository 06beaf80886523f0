import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import { withLock } from '../files/file-lock.js';
import { replaceFile } from '../files/replace-file.js';
import { configHome } from '../values/user-folders.js';
import { schema, zod } from '../values/zod.js';
import { type Consent, consentSchema, replaces } from './consent.js';

/** Version 1 did not store the kind of a file and whom its hooks are for. */
const storeSchema = schema(() =>
  zod().object({
    version: zod().union([zod().literal(1), zod().literal(2)]),
    accepted: zod().array(consentSchema()),
  }),
);

/** Stores consent. Your own store may use any place to which projects cannot write. */
export interface TrustStore {
  /** The store's file, if it uses one. It must not be inside a project. */
  readonly path?: string;
  /** All consents for a hook file, newest first. */
  accepted(file: string): readonly Consent[];
  /** All consents, newest last. */
  list(): readonly Consent[];
  /** Stores consent and replaces any earlier one for the same file in the same project. Throws UNTRUSTED if that project could write to the store. */
  accept(consent: Consent): void;
  /** Removes all consents for a file. Returns false if there were none. */
  revoke(file: string): boolean;
}

/** The default file: `$XDG_CONFIG_HOME/hookscope/trust.json`, else under `~/.config`. */
export function defaultTrustFile(): string {
  return join(configHome(), 'hookscope', 'trust.json');
}

/**
 * A store in a JSON file that only its owner may read and write.
 * @throws HookscopeError FILE: the file cannot be read or written; UNTRUSTED: others may have written it
 */
export function createTrustStore(path: string = defaultTrustFile()): TrustStore {
  if (typeof path !== 'string' || path === '') {
    throw new HookscopeError('INVALID_OPTIONS', { where: 'createTrustStore', expected: 'expected the path of a file' });
  }
  const file = resolve(path);
  const read = (): Consent[] => readStore(file);
  return {
    path: file,
    accepted: (of) =>
      read()
        .filter((consent) => consent.file === of)
        .reverse(),
    list: read,
    accept(consent) {
      checkOutside(file, consent.project);
      const checked = consentSchema().parse(consent);
      change(file, (all) => [...all.filter((other) => !replaces(consent, other)), checked]);
    },
    revoke(of) {
      // Nothing is written where nothing may be.
      if (read().every((consent) => consent.file !== of)) return false;
      change(file, (all) => all.filter((consent) => consent.file !== of));
      return true;
    },
  };
}

/**
 * Throws UNTRUSTED if the store is inside the project, which could then write its own consent. A project that contains the user's home folder is allowed,
 * since it always contains the store. The home comes from the account, not from HOME, which a project may have set.
 */
export function checkOutside(path: string, projectDir: string): void {
  const project = realOf(projectDir);
  const within = (place: string): boolean => {
    const way = relative(project, realOf(place));
    return way === '' || !(way.startsWith('..') || isAbsolute(way));
  };
  const home = accountHome();
  if (within(path) && !(home !== undefined && within(home))) {
    throw new HookscopeError('UNTRUSTED', {
      file: path,
      why: `it lies in the project ${projectDir}, which could change it`,
      remedy: 'Set XDG_CONFIG_HOME to a folder outside of the project',
    });
  }
}

/** The home folder in the system's account database; undefined if the account is not in it. */
function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

function realOf(path: string): string {
  for (let at = resolve(path), rest = ''; ; rest = join(at.slice(dirname(at).length), rest), at = dirname(at)) {
    try {
      return join(realpathSync(at), rest);
    } catch (error) {
      if (at === dirname(at)) throw error;
    }
  }
}

function readStore(file: string): Consent[] {
  let text: string;
  try {
    checkOwner(file);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    if (error instanceof HookscopeError) throw error;
    throw new HookscopeError(
      'FILE',
      { file, problem: `consent cannot be read: ${(error as Error).message}` },
      { cause: error },
    );
  }
  try {
    return storeSchema().parse(JSON.parse(text)).accepted;
  } catch (error) {
    throw new HookscopeError(
      'FILE',
      { file, problem: 'is not a consent file; move it away and accept again' },
      { cause: error },
    );
  }
}

/** Throws UNTRUSTED if anyone else can write to the file, since they could decide what is trusted. */
function checkOwner(file: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const { uid, mode } = lstatSync(file);
  const refuse = (why: string, remedy: string): HookscopeError =>
    new HookscopeError('UNTRUSTED', { file, why, remedy });
  const again = 'Move it away, and accept again (hookscope trust)';
  if (uid !== user) throw refuse('it belongs to another user', again);
  if ((mode & 0o170000) !== 0o100000) throw refuse('it is not a regular file', again);
  if ((mode & 0o022) !== 0)
    throw refuse('it may be written by other users', `${again}, or look it through and chmod 600`);
}

/** Reads the file and replaces it atomically, one process at a time: of two at once, one would overwrite what the other has accepted. */
function change(file: string, of: (all: readonly Consent[]) => readonly Consent[]): void {
  try {
    withLock(file, () => {
      const accepted = of(readStore(file));
      replaceFile(file, `${JSON.stringify({ version: 2, accepted }, undefined, 2)}\n`, 0o600);
    });
  } catch (error) {
    if (error instanceof HookscopeError) throw error;
    throw new HookscopeError(
      'FILE',
      { file, problem: `consent cannot be written: ${(error as Error).message}` },
      { cause: error },
    );
  }
}
