import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SyntaxNode } from 'unbash';
import { argsOf, expand, type FoundCommand, type Shell, type ShellNode } from './shell.js';

/** Commands that may precede `&&` without being a test. */
const NO_QUESTION = /^(?:cd|pushd|export|set|umask|unset|true|:|echo|printf|mkdir|\.|source)$/;
/** Nodes whose children all run, in order. */
const STRAIGHT = new Set<SyntaxNode['type']>([
  ...(['Script', 'Statement', 'Pipeline', 'Redirected', 'Subshell', 'BraceGroup', 'CompoundList'] as const),
  ...(['Command', 'Assignment', 'ArrayValue', 'Word', 'DoubleQuoted', 'CommandExpansion'] as const),
]);

/** Whether a command always runs: it is in no branch, and only commands that are not tests precede it with `&&`. The condition of an `if` or `case` always runs. */
export function isCertain({ node, around }: ShellNode): boolean {
  const isMove = node.type === 'Command' && node.name?.value === 'cd';
  return around.every((parent, i) => {
    const child = around[i + 1] ?? node;
    if (parent.type === 'If') return parent.clause === child;
    if (parent.type === 'Case') return parent.word === child;
    if (parent.type !== 'AndOr') return STRAIGHT.has(parent.type);
    // `./guard.sh || true` means that the script may be missing.
    if (parent.operators.includes('||')) return isMove && parent.commands[0] === child;
    const before = parent.commands.slice(0, parent.commands.indexOf(child as (typeof parent.commands)[number]));
    return before.every((one) => one.type === 'Command' && (!one.name || NO_QUESTION.test(one.name.value)));
  });
}

/**
 * The files that a line tests before it runs them, or writes itself: `[ -x ./guard.sh ] || exit 0; ./guard.sh` is correct even if the file is missing.
 * The names are words as written, without quotes.
 */
export function askedAbout({ nodes, commands }: Shell): ReadonlySet<string> {
  const asked = new Set<string>();
  for (const { node } of nodes)
    if (node.type === 'Redirect' && node.operator.includes('>') && node.target) asked.add(fileName(node.target.text));
  for (const found of commands) {
    if (!/^(?:\[|test|command|which|type|hash|ls|stat|cp|curl|install|ln|mv|tee|touch|wget)$/.test(found.name))
      continue;
    for (const word of argsOf(found)) asked.add(fileName(word.text));
  }
  for (const { node, around } of nodes)
    if (node.type === 'Word' && around.some(({ type }) => type === 'TestCommand')) asked.add(fileName(node.text));
  return asked;
}

/** Normalises a written name: `out/x.sh`, `./out/x.sh` and `"out"/x.sh` are the same file. */
export const fileName = (text: string): string => text.replace(/["']/g, '').replace(/^(?:\.\/)+/, '');

/** Where a command runs. */
export interface RunFolder {
  /** The directory; undefined if it is known only at run time. */
  readonly folder: string | undefined;
  /** Whether it depends on the directory in which the hook happens to run. */
  readonly relative: boolean;
}

/** With more `cd` commands than this, the directory counts as unknown. */
const MOST_MOVES = 20;
/** Nodes that run in a process of their own, where `cd` has no effect on the commands outside. */
const OWN_PROCESS = new Set<SyntaxNode['type']>(['Subshell', 'CommandExpansion', 'ProcessSubstitution', 'Coproc']);

/** Determines the directory of each command from the `cd` commands before it. */
export function placesIn(
  { commands }: Shell,
  known: Readonly<Record<string, string | undefined>>,
  start: RunFolder,
): (command: FoundCommand) => RunFolder {
  const moves = commands.filter(({ name }) => /^(?:cd|pushd|popd)$/.test(name));
  if (moves.length === 0) return () => start;
  return (command) => {
    let place = start;
    for (const move of moves) {
      if (move.node.pos >= command.node.pos) break;
      if (!move.around.every((node) => !isApart(node) || command.around.includes(node))) continue;
      const to = moves.length > MOST_MOVES || !isCertain(move) ? UNKNOWN_FOLDER : moved(move, place, known);
      // If `cd` fails, the commands after `;` run in the previous directory.
      const isSure = to.folder === undefined || isBehindAnd(move, command) || existsSync(to.folder);
      place = isSure ? to : UNKNOWN_FOLDER;
    }
    return place;
  };
}

export const UNKNOWN_FOLDER: RunFolder = { folder: undefined, relative: false };

const isBehindAnd = (move: FoundCommand, { around }: FoundCommand): boolean =>
  around.some((node) => node.type === 'AndOr' && node.commands.includes(move.node));

const isApart = (node: SyntaxNode): boolean =>
  OWN_PROCESS.has(node.type) ||
  (node.type === 'Pipeline' && node.commands.length > 1) ||
  (node.type === 'Statement' && node.background === true);

function moved(move: FoundCommand, { folder, relative }: RunFolder, known: Parameters<typeof expand>[1]): RunFolder {
  const [to, more] = argsOf(move).filter(({ text }) => !/^-[LPe-]+$/.test(text));
  const path = to ? expand(to, known) : known['HOME'];
  if (move.name === 'popd' || more || !path || /^[-+]/.test(path)) return UNKNOWN_FOLDER;
  if (/^\//.test(path)) return { folder: path, relative: false };
  return { folder: folder === undefined ? undefined : resolve(folder, path), relative };
}
