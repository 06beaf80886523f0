/** Short texts without a secret, such as names of tools and files, recur in most records and are remembered. */
const SHORT = 128;
const REMEMBERED = 4096;
/** Long texts recur at one key, such as a call's input in several records; each key's last one is remembered. */
const LONG = 16_384;
const PLACES = 128;

/** Texts in which nothing had to be masked. */
export class CleanTexts {
  readonly #short = new Set<string>();
  readonly #lastAt = new Map<string, string>();

  has(text: string): boolean {
    return text.length <= SHORT && this.#short.has(text);
  }

  add(text: string): void {
    if (text.length > SHORT) return;
    if (this.#short.size >= REMEMBERED) this.#short.clear();
    this.#short.add(text);
  }

  isLastAt(key: string, text: string): boolean {
    return this.#lastAt.get(key) === text;
  }

  addAt(key: string, text: string): void {
    if (text.length > LONG) return;
    if (this.#lastAt.size >= PLACES && !this.#lastAt.has(key)) this.#lastAt.clear();
    this.#lastAt.set(key, text);
  }
}
