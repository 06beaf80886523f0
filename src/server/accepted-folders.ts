import { statSync } from 'node:fs';
import { isSame, realOr } from '../trust/consent.js';
import { createTrustStore } from '../trust/store.js';
import type { NamedSet } from './named-set.js';

/**
 * Folders with a configuration that a user accepted, even if it has changed or gone since. An accepted guard counts there, even if the
 * server does not serve it.
 */
export class AcceptedFolders {
  readonly #store = createTrustStore();
  /** The configuration that the server itself serves; it is left out. */
  readonly #served: string | undefined;
  #seen: string | undefined;
  #folders: readonly string[] = [];

  constructor(served: NamedSet['config']) {
    this.#served = typeof served === 'string' ? realOr(served) : undefined;
  }

  /** Whether a folder is one of them. Throws UNTRUSTED or FILE if the consent store cannot be read. */
  has(folder: string): boolean {
    this.#look();
    return this.#folders.length > 0 && this.#folders.some((accepted) => isSame(accepted, folder));
  }

  /** Reads the store again only if its file has changed, because every call needs it. */
  #look(): void {
    const found = statSync(this.#store.path as string, { throwIfNoEntry: false });
    const now = found && `${found.ino} ${found.size} ${found.mtimeMs}`;
    if (now === this.#seen) return;
    const accepted = now === undefined ? [] : this.#store.list();
    const configs = accepted.filter(({ source, file }) => source?.kind === 'config' && file !== this.#served);
    this.#folders = configs.map(({ project }) => project);
    this.#seen = now;
  }
}
