import type { Command, Redirection, SyntaxNode, Word, WordPart } from 'unbash';
import { parse } from './bash/bash.js';
import { isTooLong } from './bash/reading.js';
import { hidesCommand } from './bash/words.js';

/** A command of a plain line, as written and with its quotes removed. */
export interface PlainCommand {
  readonly written: string;
  readonly words: string;
}

/**
 * The commands of a line that certainly runs these and no others: simple commands with their arguments, in lists and pipes. Undefined
 * if the line has anything else, such as an expansion, an assignment, a file redirection, a loop or a function. This is for rules
 * that permit; for rules that forbid, `readBash` finds all commands that a line may run.
 */
export function plainCommands(line: string): readonly PlainCommand[] | undefined {
  if (isTooLong(line) || line.includes('\0')) return undefined;
  try {
    const script = parse(line);
    if (script.errors !== undefined && script.errors.length > 0) return undefined;
    const commands = script.commands.flatMap(({ command }) => commandsIn(command));
    return commands.length > 0 && commands.every((one) => one !== undefined) ? commands : undefined;
  } catch (error) {
    // The parser is recursive and may overflow the stack.
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
  if (!isName(name) || words.some(hidesCommand)) return undefined;
  if (!words.every((word) => word.type === 'Word' && areKnown(word.parts ?? [], ARGUMENT))) return undefined;
  return {
    written: words.map(({ text }) => text).join(' '),
    words: (words as Word[]).map(({ value }) => value).join(' '),
  };
}

const QUOTED: readonly WordPart['type'][] = ['Literal', 'SingleQuoted', 'DoubleQuoted'];
/** Globs and braces only expand to more arguments. */
const ARGUMENT: readonly WordPart['type'][] = [...QUOTED, 'Glob', 'BraceExpansion'];

const isName = ({ text, parts }: Word): boolean =>
  text === '[' || (!/^~|[*?[{]/.test(text) && areKnown(parts ?? [], QUOTED));

const areKnown = (parts: readonly WordPart[], types: readonly WordPart['type'][]): boolean =>
  parts.every(
    (part) =>
      types.includes(part.type) &&
      (part.type !== 'DoubleQuoted' || areKnown(part.parts, ['Literal'])) &&
      // A glob's `parts` do not contain the expansions in it, so its text is checked.
      ((part.type !== 'Glob' && part.type !== 'BraceExpansion') || !/[$`()<>]/.test(part.text)),
  );

/** Whether a redirection only goes to /dev/null or duplicates a descriptor. */
function isHarmless(one: Redirection): boolean {
  if (one.type !== 'Redirect' || one.descriptor?.type === 'FileDescriptorVariable') return false;
  const target = one.target?.text;
  return target === '/dev/null' || (/^[<>]&$/.test(one.operator) && target !== undefined && /^(?:\d+|-)$/.test(target));
}
