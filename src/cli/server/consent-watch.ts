import { judgeConfigs } from '../../plugins/config-trust.js';
import { signOf } from '../../server/bound/files.js';
import { isSame } from '../../trust/consent.js';
import { createTrustStore } from '../../trust/store.js';

/** The time between two looks, in milliseconds: `SHARE` times as long as one took, but within these limits. */
const SHORTEST = 300;
const LONGEST = 5_000;
const SHARE = 50;

/**
 * Watches what was accepted in some folders (`hookscope trust`), and whether the configurations there are still as they were accepted. While
 * an acceptance is taken back nothing else counts, because a server serves no less than before unless a person starts it so.
 */
export class ConsentWatch {
  readonly #store = createTrustStore();
  readonly #tell: (text: string) => void;
  /** By folder: the files that were accepted there. */
  readonly #accepted = new Map<string, readonly string[]>();
  /** By project: the state of its configurations. */
  readonly #configs = new Map<string, string>();
  #sign: string | undefined;
  #lost: string | undefined;
  #moved = false;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  /** Watches a folder from now on. Called before what is accepted there is loaded, so that no change is missed. */
  async add(folder: string, how: { readonly configs: boolean }): Promise<void> {
    const isFirst = this.#accepted.size === 0;
    this.#sign ??= this.#signNow();
    this.#accepted.set(folder, this.#acceptedIn(folder));
    if (how.configs) this.#configs.set(folder, await this.#stateOf(folder));
    if (isFirst) this.#later(SHORTEST);
  }

  /** Whether something has changed since the last call that counts. */
  moved(): boolean {
    const moved = this.#moved && this.#lost === undefined;
    if (moved) this.#moved = false;
    return moved;
  }

  #later(wait: number): void {
    setTimeout(() => void this.#look(), wait).unref();
  }

  async #look(): Promise<void> {
    const began = performance.now();
    try {
      const sign = this.#signNow();
      if (sign !== this.#sign) {
        this.#moved = true;
        this.#seek();
      }
      this.#sign = sign;
      for (const [project, before] of this.#configs) {
        const now = await this.#stateOf(project);
        if (now !== before) this.#moved = true;
        this.#configs.set(project, now);
      }
    } catch {
      // What is accepted cannot be read, and what is served stays.
    }
    this.#later(Math.min(Math.max((performance.now() - began) * SHARE, SHORTEST), LONGEST));
  }

  /** Looks for an acceptance that was taken back. */
  #seek(): void {
    const before = this.#lost;
    this.#lost = [...this.#accepted]
      .flatMap(([folder, files]) => {
        const now = this.#acceptedIn(folder);
        return files.filter((file) => !now.includes(file));
      })
      .at(0);
    if (this.#lost !== undefined && this.#lost !== before)
      this.#tell(`${this.#lost} is accepted no more; what is served stays until the server is started again`);
  }

  #acceptedIn(folder: string): string[] {
    return this.#store.list().flatMap(({ file, project }) => (isSame(project, folder) ? [file] : []));
  }

  #signNow(): string {
    return signOf(this.#store.path as string);
  }

  /** What counts in a project, as one text. Nothing counts of what is not accepted, so its bytes do not matter. */
  async #stateOf(project: string): Promise<string> {
    const found = await judgeConfigs(project, this.#store);
    return JSON.stringify(found.map(({ file, held }) => [file, held?.state]));
  }
}
