import type { Command, CommandNode, Pipeline, Redirection } from 'unbash';
import { bashProgram } from './lookup.js';
import { type BashReading, COST, type CommandInput, lastName, spend } from './reading.js';
import { knownWord, sureText, wordsOf } from './words.js';

/** The input that a command gets from its redirections; without any, the surrounding input. */
export function inputOf(redirects: readonly Redirection[], around: CommandInput): CommandInput {
  let input = around;
  const texts: string[] = [];
  for (const redirect of redirects) {
    if (redirect.type === 'Redirect') {
      if (redirect.operator.startsWith('<') && redirect.target?.value !== '/dev/null') input = 'unknown';
      else if (redirect.operator.startsWith('<')) input = undefined;
      continue;
    }
    const text = textOf(redirect);
    if (text === undefined) return 'unknown';
    texts.push(text);
    // The last redirection wins. All texts are kept, because one for another descriptor may be passed on.
    input = texts;
  }
  return texts.length > 0 && input === undefined ? texts : input;
}

/** The text of here-documents and here-strings, and whether it is completely known. */
export function writtenIn(redirects: readonly Redirection[]): [text: string, sure: boolean][] {
  return redirects.flatMap((redirect): [string, boolean][] => {
    if (redirect.type === 'Redirect') return [];
    const text = textOf(redirect);
    const raw = redirect.type === 'HereDoc' ? redirect.body.text : (redirect.target?.value ?? '');
    return [[text ?? raw, text !== undefined]];
  });
}

function textOf(redirect: Exclude<Redirection, { type: 'Redirect' }>): string | undefined {
  if (redirect.type === 'HereString')
    return redirect.target === undefined
      ? ''
      : knownWord(redirect.target).sure === undefined
        ? redirect.target.value
        : undefined;
  const { body, delimiter } = redirect;
  if (delimiter?.quoted) return body.text;
  if (body.parts !== undefined) return sureText(body.parts);
  return body.text.replace(/\\([\\$`\n])/g, (_, char: string) => (char === '\n' ? '' : char));
}

/** The output that a command writes into a pipe, if it is evident. */
export function outputOf(node: CommandNode, around: CommandInput): CommandInput {
  if (node.type !== 'Command') return 'unknown';
  const [name, ...args] = wordsOf(node);
  if (name?.sure !== undefined || args.some((word) => word.sure !== undefined || /^-|\\/.test(word.text)))
    return 'unknown';
  const said = args.map((word) => word.text).join(' ');
  if (name?.text === 'echo') return [said];
  if (name?.text === 'printf' && args.length === 1 && !said.includes('%')) return [said];
  return name?.text === 'cat' && args.length === 0 ? inputOf(node.redirects, around) : 'unknown';
}

/** The commands of a pipe, with their input. `renamed`: what commands write is unknown. */
export function commandsOf(
  { commands }: Pipeline,
  input: CommandInput,
  renamed: boolean,
  found: BashReading,
): (readonly [command: CommandNode, input: CommandInput])[] {
  spend(commands.length * COST.pipe, found);
  let written = input;
  return commands.map((command) => {
    const given = written;
    written = renamed ? 'unknown' : outputOf(command, written);
    return [command, given];
  });
}

/** Whether all the output of a command is one of its words, or its input. */
export function writesWords(node: Command, input: CommandInput): boolean {
  if (outputOf(node, input) !== 'unknown') return true;
  const [name, ...args] = wordsOf(node);
  if (name?.sure !== undefined || args.some((word) => word.sure !== undefined)) return false;
  const [format = ''] = args.map((word) => word.text);
  if (name?.text === 'echo') return true;
  return (
    name?.text === 'printf' && (args.length === 1 ? !format.includes('%') : FORMAT[format]?.(args.length) === true)
  );
}

/** Formats of printf that do not join arguments, with the condition on the number of words. */
const FORMAT: Readonly<Record<string, (words: number) => boolean>> = {
  '%s\\n': () => true,
  '%b\\n': () => true,
  '%s': (words) => words === 2,
  '%b': (words) => words === 2,
};

/** Whether the shell itself reads other input from here on: `exec < file`. */
export function changesInput(command: Command): boolean {
  return (
    command.name?.value === 'exec' &&
    command.args.length === 0 &&
    command.redirects.some((redirect) => redirect.type !== 'Redirect' || redirect.operator.startsWith('<'))
  );
}

/** One step is charged for this many characters of such a line. */
const LINE_SHARE = 8;
let told: { line: string; isShell: boolean } | undefined;

/** Whether a shell in the line runs its standard input: `bash`, `sudo sh -s a`, `gzip -d | sh > o`. */
export function readsAsShell(line: string, found: BashReading): boolean {
  // Cached, because several words in turn may be programs with the same line.
  if (told?.line === line) return told.isShell;
  spend(Math.ceil(line.length / LINE_SHARE), found);
  told = { line, isShell: hasShell(line) };
  return told.isShell;
}

function hasShell(line: string): boolean {
  return line.split(/[;|&\n(){}`]+/).some((piece) => {
    const words = piece
      .replace(/(?<!\d)\d{0,9}[<>]+\s*[^\s<>]*/g, ' ')
      .replace(/["']/g, '')
      .trim()
      .split(/\s+/);
    const shell = words.findIndex((word) => bashProgram(lastName(word))?.shell === true);
    const given = words.slice(shell + 1);
    const end = given.findIndex((word) => !/^[-+]/.test(word));
    const options = given.slice(0, end < 0 ? undefined : end);
    const readsInput = end < 0 || /^\/dev\/stdin$|\/fd\/0$/.test(given[end] ?? '');
    if (shell === -1 || options.some((option) => /^-\w*c/.test(option))) return false;
    return readsInput || options.some((option) => /^-\w*[so]/.test(option));
  });
}
