import type { SyntaxNode } from 'unbash';
import type { BashReading } from './reading.js';

/** Removes the prefixes of make recipes: `@rm x`, `-rm x`. */
export function withoutMarks(text: string): string {
  return text.replace(/(^|[\n;])([ \t]*)(?=[@+-])[@+]*-?[@+]*(?!-)/g, '$1$2');
}

/** Whether one word may name a command in another language, or in a setting: `system("rm")`, `core.pager=rm`, `!rm`. */
export function mayName(word: string): boolean {
  return /[=!|"'(;]|\b(?:exec|system|shell):/i.test(word) && !word.includes('://');
}

/** The command lines that a word may contain in the syntax of some program: after `=`, `!`, `;`, `@` or sed's `e`, and in `s/x/line/e`. */
export function linesIn(word: string): string[] {
  const start = word.slice(0, 200);
  const starts = [...start.matchAll(/[=!;@]|(?<![A-Za-z])e\s|^[\d,$]+e/g)].slice(0, 5);
  const [, , replacement] = /(?:^|[\s;{}\d$/!])s([^\w\s\\])[^\n]*?\1([^\n]*?)\1[gpiImM\d]*e/.exec(start) ?? [];
  const lines = starts.flatMap(({ index, 0: mark }) => {
    const line = word.slice(index + mark.length);
    const end = line.indexOf('\n');
    return end === -1 ? [line] : [line, line.slice(0, end)];
  });
  return replacement === undefined ? lines : [...lines, replacement];
}

const EXPANDED = ' <<HOOKSCOPE_END\n';
const expanded = (text: string, program: ':' | 'cat'): string =>
  `${program}${EXPANDED}${text.trimEnd()}\nHOOKSCOPE_END`;
/** Whether it is the reading of a text of which only the substitutions are run. */
export const isExpanded = (reading: string): boolean => reading.startsWith(EXPANDED, reading.startsWith(':') ? 1 : 3);

/** All readings of a text as shell code: as it is, with its escapes resolved, and without the prefix of another program. */
export function readingsOf(text: string): string[] {
  if (isExpanded(text)) return [text];
  const readings = new Set([text, unescaped(text), withoutMarks(text).replace(/^\s*[!|@]+/, '')]);
  // In arithmetic, a prompt or the name of a variable, only substitutions are run.
  if (/`|\$\(/.test(text)) readings.add(expanded(text, ':'));
  return [...readings];
}

/** Resolves escapes as `printf` and `echo -e` do. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:x([\da-f]{1,2})|0?([0-7]{1,3})|([abefnrtv]))/gi, (_, hex?: string, octal?: string) =>
    hex || octal ? String.fromCharCode(Number.parseInt(hex ?? octal ?? '', hex ? 16 : 8)) : '\n',
  );
}

/** Builtins that are given names of variables, in which an index is expanded: `read "a[$x]"`. */
const NAMING = /^(?:declare|typeset|local|export|readonly|read|unset|mapfile|readarray|getopts|wait)$/;
const PROMPT = /^(?:PS[0-4]|PROMPT_COMMAND)(?:=|$)/;

/** Whether a node expands the value of a variable once more: in arithmetic, in an index or as a prompt. */
export function expandsAgain(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
      return true;
    case 'TestUnary':
      return node.operator === '-v';
    case 'TestBinary':
      return /^-(?:eq|ne|[gl][te])$/.test(node.operator);
    case 'ParameterExpansion': {
      const { prefix, index, operation } = node;
      const isIndexed = index !== undefined && !/^(?:[@*]|\d+)$/.test(index.text);
      return isIndexed || prefix === '!' || /^(?:Slice|Transform|Unknown)$/.test(operation?.type ?? '');
    }
    case 'Assignment':
      return (
        node.index !== undefined ||
        PROMPT.test(node.name) ||
        (node.value.type === 'ArrayValue' && node.value.elements.some(({ text }) => text.startsWith('[')))
      );
    case 'FileDescriptorVariable':
      return node.name.includes('[');
    case 'Command': {
      const words = [node.name, ...node.args].map((word) => (word?.type === 'Word' ? word.value : (word?.text ?? '')));
      const names = words.slice(0, 3).some((word) => NAMING.test(word));
      const tests = words.slice(0, 3).some((word) => /^(?:\[|test|printf)$/.test(word));
      return words.some(
        (word) =>
          PROMPT.test(word) ||
          word === 'let' ||
          (tests && /^-\w*v/.test(word)) ||
          (names && /^-\w*[in]|^[^=]*[[$`]|^\w+\+?=\(\s*\[/.test(word)),
      );
    }
    default:
      return false;
  }
}

/** Whether code in another language may run a shell that does. */
export const mayExpandAgain = (code: string): boolean =>
  /sh\b|system|exec/.test(code) && /\(\(|\[\[|\blet\s|\bPS\d|@P\}/.test(code);

/**
 * A substitution in an index, which arithmetic runs: `a[$(rm x)]`. A template of JavaScript is none: b[`${a}`]. Nor is arithmetic itself, but what
 * is in it may be one: `a[$((i+1))]`, `a[$((1+$(rm x)))]`. What begins like it and does not end so is a subshell: `a[$((rm x) | cat)]`.
 */
const IN_INDEX =
  /\w\[(?:[^\]\n`]|\[(?:[^[\]\n`]|\[[^[\]\n`]{0,40}\]){0,40}\]){0,200}?(?:\$\((?!\((?:[^()\n`]|\([^()\n`]*\)){0,100}\)\))|`[^`$\n]*`)/;

/**
 * The readings of a text that the line only shows, if it may expand what it has shown: `v=$(echo 'a[$(rm x)]'); ((v))`. Where an index is shown
 * and a variable set, the text counts whole, because there are more ways to expand one than are looked for (`RANDOM=$v`).
 */
export function expandedLater(text: string, { expandsAgain, variables }: BashReading): string[] {
  const texts = expandsAgain ? [...new Set([text, unescaped(text)])] : [];
  // What `cat` shows is not searched for commands.
  const readings = texts.filter((one) => /`|\$\(/.test(one)).map((one) => expanded(one, 'cat'));
  return variables.size > 0 && IN_INDEX.test(text) ? [text, ...readings] : readings;
}
