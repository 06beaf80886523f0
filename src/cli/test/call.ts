import type { HookscopeError } from '../../errors.js';
import { payload } from '../../testing/payload.js';
import { isObject, isText, type Json } from '../../values/shape.js';

type ErrorFactory = (problem: string, near?: string) => HookscopeError;

const MADE = payload.preToolUse;

/** Tools whose calls can be written as one text, and what the text is. */
const BY_TEXT: Readonly<Record<string, (text: string) => Json>> = {
  Bash: MADE.bash,
  Read: MADE.read,
  Write: (path) => MADE.write(path),
  Edit: (path) => MADE.edit(path),
  NotebookEdit: (path) => MADE.notebookEdit(path),
  Glob: MADE.glob,
  Grep: (pattern) => MADE.grep(pattern),
  WebFetch: MADE.webFetch,
  WebSearch: MADE.webSearch,
  Agent: (type) => MADE.agent(type),
};

/** `Bash 'git push'`, `Edit src/a.ts`, `mcp__db__query {"sql": "drop table users"}`, or `{ tool, input }`. */
export function parseCall(call: unknown, wrong: ErrorFactory): Json {
  if (isObject(call)) {
    const { tool, input = {}, ...more } = call;
    const [other] = Object.keys(more);
    if (other !== undefined) throw wrong(`"${other}" is not a known key; there are tool, input`);
    if (!isText(tool) || !isObject(input)) throw wrong('expected { tool: NAME, input: { … } }');
    return callOf(tool, input);
  }
  const [, tool, rest = ''] = isText(call) ? (/^(\S+)\s*([\s\S]*)$/.exec(call.trim()) ?? []) : [];
  if (tool === undefined) throw wrong("expected a tool and what it is called with, as Bash 'git push'");
  if (rest === '') return callOf(tool, {});
  if (rest.startsWith('{')) return callOf(tool, parseInput(rest, wrong));
  const byText = Object.hasOwn(BY_TEXT, tool) ? BY_TEXT[tool] : undefined;
  if (byText === undefined)
    throw wrong(
      `the input of ${tool} is an object, as ${tool} {"key": "value"}; a text is known for ${Object.keys(BY_TEXT).join(', ')}`,
    );
  return byText(unquoted(rest, wrong));
}

const callOf = (tool_name: string, tool_input: Json): Json => ({ tool_name, tool_input, tool_use_id: 'toolu_1' });

function parseInput(text: string, wrong: ErrorFactory): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw wrong(`its input is no JSON object: ${(error as Error).message}`);
  }
}

/** Removes quotes around the whole text; what is between them stays as it is. */
function unquoted(text: string, wrong: ErrorFactory): string {
  const [quote] = text;
  if (quote !== "'" && quote !== '"') return text;
  if (text.length > 1 && text.endsWith(quote)) return text.slice(1, -1);
  throw wrong(
    `its ${quote} is not closed; " #" begins a comment in YAML, so that such a call has to be in quotes as a whole`,
  );
}
