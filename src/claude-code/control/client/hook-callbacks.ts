import { type HookEvent, specOf } from '../../../events/catalogue.js';
import { failureEffect } from '../../../events/failure.js';
import type { EventSpec } from '../../../events/spec.js';
import { blockOutput } from '../../../handlers/blocking.js';
import { claudeDecision } from '../../../handlers/untold.js';
import type { AnyDecision, HandlerOutcome } from '../../../host/decide/decision.js';
import { isObject } from '../../../values/shape.js';
import type { EndSignal } from '../../../values/waiting/lazy-signal.js';
import { messageOf } from '../../../values/waiting/promises.js';
import type { ControlAsk, Json, WireMatcher } from '../peer/wire.js';
import { type CallbackMatcher, CallbackRegistry, matcherConfig } from './registry.js';

/** The callback that is registered with the client for an event. It asks the whole host. */
export type HookBridge = (input: Json, how: { readonly signal: EndSignal }) => Promise<Json>;

/** Fires an event of the client in the host. */
export type FireEvent = (event: HookEvent, input: Json, how: { readonly signal: EndSignal }) => Promise<AnyDecision>;

export interface CallbackOptions {
  readonly fire: FireEvent;
  /** Takes the context and messages that are waiting for an answer which can carry them. */
  beside(spec: EventSpec, input: Json): Json;
  /** Called when a hook asked for something that the protocol does not support. */
  inVain(message: string): void;
  /** Whether the client blocks on an error reply if `onFailure: 'block'` was requested. */
  failsClosed(): boolean;
  /** How long the client waits for an answer, in seconds. */
  readonly timeout: number;
}

/**
 * Registers one callback per event with the client, whatever hooks the host has. So hooks that are registered later count too, and a hook
 * runs only once however many matchers would have named it.
 */
export class HookCallbacks {
  readonly registry = new CallbackRegistry<HookBridge>();
  readonly #options: CallbackOptions;

  constructor(options: CallbackOptions) {
    this.#options = options;
  }

  /** The `hooks` of the `initialize` request, for these events. */
  config(asked: readonly HookEvent[]): Record<string, WireMatcher[]> {
    return matcherConfig(Object.fromEntries(asked.map((event) => [event, [this.#matcher(event)]])), this.registry);
  }

  #matcher(event: HookEvent): CallbackMatcher<HookBridge> {
    const blocks = failureEffect(specOf(event), 'block') !== 'none';
    const bridge: HookBridge = (input, how) => answerEvent(event, input, how, this.#options);
    return { hooks: [bridge], timeout: this.#options.timeout, ...(blocks ? { onFailure: 'block' } : {}) };
  }

  /** Answers one `hook_callback` request. What it throws becomes the error reply. */
  answer(
    { callback_id: id, input, tool_use_id: toolUseID }: ControlAsk,
    how: { readonly signal: EndSignal },
  ): Promise<Json> {
    const bridge = typeof id === 'string' ? this.registry.callback(id) : undefined;
    if (!bridge) throw new TypeError(`No hook callback has the id ${JSON.stringify(id)}.`);
    if (!isObject(input)) throw new TypeError('A hook_callback request needs an "input" object.');
    // The host passes the id to its handlers as part of the input.
    const named = typeof toolUseID === 'string' && input['tool_use_id'] === undefined;
    return bridge(named ? { ...input, tool_use_id: toolUseID } : input, how);
  }
}

async function answerEvent(
  event: HookEvent,
  input: Json,
  how: { readonly signal: EndSignal },
  { fire, beside, inVain, failsClosed }: CallbackOptions,
): Promise<Json> {
  const spec = specOf(event);
  const blocks = failureEffect(spec, 'block') !== 'none';
  try {
    const decision = await fire(event, input, how);
    const failed = failsClosed() && blocks ? onlyFailed(decision) : undefined;
    if (failed !== undefined) throw new Error(failed);
    if (decision.suppressOutput && spec.hides !== undefined)
      inVain(`a hook of ${event} answered suppressOutput, which hides nothing over this protocol; rewrite the output`);
    // If the request was cancelled in the meantime, pending messages are kept for the next one.
    if (how.signal.aborted) return {};
    return merge(claudeDecision(spec, decision.toJSON(), input), beside(spec, input), event);
  } catch (error) {
    if (!blocks || failsClosed() || how.signal.aborted) throw error;
    // A client that would continue after an error reply gets an answer that stops it.
    return blockOutput({ spec, eventName: event }, messageOf(error), undefined);
  }
}

/** The reason if the host has no answer, because no handler gave one and handlers that failed are to block. */
function onlyFailed({ failures, outcomes, verdict, blocked }: AnyDecision): string | undefined {
  const blocking = failures.filter((failure) => failure.blocked);
  // An untrusted hook counts as an answer, with a reason for the user.
  if (blocking.some(({ cause }) => cause === 'untrusted')) return undefined;
  if (blocking.length === 0 || !(verdict === 'deny' || blocked) || !outcomes.every(isSilent)) return undefined;
  return blocking.map(({ name, message }) => `${name}: ${message}`).join('\n');
}

function isSilent(outcome: HandlerOutcome): boolean {
  return Object.keys(outcome).every((key) => key === 'id' || key === 'name' || key === 'dialect');
}

/** Puts earlier messages before the new ones. */
function merge(output: Json, { additionalContext, systemMessage }: Json, event: string): Json {
  const merged: Record<string, unknown> = { ...output };
  if (systemMessage !== undefined) merged['systemMessage'] = join(systemMessage, output['systemMessage']);
  if (additionalContext === undefined) return merged;
  const specific = (output['hookSpecificOutput'] ?? { hookEventName: event }) as Json;
  merged['hookSpecificOutput'] = {
    ...specific,
    additionalContext: join(additionalContext, specific['additionalContext']),
  };
  return merged;
}

const join = (a: unknown, b: unknown): string => (b === undefined ? String(a) : `${a}\n${b}`);
