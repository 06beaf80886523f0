import type { Command, Redirection, SyntaxNode, Word } from 'unbash';
import { forEachChild, parse } from './bash.js';
import { isTooLong } from './reading.js';
import { knownWord } from './words.js';

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh']);
/** Programs in front of another. */
const BEFORE = new Set(['sudo', 'command', 'exec', 'nice', 'nohup']);
/** Shells within shells. */
const DEEPEST = 3;

/** A piece of a line, from its first character to before its last. */
type Span = readonly [pos: number, end: number];

/**
 * The line with blanks in place of files that it only writes to: what is redirected there, what `tee` is given, and variables that name nothing else. What
 * is written and then run stands in the line once more, and stays. A line that is no shell stays as it is.
 */
export function withoutWritten(line: string, depth = 0): string {
  const script = isTooLong(line) || depth > DEEPEST ? undefined : parsed(line);
  if (script === undefined) return line;
  const written: Span[] = [];
  const named = new Map<string, Span[]>();
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
    // It is nested too deeply for the parser.
    return undefined;
  }
}

const replaced = (text: string, [pos, end]: Span, by: string): string => text.slice(0, pos) + by + text.slice(end);
const blanked = (text: string, [pos, end]: Span): string => replaced(text, [pos, end], ' '.repeat(end - pos));

const redirectsOf = (node: SyntaxNode): readonly Redirection[] => ('redirects' in node ? node.redirects : []);

/** `a=>b` may be a program's own text. */
function targetOf(redirect: Redirection, line: string): Span[] {
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return [];
  const { operator, target, pos } = redirect;
  if (!operator.includes('>') || operator.includes('<') || /[=-]/.test(line[pos - 1] ?? '')) return [];
  return [[target.pos, target.end]];
}

function teeFiles({ name, args }: Command): Span[] {
  const words = [name, ...args].filter((word) => word !== undefined);
  const first = words.findIndex((word) => !BEFORE.has(knownWord(word).text));
  const program = words[first];
  if (program === undefined || !/^(?:.*\/)?tee$/.test(knownWord(program).text)) return [];
  return words
    .slice(first + 1)
    .filter((word) => !knownWord(word).text.startsWith('-'))
    .map(({ pos, end }) => [pos, end]);
}

/** Assignments that no command is given: variables of the line alone. */
function namedOnly({ name, prefix }: Command): [name: string, span: Span][] {
  if (name !== undefined) return [];
  return prefix.flatMap((one) => (one.type === 'Assignment' ? [[one.name, [one.pos, one.end]]] : []));
}

/** The shell code that a command is given as a quoted argument. */
function shellTexts({ name, args }: Command): Word[] {
  if (name === undefined || !SHELLS.has(knownWord(name).text.replace(/^.*\//, ''))) return [];
  return args.filter(
    (word): word is Word =>
      word.type === 'Word' && word.parts?.length === 1 && /^(?:Single|Double)Quoted$/.test(word.parts[0]?.type ?? ''),
  );
}
