import { exit2Of } from '../events/failure.js';
import { type CheckContext, type CheckFinding, type FileCheck, inText } from './checking.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { textAt } from './files/tree.js';
import { isOnInputIn } from './scripts/code-guards.js';
import { isHandlerIn } from './scripts/error-blocks.js';
import type { ProgramText } from './scripts/scripts.js';
import { argsOf, commandsBetween, type FoundCommand, outputOf, type Shell } from './scripts/shell.js';
import { isOnInput } from './scripts/shell-guards.js';

/** Checks whether hooks that are meant to stop something can do so. The purpose of a text is guessed, and reported only if it is nearly certain. */
export const checkGuards: FileCheck = function* (file, about) {
  for (const handler of file.handlers) {
    const texts = about.texts(handler, file);
    if (texts.length === 0 || !handler.spec) continue;
    const all = texts.map(({ source }) => source).join('\n');
    for (const text of texts) {
      yield* exitOne(handler, text, all);
      yield* reasonOnStdout(handler, text);
    }
    yield* continueFalse(handler, texts, all, file);
    yield* stopLoop(handler, texts, all, about);
  }
};

/** Words in the output of a hook that is meant to stop something. */
const STOPS =
  /\b(block(ed|ing|s)?|den(y|ied)|forbidden|not allowed|disallowed|prohibited|refus(ed|ing)|reject(ed|ing)?|protected|not permitted|must not|dangerous|prevent(ed)?|unsafe)\b|[❌🚫⛔]/iu;
/** Other ways to block, and exit codes that are known only at run time. */
const OTHER_WAYS =
  /exit\s*\(?\s*2\b|return 2\b|exitCode\s*=\s*2|permissionDecision|["']decision["']|["']?continue["']?\s*:\s*(false|False)|exit\s+["']?\$|exit\(\s*[A-Za-z_]|\bexec\s/;

/** Words in the output of a hook that reports an error of its own. */
const TROUBLE =
  /\b(missing|not found|not installed|install|failed|failure|can(not|'t|not be)|could(n't| not)|unable|malformed|no input|empty|usage|parse|unexpected|invalid json|required?)\b/i;

/** A search in the hook's input just before the exit: `… | grep -q rm &&`. */
const FOUND_SO = /(^|\|\s*)([ef]?grep|rg|jq\s+-e)\b[^|&]*&&\s*\{?\s*$/;

const EXIT_1: Readonly<Record<string, RegExp>> = {
  python: /\b(?:sys\.)?exit\(\s*1\s*\)|SystemExit\(\s*1\s*\)/g,
  javascript: /process\.exit\(\s*1\s*\)|process\.exitCode\s*=\s*1\b/g,
};

function* exitOne(handler: HandlerNode, text: ProgramText, all: string): Generator<CheckFinding> {
  if (
    handler.spec === undefined ||
    exit2Of(handler.spec) !== 'block' ||
    textAt(handler.node, 'onFailure') === 'block' ||
    OTHER_WAYS.test(all)
  )
    return;
  const at = text.shell ? shellExitOne(text.shell) : otherExitOne(text);
  if (at === undefined) return;
  const message = `It says no by ending with 1, which stops nothing on ${handler.event}.`;
  yield { rule: 'exit-1-guard', ...inText(handler, text, at), message };
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

function shellExitOne(shell: Shell): TextRange | undefined {
  for (const command of shell.commands) {
    if (!isNo(shell, command)) continue;
    const words = said(shell, command);
    const isGuard = STOPS.test(words) || FOUND_SO.test(before(shell, command));
    if (isGuard || (!TROUBLE.test(words) && isOnInput(shell, command)))
      return { start: command.node.pos, end: command.node.end };
  }
  return undefined;
}

/** Whether a command ends the script with exit code 1. */
function isNo(shell: Shell, command: FoundCommand): boolean {
  const { name, node, around } = command;
  // `false` counts only as the last command, apart from the ends of the blocks around it.
  if (name === 'false') return /^(\s|;|\}|\bfi\b|\besac\b)*$/.test(shell.source.slice(node.end, node.end + 200));
  if (argsOf(command)[0]?.value !== '1') return false;
  return name === 'exit' || (name === 'return' && !around.some(({ type }) => type === 'Function'));
}

/** The source of the commands before this one in its list of `&&` and `||`. */
function before({ source }: Shell, { node, around }: FoundCommand): string {
  const list = around.findLast(({ type }) => type === 'AndOr');
  return list ? source.slice(Math.max(list.pos, node.pos - LINES), node.pos) : '';
}

/** The commands that print something before this one, in the same list. */
function said(shell: Shell, { node, around }: FoundCommand): string {
  const list = around.findLast(({ type }) => type === 'CompoundList' || type === 'AndOr' || type === 'Script');
  const start = list?.type === 'Script' ? Math.max(0, node.pos - 300) : (list?.pos ?? 0);
  return commandsBetween(shell, start, node.pos)
    .filter((c) => /^(echo|printf|cat)$/.test(c.name))
    .map((c) => shell.source.slice(c.node.pos, c.node.end))
    .join('\n');
}

/** The maximum number of characters for seven lines. */
const LINES = 2000;

function otherExitOne(text: ProgramText): TextRange | undefined {
  const { language, source } = text;
  const pattern = EXIT_1[language];
  if (!pattern) return undefined;
  const isOnInput = isOnInputIn(text);
  const isHandler = isHandlerIn(text);
  let last = 0;
  for (const match of source.matchAll(pattern)) {
    // Output before an earlier exit belongs to that exit.
    const before = source
      .slice(Math.max(last, match.index - LINES), match.index)
      .split('\n')
      .slice(-7);
    last = match.index + match[0].length;
    if (isHandler(match.index)) continue;
    const printed = before.filter((line) => /print|console\.|stderr|write/.test(line)).join('\n');
    if (STOPS.test(printed) || (!TROUBLE.test(printed) && isOnInput(match.index)))
      return { start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}

function* continueFalse(
  handler: HandlerNode,
  texts: readonly ProgramText[],
  all: string,
  file: SourceFile,
): Generator<CheckFinding> {
  if (handler.event !== 'PreToolUse' || file.dialect === 'code') return;
  if (/exit\s*\(?\s*2\b|exitCode\s*=\s*2|\bdeny\b|["']block["']/.test(all)) return;
  for (const text of texts) {
    const match = /["']continue\\?["']\s*:\s*(false|False)|\bcontinue:\s*false/.exec(text.source);
    if (!match) continue;
    const place = { start: match.index, end: match.index + match[0].length };
    const message = 'It says continue: false and denies nothing, so the tool runs before the turn ends.';
    yield { rule: 'continue-false-guard', ...inText(handler, text, place), message };
    return;
  }
}

function* reasonOnStdout(handler: HandlerNode, text: ProgramText): Generator<CheckFinding> {
  const { shell } = text;
  const matters = handler.spec?.exit2 === 'block' || handler.spec?.exit2 === 'feedback';
  if (!shell || !matters || /exec\s+(1)?>&2/.test(shell.source)) return;
  for (const exit of shell.commands) {
    if (exit.name !== 'exit' || argsOf(exit)[0]?.value !== '2') continue;
    const list = exit.around.findLast(({ type }) => ['CompoundList', 'AndOr', 'Script'].includes(type));
    if (!list || list.type === 'Script') continue;
    const before = commandsBetween(shell, list.pos, exit.node.pos);
    const reason = before.findLast((c) => /^(echo|printf)$/.test(c.name) && outputOf(c) === 'stdout');
    // Another command may be the one that writes the reason to standard error.
    if (!reason || !before.every((c) => /^(echo|printf|)$/.test(c.name) && outputOf(c) !== 'stderr')) continue;
    if (before.some((c) => /^['"]?\{/.test(argsOf(c)[0]?.text ?? ''))) continue;
    const place = { start: reason.node.pos, end: reason.node.end };
    const message = 'It prints its reason to standard output and ends with 2: the reason is lost.';
    yield { rule: 'reason-on-stdout', ...inText(handler, text, place), message };
    return;
  }
}

function* stopLoop(
  handler: HandlerNode,
  texts: readonly ProgramText[],
  all: string,
  { eventsOf }: CheckContext,
): Generator<CheckFinding> {
  if (handler.spec?.fold !== 'stop' || /stop_hook_active|stopHookActive/.test(all)) return;
  for (const text of texts) {
    // A script that serves several events may block only the others.
    if (text.file !== undefined && eventsOf(text.file).size > 1) continue;
    const match =
      /\bexit\s*\(?\s*2\b|exitCode\s*=\s*2|["']decision\\?["']\s*:\s*\\?["']block|\bdecision:\s*["']block/.exec(
        withoutComments(text),
      );
    if (!match) continue;
    const place = { start: match.index, end: match.index + match[0].length };
    const message = 'It can keep the agent going, and does not look whether it already has (stop_hook_active).';
    yield { rule: 'stop-loop', ...inText(handler, text, place), message };
    return;
  }
}

/** Replaces comments with spaces, so that offsets stay the same. */
function withoutComments({ source, language }: ProgramText): string {
  const comment = language === 'javascript' ? /(?<=^|\s)\/\/.*$/gm : /(?<=^|\s)#.*$/gm;
  return source.replace(comment, (text) => ' '.repeat(text.length));
}
