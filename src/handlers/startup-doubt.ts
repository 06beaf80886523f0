/** How a line of an interpreter that could not read its program begins: with the name of the interpreter or of the file that it reads. */
const UNREADABLE = /^(.+?): (?:-c: )?(?:(?:line )?\d+: )?(?:[Ss]yntax error|cannot open|can't open file)/gm;
const INTERPRETER = /^(?:\S*\/)?(?:(?:a|ba|da|k)?sh|python[\d.]*)$/;

/**
 * Whether a hook's stderr says that the interpreter could not read the hook's program, for which interpreters also exit with 2. A script may have printed lines of its
 * own before it came to the error; what a hook reports of another file is its answer.
 */
export function isUnreadable(stderr: string, commandText: string): boolean {
  let files: readonly string[] | undefined;
  const asked = new Set<string>();
  for (const { index, 1: name = '' } of stderr.matchAll(UNREADABLE)) {
    if (index === 0 && INTERPRETER.test(name)) return true;
    if (asked.has(name)) continue;
    files ??= filesRunBy(commandText);
    if (files.some((file) => `/${name}`.endsWith(`/${file}`))) return true;
    if (asked.add(name).size === MOST_NAMES) break;
  }
  return false;
}

/** A hook may print a line for each of very many files. */
const MOST_NAMES = 1000;

/** What ends a command, and a word of one, which may have quoted parts. */
const PIECES = /[;&|()\n]|(?:"[^"]*"|'[^']*'|\\.|[^\s;&|()"'\\])+/gs;
const END = /^[;&|()\n]$/;
/** What may stand in front of a program: values of variables, keywords, programs that run it, and their options and times. */
const BEFORE =
  /^(?:\w+=.*|\d*[<>].*|if|then|elif|else|while|until|do|!|\{|(?:\S*\/)?(?:exec|command|env|nice|nohup|time|timeout)|source|\.|-.*|[\d.]+[smhd]?)$/s;
/** Options of these programs and of shells, and redirections, that have a value. */
const WITH_VALUE = /^(?:\d*[<>]+|-[uCksn]|[-+][A-Za-z]*[oO]|--(?:signal|kill-after|adjustment|rcfile|init-file))$/;
/** Options by which a shell checks a file and does not run it. */
const CHECKS_ONLY = /^(?:-\w*n|noexec$)/;
const IN_FRONT_OF_SCRIPT = /^(?:[-+]|\d*[<>])/;

/** The files that a command line runs (`command -v` runs none), by themselves or with an interpreter. A variable or a command may stand for the first folders of one. */
function filesRunBy(commandText: string): string[] {
  const commands: string[][] = [[]];
  for (const [piece] of commandText.replaceAll('\\\n', '').matchAll(PIECES)) {
    if (END.test(piece)) commands.push([]);
    else commands.at(-1)?.push(piece.replace(/["']|\\(.)/gs, '$1'));
  }
  const files = commands.map((words) => fileRunBy(words).replace(/^(?:\.|~|\$(?:\w+|\{.*\}|\(.*\)))\//s, ''));
  return [...new Set(files)].filter((file) => file !== '');
}

function fileRunBy(words: readonly string[]): string {
  const at = first(words, 0, BEFORE);
  const program = words[at] ?? '';
  if (words.slice(0, at).some((word, i, before) => word === 'command' && /^-\w*[vV]/.test(before[i + 1] ?? '')))
    return '';
  if (!INTERPRETER.test(program)) return program;
  const script = first(words, at + 1, IN_FRONT_OF_SCRIPT);
  return words.slice(at + 1, script).some((option) => CHECKS_ONLY.test(option)) ? '' : (words[script] ?? '');
}

/** The place of the first word that is none of these, nor the value of one. */
function first(words: readonly string[], from: number, skipped: RegExp): number {
  let at = from;
  while (skipped.test(words[at] ?? '')) at += WITH_VALUE.test(words[at] as string) ? 2 : 1;
  return at;
}
