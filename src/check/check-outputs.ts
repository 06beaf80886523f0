import { HOOK_EVENTS } from '../events/catalogue.js';
import type { EventSpec } from '../events/define.js';
import { jsonSchema } from '../events/json-schema.js';
import { readOutput } from '../events/outcome.js';
import { isObject } from '../values/shape.js';
import { type Check, type CheckFinding, inText } from './checking.js';
import type { ProgramText } from './scripts.js';
import { argsOf, expand, type FoundCommand, outputOf } from './shell.js';
import type { HandlerNode, SourceFile } from './source-file.js';

/** Checks answers that are written literally in shell texts. */
export const checkOutputs: Check = function* (file, about) {
  for (const handler of file.handlers) {
    for (const text of about.texts(handler, file)) {
      // A script that serves several events may answer each differently.
      if (text.file !== undefined && about.eventsOf(text.file).size > 1) continue;
      if (text.shell) for (const command of text.shell.commands) yield* judge(handler, text, command, file);
      else yield* mentions(handler, text);
    }
  }
};

function* judge(
  handler: HandlerNode,
  text: ProgramText,
  command: FoundCommand,
  file: SourceFile,
): Generator<CheckFinding> {
  const answer = answerOf(command);
  if (answer === undefined || !handler.spec) return;
  // A script may also answer other agents, which have keys of their own.
  if (text.file !== undefined && !Object.keys(answer).some((key) => KNOWN.has(key))) return;
  const isOwnStop = file.kind === 'agent' && handler.spec.inAgentScope !== undefined;
  // Whether this is Stop or SubagentStop is known only at run time.
  const eventName = isOwnStop
    ? String((answer['hookSpecificOutput'] as { hookEventName?: unknown } | undefined)?.hookEventName ?? handler.event)
    : handler.event;
  const at = inText(handler, text, { start: command.node.pos, end: command.node.end });
  const read = readOutput(handler.spec, answer, { eventName, nameRequired: true, dialect: 'claude' });
  if ('bad' in read) {
    yield { rule: 'output-rejected', ...at, message: `The answer it prints is refused: ${read.bad}.` };
    return;
  }
  for (const warning of read.warnings)
    yield { rule: 'output-ignored', ...at, message: `In the answer it prints: ${warning.replace(/\.$/, '')}.` };
}

const KNOWN = new Set([
  'continue',
  'decision',
  'reason',
  'hookSpecificOutput',
  'systemMessage',
  'permissionDecision',
  'stopReason',
]);

/** The JSON object that a command prints; undefined if it prints something else or that is known only at run time. */
function answerOf(command: FoundCommand): Readonly<Record<string, unknown>> | undefined {
  const printed = printedBy(command)?.trim();
  if (printed === undefined || !printed.startsWith('{') || !printed.endsWith('}') || outputOf(command) !== 'stdout')
    return undefined;
  try {
    const value: unknown = JSON.parse(printed);
    return isObject(value) ? value : undefined;
  } catch {
    // A template, or a text for people.
    return undefined;
  }
}

function printedBy(command: FoundCommand): string | undefined {
  const words = argsOf(command).map((word) => expand(word, {}));
  switch (command.name) {
    case 'echo':
      return words.length === 1 ? words[0] : undefined;
    case 'printf':
      return words.length === 2 && /^%s(\\n)?$/.test(words[0] ?? '')
        ? words[1]
        : words.length === 1 && !/%/.test(words[0] ?? '%')
          ? words[0]
          : undefined;
    case 'cat': {
      const here = command.node.redirects.find((redirect) => redirect.type === 'HereDoc');
      const isPlain =
        here?.delimiter?.quoted === true || (here?.body.parts ?? []).every(({ type }) => type === 'Literal');
      return here && isPlain && words.length === 0 ? here.body.text : undefined;
    }
    default:
      return undefined;
  }
}

/** Keys that only some events accept, as programs write them. */
const RARE = /\b(permissionDecision|updatedInput|updatedToolOutput|initialUserMessage)\b["']?\s*\]?\s*[:=](?!=)/g;

/** Programs in other languages are only searched for the names of keys. */
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

/** Anywhere in its answer: PermissionRequest has `updatedInput` in its decision. */
function knowsKey(spec: EventSpec, key: string): boolean {
  return JSON.stringify(jsonSchema(spec, 'output')).includes(`"${key}"`);
}

/** It may be written for several events, and only used for one so far. */
function knowsAnotherEvent(source: string, event: string): boolean {
  return HOOK_EVENTS.some((name) => name !== event && new RegExp(`\\b${name}\\b`).test(source));
}
