import { HOOK_EVENTS, specOf } from '../events/catalogue.js';
import { jsonSchema } from '../events/json-schema.js';
import { readOutput } from '../events/output/outcome.js';
import { idleStop } from '../events/output/warnings.js';
import type { EventSpec } from '../events/spec.js';
import { ended } from '../plain.js';
import { isObject } from '../values/shape.js';
import { type CheckFinding, type FileCheck, inText } from './checking.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { type CodeText, readCode } from './scripts/code-text.js';
import { ANSWER_KEYS, answersIn, judgeable } from './scripts/printed.js';
import type { ProgramText } from './scripts/scripts.js';
import { type FoundCommand, outputOf } from './scripts/shell.js';
import { printedAnswer } from './scripts/shell-printed.js';

/** Checks answers that are literals in the code that hooks run. */
export const checkOutputs: FileCheck = function* (file, about) {
  for (const handler of file.handlers) {
    for (const text of about.texts(handler, file)) {
      const code = readCode(text);
      // A script that serves several events may answer each differently.
      const several = text.file !== undefined && about.eventsOf(text.file).size > 1;
      const unknown = several || text.shell ? [] : [...mentions(handler, text)];
      yield* unknown;
      // An unknown event was reported already.
      if (code && unknown.length === 0) {
        for (const found of answersIn(code)) yield* judgeCode(handler, text, found, { file, several });
        yield* verdicts(handler, text, code);
      }
      if (several) continue;
      if (text.shell) for (const command of text.shell.commands) yield* judgeCommand(handler, text, command, file);
    }
  }
};

interface FoundAnswer {
  readonly start: number;
  readonly end: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

function* judgeCommand(
  handler: HandlerNode,
  text: ProgramText,
  command: FoundCommand,
  file: SourceFile,
): Generator<CheckFinding> {
  const answer = outputOf(command) === 'stdout' ? printedAnswer(command) : undefined;
  if (answer === undefined || !handler.spec) return;
  // A script may also answer other agents, which have their own keys.
  if (text.file !== undefined && !Object.keys(answer).some((key) => ANSWER_KEYS.has(key))) return;
  const isOwnStop = file.kind === 'agent' && handler.spec.inAgentScope !== undefined;
  // Whether the event is Stop or SubagentStop is known only at run time.
  const eventName = isOwnStop ? String(namedIn(answer) ?? handler.event) : handler.event;
  yield* judge(handler, text, { start: command.node.pos, end: command.node.end, answer }, eventName);
}

function* judgeCode(
  handler: HandlerNode,
  text: ProgramText,
  found: FoundAnswer,
  { file, several }: { readonly file: SourceFile; readonly several: boolean },
): Generator<CheckFinding> {
  const { event, spec } = handler;
  const named = namedIn(found.answer);
  if (!spec || (several && typeof named !== 'string')) return;
  const other = typeof named === 'string' && named !== event ? specOf(named) : undefined;
  const chooses = several || text.source.includes('hook_event_name') || new RegExp(`\\b${event}\\b`).test(text.source);
  const isOwnStop = file.kind === 'agent' && spec.inAgentScope !== undefined;
  // The program may answer several events, each by its name.
  const judged = other && (chooses || isOwnStop) ? { ...handler, event: String(named), spec: other } : handler;
  const answer = judgeable(found.answer, '', judged.event) as FoundAnswer['answer'];
  yield* judge(judged, text, { ...found, answer }, judged.event);
}

function namedIn(answer: FoundAnswer['answer']): unknown {
  const specific = answer['hookSpecificOutput'];
  return isObject(specific) ? specific['hookEventName'] : undefined;
}

function* judge(
  handler: HandlerNode,
  text: ProgramText,
  { start, end, answer }: FoundAnswer,
  eventName: string,
): Generator<CheckFinding> {
  const at = inText(handler, text, { start, end });
  const read = readOutput(handler.spec as EventSpec, answer, { eventName, nameRequired: true, dialect: 'claude' });
  if ('bad' in read) {
    yield { rule: 'output-rejected', ...at, message: ended(`The answer it prints is refused: ${read.bad}`) };
    return;
  }
  for (const warning of [...read.warnings, ...idleStop(handler.spec as EventSpec, read.outcome, 'claude')])
    yield { rule: 'output-ignored', ...at, message: ended(`In the answer it prints: ${warning}`) };
}

const VERDICT = /\bpermissionDecision\b["']?\s*\]?\s*(?::|=(?!=))\s*(?=["'])/g;
const VERDICTS: readonly string[] = ['allow', 'deny', 'ask', 'defer'];

/** Reports an invalid value of permissionDecision anywhere in a program. */
function* verdicts(handler: HandlerNode, text: ProgramText, code: CodeText): Generator<CheckFinding> {
  for (const match of text.source.matchAll(VERDICT)) {
    const start = match.index + match[0].length;
    const string = code.strings.get(start);
    if (string?.value === undefined || VERDICTS.includes(string.value)) continue;
    // Reported already as part of an answer.
    if (answersIn(code).some(({ answer }) => decisionOf(answer) === string.value)) continue;
    const message = `The answer it prints is refused: permissionDecision must be one of ${VERDICTS.join(', ')}, got "${string.value}".`;
    yield { rule: 'output-rejected', ...inText(handler, text, { start, end: string.end }), message };
  }
}

function decisionOf(answer: FoundAnswer['answer']): unknown {
  const specific = answer['hookSpecificOutput'];
  return isObject(specific) ? specific['permissionDecision'] : undefined;
}

/** Keys that only some events accept, as they are written in programs. */
const RARE = /\b(permissionDecision|updatedInput|updatedToolOutput|initialUserMessage)\b["']?\s*\]?\s*[:=](?!=)/g;

/** Searches a program in another language for the names of keys that the event does not accept. */
function* mentions(handler: HandlerNode, text: ProgramText): Generator<CheckFinding> {
  const { spec, event } = handler;
  if (!spec || text.language === 'other') return;
  for (const match of text.source.matchAll(RARE)) {
    const key = match[1] as string;
    if (knowsKey(spec, key) || knowsAnotherEvent(text.source, event)) continue;
    const place = { start: match.index, end: match.index + key.length };
    yield { rule: 'output-ignored', ...inText(handler, text, place), message: `${event} does not know "${key}".` };
    return;
  }
}

/** Whether the event's output has a key at any level: PermissionRequest has `updatedInput` inside its decision. */
function knowsKey(spec: EventSpec, key: string): boolean {
  return JSON.stringify(jsonSchema(spec, 'output')).includes(`"${key}"`);
}

/** Whether a program names another event. It may be written for several events and be used for only one so far. */
function knowsAnotherEvent(source: string, event: string): boolean {
  return HOOK_EVENTS.some((name) => name !== event && new RegExp(`\\b${name}\\b`).test(source));
}
