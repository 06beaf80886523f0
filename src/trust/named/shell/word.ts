/** A part of a word: literal text, or an expression that the shell expands. */
export type WordPart =
  | string
  /** The text inside `${…}`, or the name after `$`. */
  | { readonly kind: 'variable'; readonly source: string }
  /** `$(…)`, backticks, `<(…)`. */
  | { readonly kind: 'command'; readonly line: string }
  /** `{a,b}`. */
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  /** A glob, arithmetic or an array, whose value is known only at run time. `glob`: its text, if it is one. `source`: what is expanded in it. */
  | { readonly kind: 'unknown'; readonly glob?: string; readonly source?: string };

/** One word of a command line. */
export interface ShellWord {
  /** The source text. */
  readonly raw: string;
  /** The text without quotes. Expansions are left as they are written. */
  readonly text: string;
  readonly parts: readonly WordPart[];
  /** The redirection before the word, if any. With `<<`, the word is the whole here-document; with `((`, the whole arithmetic. */
  readonly redirect?: Redirect;
  /** A here-document in which nothing is expanded. */
  readonly literal?: true;
}

type Redirect = '<' | '<<' | '<<<' | '>' | '((';

/** The words up to the next `;`, `|`, `&`, parenthesis or line end. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** The separator before it: `|`, `&&`, … */
  readonly after: string;
  /** The separator after it. */
  readonly ends: string;
  readonly raw: string;
  /** The parentheses between the command before it and itself. */
  readonly brackets?: string;
}
