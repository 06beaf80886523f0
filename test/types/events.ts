import { z } from 'zod';
import { createHost, type Host } from '../../src/create-host.js';
import {
  type AnyHookOutput,
  CATALOGUE,
  type CustomEvents,
  type EventName,
  type FireInput,
  type FoldOf,
  type HookEvent,
  type HookInput,
  type HookOutput,
} from '../../src/events/catalogue.js';
import { withName } from '../../src/events/define.js';
import { addContext, allow, ask, block, combine, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { PermissionUpdate } from '../../src/events/received.js';
import type { EventSpec } from '../../src/events/spec.js';
import type { HookCallback, HookHandler, HookResult, Hooks } from '../../src/host/types.js';

/** Compiled by tsc, never run: an expectation that no longer holds is a compile error. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(..._: T[]): void => undefined;

const events = {
  Deploy: defineEvent({
    input: z.object({ target: z.string(), dry: z.boolean().optional() }),
    subject: (input) => input.target,
    fold: 'gate',
  }),
  Rendered: defineEvent({
    input: z.object({ html: z.string() }),
    fold: 'replace',
    output: z.object({ html: z.string().optional() }),
  }),
} as const;
type Custom = typeof events;

// An entry, built-in or custom, is an EventSpec to whoever does not care which.
export const entries: Readonly<Record<string, EventSpec>> = { ...CATALOGUE, Deploy: withName('Deploy', events.Deploy) };

// The input of a built-in event.
type Pre = HookInput<'PreToolUse'>;
holds<Equal<Pre['tool_name'], string>>();
holds<Equal<Pre['tool_input'], unknown>>();
holds<Equal<Pre['tool_use_id'], string>>();
holds<Equal<Pre['hook_event_name'], 'PreToolUse'>>();
holds<Equal<Pre['cwd'], string>>();
holds<Equal<HookInput<'Stop'>['stop_hook_active'], boolean>>();
holds<Equal<HookInput<'PreCompact'>['custom_instructions'], string | null>>();
holds<Equal<HookInput<'SubagentStart'>['agent_id'], string>>();
holds<Equal<HookInput<'PreToolUse'>['agent_id'], string | undefined>>();

/** The fields of the fifteen classic events as the first design lists them, for a hook: what only old payloads lack is there. */
interface Classic {
  PreToolUse: { tool_name: string; tool_input: unknown; tool_use_id: string };
  PostToolUse: { tool_name: string; tool_input: unknown; tool_response: unknown; tool_use_id: string };
  PostToolUseFailure: {
    tool_name: string;
    tool_input: unknown;
    tool_use_id: string;
    error: string;
    is_interrupt?: boolean;
  };
  PermissionRequest: { tool_name: string; tool_input: unknown; permission_suggestions?: PermissionUpdate[] };
  UserPromptSubmit: { prompt: string };
  SessionStart: { source: string; agent_type?: string; model?: string };
  SessionEnd: { reason: string };
  Setup: { trigger: string };
  Stop: { stop_hook_active: boolean };
  SubagentStart: { agent_id: string; agent_type: string };
  SubagentStop: {
    stop_hook_active: boolean;
    agent_id: string;
    agent_transcript_path: string;
    agent_type: string;
  };
  PreCompact: { trigger: string; custom_instructions: string | null };
  Notification: { message: string; title?: string; notification_type: string };
  TeammateIdle: { teammate_name: string; team_name: string };
  TaskCompleted: {
    task_id: string;
    task_subject: string;
    task_description?: string;
    teammate_name?: string;
    team_name?: string;
  };
}
interface Base {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode?: string;
}
type Widened<T> = { -readonly [K in keyof T]: T[K] extends string | undefined ? string : T[K] };
type Shared<T, Keys> = { [K in keyof T as K extends Keys ? K : never]: T[K] };
/** As a hook of several events sees them; of one event a call's input is known by its tool. */
type Listed<E extends keyof Classic> = Widened<
  Shared<Extract<HookInput, { hook_event_name: E }>, keyof (Classic[E] & Base)>
>;
type Wrong = {
  [E in keyof Classic]: Equal<Listed<E>, Widened<Classic[E] & Base>> extends true ? never : E;
}[keyof Classic];
holds<Equal<Wrong, never>>();

export function readsInput(input: HookInput): string {
  // @ts-expect-error no event has this field
  input.tool_nmae;
  if (input.hook_event_name === 'FileChanged') return input.file_path;
  if (input.hook_event_name === 'SessionEnd' && input.reason === 'user_exit') return input.reason;
  return input.session_id;
}

export function writesInput(input: Pre): void {
  // @ts-expect-error the input is read-only
  input.tool_name = 'Other';
}

// The input of a custom event keeps its own fields and has the base fields.
type Deploy = HookInput<'Deploy', Custom>;
holds<Equal<Deploy['target'], string>>();
holds<Equal<Deploy['dry'], boolean | undefined>>();
holds<Equal<Deploy['session_id'], string>>();
holds<Equal<Deploy['hook_event_name'], 'Deploy'>>();
holds<Equal<HookInput<'PreToolUse', Custom>['tool_name'], string>>();
holds<Equal<FoldOf<'Deploy', Custom>, 'gate'>>();
holds<Equal<FoldOf<'Stop'>, 'stop'>>();

// What fire takes.
export const fired: FireInput<'PreToolUse'>[] = [
  { tool_name: 'Bash', tool_input: { command: 'ls' } },
  { tool_name: 'Bash', tool_input: {}, tool_use_id: 't', session_id: 's', hook_event_name: 'PreToolUse', extra: 1 },
  // @ts-expect-error tool_name is missing
  { tool_input: {} },
  // @ts-expect-error of another type
  { tool_name: 1, tool_input: {} },
  // @ts-expect-error another event's name
  { tool_name: 'Bash', tool_input: {}, hook_event_name: 'PostToolUse' },
];
export const deploys: FireInput<'Deploy', Custom>[] = [
  { target: 'prod', ticket: 'X-1' },
  // @ts-expect-error target is missing
  { dry: true },
];
export const ends: FireInput<'SessionEnd'>[] = [{ reason: 'max_turns' }, { reason: 'clear' }];

// What a handler may say.
export const said: HookOutput<'PreToolUse'>[] = [
  {},
  { decision: 'approve', reason: 'fine', continue: true },
  { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } },
  { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'ls' } } },
  { async: true, asyncTimeout: 5 },
  { async: true, result: Promise.resolve({ systemMessage: 'done' }) },
  // @ts-expect-error no such verdict
  { hookSpecificOutput: { permissionDecision: 'maybe' } },
  // @ts-expect-error misspelt
  { hookSpecificOutput: { permisionDecision: 'deny' } },
  // @ts-expect-error belongs in hookSpecificOutput
  { updatedInput: {} },
  // @ts-expect-error another event's name
  { hookSpecificOutput: { hookEventName: 'PostToolUse' } },
  // @ts-expect-error the input is replaced as a whole, by an object
  { hookSpecificOutput: { updatedInput: 'ls' } },
];
export const answered: HookOutput<'PermissionRequest'>[] = [
  { hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: {} } } },
  { hookSpecificOutput: { decision: { behavior: 'deny', message: 'no', interrupt: true } } },
  // @ts-expect-error an allow has no message
  { hookSpecificOutput: { decision: { behavior: 'allow', message: 'no' } } },
];
export const gated: HookOutput<'Deploy', Custom>[] = [
  { hookSpecificOutput: { permissionDecision: 'defer', additionalContext: 'x' } },
  // @ts-expect-error not a key of a gate
  { hookSpecificOutput: { html: '' } },
];
export const rendered: HookOutput<'Rendered', Custom> = { hookSpecificOutput: { html: '<p>' } };

// The helpers that mean something on an event, and no others.
export function helps(host: Host, own: Host<Custom>, any: Host<CustomEvents>, name: EventName<CustomEvents>): void {
  host.on('PreToolUse', () => combine(deny('no'), addContext('why'), rewrite({})));
  host.on('PreToolUse', async () => (Date.now() > 0 ? allow() : defer('later')));
  host.on('PostToolUse', () => combine(block('no'), addContext('why'), rewrite('text')));
  host.on('PostToolUseFailure', () => rewrite('text'));
  host.on('PermissionRequest', () => combine(ask('sure?'), rewrite({})));
  host.on('PreModelSwitch', () => ask('sure?'));
  host.on('Stop', () => combine(block('go on'), addContext('why')));
  host.on('Elicitation', () => block('no'));
  host.on('WorktreeCreate', () => block('no'));
  host.on('SessionStart', () => addContext('c'));
  host.on('PreModelSwitch', () => stop('no'));
  host.on('SubagentStop', () => combine(block('no'), stop()));
  host.register({ PostToolBatch: [{ hooks: [async () => stop()] }], UserPromptSubmit: [{ hooks: [() => stop()] }] });
  own.on('Deploy', () => combine(deny('no'), addContext('why'), rewrite({})));
  own.on('Rendered', () => block('no'));
  own.on('Rendered', () => stop());
  own.on('Deploy', () => stop('no'));
  any.on(name, () => combine(deny('no'), addContext('why'), rewrite({})));
  const all: HookCallback = () => addContext('c');
  const some: HookCallback<'PreToolUse' | 'SessionEnd'> = () => deny('no');
  void [all, some];

  // @ts-expect-error a prompt is not rewritten
  host.on('UserPromptSubmit', ({ prompt }) => rewrite(prompt));
  // @ts-expect-error nor is
  host.on('UserPromptExpansion', () => rewrite(''));
  // @ts-expect-error nor is
  host.on('PreCompact', () => rewrite(''));
  // @ts-expect-error nor is
  host.on('TaskCreated', () => rewrite(''));
  // @ts-expect-error nor is
  host.on('PostToolBatch', async () => rewrite(''));
  // @ts-expect-error nor is
  host.on('ConfigChange', () => combine(block('no'), rewrite('')));
  // @ts-expect-error nor is
  host.on('PreModelSwitch', () => rewrite(''));
  // @ts-expect-error nor is
  host.on('Stop', () => rewrite(''));
  // @ts-expect-error what is displayed cannot be blocked
  host.on('MessageDisplay', () => block('no'));
  // @ts-expect-error the model is told nothing there
  host.on('PermissionRequest', () => addContext('c'));
  // @ts-expect-error nor there
  host.on('SessionEnd', () => addContext('c'));
  // @ts-expect-error nor there
  host.register({ FileChanged: [{ hooks: [() => addContext('c')] }] });
  // @ts-expect-error no loop ends there
  host.on('SessionEnd', () => stop());
  // @ts-expect-error nor there
  host.on('Notification', () => combine(addContext('c'), stop('enough')));
  // @ts-expect-error nor there
  host.on('Elicitation', () => stop());
  // @ts-expect-error nor there
  host.register({ FileChanged: [{ hooks: [async () => stop()] }] });
  // @ts-expect-error nothing is decided there
  host.on('SessionStart', () => deny('no'));
  // @ts-expect-error calls wait on PreToolUse alone
  host.on('PermissionRequest', () => defer('later'));
  // @ts-expect-error its output has no context
  own.on('Rendered', () => addContext('c'));
}

// @ts-expect-error a subject is a field of the input
defineEvent({ input: z.object({ target: z.string() }), subject: 'traget', fold: 'gate' });
// @ts-expect-error no such fold
defineEvent({ input: z.object({}), fold: 'vote' });

const own = defineEvent({ input: z.object({}), fold: 'observe' });
createHost({ events: { Mine: own } });
// @ts-expect-error a built-in event cannot be defined again
const again = (): Host => createHost({ events: { Mine: own, PreToolUse: own } });
void again;

/** Of an event that a type parameter names, what means something on each that it may be. */
export function generic<
  Gate extends 'PreToolUse' | 'PermissionRequest',
  Tool extends 'PreToolUse' | 'PostToolUse',
  End extends 'Stop' | 'SubagentStop',
>(gate: Gate, tool: Tool): readonly [HookCallback<Gate>, HookCallback<End>] {
  const host = createHost();
  host.on(gate, () => deny('no'));
  host.on(gate, () => rewrite({}));
  host.on(tool, () => block('no'));
  host.on(tool, () => addContext('c'));
  host.on(tool, () => stop());
  // @ts-expect-error nothing is denied once it has run
  host.on(tool, () => deny('no'));
  return [() => deny('no'), () => block('no')];
}
/** The events on which each helper that ends or decides means something. */
type On<Helper> = { [E in HookEvent]: Helper extends HookResult<E> ? E : never }[HookEvent];
holds<
  Equal<
    On<ReturnType<typeof stop>>,
    | 'PreToolUse'
    | 'PostToolUse'
    | 'PostToolBatch'
    | 'PermissionRequest'
    | 'UserPromptSubmit'
    | 'UserPromptExpansion'
    | 'Stop'
    | 'SubagentStop'
    | 'TeammateIdle'
    | 'TaskCompleted'
    | 'PreModelSwitch'
  >
>();

// A callback for several events names its input: one for each event that it is given for.
export function several(host: Host, own: Host<Custom>): void {
  const log = (input: HookInput): void => console.log(input.hook_event_name, input.session_id);
  const late = async (input: HookInput, id: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
    console.log(input.hook_event_name, id, signal.aborted);
  };
  const told = (_: HookInput<'PreToolUse' | 'PostToolUse'>) => addContext('c');
  const answered = (input: HookInput<'PreToolUse' | 'PostToolUse'>): AnyHookOutput =>
    input.hook_event_name === 'PreToolUse'
      ? { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }
      : { decision: 'block', reason: 'no' };
  host.on('PreToolUse', log);
  host.on('SessionEnd', late, { name: 'log' });
  own.on('PreToolUse', log);
  host.on('PostToolUse', told);
  const hooks: Hooks = {
    PreToolUse: [{ hooks: [log, late, told, answered] }],
    PostToolUse: [{ hooks: [told, answered, { handler: log, timeout: 5 }] }],
    Stop: [{ hooks: [log, late] }],
  };
  host.register(hooks);
  const every: { readonly [E in HookEvent]: HookHandler<E> } = {} as { [E in HookEvent]: typeof log };
  void every;
  // @ts-expect-error it answers for whichever event it likes
  host.on('PreToolUse', log as HookCallback);
  // @ts-expect-error not of its events
  host.on('Stop', told);
}
export function erased<C extends CustomEvents>(host: Host<C>): void {
  host.on('PreToolUse', () => deny('no'));
  host.on('Stop', () => block('no'));
}
