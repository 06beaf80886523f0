/** Characters by their numbers, of which any text may be made. */
const HIDES = /\\(?:[0-7]{2}|x[\da-fA-F{]|[uU][\da-fA-F{]|c[A-Z])/;

/** A value without anything to expand, in one pair of quotes or none; of a loop it may be a glob. */
const LITERAL = String.raw`(?:'[^'"$\`\\]*'|"[^'"$\`\\]*"|[\w./:,@%+-]*)`;
const EACH = LITERAL.replace('%+-]*', '%+*?-]+');
const BEGIN = String.raw`(?<=^|[\s;&|(])`;
const END = String.raw`(?=[\s;&|)]|$)`;

/**
 * What may set a variable without its name, or the arguments: commands that set those that their words name, that run a text, or that
 * change what the shell reads. What a shell runs that the line starts does not matter, since nothing is known of the variables there.
 */
const SETS = new RegExp(
  [
    String.raw`(?<![\w/.-])(?:read|mapfile|readarray|declare|typeset|local|readonly|export|let|getopts|eval|trap|source|set|shift|unset|coproc|select|builtin|enable|compgen|nameref|vared|BASH_ENV|BASH_ARGV0|PROMPT_COMMAND|PS[1-4]|ENV(?==))(?![\w/.-])`,
    // The first word may be \`-v\` or an expansion.
    String.raw`(?<![\w/.-])printf(?![\w/.-])(?![ \t]+["']?(?:[A-Za-z%/_.:=#@+,]|\d+(?![\d<>])|\\[nt\\]))`,
    String.raw`(?<![\w/.-])command(?![\w/.-])(?![ \t]+(?:-[pvV]+[ \t]+)?[\w./-]+(?:[\s;&|)]|$))`,
    String.raw`(?<![\w/.-])env(?![\w/.-])(?!(?:[ \t]+\w+=${LITERAL})*[ \t]+[a-z][\w./-]*(?:[\s;&|)]|$))`,
    String.raw`(?<![^\s;&|(){}!\x60])\.[ \t]+(?![\s|;)]|&(?!>)|-(?!-|p\s))`,
    // Expansions that set something, or another variable than they name, and arithmetic.
    String.raw`\$\{(?:[!(:\s|]|\w+:{0,2}=|#?\w+\[(?!(?:[@*]|\d+|\$?\w+)\]\}))|\$'|\(\(`,
  ].join('|'),
);
/** Settings of a shell that set no variable, and those whose names and values are known. */
const ENDS = String.raw`(?=[ \t]*(?:[;\n)]|&&|\|\||$))`;
const first = (name: string): string =>
  String.raw`(?<!\w)${name}(?!\w)(?<=(?:^|[;\n({&|]|(?<!\w)(?:then|do|else))[ \t]*${name})`;
const MODES = new RegExp(`${first('set')}(?:[ \\t]+[-+][euxv]+|[ \\t]+[-+][euxv]*o[ \\t]+[a-z]+)+${ENDS}`, 'g');
const EXPORTS = new RegExp(`${first('export')}(?=(?:[ \\t]+\\w+=${LITERAL})+${ENDS})`, 'g');
/** Arithmetic that sets nothing. */
const NUMBER = /\$\(\((?![^()]*(?:\+\+|--))[\w\s$+*/%-]*\)\)/g;

/** Variables that are set without being named, and those that `cd` sets. */
const SPECIAL =
  /^(?:_|REPLY|MAPFILE|OPT(?:ARG|IND|ERR)|BASH\w*|COPROC\w*|COMP\w*|READLINE_\w+|FUNCNAME|PIPESTATUS|DIRSTACK|PS\d|IFS)$/;
const FOLDERS = /^(?:OLD)?PWD$/;
const GOES = /(?<![\w-])(?:cd|chdir|pushd|popd)(?![\w-])|\s-(?:C|D|execdir|-chdir|-cwd|-dir\w*)(?![\w-])/;
/** A function, and a list of words that is one in zsh. */
const ARGUED = /\(\s*\)|(?<!\w)(?:function\s|argv)/;

/** What a name is not directly behind or before: it is in the middle of a word there, which is no assignment. */
const BEFORE = String.raw`(?<![\w/@.:#%^~-])`;
const AFTER = String.raw`(?![\w/@.:%^~-])`;

/** Paths of which the beginning is not in the line. */
const STRANGE = /\s-(?:files0-from|execdir|okdir)(?!\S)/;
/** Quoted texts, and what makes it unclear where they end. */
const QUOTED = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]-?/g;
const UNCLEAR = /['"]|(?<!<)<<(?!<)|(?<!\S)#/;
const RUNS = /\$\(|`/;
const FINDER = /(?<![\w.-])g?find(?![\w-])([^\n;&|]*)/g;
const FINDER_WORDS = /^(?:\s+[\w./~][\w./~-]*){0,20}(?:\s+(?:-[a-z]{3}|[!(])|\s*$)/;
const RUNNER = /(?<![\w-])(?:g?xargs|parallel|sem|rush|fd|fdfind|bfs|watch|entr)(?![\w-])/;
/**
 * A line that begins with a `find` that prints nothing but paths in folders of the line, and an xargs that reads them. Of its options
 * those that leave each path in one piece.
 */
const FED =
  /^\s*g?find(?:[ \t]+[\w./~][\w./~-]*){0,20}(?:[ \t]+(?:-[a-z]{3}|!)[^(){}<>$`;&|\n]*)?[ \t]*\|[ \t]*g?xargs(?:[ \t]+(?:-[0rtx]+|-[nPL][ \t]?\d+|-I[ \t]?[^\s-]\S*|--(?:null|no-run-if-empty|verbose)))*(?=[ \t]+[a-z])/;
const PRINTS = /\s-(?:f?printf|f?ls|exec|ok)(?!\S)/;
const OPTIONS_MADE = /[/'"\\=,{>:]\s*-|(?:[})`\]@*]|\$\w+)-|\s--(?=\s)|[wW]\s+-/;

/** More variables than these nobody writes in such words, and more different values nobody gives one of them. */
const MOST = 12;
const MOST_VALUES = 100;

/**
 * What the text of a line says about the values of its variables. It is not read as shell code: wherever a name may be set, it counts. Each
 * question is about the whole line, and is answered once, however many filters are in it.
 */
export class LineSettings {
  readonly #line: string;
  readonly #values = new Map<string, readonly string[] | undefined>();
  #all: readonly string[] | undefined;
  readonly #answers = new Map<string, boolean>();

  constructor(line: string) {
    this.#line = line.replace(/\\\n/g, '');
  }

  /** The line as it is, without quotes and backslashes, and with the control characters of its texts as blanks. */
  get #texts(): readonly string[] {
    this.#all ??= textsOf(this.#line);
    return this.#all;
  }

  /** The line without quotes and backslashes. */
  get #bare(): string {
    return this.#texts[1] ?? '';
  }

  #once(question: string, look: () => boolean): boolean {
    const known = this.#answers.get(question);
    if (known !== undefined) return known;
    const answer = look();
    this.#answers.set(question, answer);
    return answer;
  }

  /** Whether control characters may be written by their numbers. */
  get #hides(): boolean {
    return this.#once('hides', () => HIDES.test(this.#line));
  }

  /** Whether the line may set any variable, without its name, or the arguments. */
  get #sets(): boolean {
    return this.#once(
      'sets',
      () => this.#hides || textsOf(withoutHarmless(this.#line)).some((text) => SETS.test(text)),
    );
  }

  /** The values that the line may give a variable; undefined if nobody can tell. Without any value, the line does not set it. */
  valuesOf(name: string): readonly string[] | undefined {
    if (this.#values.has(name)) return this.#values.get(name);
    const isUnknown = this.#values.size >= MOST || SPECIAL.test(name) || this.#sets;
    const isFolder = FOLDERS.test(name) && GOES.test(this.#bare);
    const found = isUnknown || isFolder ? undefined : valuesIn(this.#line, name);
    if (this.#values.size < MOST) this.#values.set(name, found);
    return found;
  }

  /** Whether the line may set the arguments, or those of a function. */
  get hasArguments(): boolean {
    return this.#once('hasArguments', () => this.#sets || ARGUED.test(this.#bare));
  }

  /** Whether words may be split elsewhere than at blanks. */
  get splits(): boolean {
    return this.#once('splits', () => this.#sets || /(?<!\w)IFS(?!\w)/.test(this.#bare));
  }

  /** Whether runners insert and append nothing but paths that `find` begins with a folder of the line. */
  get isFound(): boolean {
    return this.#once(
      'isFound',
      () => !this.#hides && isFoundIn(this.#bare) && !(RUNNER.test(this.#bare) && this.mayDash),
    );
  }

  /** Whether the line may make a file of whose name an option is made where blanks split it: it has a blank and a dash. */
  get mayDash(): boolean {
    return this.#once('mayDash', () => this.#hides || mayDashIn(this.#line));
  }

  /** Whether the line may make a file with the name of an option. */
  get makesOptions(): boolean {
    return this.#once('makesOptions', () => this.#hides || OPTIONS_MADE.test(this.#line));
  }
}

const bare = (text: string): string => text.replace(/[\\'"]/g, '');
// A new line in a text is written as `\n`.
const textsOf = (text: string): readonly string[] => [text, bare(text), bare(text.replace(/\\[fnrtv]/g, 'n '))];
const withoutHarmless = (text: string): string => text.replace(NUMBER, '0').replace(MODES, ' ').replace(EXPORTS, ' ');

function valuesIn(line: string, name: string): readonly string[] | undefined {
  const values = new Set<string>();
  const note = (value: string): string => {
    values.add(value.replace(/^['"]|['"]$/g, ''));
    return ' ';
  };
  const itself = new RegExp(`${BEGIN}${name}=("?)\\$(?:${name}|\\{${name}\\})\\1${END}`, 'g');
  const expansion = new RegExp(`\\$(?:${name}(?!\\w)|\\{#?${name}\\}|\\{${name}(?=:?-|[#%]))`, 'g');
  const assignment = new RegExp(`${BEGIN}${name}=(${LITERAL})${END}`, 'g');
  const loop = new RegExp(`${BEGIN}for[ \\t]+${name}[ \\t]+in((?:[ \\t]+${EACH})+)[ \\t]*(?=[;\\n])`, 'g');
  const left = line
    .replace(NUMBER, '0')
    .replace(itself, ' ')
    .replace(new RegExp(`(?<=([|,]))${name}(?=\\1)`, 'g'), ' ')
    .replace(expansion, '$$')
    .replace(assignment, (_, value: string) => note(value))
    .replace(loop, (_, words: string) => {
      for (const [word] of words.matchAll(new RegExp(EACH, 'g'))) if (word !== '') note(word);
      return ' ';
    });
  const named = new RegExp(`${BEFORE}${name}${AFTER}|-\\w+${name}(?!\\w)|\\{${name}:?=`);
  return values.size > MOST_VALUES || textsOf(left).some((text) => named.test(text)) ? undefined : [...values];
}

function mayDashIn(line: string): boolean {
  const quoted = line.match(QUOTED) ?? [];
  return quoted.some((one) => /\s-/.test(one) || RUNS.test(one)) || UNCLEAR.test(line.replace(QUOTED, ' '));
}

/** Whether each runner in the line runs what `find` found. */
function isFoundIn(plain: string): boolean {
  const [fed = ''] = FED.exec(plain) ?? [];
  if (fed !== '' && (PRINTS.test(fed) || plain.includes('<'))) return false;
  if (RUNNER.test(plain.slice(fed.length))) return false;
  let finds = 0;
  for (const [, words = ''] of plain.matchAll(FINDER)) {
    if (!FINDER_WORDS.test(words) || STRANGE.test(words)) return false;
    finds++;
  }
  return finds > 0;
}
