import { isObject } from '../../src/values/shape.js';
import { honouredBy } from './recorded.js';

/** Values that a hook chooses: what an answer is, whatever they are. */
const CHOSEN = ['updatedInput', 'modifiedArgs', 'tool_input', 'llm_response', 'toolConfig', 'updated_input'];
const TEXTS =
  /^(reason|permissionDecisionReason|stopReason|message|additionalContext|systemMessage|textResultForLlm|modifiedPrompt|modifiedTransformedPrompt)$/;

/** An answer without what a hook has chosen in it: its shape. Keys in order, so that two of the same shape are the same text. */
export function shapeOf(stdout: string): string {
  return JSON.stringify(shape(JSON.parse(stdout)));
}

function shape(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (CHOSEN.includes(key)) return [key, '◦'];
    return [key, TEXTS.test(key) && typeof inner === 'string' ? '•' : shape(inner)];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

/** Of Copilot's PascalCase events every one but PreToolUse reads the flat answers of its camelCase twin. */
const TWIN: Record<string, string> = { Stop: 'agentStop', UserPromptSubmit: 'userPromptSubmitted' };
const twinOf = (name: string): string => TWIN[name] ?? `${name[0]?.toLowerCase()}${name.slice(1)}`;
const known = new Map<string, readonly string[]>();

/** The shapes of all answers that an agent was seen to honour on an event, by its own name. */
export function honouredShapes(agent: string, event: string): readonly string[] {
  const key = `${agent} ${event}`;
  const twin = event === 'PreToolUse' ? event : twinOf(event);
  const shapes =
    known.get(key) ??
    honouredBy(agent)
      .filter((one) => one.event === event || one.event === twin)
      .map((one) => shapeOf(one.stdout));
  known.set(key, shapes);
  return shapes;
}
