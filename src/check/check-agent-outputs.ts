import { TABLES } from '../agents/agents.js';
import { type HeardAnswer, hear } from '../agents/hear.js';
import type { HookRuntime } from '../agents/running.js';
import type { AgentTable, EventRow } from '../agents/table.js';
import { specOf } from '../events/catalogue.js';
import { isObject } from '../values/shape.js';
import { type CheckContext, type CheckFinding, type FileCheck, inText } from './checking.js';
import { type AgentHandler, handlersOf } from './files/agent-handlers.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { entryOf, textOf } from './files/tree.js';
import { readCode } from './scripts/code-text.js';
import { answersIn, judgeable } from './scripts/printed.js';
import type { ProgramText } from './scripts/scripts.js';
import { outputOf } from './scripts/shell.js';
import { printedAnswer } from './scripts/shell-printed.js';

type AgentOutput = Readonly<Record<string, unknown>>;
interface PrintedAnswer {
  readonly start: number;
  readonly end: number;
  readonly answer: AgentOutput;
}

/** Checks the outputs and exit codes of another agent's hooks as that agent interprets them. */
export const checkAgentOutputs: FileCheck = function* (file, about) {
  const table = TABLES.find(({ name }) => name === file.agent);
  if (table?.runs === undefined) return;
  const handlers = handlersOf(file).flatMap((handler) => commandsOf(table, table.runs as HookRuntime, handler));
  const served = servedBy(handlers, file, about);
  for (const { row, handler } of handlers) {
    for (const text of about.texts(handler, file)) {
      // A script that serves several events or agents may answer each of them differently.
      if (text.file !== undefined && ((served.get(text.file) ?? 0) > 1 || speaksToOthers(table, text.source))) continue;
      yield* judgeAnswers(table, row, handler, text);
      yield* judgeExit(table, row, handler, text);
    }
  }
};

interface CommandHandler {
  readonly row: EventRow;
  readonly handler: HandlerNode;
}

/** Converts an agent's handlers to our own form, with the command under our key. */
function commandsOf(
  { events }: AgentTable,
  { program }: HookRuntime,
  { event, path, node, group }: AgentHandler,
): CommandHandler[] {
  const row = events.find(({ name }) => name === event);
  const key = program.unix.find((name) => textOf(entryOf(node, name)?.value) !== undefined);
  const command = key === undefined || key === 'exec' ? undefined : entryOf(node, key);
  if (row === undefined || command === undefined) return [];
  const entries = [
    ...node.entries.filter((entry) => !/^(?:command|args|shell)$/.test(entry.key)),
    { ...command, key: 'command' },
  ];
  const spec = specOf(row.ours);
  const handler: HandlerNode = {
    event,
    spec,
    path,
    node: { ...node, entries },
    type: 'command',
    matcher: textOf(entryOf(group, 'matcher')?.value),
  };
  return [{ row, handler }];
}

function servedBy(handlers: readonly CommandHandler[], file: SourceFile, about: CheckContext): Map<string, number> {
  const served = new Map<string, Set<string>>();
  for (const { row, handler } of handlers)
    for (const { path } of about.runs(handler, file))
      if (path !== undefined) served.set(path, (served.get(path) ?? new Set()).add(row.name));
  return new Map([...served].map(([path, events]) => [path, events.size]));
}

const speaksToOthers = ({ name }: AgentTable, source: string): boolean =>
  TABLES.some((other) => other.name !== name && new RegExp(`\\b${other.name}\\b`, 'i').test(source));

function* judgeAnswers(
  table: AgentTable,
  row: EventRow,
  handler: HandlerNode,
  text: ProgramText,
): Generator<CheckFinding> {
  const heard = printedIn(text).map((printed) => {
    const answer = judgeable(printed.answer, '', row.name) as AgentOutput;
    const stdout = JSON.stringify(answer);
    return { printed, answer, heard: hear(table, row, { stdout, stderr: '', exitCode: 0 }) };
  });
  // The program also gives the answer in a form that the agent honours.
  if (heard.some(({ heard: { answer, failure } }) => failure === undefined && refuses(answer))) return;
  for (const { printed, answer, heard: said } of heard) {
    const at = inText(handler, text, printed);
    if (said.failure === undefined) {
      if (isIdle(said, answer))
        yield { rule: 'agent-output', ...at, message: `${table.title} reads nothing of this answer on ${row.name}.` };
      continue;
    }
    const bare = wantsReason(table, row, answer);
    const what = bare
      ? `${table.title} is told no here without a reason, and does not take that for one.`
      : said.failure.message;
    yield { rule: bare ? 'agent-reason' : 'agent-output', ...at, message: `${what} What the hook is about goes on.` };
  }
}

const refuses = ({ verdict, blocked, continues, continue: goes }: HeardAnswer['answer']): boolean =>
  verdict === 'deny' || blocked === true || continues === true || goes === false;

/** Keys that identify an answer because they mean something to at least one agent. */
const MEANS =
  /^(?:hookSpecificOutput|additionalContext|additional_context|modifiedArgs|modifiedResult|updated_input|updatedInput|followup_message)$/;

function isIdle({ answer }: HeardAnswer, said: AgentOutput): boolean {
  if (Object.keys(answer).length > 0) return false;
  const inner = said['hookSpecificOutput'];
  // In some agents, allowing is the same as giving no answer.
  if (
    isObject(inner) &&
    Object.keys(inner).every((key) => /^(?:hookEventName|permissionDecision(?:Reason)?)$/.test(key))
  )
    return inner['permissionDecision'] !== 'allow';
  return Object.keys(said).some((key) => MEANS.test(key));
}

/** Whether the agent would honour a denial if it had a reason. */
function wantsReason(table: AgentTable, row: EventRow, said: AgentOutput): boolean {
  const inner = said['hookSpecificOutput'];
  const reasoned = isObject(inner)
    ? { ...said, hookSpecificOutput: { ...inner, permissionDecisionReason: 'x' } }
    : { ...said, reason: 'x' };
  const { answer, failure } = hear(table, row, { stdout: JSON.stringify(reasoned), stderr: '', exitCode: 0 });
  return failure === undefined && refuses(answer);
}

function printedIn(text: ProgramText): PrintedAnswer[] {
  const code = readCode(text);
  if (code) return [...answersIn(code)];
  return (text.shell?.commands ?? []).flatMap((command) => {
    const answer = outputOf(command) === 'stdout' ? printedAnswer(command) : undefined;
    return answer === undefined ? [] : [{ start: command.node.pos, end: command.node.end, answer }];
  });
}

/** Reports an exit code 2 that does not deny, because the agent needs a reason or honours it only on gates. */
function* judgeExit(
  { title, runs }: AgentTable,
  row: EventRow,
  handler: HandlerNode,
  text: ProgramText,
): Generator<CheckFinding> {
  const { exit } = (runs as HookRuntime).hearing;
  const match = text.language === 'shell' ? /(?<![\w-])exit 2(?!\d)/.exec(text.source) : null;
  if (match === null) return;
  const place = { start: match.index, end: match.index + match[0].length };
  if (exit.on === 'gates' && (row.says.block !== undefined || row.says.continue !== undefined)) {
    const message = `${title} takes exit 2 on ${row.name} for a failed hook, and goes on.`;
    yield { rule: 'agent-output', ...inText(handler, text, place), message };
    return;
  }
  if (exit.needed !== true) return;
  const says =
    /\b(?:echo|printf|cat|print|tee|jq|logger|node|python\d?|sed|awk)\b|>&2|\/dev\/stderr|<<|\$\{\w+:\?/.test(
      text.source,
    );
  if (says || row.says.deny === undefined) return;
  const message = `${title} takes exit 2 for a no only where standard error says why, and nothing is printed here. What the hook is about goes on.`;
  yield { rule: 'agent-reason', ...inText(handler, text, place), message };
}
