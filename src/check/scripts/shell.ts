import type { Command, SyntaxNode, Word } from 'unbash';
import { forEachChild, parse } from '../../matching/bash/bash.js';
import { append } from '../../values/append.js';

/** A parsed shell text. Nothing in it is executed. */
export interface Shell {
  readonly source: string;
  /** Syntax errors. */
  readonly errors: readonly { readonly message: string; readonly pos: number }[];
  /** Every node with its ancestors, outermost first. */
  readonly nodes: readonly ShellNode[];
  readonly commands: readonly FoundCommand[];
  /** Variables that the text assigns. */
  readonly assigned: ReadonlySet<string>;
  /** Variables with a default in the text: `${A:-b}`. */
  readonly defaulted: ReadonlySet<string>;
}

export interface ShellNode {
  readonly node: SyntaxNode;
  readonly around: readonly SyntaxNode[];
}

export interface FoundCommand extends ShellNode {
  readonly node: Command;
  /** The name with quotes removed; empty if there are only assignments or redirections. */
  readonly name: string;
}

/** Longer or more deeply nested texts are not parsed, because the text of each nested substitution is parsed again. */
const MAX_LENGTH = 100_000;
const MAX_DEPTH = 200;

const known = new Map<string, Shell | undefined>();

/** Parses a shell text; the result is cached. Undefined if it is too long or too deeply nested. */
export function parseShell(source: string): Shell | undefined {
  if (!known.has(source)) {
    if (known.size > 500) known.clear();
    known.set(source, read(source));
  }
  return known.get(source);
}

function read(source: string): Shell | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  try {
    const script = parse(source);
    const nodes = [...walk(script)];
    const commands = nodes.flatMap((found): FoundCommand[] =>
      found.node.type === 'Command' ? [{ ...found, node: found.node, name: found.node.name?.value ?? '' }] : [],
    );
    return {
      source,
      errors: script.errors ?? [],
      nodes,
      commands,
      assigned: new Set(assignedIn(nodes, commands)),
      defaulted: new Set(defaultedIn(nodes)),
    };
  } catch (error) {
    // Either our own limit or a stack overflow in the parser.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function* walk(root: SyntaxNode): Generator<ShellNode> {
  const unvisited: ShellNode[] = [{ node: root, around: [] }];
  for (let next = unvisited.pop(); next !== undefined; next = unvisited.pop()) {
    yield next;
    // Text decoded from backticks has its own offsets.
    if (next.node.type === 'Script' && next.node.source !== undefined) continue;
    if (next.around.length > MAX_DEPTH) throw new RangeError('nested too deep');
    const around = [...next.around, next.node];
    const children: ShellNode[] = [];
    forEachChild(next.node, (node) => void children.push({ node, around }));
    append(unvisited, children.reverse());
  }
}

function* assignedIn(nodes: readonly ShellNode[], commands: readonly FoundCommand[]): Generator<string> {
  for (const { node } of nodes) {
    if (node.type === 'Assignment') yield node.name;
    else if (node.type === 'For' || node.type === 'Select') yield node.name.value;
    else if (
      node.type === 'ParameterExpansion' &&
      node.operation?.type === 'Default' &&
      /^:?=$/.test(node.operation.operator)
    )
      yield node.parameter;
  }
  for (const { node, name } of commands) {
    if (!/^(read|mapfile|readarray|export|declare|local|printf|getopts)$/.test(name)) continue;
    for (const word of node.args) if (word.type === 'Word') yield word.value;
  }
}

function* defaultedIn(nodes: readonly ShellNode[]): Generator<string> {
  for (const { node } of nodes) {
    if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') yield node.parameter;
  }
}

/** How many commands before a place are examined. Commands farther away are not related to it. */
const NEAR = 100;

/** The commands between two offsets, nearest to the second offset first. */
export function commandsBetween({ commands }: Shell, start: number, end: number): FoundCommand[] {
  let [low, high] = [0, commands.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((commands[middle] as FoundCommand).node.pos < end) low = middle + 1;
    else high = middle;
  }
  return commands.slice(Math.max(0, low - NEAR), low).filter(({ node }) => node.pos >= start && node.end <= end);
}

/** The arguments of a command. */
export function argsOf({ node }: FoundCommand): Word[] {
  return node.args.filter((arg) => arg.type === 'Word');
}

/** The text of a word after expanding `~` and these variables; undefined if it is known only at run time. */
export function expand(word: Word, variables: Readonly<Record<string, string | undefined>>): string | undefined {
  const parts = word.parts ?? [{ type: 'Literal', value: word.value } as const];
  const text = join(parts, variables);
  const home = variables['HOME'];
  if (text === undefined || !word.text.startsWith('~')) return text;
  return home !== undefined && /^~(\/|$)/.test(text) ? home + text.slice(1) : undefined;
}

type ShellPart = NonNullable<Word['parts']>[number] | { readonly type: 'Literal'; readonly value: string };

function join(
  parts: readonly ShellPart[],
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  let text = '';
  for (const part of parts) {
    const value = partValue(part, variables);
    if (value === undefined) return undefined;
    text += value;
  }
  return text;
}

function partValue(part: ShellPart, variables: Readonly<Record<string, string | undefined>>): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
      return join(part.parts, variables);
    case 'SimpleExpansion':
      return variables[part.text.slice(1)];
    case 'ParameterExpansion': {
      const plain = part.operation === undefined || part.operation.type === 'Default';
      return plain && part.index === undefined && part.prefix === undefined ? variables[part.parameter] : undefined;
    }
    default:
      return undefined;
  }
}

/** Where a command's output goes: to the hook's standard output, to its standard error, or elsewhere (a file, a pipe, a variable). */
export function outputOf({ node, around }: FoundCommand): 'stdout' | 'stderr' | 'elsewhere' {
  for (const [i, parent] of [...around.entries(), [around.length, node] as const].reverse()) {
    const child = around[i + 1] ?? node;
    if (parent.type === 'CommandExpansion' || parent.type === 'ProcessSubstitution') return 'elsewhere';
    if (parent.type === 'Pipeline' && parent.commands.at(-1) !== child) return 'elsewhere';
    const redirects = parent.type === 'Command' || parent.type === 'Redirected' ? parent.redirects : [];
    for (const redirect of redirects) {
      if (redirect.type !== 'Redirect' || redirect.operator.startsWith('<')) continue;
      const from = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : 1;
      if (from !== 1) continue;
      return ['2', '/dev/stderr'].includes(redirect.target?.value ?? '') ? 'stderr' : 'elsewhere';
    }
  }
  return 'stdout';
}
