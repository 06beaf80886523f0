import type { Observable } from 'rxjs';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../../events/catalogue.js';
import { checks, isObject, isText, type OptionCheck, type Shape, show, TEXTS } from '../../../values/shape.js';
import { clipped } from '../peer/problem.js';
import type { Json } from '../peer/wire.js';
import type { ClaudeMessage } from './conversation.js';
import type { ProgramEnd } from './process.js';
import type { Prompt } from './prompt.js';

/** What the program reported about itself when it was initialized. */
export interface ClaudeInfo {
  /** The program's `claude_code_version`. */
  readonly version: string | undefined;
  /** The slash commands that the program has. */
  readonly commands: readonly Json[];
  readonly agents: readonly Json[];
  readonly models: readonly Json[];
  /** The names of its capabilities. */
  readonly capabilities: readonly string[];
  /** Whether the program blocks on an error reply. If false, it would continue, so it is told to block instead. */
  readonly failsClosed: boolean;
  /** Events for which the program never calls callbacks, so that hooks for them never run over this protocol. */
  readonly neverSent: readonly HookEvent[];
  /** The whole reply to `initialize`. */
  readonly response: Json;
}

/** A running program that speaks Claude Code's control protocol and is subject to the host's hooks. */
export interface ClaudeClient extends AsyncDisposable {
  readonly info: ClaudeInfo;
  /**
   * Sends a prompt, after earlier ones are done, and yields all messages up to and including its `result`. Of several prompts
   * (an async iterable), each is sent after the result of the previous one. Throws CONTROL_FAILED if the program ends before that.
   */
  query(prompt: Prompt | AsyncIterable<Prompt>): AsyncIterable<ClaudeMessage>;
  /** All messages except those of the control protocol. The first subscriber also gets the messages that came before. */
  readonly messages$: Observable<ClaudeMessage>;
  /** Ends the current turn. Resolves with the program's answer; rejects with CONTROL_REFUSED or CONTROL_FAILED. */
  interrupt(): Promise<Json>;
  /** Sets the mode: `default`, `acceptEdits`, `plan` … Rejects like `interrupt`. */
  setPermissionMode(mode: string): Promise<Json>;
  /** Sets the model or, without a name, restores the session's own. Rejects like `interrupt`. */
  setModel(model?: string): Promise<Json>;
  /** Ends the program's input, waits for the program to end (`closeTimeout`), then kills it. Safe to call twice. */
  close(): Promise<ProgramEnd>;
  /** Settles when the program has ended and SessionEnd was fired. */
  readonly ended: Promise<ProgramEnd>;
}

/** The events that the catalogue marks as never sent to callbacks. */
export const neverSent = (): HookEvent[] =>
  HOOK_EVENTS.filter((event) => ['never', 'unknown'].includes(specOf(event).claude?.sent ?? ''));

const OBJECTS: OptionCheck = {
  expected: 'an array of objects',
  accepts: (v) => Array.isArray(v) && v.every(isObject),
};

/** The fields of the reply to `initialize` that are checked if present. Other fields are not checked. */
const REPLY: Shape = {
  commands: OBJECTS,
  agents: OBJECTS,
  models: OBJECTS,
  capabilities: {
    expected: 'an array of names, or an object of them',
    accepts: (v) => isObject(v) || TEXTS.accepts(v),
  },
  hooks_applied: checks.flag,
  hook_on_failure_supported: checks.flag,
  claude_code_version: checks.text,
  output_style: checks.text,
  available_output_styles: TEXTS,
  account: checks.object,
  pid: checks.number,
};

/** What is wrong with a reply to `initialize`, in words. Any field may be missing, because the program may be an older version. */
export function whyNoReply(response: unknown): string | undefined {
  if (!isObject(response)) return `expected an object, got ${clipped(show(response))}`;
  for (const [key, { expected, accepts }] of Object.entries(REPLY)) {
    const value = response[key];
    if (value != null && !accepts(value)) return `"${key}" must be ${expected}, and is ${clipped(show(value))}`;
  }
  return undefined;
}

/** Reads the reply to `initialize`. */
export function infoOf(response: Json): ClaudeInfo {
  const list = (key: string): readonly Json[] => (Array.isArray(response[key]) ? response[key].filter(isObject) : []);
  const { claude_code_version: version, capabilities, hook_on_failure_supported } = response;
  return {
    version: isText(version) ? version : undefined,
    commands: list('commands'),
    agents: list('agents'),
    models: list('models'),
    capabilities: namesOf(capabilities),
    failsClosed: hook_on_failure_supported === true,
    neverSent: neverSent(),
    response,
  };
}

/** A list of names, or an object that says for each name whether it is supported. */
function namesOf(capabilities: unknown): string[] {
  if (Array.isArray(capabilities)) return capabilities.filter(isText);
  return isObject(capabilities) ? Object.keys(capabilities).filter((name) => capabilities[name]) : [];
}
