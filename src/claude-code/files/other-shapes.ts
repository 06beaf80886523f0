import { isObject } from '../../values/shape.js';

/** Recognises a hook file in another format than Claude Code's and says what to do; undefined if the format is not recognised. */
export function otherShape(data: Readonly<Record<string, unknown>>, events: readonly string[]): string | undefined {
  const { hooks } = data;
  if (hooks === undefined) return bareEvents(data, events);
  if (Array.isArray(hooks)) {
    const what = hooks.some((hook) => namesEvent(hook, events))
      ? 'a list of hooks that each name their event'
      : 'a list';
    return `is ${what}; expected an object by event, { "PostToolUse": [{ "matcher": "…", "hooks": [{ "type": "command", "command": "…" }] }] }`;
  }
  const other = otherAgent(data, events);
  return other && `looks like ${other.words}, which is another format`;
}

const namesEvent = (hook: unknown, events: readonly string[]): boolean =>
  isObject(hook) && ('event' in hook || Object.values(hook).some((value) => events.includes(value as string)));

/** The agent whose format a file has; undefined if the format is Claude Code's or unknown. */
export function otherAgent(
  { hooks, ...data }: Readonly<Record<string, unknown>>,
  events: readonly string[],
): { readonly agent: string; readonly from: string; readonly words: string } | undefined {
  if (!isObject(hooks) || Object.keys(hooks).some((event) => events.includes(event))) return undefined;
  const names = Object.keys(hooks);
  if (names.length === 0) return undefined;
  if ('version' in data && names.every((name) => /^[a-z]/.test(name))) {
    const copilot = Object.values(hooks)
      .flat()
      .some((hook) => isObject(hook) && ('bash' in hook || 'powershell' in hook));
    const agent = copilot ? 'GitHub Copilot' : 'Cursor';
    return {
      agent,
      from: copilot ? 'copilot' : 'cursor',
      words: `${agent}'s hooks file ("version" and events like ${names[0]})`,
    };
  }
  const gemini = names.find((name) => GEMINI.has(name));
  return gemini === undefined
    ? undefined
    : { agent: 'Gemini CLI', from: 'gemini', words: `Gemini CLI's hooks (${names[0]})` };
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

/** The events at the top level of a file that have a list of groups. */
export const eventsIn = (data: Readonly<Record<string, unknown>>, events: readonly string[]): object =>
  Object.fromEntries(Object.entries(data).filter(([key, value]) => events.includes(key) && Array.isArray(value)));

function bareEvents(data: Readonly<Record<string, unknown>>, events: readonly string[]): string | undefined {
  const found = Object.keys(data).find((key) => events.includes(key));
  return found === undefined
    ? undefined
    : `has the event ${found} at its top level; expected it under "hooks", { "hooks": { "${found}": [ … ] } }`;
}
