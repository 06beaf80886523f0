import type { Command, Redirection, SyntaxNode, Word } from 'unbash';
import { forEachChild, parse } from './bash.js';
import { isTooLong } from './reading.js';
import { knownWord } from './words.js';

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh']);
/** Programs that run the command after them. */
const BEFORE = new Set(['sudo', 'command', 'exec', 'nice', 'nohup']);
/** How deep nested shells are read. */
const DEEPEST = 3;

/** A part of a line: the positions of its first character and after its last. */
type WordSpan = readonly [pos: number, end: number];

/**
 * Replaces the names of files to which the line only writes by blanks: targets of redirections, arguments of `tee`, and variables that
 * are used for nothing else. A file that is also run is named a second time, and that stays. A line that does not parse is returned
 * as it is.
 */
export function withoutWritten(line: string, depth = 0): string {
  const script = isTooLong(line) || depth > DEEPEST ? undefined : parsed(line);
  if (script === undefined) return line;
  const written: WordSpan[] = [];
  const named = new Map<string, WordSpan[]>();
  let text = line;
  const look = (node: SyntaxNode): void => {
    for (const redirect of redirectsOf(node)) written.push(...targetOf(redirect, line));
    if (node.type === 'Command') {
      written.push(...teeFiles(node));
      for (const [name, span] of namedOnly(node)) named.set(name, [...(named.get(name) ?? []), span]);
      for (const { pos, end } of shellTexts(node)) {
        const inner = text.slice(pos + 1, end - 1);
        text = replaced(text, [pos + 1, end - 1], withoutWritten(inner, depth + 1));
      }
    }
    forEachChild(node, look);
  };
  look(script);
  const uses = written.map(([pos, end]) => line.slice(pos, end)).join(' ');
  for (const span of written) text = blanked(text, span);
  for (const [name, spans] of named) {
    const without = spans.reduce(blanked, text);
    const word = new RegExp(`\\b${name}\\b`);
    if (word.test(uses) && !word.test(without)) text = without;
  }
  return text;
}

function parsed(line: string): SyntaxNode | undefined {
  try {
    const { errors, ...script } = parse(line);
    return errors?.length ? undefined : (script as SyntaxNode);
  } catch {
    // The line is nested too deeply for the parser.
    return undefined;
  }
}

const replaced = (text: string, [pos, end]: WordSpan, by: string): string => text.slice(0, pos) + by + text.slice(end);
const blanked = (text: string, [pos, end]: WordSpan): string => replaced(text, [pos, end], ' '.repeat(end - pos));

const redirectsOf = (node: SyntaxNode): readonly Redirection[] => ('redirects' in node ? node.redirects : []);

/** The target of an output redirection. `a=>b` may be code of another language and does not count. */
function targetOf(redirect: Redirection, line: string): WordSpan[] {
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return [];
  const { operator, target, pos } = redirect;
  if (!operator.includes('>') || operator.includes('<') || /[=-]/.test(line[pos - 1] ?? '')) return [];
  return [[target.pos, target.end]];
}

function teeFiles({ name, args }: Command): WordSpan[] {
  const words = [name, ...args].filter((word) => word !== undefined);
  const first = words.findIndex((word) => !BEFORE.has(knownWord(word).text));
  const program = words[first];
  if (program === undefined || !/^(?:.*\/)?tee$/.test(knownWord(program).text)) return [];
  return words
    .slice(first + 1)
    .filter((word) => !knownWord(word).text.startsWith('-'))
    .map(({ pos, end }) => [pos, end]);
}

/** Assignments without a command, which set variables of the shell. */
function namedOnly({ name, prefix }: Command): [name: string, span: WordSpan][] {
  if (name !== undefined) return [];
  return prefix.flatMap((one) => (one.type === 'Assignment' ? [[one.name, [one.pos, one.end]]] : []));
}

/** The quoted arguments of a shell, which are shell code. */
function shellTexts({ name, args }: Command): Word[] {
  if (name === undefined || !SHELLS.has(knownWord(name).text.replace(/^.*\//, ''))) return [];
  return args.filter(
    (word): word is Word =>
      word.type === 'Word' && word.parts?.length === 1 && /^(?:Single|Double)Quoted$/.test(word.parts[0]?.type ?? ''),
  );
}
