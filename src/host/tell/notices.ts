/** How many notices are remembered, so that each is reported once per session. */
const REMEMBERED = 1_000;

/** Reports, once per session, each file whose hooks do not run because it changed after it was accepted. */
export class Notices {
  readonly #told = new Set<string>();
  readonly #known = new Set<string>();
  readonly #report: (message: string) => void;

  constructor(report: (message: string) => void) {
    this.#report = report;
  }

  /** Files already reported before any session. */
  skip(file: string): void {
    this.#known.add(file);
  }

  tell(session: unknown, file: string, why: string): void {
    if (this.#known.has(file)) return;
    const key = JSON.stringify([session, file]);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    if (this.#told.size > REMEMBERED) this.#told.delete(this.#told.values().next().value as string);
    this.#report(`untrusted: ${why}`);
  }
}
