import type { z } from 'zod';
import { SubagentStart, SubagentStop, TaskCompleted, TaskCreated, TeammateIdle } from './agent.js';
import type { asyncOutput, baseOutput } from './base.js';
import { type EventDefinition, type EventSpec, type Fold, namedLater } from './define.js';
import { Elicitation, ElicitationResult } from './elicitation.js';
import { UserPromptExpansion, UserPromptSubmit } from './prompt.js';
import { ConfigChange, InstructionsLoaded, SessionEnd, SessionStart, Setup } from './session.js';
import {
  PermissionDenied,
  PermissionRequest,
  PostToolBatch,
  PostToolUse,
  PostToolUseFailure,
  PreToolUse,
} from './tool.js';
import {
  MessageDisplay,
  Notification,
  PostCompact,
  PostModelSwitch,
  PreCompact,
  PreModelSwitch,
  Stop,
  StopFailure,
} from './turn.js';
import { CwdChanged, DirectoryAdded, FileChanged, WorktreeCreate, WorktreeRemove } from './workspace.js';

export { EXIT_REASONS } from './session.js';

/** The fifteen every design names come first. */
const definitions = {
  PreToolUse,
  PostToolUse,
  PostToolUseFailure,
  PermissionRequest,
  UserPromptSubmit,
  SessionStart,
  SessionEnd,
  Setup,
  Stop,
  SubagentStart,
  SubagentStop,
  PreCompact,
  Notification,
  TeammateIdle,
  TaskCompleted,
  PostToolBatch,
  PermissionDenied,
  UserPromptExpansion,
  StopFailure,
  PostCompact,
  PreModelSwitch,
  PostModelSwitch,
  MessageDisplay,
  TaskCreated,
  Elicitation,
  ElicitationResult,
  ConfigChange,
  InstructionsLoaded,
  CwdChanged,
  DirectoryAdded,
  FileChanged,
  WorktreeCreate,
  WorktreeRemove,
} as const;

type Definitions = typeof definitions;
/** The name of a built-in event. */
export type HookEvent = keyof Definitions;
export type Catalogue = { readonly [E in HookEvent]: EntryFrom<Definitions[E]> };

type EntryFrom<D> = D extends EventDefinition<infer I, infer O, infer F> ? EventSpec<I, O, F> : never;

/** Every built-in event, by name. It has no prototype: a name from outside can be looked up as it is. */
export const CATALOGUE: Catalogue = Object.freeze(
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries<EventDefinition>(definitions).map(([name, d]) => [name, namedLater(name, d)])),
  ),
);

/** The names of the built-in events. */
export const HOOK_EVENTS = Object.freeze(Object.keys(definitions)) as readonly HookEvent[];

/** A host's own events, as `createHost({ events })` takes them. */
export type CustomEvents = Readonly<Record<string, EventDefinition>>;
export type NoEvents = Readonly<Record<never, EventDefinition>>;
/** The names a host with these events of its own can fire. */
export type EventName<Custom extends CustomEvents = NoEvents> = HookEvent | (keyof Custom & string);
/** The definition behind a name. */
export type DefinitionOf<E extends string, Custom extends CustomEvents = NoEvents> = E extends HookEvent
  ? Definitions[E]
  : E extends keyof Custom
    ? Custom[E]
    : never;

/** A loose object's type without its index signature: a misspelt field is then an error. */
type Declared<T> = T extends unknown ? { [K in keyof T as string extends K ? never : K]: T[K] } : never;
type InputFields<D> = D extends EventDefinition<infer I, z.ZodObject, Fold> ? Declared<z.infer<I>> : never;
type OutputFields<D> = D extends EventDefinition<z.ZodObject, infer O, Fold> ? Declared<z.infer<O>> : never;

export type FoldOf<E extends EventName<Custom>, Custom extends CustomEvents = NoEvents> = DefinitionOf<
  E,
  Custom
>['fold'];

/** What a handler of the event is given. Read-only all the way down; fields not declared here are there too, untouched. */
export type HookInput<E extends EventName<Custom> = HookEvent, Custom extends CustomEvents = NoEvents> = {
  [N in E]: NamedInput<N, InputFields<DefinitionOf<N, Custom>>>;
}[E];
type NamedInput<N extends string, T> = { readonly [K in keyof T]: K extends 'hook_event_name' ? N : T[K] };

type FilledIn = 'session_id' | 'transcript_path' | 'cwd' | 'hook_event_name';

/** What `fire` takes: the event's own fields; the base fields are filled in where absent, extra fields pass. */
export type FireInput<E extends EventName<Custom> = HookEvent, Custom extends CustomEvents = NoEvents> = {
  [N in E]: FireFields<N, InputFields<DefinitionOf<N, Custom>>>;
}[E];
type FireFields<N extends string, T> = { readonly [K in keyof T as K extends FilledIn ? never : K]: T[K] } & {
  readonly session_id?: string;
  readonly transcript_path?: string;
  readonly cwd?: string;
  readonly hook_event_name?: N;
  readonly [extra: string]: unknown;
};

/** What a handler of the event may say. To say nothing it returns nothing. */
export type HookOutput<E extends EventName<Custom> = HookEvent, Custom extends CustomEvents = NoEvents> = {
  [N in E]: SyncOutput<N, OutputFields<DefinitionOf<N, Custom>>> | AsyncOutput;
}[E];
type SyncOutput<N extends string, T> = z.infer<ReturnType<typeof baseOutput>> & {
  hookSpecificOutput?: ({ hookEventName?: N | undefined } & T) | undefined;
  async?: false | undefined;
};
/** Continue without this handler. With `result` its late answer is awaited; without, it is ignored. Seconds. */
export type AsyncOutput = z.infer<ReturnType<typeof asyncOutput>> & { result?: Promise<unknown> | undefined };

const plainWord = (name: string): string => name.replace(/[-_\s]/g, '').toLowerCase();

/** The event a name in any spelling means: `pre_tool_use`, `pre-tool-use`, `preToolUse`. Undefined if there is none. */
export function eventName(spelling: string): HookEvent | undefined;
export function eventName(spelling: string, names: Iterable<string>): string | undefined;
export function eventName(spelling: string, names: Iterable<string> = HOOK_EVENTS): string | undefined {
  const wanted = plainWord(spelling);
  for (const name of names) if (plainWord(name) === wanted) return name;
  return undefined;
}
