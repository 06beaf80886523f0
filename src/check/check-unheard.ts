import { type CheckFinding, type FileCheck, inText } from './checking.js';
import { type CodeText, readCode } from './scripts/code-text.js';
import { type Flow, flowOf } from './scripts/flow.js';
import { ANSWER_KEYS, type PrintedOutput, printedBy } from './scripts/printed.js';
import { argsOf, type FoundCommand, outputOf, type Shell } from './scripts/shell.js';
import { printedAnswer, printedText } from './scripts/shell-printed.js';

/** Reports answers that are printed in a place, or with an exit code, where they are ignored. */
export const checkUnheard: FileCheck = function* (file, about) {
  for (const handler of file.handlers) {
    if (!handler.spec) continue;
    for (const text of about.texts(handler, file)) {
      const code = readCode(text);
      const found = text.shell ? inShell(text.shell) : code ? inCode(code) : [];
      for (const { rule, start, end, message, fix } of found) {
        yield { rule, ...inText(handler, text, { start, end }), message, fix };
      }
    }
  }
};

interface UnheardFinding extends Pick<CheckFinding, 'rule' | 'message' | 'fix'> {
  readonly start: number;
  readonly end: number;
}

/** The outputs and exits of a program in any language. */
interface ProgramSteps {
  readonly printed: readonly PrintedOutput[];
  /** The exits with their exit codes. undefined: the code is unknown, or the path ends differently. */
  readonly exits: readonly { readonly at: number; readonly code: number | undefined }[];
  /** Whether an answer still has an effect with exit code 2. */
  hears(answer: NonNullable<PrintedOutput['answer']>): boolean;
  /** Whether the code at the second offset runs after that at the first, on the same path. */
  then(first: number, second: number): boolean;
}

function* judge({ printed, exits, then, hears }: ProgramSteps): Generator<UnheardFinding> {
  for (const answer of printed) {
    if (answer.answer === undefined) continue;
    const { start, end } = answer;
    const exit = exits.find(({ at }) => at >= end && then(start, at));
    if (answer.stream === 'stderr') {
      if (exit?.code !== undefined && exit.code !== 0) continue;
      // The path may end at an exit that was not recognised.
      if (exit === undefined && exits.some(({ code }) => code === 2)) continue;
      const message = 'It prints its answer to standard error, where an answer is never looked for.';
      yield { rule: 'output-unheard', start, end, message, fix: 'Print it to standard output.' };
      continue;
    }
    const words = printed.find(
      (other) => other.answer === undefined && other.stream === 'stdout' && besides(other, answer, { exits, then }),
    );
    if (words) {
      const order = words.start < start ? 'before' : 'behind';
      const message = `It prints words ${order} its answer, so all of it is read as words and the answer is lost.`;
      yield {
        rule: 'output-unheard',
        start: words.start,
        end: words.end,
        message,
        fix: 'Write the words to standard error.',
      };
    }
    if (exit?.code === 2 && !hears(answer.answer)) {
      const message =
        'It prints an answer and ends with 2: that blocks by itself, and of the answer only the reason of a block is read.';
      yield { rule: 'output-exit-2', start, end, message };
    }
  }
}

function besides(
  words: PrintedOutput,
  answer: PrintedOutput,
  { exits, then }: Pick<ProgramSteps, 'exits' | 'then'>,
): boolean {
  const [first, second] = words.start < answer.start ? [words, answer] : [answer, words];
  if (!then(first.start, second.start)) return false;
  return !exits.some(({ at }) => at > first.end && at < second.start && then(first.start, at));
}

const EXITS: Readonly<Record<CodeText['language'], RegExp>> = {
  python: /(?<![\w.])(?:sys\.exit|exit|quit|os\._exit|raise\s+SystemExit)\s*\(\s*(\d*)|(?<![\w.])(?:return|raise)\b/g,
  javascript: /(?<![\w.])process\.(?:exit\s*\(\s*|exitCode\s*=\s*)(\d*)|(?<![\w.])(?:return|throw)\b/g,
};

function inCode(text: CodeText): Iterable<UnheardFinding> {
  const flow: Flow = flowOf(text);
  const exits = [...text.code.matchAll(EXITS[text.language])].flatMap(({ index, 0: whole, 1: code }) => {
    if (flow.conditional(index)) return [];
    return [
      {
        at: index,
        code:
          code === undefined
            ? undefined
            : code === ''
              ? /\(\s*$/.test(whole) && text.code[index + whole.length] === ')'
                ? 0
                : undefined
              : Number(code),
      },
    ];
  });
  const printed = printedBy(text).filter(({ start }) => !flow.conditional(start));
  const then = (first: number, second: number): boolean =>
    flow.follows(first, second) && (flow.depth(second) === flow.depth(first) || exits.every(({ at }) => at !== second));
  // With exit code 2, no answer counts here, not even a block: the program should not give its verdict twice.
  return judge({ printed, exits, then, hears: () => false });
}

function inShell(shell: Shell): Iterable<UnheardFinding> {
  const blocks = new Map<number, FoundCommand>(shell.commands.map((command) => [command.node.pos, command]));
  const printed = shell.commands.flatMap((command): PrintedOutput[] => {
    const stream = outputOf(command);
    const data = printedAnswer(command);
    const answer = data && Object.keys(data).some((key) => ANSWER_KEYS.has(key)) ? data : undefined;
    // An object with other keys is read as an answer too, so it is not plain text.
    if (data && !answer) return [];
    if (stream === 'elsewhere' || (answer === undefined && !printedText(command))) return [];
    return [{ start: command.node.pos, end: command.node.end, stream, answer }];
  });
  const exits = shell.commands.flatMap((command) => {
    if (!/^(exit|return|exec)$/.test(command.name)) return [];
    const [word] = argsOf(command);
    const code =
      command.name !== 'exit'
        ? undefined
        : word === undefined
          ? undefined
          : /^\d+$/.test(word.value)
            ? Number(word.value)
            : undefined;
    return [{ at: command.node.pos, code }];
  });
  const then = (first: number, second: number): boolean => {
    const [one, other] = [blocks.get(first), blocks.get(second)];
    return one !== undefined && other !== undefined && sameWay(one, other);
  };
  return judge({ printed, exits, then, hears: isBlock });
}

/** Whether an answer denies or blocks. Its reason is read even with exit code 2. */
function isBlock(answer: NonNullable<PrintedOutput['answer']>): boolean {
  return /"(?:permissionDecision|decision)":"(?:deny|block)"|"behavior":"deny"/.test(JSON.stringify(answer));
}

/** Whether two commands are in the same list, and neither is in a branch of it. */
function sameWay(one: FoundCommand, other: FoundCommand): boolean {
  const list = (found: FoundCommand) => found.around.findLast(({ type }) => BLOCKS.has(type));
  const chain = (found: FoundCommand) => found.around.findLast((node) => node.type === 'AndOr');
  if (list(one) !== list(other)) return false;
  const [a, b] = [chain(one), chain(other)];
  // A command after `&&` or `||` is conditional, so it does not always run before the next statement.
  if (a !== undefined && a !== b) return false;
  return !(a?.operators as readonly string[] | undefined)?.includes('||');
}

const BLOCKS = new Set(['CompoundList', 'Script', 'BraceGroup', 'Subshell', 'Function']);
