import type { z } from 'zod';
import type { asyncOutput, baseOutput } from './base.js';
import { namedLater } from './define.js';
import { AGENT_EVENTS } from './groups/agent.js';
import { CONVERSATION_EVENTS } from './groups/conversation.js';
import { ELICITATION_EVENTS } from './groups/elicitation.js';
import { PROMPT_EVENTS } from './groups/prompt.js';
import { SESSION_EVENTS } from './groups/session.js';
import { TEAM_EVENTS } from './groups/team.js';
import { TOOL_EVENTS } from './groups/tool.js';
import { TURN_EVENTS } from './groups/turn.js';
import { WORKSPACE_EVENTS } from './groups/workspace.js';
import type { ReceivedInput, ReceivedOfAny } from './received.js';
import type { EventDefinition, EventSpec, Fold } from './spec.js';

export { EXIT_REASONS } from './groups/session.js';

const definitions = {
  ...TOOL_EVENTS,
  ...PROMPT_EVENTS,
  ...SESSION_EVENTS,
  ...TURN_EVENTS,
  ...AGENT_EVENTS,
  ...CONVERSATION_EVENTS,
  ...TEAM_EVENTS,
  ...ELICITATION_EVENTS,
  ...WORKSPACE_EVENTS,
} as const;

type Definitions = typeof definitions;
/** The name of a built-in event. */
export type HookEvent = keyof Definitions;
export type Catalogue = { readonly [E in HookEvent]: EntryFrom<Definitions[E]> };

type EntryFrom<D> = D extends EventDefinition<infer I, infer O, infer F> ? EventSpec<I, O, F> : never;

/** Classic events come first. */
const entries = Object.entries<EventDefinition>(definitions).sort(
  ([, a], [, b]) => Number(b.classic) - Number(a.classic),
);

/** All built-in events, by name. The object has no prototype, so names from outside can be looked up safely. */
export const CATALOGUE: Catalogue = Object.freeze(
  Object.assign(Object.create(null), Object.fromEntries(entries.map(([name, d]) => [name, namedLater(name, d)]))),
);

/** The catalogue's entry for an event; undefined if the event is not built in. */
export function specOf(event: HookEvent): EventSpec;
export function specOf(event: string): EventSpec | undefined;
export function specOf(event: string): EventSpec | undefined {
  return (CATALOGUE as Readonly<Record<string, EventSpec>>)[event];
}

/** The names of the built-in events. */
export const HOOK_EVENTS = Object.freeze(entries.map(([name]) => name)) as readonly HookEvent[];

/** The events that Claude Code has too. Its files may contain hooks for them, and it is asked to send them over the control protocol. */
export const CLAUDE_EVENTS: readonly HookEvent[] = Object.freeze(
  HOOK_EVENTS.filter((name) => (CATALOGUE[name] as EventSpec).claude?.sent !== 'unknown'),
);

/** The custom events of a host, as passed to `createHost({ events })`. */
export type CustomEvents = Readonly<Record<string, EventDefinition>>;
export type NoEvents = Readonly<Record<never, EventDefinition>>;
/** The names of the events that a host with these custom events can fire. */
export type EventName<Custom extends CustomEvents = NoEvents> = HookEvent | (keyof Custom & string);
/** The definition of the event with this name. */
export type DefinitionOf<E extends string, Custom extends CustomEvents = NoEvents> = E extends HookEvent
  ? Definitions[E]
  : E extends keyof Custom
    ? Custom[E]
    : never;

/** The type of a loose object without its index signature, so that a misspelt field is an error. */
type DeclaredFields<T> = T extends unknown ? { [K in keyof T as string extends K ? never : K]: T[K] } : never;
type InputFields<D> = D extends EventDefinition<infer I, z.ZodObject, Fold> ? DeclaredFields<z.infer<I>> : never;
type OutputFields<D> = D extends EventDefinition<z.ZodObject, infer O, Fold> ? DeclaredFields<z.infer<O>> : never;

/** The keys that the event's output may have in `hookSpecificOutput`; any string if the event is not known. */
export type OutputKey<E extends EventName<Custom>, Custom extends CustomEvents = NoEvents> =
  DefinitionOf<E, Custom> extends EventDefinition<z.ZodObject, infer O, Fold> ? keyof O['shape'] : never;

export type FoldOf<E extends EventName<Custom>, Custom extends CustomEvents = NoEvents> = DefinitionOf<
  E,
  Custom
>['fold'];

/**
 * The input that a handler of the event gets. It is deeply read-only and also has the fields that the event does not declare. For one tool event
 * it is a union by `tool_name` (`ToolInputs`); for all events together, `tool_input` is `unknown`.
 */
export type HookInput<
  E extends EventName<Custom> = HookEvent,
  Custom extends CustomEvents = NoEvents,
> = HookEvent extends E
  ? { [N in E]: ReceivedOfAny<N, InputFields<DefinitionOf<N, Custom>>> }[E]
  : {
      [N in E]: N extends HookEvent
        ? ReceivedInput<N, InputFields<DefinitionOf<N, Custom>>>
        : NamedInput<N, InputFields<DefinitionOf<N, Custom>>>;
    }[E];
type NamedInput<N extends string, T> = { readonly [K in keyof T]: K extends 'hook_event_name' ? N : T[K] };
/** The event's own fields and the base fields, as types for one built-in event. */
export type InputOf<E extends HookEvent> = NamedInput<E, InputFields<Definitions[E]>>;

type HostField = 'session_id' | 'transcript_path' | 'cwd' | 'hook_event_name';

/** The input of `fire`: the event's own fields. Missing base fields are filled in, and extra fields are passed on. */
export type FireInput<E extends EventName<Custom> = HookEvent, Custom extends CustomEvents = NoEvents> = {
  [N in E]: FireFields<N, InputFields<DefinitionOf<N, Custom>>>;
}[E];
type FireFields<N extends string, T> = { readonly [K in keyof T as K extends HostField ? never : K]: T[K] } & {
  readonly session_id?: string;
  readonly transcript_path?: string;
  readonly cwd?: string;
  readonly hook_event_name?: N;
  readonly [extra: string]: unknown;
};

/** The output of a handler of the event. A handler with nothing to say returns nothing. */
export type HookOutput<E extends EventName<Custom> = HookEvent, Custom extends CustomEvents = NoEvents> = {
  [N in E]: SyncOutput<N, OutputFields<DefinitionOf<N, Custom>>> | AsyncOutput;
}[E];
type SyncOutput<N extends string, T> = z.infer<ReturnType<typeof baseOutput>> & {
  hookSpecificOutput?: ({ hookEventName?: N | undefined } & T) | undefined;
  async?: false | undefined;
};
/** Tells the host to continue without this handler. A late answer counts only if its promise is given as `result`. The timeout is in seconds. */
export type AsyncOutput = z.infer<ReturnType<typeof asyncOutput>> & { result?: Promise<unknown> | undefined };

/** Events of newer versions of Claude's SDK that hookscope does not fire. Without them, callbacks typed for the SDK would not compile here. */
type LaterEvent = 'PreSkillShellCommand';

/**
 * The output of a callback that is written for several events, as Claude's SDK types all of its callbacks. An output for another event
 * than the one that was fired is a failure (`bad_schema`).
 */
export type AnyHookOutput =
  | AsyncOutput
  | (z.infer<ReturnType<typeof baseOutput>> & {
      hookSpecificOutput?:
        | { [N in HookEvent]: { hookEventName: N } & OutputFields<Definitions[N]> }[HookEvent]
        | { hookEventName: LaterEvent }
        | undefined;
      async?: false | undefined;
    });

const plainWord = (name: string): string => name.replace(/[-_\s]/g, '').toLowerCase();

/** The event name for any spelling: `pre_tool_use`, `pre-tool-use`, `preToolUse`. undefined if there is no such event. */
export function eventName(spelling: string): HookEvent | undefined;
export function eventName(spelling: string, names: Iterable<string>): string | undefined;
export function eventName(spelling: string, names: Iterable<string> = HOOK_EVENTS): string | undefined {
  // The caller reports a name that is not a string.
  if (typeof spelling !== 'string') return undefined;
  const wanted = plainWord(spelling);
  for (const name of names) if (plainWord(name) === wanted) return name;
  return undefined;
}
