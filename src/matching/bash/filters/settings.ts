/** Commands that set variables whose names are their words, or are in a text that they run. */
const SETTERS =
  /(?<![\w.-])(read|printf|declare|typeset|local|export|readonly|mapfile|readarray|getopts|env|sudo|doas|eval|trap)(?![\w-])(?=([^;&|\n]*))/g;
/** More of these nobody writes beside such words. */
const MOST_SETTERS = 40;
const UNKNOWN = /[$`{*?[]/;
/** Characters by their numbers, of which any text may be made, and variables that are set by a reference. */
const HIDES = /\\(?:[0-7]{2}|x[\da-fA-F]|[uU][\da-fA-F]|c[A-Z])|\$\{!\w+:?=/;
/** Variables that are set without being named, and those that `cd` sets. */
const SPECIAL =
  /^(?:_|REPLY|MAPFILE|OPT(?:ARG|IND|ERR)|BASH\w*|COPROC\w*|COMP\w*|READLINE_\w+|FUNCNAME|PIPESTATUS|DIRSTACK|PS\d|IFS)$/;
const FOLDERS = /^(?:OLD)?PWD$/;
const GOES = /(?<![\w-])(?:cd|chdir|pushd|popd)(?![\w-])|\s-(?:C|D|execdir|-chdir|-cwd|-dir\w*)(?![\w-])/;

/** A value without anything to expand, in one pair of quotes or none; of a loop it may be a glob. */
const LITERAL = String.raw`(?:'[^'"$\`\\]*'|"[^'"$\`\\]*"|[\w./:,@%+-]*)`;
const EACH = LITERAL.replace('%+-]*', '%+*?-]+');
/** What a name is not directly behind or before, unless it is an operator in arithmetic, which sets only numbers. */
const BEFORE = String.raw`(?<![\w/@.:#%^~-])`;
const AFTER = String.raw`(?![\w/@.:%^~-])`;
const BEGIN = String.raw`(?<=^|[\s;&|(])`;
const END = String.raw`(?=[\s;&|)]|$)`;
/** Arithmetic that sets nothing. */
const NUMBER = /\$\(\((?![^()]*(?:\+\+|--))[\w\s$+*/%-]*\)\)/g;

/** Commands that set the arguments, or run a text with other ones. */
const SETS = /(?<![\w.-])set(?![\w-])(?!(?:\s+[-+][a-zA-Z]*o\s+[a-z]+|\s+[-+][a-zA-Z]+)*\s*(?:[;&|\n)]|$))/;
const ARGUED = /\(\s*\)|(?<![\w-])(?:function|eval|trap)\s/;

/** `find` with folders of the line, which prints nothing but paths in them. */
const FINDS = /^\s*g?find(?:\s+[\w./~][\w./~-]*){0,20}(?:\s+(?:-[a-z]{3}|!)[^(){}<$`]*)?$/;
const PRINTS = /\s-(?:f?printf|f?ls|exec|ok)(?!\S)/;
/** Paths of which the beginning is not in the line. */
const STRANGE = /\s-(?:files0-from|execdir|okdir)(?!\S)/;
/** Quoted texts, and what makes it unclear where they end. */
const QUOTED = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]-?/g;
const UNCLEAR = /['"]|(?<!<)<<(?!<)|(?<!\S)#/;
const RUNS = /\$\(|`/;
const FINDER = /(?<![\w.-])g?find(?![\w-])([^\n]*)/g;
const FINDER_WORDS = /^(?:\s+[\w./~][\w./~-]*){0,20}(?:\s+(?:-[a-z]{3}|[!(])|\s*$)/;
const RUNNER = /(?<![\w-])(?:g?xargs|parallel|sem|rush|fd|fdfind|bfs|watch|entr)(?![\w-])/;
/** Of its options those that leave each path in one piece, and the input as it is. */
const ONLY_XARGS =
  /^\s*g?xargs(?:\s+(?:-[0rtx]+|-[nPL]\s?\d+|-I\s?[^\s-]\S*|--(?:null|no-run-if-empty|verbose)))*(?=\s+[a-z])(?![\s\S]*<)/;
const OPTIONS_MADE = /[/'"\\=,{>:]\s*-|\s--(?=\s)|[wW]\s+-/;

/** More variables than these nobody writes in such words. */
const MOST = 12;

/** What the text of a line says about the values of its variables. It is not read as shell code: wherever a name may be set, it counts. */
export class LineSettings {
  readonly #line: string;
  readonly #values = new Map<string, readonly string[] | undefined>();
  #plain: string | undefined;
  #isComputed: boolean | undefined;
  #hasArguments: boolean | undefined;
  #isFound: boolean | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  /** The line without quotes and backslashes. */
  get #text(): string {
    this.#plain ??= bare(this.#line.replace(/\\\n/g, ''));
    return this.#plain;
  }

  get #hides(): boolean {
    this.#isComputed ??= HIDES.test(this.#line) || computes(this.#line);
    return this.#isComputed;
  }

  /** The values that the line may give a variable; undefined if nobody can tell. Without any value, the line does not set it. */
  valuesOf(name: string): readonly string[] | undefined {
    if (this.#values.has(name)) return this.#values.get(name);
    const isUnknown = this.#values.size >= MOST || this.#hides || SPECIAL.test(name);
    const isFolder = FOLDERS.test(name) && GOES.test(this.#text);
    const found = isUnknown || isFolder ? undefined : valuesIn(this.#line, name);
    if (this.#values.size < MOST) this.#values.set(name, found);
    return found;
  }

  /** Whether the line may set the arguments: by `set`, of a function, or of a text that it evaluates. */
  get hasArguments(): boolean {
    this.#hasArguments ??= ARGUED.test(this.#text) || SETS.test(this.#text);
    return this.#hasArguments;
  }

  /** Whether words may be split elsewhere than at blanks. */
  get splits(): boolean {
    return this.#hides || /(?<!\w)IFS(?!\w)/.test(this.#text);
  }

  /** Whether runners insert and append nothing but paths that `find` begins with a folder of the line. */
  get isFound(): boolean {
    this.#isFound ??= !HIDES.test(this.#line) && isFoundIn(this.#text) && !(RUNNER.test(this.#text) && this.mayDash);
    return this.#isFound;
  }

  /** Whether the line may make a file of whose name an option is made where blanks split it: it has a blank and a dash. */
  get mayDash(): boolean {
    return HIDES.test(this.#line) || mayDashIn(this.#line);
  }

  /** Whether the line may make a file with the name of an option. */
  get makesOptions(): boolean {
    return OPTIONS_MADE.test(this.#line) || HIDES.test(this.#line);
  }
}

const bare = (text: string): string => text.replace(/[\\'"]/g, '');

function valuesIn(line: string, name: string): readonly string[] | undefined {
  const values: string[] = [];
  const note = (value: string): string => {
    values.push(value.replace(/^['"]|['"]$/g, ''));
    return ' ';
  };
  const itself = new RegExp(`${BEGIN}${name}=("?)\\$(?:${name}|\\{${name}\\})\\1${END}`, 'g');
  const expansion = new RegExp(`\\$(?:${name}(?!\\w)|\\{#?${name}(?!\\w|:?=))`, 'g');
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
  const named = new RegExp(`${BEFORE}${name}${AFTER}|-\\w*[avp]${name}(?!\\w)|\\{${name}:?=`);
  // A new line in a text is written as `\n`.
  const texts = [left, bare(left.replace(/\\\n/g, '')), bare(left.replace(/\\[a-z]/g, ' '))];
  return texts.some((text) => named.test(text)) ? undefined : values;
}

/** Whether the name of a variable that is set may be put together. */
function computes(line: string): boolean {
  const joined = line.replace(/\\\n/g, '');
  // What separates commands does not in quotes. If it is unclear where these end, nothing does.
  const isUnclear = UNCLEAR.test(joined.replace(QUOTED, ' '));
  const hide = (text: string): string => text.replace(/[;&|\n]/g, ' ');
  const shown = isUnclear ? hide(joined) : joined.replace(QUOTED, (text) => (RUNS.test(text) ? text : hide(text)));
  const setters = [...bare(shown).matchAll(SETTERS)];
  if (setters.length > MOST_SETTERS) return true;
  return setters.some(([, name = '', rest = '']) => {
    if (name === 'printf' && !/^\s+(?:-v|[$`{*?[])/.test(rest)) return false;
    if (name === 'eval' || name === 'trap') return UNKNOWN.test(rest);
    if (/^(?:declare|typeset|local)$/.test(name) && /\s-\w*n/.test(rest)) return true;
    if (/^(?:mapfile|readarray)$/.test(name) && /\s-\w*C/.test(rest)) return true;
    return rest.split(/\s+/).some((word) => UNKNOWN.test(word.replace(/=.*/s, '')));
  });
}

function mayDashIn(line: string): boolean {
  const quoted = line.match(QUOTED) ?? [];
  return quoted.some((one) => /\s-/.test(one) || RUNS.test(one)) || UNCLEAR.test(line.replace(QUOTED, ' '));
}

/** Whether each runner in the line runs what `find` found. */
function isFoundIn(plain: string): boolean {
  let finds = 0;
  for (const list of plain.split(/[;&\n]|\|\|/)) {
    const stages = list.split('|');
    for (const [at, stage] of stages.entries()) {
      for (const [, words = ''] of stage.matchAll(FINDER)) {
        if (!FINDER_WORDS.test(words) || STRANGE.test(words)) return false;
        finds++;
      }
      const before = stages[at - 1]?.trimEnd() ?? '';
      const isFed = ONLY_XARGS.test(stage) && FINDS.test(before) && !PRINTS.test(before);
      if (RUNNER.test(isFed ? stage.replace(ONLY_XARGS, '') : stage)) return false;
    }
  }
  return finds > 0;
}
