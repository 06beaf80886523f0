import { HOOK_EVENTS } from '../events/catalogue.js';
import { type CheckContext, type CheckFinding, type FileCheck, inText } from './checking.js';
import type { HandlerNode } from './files/source-file.js';
import { readCode } from './scripts/code-text.js';
import { codeReads, type FieldRead } from './scripts/field-reads.js';
import { jqReads } from './scripts/jq-reads.js';
import type { ProgramText } from './scripts/scripts.js';

/** Reports hooks that look for a field of the input in the wrong place. */
export const checkFields: FileCheck = function* (file, about) {
  for (const handler of file.handlers) {
    for (const text of about.texts(handler, file)) yield* judge(handler, text, about);
  }
};

function* judge(handler: HandlerNode, text: ProgramText, about: CheckContext): Generator<CheckFinding> {
  const fields = fieldsOf(handler, text, about);
  if (!fields || handler.type !== 'command') return;
  const code = readCode(text);
  const reads = text.shell ? jqReads(text.shell) : code ? codeReads(code) : [];
  const told = new Set<string>();
  for (const read of reads) {
    const right = placeOf(read, fields);
    if (right === undefined || told.has(read.field) || readsBoth(read, right, text.source)) continue;
    told.add(read.field);
    const message = `It reads "${read.field}" of the event, which has ${right} instead.`;
    const fix = `Read ${right}.`;
    yield { rule: 'input-field', ...inText(handler, text, read), message, fix };
  }
}

/** The fields of all events that a program serves; undefined if it may serve other events too. */
function fieldsOf(
  { spec, event }: HandlerNode,
  { file, source }: ProgramText,
  about: CheckContext,
): ReadonlySet<string> | undefined {
  if (!spec) return undefined;
  const others = file === undefined ? [] : [...about.eventsOf(file)].filter((name) => name !== event);
  const named = HOOK_EVENTS.some((name) => name !== event && new RegExp(`\\b${name}\\b`).test(source));
  if (others.length > 0 || named) return undefined;
  return new Set(Object.keys(spec.input.shape));
}

/** Names of tool arguments, which are inside `tool_input`. */
const OF_TOOLS = new Set(
  'command file_path filePath content old_string new_string oldString newString pattern url query subagent_type notebook_path edits todos replace_all'.split(
    ' ',
  ),
);
const SNAKE: Readonly<Record<string, string>> = {
  filePath: 'file_path',
  oldString: 'old_string',
  newString: 'new_string',
};

/** Wrong names for fields of the input, as people and other agents use them. */
const MEANT: readonly (readonly [field: string, names: RegExp])[] = [
  ['tool_name', /^(toolName|tool|tool_type|toolType)$/],
  ['tool_input', /^(toolInput|input|inputs|args|toolArgs|tool_args|arguments|params|parameters|tool_parameters)$/],
  ['tool_response', /^(toolResponse|toolOutput|tool_output|toolResult|tool_result|output|response|result)$/],
  ['tool_use_id', /^toolUse(Id|ID)$/],
  ['prompt', /^(userPrompt|user_prompt|message|text|user_message)$/],
  ['stop_hook_active', /^stopHookActive$/],
  ['session_id', /^session(Id|ID)$/],
  ['transcript_path', /^(transcriptPath|transcript)$/],
  ['hook_event_name', /^(hookEventName|eventName|event_name|hookEvent)$/],
];

/** The right place of the intended field; undefined if it was read there or the field is unknown. */
function placeOf({ field, below }: FieldRead, fields: ReadonlySet<string>): string | undefined {
  if (fields.has(field)) return undefined;
  if (OF_TOOLS.has(field) && fields.has('tool_input')) return `tool_input.${SNAKE[field] ?? field}`;
  const meant = MEANT.find(([name, names]) => fields.has(name) && names.test(field))?.[0];
  return meant === undefined ? undefined : [meant, ...below].join('.');
}

/** Whether a program also reads the right place. Then it was written for several agents. */
function readsBoth({ field, among }: FieldRead, right: string, source: string): boolean {
  const [first = '', second] = right.split('.');
  if (new RegExp(`\\b${first}\\b`).test(among)) return true;
  if (second === undefined) return new RegExp(`\\b${first}\\b`).test(source);
  return new RegExp(`\\b${first}\\b["'\\]?.)]*[^\\n]{0,12}\\b${second}\\b`).test(source) && field !== first;
}
