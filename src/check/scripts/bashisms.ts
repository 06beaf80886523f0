import type { SyntaxNode } from 'unbash';
import { append } from '../../values/append.js';
import { argsOf, type FoundCommand, type Shell, type ShellNode } from './shell.js';

/** A bash construct that plain sh lacks. `fatal`: sh stops there with exit code 2. */
export interface Bashism {
  readonly pos: number;
  readonly end: number;
  /** The construct, as written. */
  readonly what: string;
  readonly fatal: boolean;
}

/** All constructs in a text that dash (the sh of Debian and Ubuntu) reads differently from bash, in order. */
export function bashismsOf(shell: Shell): Bashism[] {
  const found: Bashism[] = [];
  for (const at of shell.nodes) {
    const judged = judge(at, shell);
    if (judged === undefined) continue;
    const { pos, end } = at.node;
    const text = shell.source.slice(pos, end).split('\n', 1)[0] as string;
    found.push({
      pos,
      end,
      what: judged.what ?? (text.length > 40 ? `${text.slice(0, 39)}…` : text),
      fatal: judged.fatal,
    });
  }
  for (const command of shell.commands) append(found, judgeCommand(command));
  return found.sort((a, b) => a.pos - b.pos);
}

interface BashismVerdict {
  readonly fatal: boolean;
  readonly what?: string;
}

const FATAL: BashismVerdict = { fatal: true };
const SILENT: BashismVerdict = { fatal: false };

function judge({ node, around }: ShellNode, { source, assigned }: Shell): BashismVerdict | undefined {
  switch (node.type) {
    case 'ArrayValue':
    case 'HereString':
    case 'ProcessSubstitution':
    case 'ArithmeticFor':
    case 'Select':
      return FATAL;
    case 'Function':
      return source.startsWith('function', node.pos) ? { fatal: true, what: 'function' } : undefined;
    case 'ParameterExpansion':
      return isBashExpansion(node) && !node.text.startsWith('${user_config.') ? FATAL : undefined;
    case 'Pipeline':
      return node.operators.includes('|&') ? { fatal: true, what: '|&' } : undefined;
    case 'CaseItem':
      return node.terminator === ';&' || node.terminator === ';;&' ? { fatal: true, what: node.terminator } : undefined;
    case 'TestCommand':
      return { fatal: /[()]/.test(unquoted(source.slice(node.pos, node.end))), what: '[[ … ]]' };
    case 'ArithmeticCommand':
      return { fatal: false, what: '(( … ))' };
    case 'Redirect':
      return node.operator === '&>' || node.operator === '&>>' ? { fatal: false, what: node.operator } : undefined;
    case 'AnsiCQuoted':
    case 'BraceExpansion':
      return inTest(around) ? undefined : SILENT;
    case 'ExtendedGlob':
      return inTest(around) ? undefined : FATAL;
    case 'Assignment':
      if (node.append) return { fatal: false, what: '+=' };
      return node.index === undefined ? undefined : SILENT;
    case 'SimpleExpansion':
      return BASH_VARIABLE.test(node.text) && !assigned.has(node.text.slice(1)) ? SILENT : undefined;
    default:
      return undefined;
  }
}

const BASH_VARIABLE = /^\$(RANDOM|BASH_\w+|SECONDS|FUNCNAME|PIPESTATUS|EPOCHSECONDS|HOSTNAME)$/;

function isBashExpansion(node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): boolean {
  if (node.index !== undefined || node.prefix === '!') return true;
  const { operation } = node;
  return operation !== undefined && operation.type !== 'Default' && operation.type !== 'Remove';
}

/** Whether a node is inside `[[ ]]`, which is reported itself, so nothing inside it is. */
const inTest = (around: readonly SyntaxNode[]): boolean => around.some((parent) => parent.type === 'TestCommand');

const unquoted = (text: string): string => text.replace(/\\.|"(?:[^"\\]|\\.)*"|'[^']*'|\$\([^)]*\)/g, '');

const ONLY_BASH = new Set(
  'source declare typeset shopt mapfile readarray let pushd popd dirs builtin disown caller enable bind complete compgen'.split(
    ' ',
  ),
);

function judgeCommand(command: FoundCommand): Bashism[] {
  const { name, node } = command;
  const words = argsOf(command).map((word) => word.value);
  const found = (fatal: boolean, what: string): Bashism[] => [{ pos: node.pos, end: node.end, what, fatal }];
  if (ONLY_BASH.has(name)) return found(false, name);
  switch (name) {
    case 'set':
      return words.includes('pipefail') ? found(true, 'set -o pipefail') : [];
    case 'export':
      return words[0] === '-f' ? found(true, 'export -f') : [];
    case '[':
    case 'test':
      return words.includes('==') ? found(false, `${name} … == …`) : [];
    case 'read': {
      const option = words.find((word) => /^-[a-z]*[adnNstu]/.test(word));
      return option === undefined ? [] : found(false, `read ${option}`);
    }
    case 'trap': {
      const signal = words.slice(1).find((word) => /^(ERR|DEBUG|RETURN)$/.test(word));
      return signal === undefined ? [] : found(false, `trap … ${signal}`);
    }
    case 'echo':
      return /^-[eE]/.test(words[0] ?? '') ? found(false, `echo ${words[0]}`) : [];
    case 'printf':
      return words[0] === '-v' ? found(false, 'printf -v') : [];
    default:
      return [];
  }
}
