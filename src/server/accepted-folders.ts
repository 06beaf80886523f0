import { statSync } from 'node:fs';
import { isSame, realOr } from '../trust/consent.js';
import { createTrustStore } from '../trust/store.js';
import type { NamedSet } from './named-set.js';

/**
 * Folders that have a configuration which a person accepted, whatever has become of it since. A guard that was accepted counts there also
 * when what is served does not know it.
 */
export class AcceptedFolders {
  readonly #store = createTrustStore();
  /** A configuration that is served already. */
  readonly #served: string | undefined;
  #seen: string | undefined;
  #folders: readonly string[] = [];

  constructor(served: NamedSet['config']) {
    this.#served = typeof served === 'string' ? realOr(served) : undefined;
  }

  /** Throws UNTRUSTED, FILE: what was accepted cannot be read. */
  has(folder: string): boolean {
    this.#look();
    return this.#folders.length > 0 && this.#folders.some((accepted) => isSame(accepted, folder));
  }

  /** Every call asks, so the file is read only when it is another one. */
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
