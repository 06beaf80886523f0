/** How deeply substitutions may nest whose commands are read to find their ends. */
const DEEPEST = 16;

/** A text of shell and the place up to which it is read. */
export abstract class ShellSource {
  protected readonly line: string;
  protected at = 0;
  /** How many substitutions are open around the place. */
  protected depth: number;
  /** Where each parenthesis that was read ahead closes. */
  readonly #closes = new Map<number, number>();
  /** Where each substitution ends whose commands were read. */
  readonly #ends = new Map<number, number>();

  /** `plain`: a substitution ends where its quotes and brackets do, whatever its commands are. Old shells read it so. */
  constructor(line: string, plain = false) {
    this.line = line;
    this.depth = plain ? DEEPEST : 0;
  }

  /** Reads commands up to the parenthesis that closes a substitution, or to the end of the text, and returns the place. */
  protected abstract closing(): number;

  /** Returns the text of a substitution, whose parenthesis has been read, and moves past it. */
  protected substitution(): string {
    const start = this.at;
    if (this.depth >= DEEPEST) return this.inside(')');
    this.depth++;
    const end = this.#ends.get(start) ?? this.closing();
    this.depth--;
    this.#ends.set(start, end);
    this.at = end + 1;
    return this.line.slice(start, end);
  }

  /** Returns the text between `((` and `))`, and moves past it; undefined if the parentheses are not those of arithmetic: `((a); b)`. */
  protected between(): string | undefined {
    const start = this.at;
    if (this.line[start] !== '(' || this.line[start + 1] !== '(') return undefined;
    if (!this.#closes.has(start)) {
      this.at = start + 1;
      this.inside(')');
      this.at = start;
    }
    const end = this.#closes.get(start + 1) ?? this.line.length;
    if (this.#closes.get(start) !== end + 1) return undefined;
    this.at = end + 2;
    return this.line.slice(start + 2, end);
  }

  /**
   * Returns the text up to the matching closing character and moves past it. Skips nested brackets and quotes. `quoted`: it stands in
   * double quotes, where a single one means nothing. In backquotes only a backslash means something: the next backquote ends them.
   */
  protected inside(close: string, quoted = false): string {
    const start = this.at;
    const open = [{ close, quoted, from: start - 1 }];
    while (this.at < this.line.length) {
      const at = this.at++;
      const char = this.line[at] as string;
      const top = open.at(-1) as (typeof open)[number];
      const push = (closing: string, isQuoted: boolean): void => {
        open.push({ close: closing, quoted: isQuoted, from: at });
      };
      if (char === top.close) {
        open.pop();
        if (char === ')') this.#closes.set(top.from, at);
        if (open.length === 0) return this.line.slice(start, at);
      } else if (char === '\\') this.at++;
      else if (top.close === '`') continue;
      else if (char === '$' && this.line[this.at] === '$') this.at++;
      else if (char === "'" && !top.quoted) this.at = this.find("'") + 1;
      else if (char === '"' || char === '`') push(char, char === '"');
      else if (char === '$' && this.line[this.at] === '(' && this.depth < DEEPEST) this.#expansion();
      else if (char === '(' && (top.close === ')' || this.line[at - 1] === '$')) push(')', false);
      else if (char === '{' && (top.close === '}' || this.line[at - 1] === '$')) push('}', top.quoted);
    }
    for (const { from } of open) this.#closes.set(from, this.line.length);
    return this.line.slice(start);
  }

  /** Moves past arithmetic or a substitution. */
  #expansion(): void {
    this.depth++;
    const isArithmetic = this.between() !== undefined;
    this.depth--;
    if (isArithmetic) return;
    this.at++;
    this.substitution();
  }

  /** Returns the text up to the next `'` and moves past it. */
  protected quoted(escapes: boolean): string {
    const start = this.at;
    while (this.at < this.line.length && this.line[this.at] !== "'") {
      this.at += escapes && this.line[this.at] === '\\' ? 2 : 1;
    }
    return this.line.slice(start, this.at++);
  }

  protected skipBlanks(): void {
    while (this.line[this.at] === ' ' || this.line[this.at] === '\t') this.at++;
  }

  protected find(text: string): number {
    const found = this.line.indexOf(text, this.at);
    return found === -1 ? this.line.length : found;
  }

  protected match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.line);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
}
