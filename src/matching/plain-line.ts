import type { Command, Redirection, SyntaxNode, Word, WordPart } from 'unbash';
import { parse } from './bash/bash.js';
import { isTooLong } from './bash/reading.js';

/** A command of a plain line, as it is written and as its words are after quoting. */
export interface PlainCommand {
  readonly written: string;
  readonly words: string;
}

/**
 * The commands of a line that runs these and no others, which can be told for sure: simple commands and their arguments, in lists and pipes.
 * Undefined: it is no such line, since it has an expansion, an assignment, a file that is written or read, a loop, a function and so on. For who
 * permits something; `readBash` finds what a line may run, for who forbids it.
 */
export function plainCommands(line: string): readonly PlainCommand[] | undefined {
  if (isTooLong(line) || line.includes('\0')) return undefined;
  try {
    const script = parse(line);
    if (script.errors !== undefined && script.errors.length > 0) return undefined;
    const commands = script.commands.flatMap(({ command }) => commandsIn(command));
    return commands.length > 0 && commands.every((one) => one !== undefined) ? commands : undefined;
  } catch (error) {
    // The parser recurses.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function commandsIn(node: SyntaxNode): readonly (PlainCommand | undefined)[] {
  if (node.type === 'AndOr' || node.type === 'Pipeline') return node.commands.flatMap(commandsIn);
  return [node.type === 'Command' ? plainCommand(node) : undefined];
}

function plainCommand({ name, args, prefix, redirects }: Command): PlainCommand | undefined {
  const isAssigned = prefix.some(({ type }) => type === 'Assignment');
  if (name === undefined || isAssigned || !redirects.every(isHarmless)) return undefined;
  const words = [name, ...args];
  if (!isName(name) || !words.every((word) => word.type === 'Word' && areKnown(word.parts ?? [], ARGUMENT)))
    return undefined;
  return {
    written: words.map(({ text }) => text).join(' '),
    words: (words as Word[]).map(({ value }) => value).join(' '),
  };
}

const QUOTED: readonly WordPart['type'][] = ['Literal', 'SingleQuoted', 'DoubleQuoted'];
/** Patterns of files and braces only make more arguments of one. */
const ARGUMENT: readonly WordPart['type'][] = [...QUOTED, 'Glob', 'BraceExpansion'];

const isName = ({ text, parts }: Word): boolean =>
  text === '[' || (!/^~|[*?[{]/.test(text) && areKnown(parts ?? [], QUOTED));

const areKnown = (parts: readonly WordPart[], types: readonly WordPart['type'][]): boolean =>
  parts.every(
    (part) =>
      types.includes(part.type) &&
      (part.type !== 'DoubleQuoted' || areKnown(part.parts, ['Literal'])) &&
      // Expansions within a pattern are none of its parts.
      ((part.type !== 'Glob' && part.type !== 'BraceExpansion') || !/[$`()<>]/.test(part.text)),
  );

/** It leads nowhere, or to another output of the command. */
function isHarmless(one: Redirection): boolean {
  if (one.type !== 'Redirect' || one.descriptor?.type === 'FileDescriptorVariable') return false;
  const target = one.target?.text;
  return target === '/dev/null' || (/^[<>]&$/.test(one.operator) && target !== undefined && /^(?:\d+|-)$/.test(target));
}
