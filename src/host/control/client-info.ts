import type { Observable } from 'rxjs';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../events/catalogue.js';
import { isObject, isText } from '../shape.js';
import type { ClaudeMessage, Prompt } from './conversation.js';
import type { ProgramEnd } from './process.js';
import type { Json } from './wire.js';

/** What the program said of itself when it was ready. */
export interface ClaudeInfo {
  /** `claude_code_version`. */
  readonly version: string | undefined;
  /** Slash commands. */
  readonly commands: readonly Json[];
  readonly agents: readonly Json[];
  readonly models: readonly Json[];
  /** `capabilities`, where it names any, and what its reply says of hooks. */
  readonly capabilities: Json;
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
  /** Every message but those of the control protocol. What came before the first watcher is given to that one. */
  readonly messages$: Observable<ClaudeMessage>;
  /** Ends the turn under way. Resolves with the program's answer; rejects with CONTROL_REFUSED, CONTROL_FAILED. */
  interrupt(): Promise<Json>;
  /** `default`, `acceptEdits`, `plan` … Rejects as `interrupt`. */
  setPermissionMode(mode: string): Promise<Json>;
  /** Without a name: the session's own model again. Rejects as `interrupt`. */
  setModel(model?: string): Promise<Json>;
  /** Ends the program's input, waits for it to end (`closeTimeout`), then kills it. Safe to call twice. */
  close(): Promise<ProgramEnd>;
  /** Settles when the program has ended and SessionEnd was fired. */
  readonly ended: Promise<ProgramEnd>;
}

/** As the catalogue says. */
export const neverSent = (): HookEvent[] => HOOK_EVENTS.filter((event) => CATALOGUE[event].overControl === 'never');

/** Reads the reply to `initialize`. */
export function infoOf(response: Json): ClaudeInfo {
  const list = (key: string): readonly Json[] => (Array.isArray(response[key]) ? response[key].filter(isObject) : []);
  const { claude_code_version: version, capabilities, hooks_applied, hook_on_failure_supported } = response;
  return {
    version: isText(version) ? version : undefined,
    commands: list('commands'),
    agents: list('agents'),
    models: list('models'),
    capabilities: {
      ...(isObject(capabilities) ? capabilities : {}),
      hooks_applied: hooks_applied === true,
      hook_on_failure_supported: hook_on_failure_supported === true,
    },
    neverSent: neverSent(),
    response,
  };
}
