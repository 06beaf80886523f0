import { createHost, type FireInput, type HookInput } from '../../src/index.js';

/** Compiled by tsc, never run: inputs of tools, known by the tool's name. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(..._: T[]): void => undefined;
const is = <T>(value: T): T => value;

declare module '../../src/events/tool-inputs.js' {
  interface ToolInputs {
    Deploy: { target: 'staging' | 'prod' };
    mcp__github__create_issue: { title: string; labels?: readonly string[] };
  }
}
declare module '../../src/events/received.js' {
  interface HookValues {
    Setup: { trigger: 'nightly' };
  }
}

type ToolEvent = 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure' | 'PermissionRequest' | 'PermissionDenied';

export function narrows(input: HookInput<ToolEvent>, name: string): unknown {
  holds<Equal<(typeof input)['tool_name'], string>>();
  holds<Equal<(typeof input)['tool_input'], unknown>>();
  // @ts-expect-error: whose input it is is not known yet
  input.tool_input.command;
  if (input.tool_name === 'Bash') {
    holds<Equal<(typeof input)['tool_input']['command'], string>>();
    // @ts-expect-error: of another tool
    input.tool_input.file_path;
    // @ts-expect-error: read-only
    input.tool_input.command = 'ls';
    return input.tool_input.timeout;
  }
  if (input.tool_name === 'Write' || input.tool_name === 'Edit') return is<string>(input.tool_input.file_path);
  if (input.tool_name === 'Agent' || input.tool_name === 'Task') return is<string>(input.tool_input.prompt);
  switch (input.tool_name) {
    case 'Read':
      return is<number | undefined>(input.tool_input.limit);
    case 'Glob':
    case 'Grep':
      return is<string>(input.tool_input.pattern);
    case 'WebFetch':
      return is<string>(input.tool_input.url);
    case 'WebSearch':
      return is<string>(input.tool_input.query);
    case 'TodoWrite':
      return input.tool_input.todos.map((todo) => is<string>(todo.status));
    case 'NotebookEdit':
      return is<string>(input.tool_input.notebook_path);
    // Merged with, above.
    case 'Deploy':
      return is<'staging' | 'prod'>(input.tool_input.target);
    case 'mcp__github__create_issue':
      return is<string>(input.tool_input.title);
    // Of tools that nobody has described; they may begin like one that is known, or go on behind it.
    case 'Reader':
    case 'WebFetcher':
    case 'deploy':
    case 'lookup_order':
    case 'mcp__github__create_pull':
    case 'mcp__memory__store':
      holds<Equal<(typeof input)['tool_input'], unknown>>();
      // @ts-expect-error: unknown
      return input.tool_input.key;
    default:
      break;
  }
  if (input.tool_name === name || input.tool_name.startsWith('mcp__')) return input.tool_input as { key: string };
  if (input.tool_name !== 'Skill') return is<string>(input.tool_name);
  return is<string>(input.tool_input.skill);
}

export function taken({ tool_name, tool_input }: HookInput<'PreToolUse'>): string | undefined {
  return tool_name === 'Bash' ? tool_input.command : undefined;
}

export function ofAllEvents(input: HookInput): unknown {
  if (input.hook_event_name !== 'PreToolUse') return input.session_id;
  holds<Equal<(typeof input)['tool_input'], unknown>>();
  return is<string>(input.tool_use_id);
}

// What a hook is given is all there, and may be handed to what takes any record.
export const handed = (input: HookInput<'PreToolUse'>): Record<string, unknown> => input;
export const required = (i: HookInput<'SubagentStop'>): string[] => [i.session_id, i.agent_id, i.agent_transcript_path];
export const nightly = (input: HookInput<'Setup'>): boolean => input.trigger === 'nightly';
// @ts-expect-error: neither known nor merged
export const never = (input: HookInput<'SessionEnd'>): boolean => input.reason === 'user_exit';

// A test's own input of a tool, known or not.
const base = {
  session_id: 's',
  transcript_path: 't',
  cwd: '/',
  tool_use_id: 'u',
  hook_event_name: 'PreToolUse',
} as const;
export const made: HookInput<'PreToolUse'>[] = [
  { ...base, tool_name: 'Bash', tool_input: { command: 'ls' } },
  { ...base, tool_name: 'lookup', tool_input: 5 },
  // @ts-expect-error: not Bash's input
  { ...base, tool_name: 'Bash', tool_input: { cmd: 'ls' } },
];

// Firing takes any name and any input, as before.
const host = createHost();
const named: string = 'Bash';
export const fired: Promise<unknown>[] = [
  host.fire('PreToolUse', { tool_name: named, tool_input: 5 }),
  host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { anything: 1 } }),
  host.fire('SessionEnd', { reason: 'of my own' }),
];
export const call: FireInput<'PostToolUse'> = { tool_name: 'Bash', tool_input: null, tool_response: undefined };
host.on('PreToolUse', (input) => void (input.tool_name === 'Bash' && is<string>(input.tool_input.command)));
host.register({
  PostToolUse: [{ hooks: [(input) => void (input.tool_name === 'Read' && is<string>(input.tool_input.file_path))] }],
});
