import type { Observable } from 'rxjs';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../../events/catalogue.js';
import { checks, isObject, isText, type OptionCheck, type Shape, show, TEXTS } from '../../../values/shape.js';
import { clipped } from '../peer/problem.js';
import type { Json } from '../peer/wire.js';
import type { ClaudeMessage } from './conversation.js';
import type { ProgramEnd } from './process.js';
import type { Prompt } from './prompt.js';

/** What the program reported about itself when it was ready. */
export interface ClaudeInfo {
  /** `claude_code_version`. */
  readonly version: string | undefined;
  /** Slash commands. */
  readonly commands: readonly Json[];
  readonly agents: readonly Json[];
  readonly models: readonly Json[];
  /** Names of what it can do. */
  readonly capabilities: readonly string[];
  /** It blocks where we have to say that the host cannot answer; false: it would continue, so it is told to block instead. */
  readonly failsClosed: boolean;
  /** Events whose hooks never run over this protocol: the program does not ask callbacks about them. */
  readonly neverSent: readonly HookEvent[];
  /** Its whole reply. */
  readonly response: Json;
}

/** A program that speaks Claude Code's control protocol, under our hooks. */
export interface ClaudeClient extends AsyncDisposable {
  readonly info: ClaudeInfo;
  /**
   * Sends a prompt, at once or after those before it, and gives every message up to and with its `result`. Of several prompts
   * (an async iterable), each is sent after the result of the one before. Ends with CONTROL_FAILED if the program goes away.
   */
  query(prompt: Prompt | AsyncIterable<Prompt>): AsyncIterable<ClaudeMessage>;
  /** Every message but those of the control protocol. What came before the first subscriber is given to that one. */
  readonly messages$: Observable<ClaudeMessage>;
  /** Ends the turn under way. Resolves with the program's answer; rejects with CONTROL_REFUSED, CONTROL_FAILED. */
  interrupt(): Promise<Json>;
  /** `default`, `acceptEdits`, `plan` … Rejects as `interrupt`. */
  setPermissionMode(mode: string): Promise<Json>;
  /** Without a name: back to the session's own model. Rejects like `interrupt`. */
  setModel(model?: string): Promise<Json>;
  /** Ends the program's input, waits for it to end (`closeTimeout`), then kills it. Safe to call twice. */
  close(): Promise<ProgramEnd>;
  /** Settles when the program has ended and SessionEnd was fired. */
  readonly ended: Promise<ProgramEnd>;
}

/** From the catalogue. */
export const neverSent = (): HookEvent[] =>
  HOOK_EVENTS.filter((event) => ['never', 'unknown'].includes(specOf(event).claude?.sent ?? ''));

const OBJECTS: OptionCheck = {
  expected: 'an array of objects',
  accepts: (v) => Array.isArray(v) && v.every(isObject),
};

/** The fields of the reply to `initialize` that are checked if present; other keys pass. */
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

/** What is wrong with a reply to `initialize`, in words. Any field may be missing, because the program may be an old one. */
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
