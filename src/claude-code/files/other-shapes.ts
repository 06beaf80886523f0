import { isObject } from '../../values/shape.js';

/** What a hook file looks like that is not in Claude Code's format, and what to do; undefined: nothing known. */
export function otherShape(data: Readonly<Record<string, unknown>>, events: readonly string[]): string | undefined {
  const { hooks } = data;
  if (hooks === undefined) return bareEvents(data, events);
  if (Array.isArray(hooks)) {
    return 'is a list of hooks that each name their event; expected an object by event, { "PostToolUse": [{ "matcher": "…", "hooks": [{ "type": "command", "command": "…" }] }] }';
  }
  if (!isObject(hooks) || Object.keys(hooks).some((event) => events.includes(event))) return undefined;
  const names = Object.keys(hooks);
  if (names.length === 0) return undefined;
  if ('version' in data && names.every((name) => /^[a-z]/.test(name))) {
    const copilot = Object.values(hooks)
      .flat()
      .some((hook) => isObject(hook) && ('bash' in hook || 'powershell' in hook));
    return `looks like ${copilot ? 'GitHub Copilot' : 'Cursor'}'s hooks file ("version" and events like ${names[0]}), which is another format`;
  }
  if (names.some((name) => GEMINI.has(name)))
    return `looks like Gemini CLI's hooks (${names[0]}), which is another format`;
  return undefined;
}

const GEMINI = new Set([
  'BeforeTool',
  'AfterTool',
  'BeforeAgent',
  'AfterAgent',
  'BeforeModel',
  'AfterModel',
  'BeforeToolSelection',
  'PreCompress',
]);

function bareEvents(data: Readonly<Record<string, unknown>>, events: readonly string[]): string | undefined {
  const found = Object.keys(data).find((key) => events.includes(key) && Array.isArray(data[key]));
  return found === undefined
    ? undefined
    : `has the event ${found} at its top level; expected it under "hooks", { "hooks": { "${found}": [ … ] } }`;
}
