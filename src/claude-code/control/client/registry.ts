import { CLAUDE_EVENTS } from '../../../events/catalogue.js';
import { checkHooks, wrong } from '../../../host/register/handler-entry.js';
import { nearest } from '../../../values/nearest.js';
import { isObject, isText, SECONDS, show } from '../../../values/shape.js';
import type { WireMatcher } from '../peer/wire.js';

/** Gives callbacks their ids in the protocol: `hook_0`, `hook_1` … in order of registration. A callback that is registered again keeps its id. */
export class CallbackRegistry<Callback extends object> {
  readonly #byId = new Map<string, Callback>();
  readonly #ids = new Map<Callback, string>();

  /** Registers a callback and returns its id. */
  readonly register = (callback: Callback): string => {
    const known = this.#ids.get(callback);
    if (known !== undefined) return known;
    const id = `hook_${this.#ids.size}`;
    this.#ids.set(callback, id);
    this.#byId.set(id, callback);
    return id;
  };

  /** The callback with this id. */
  readonly callback = (id: string): Callback | undefined => this.#byId.get(id);

  /** The id of a registered callback. */
  readonly idOf = (callback: Callback): string | undefined => this.#ids.get(callback);

  /** The number of callbacks. */
  get size(): number {
    return this.#ids.size;
  }
}

/** The callbacks of one matcher, as in Claude's SDK. The matcher is sent to the client, so it is a string. The timeout is in seconds. */
export interface CallbackMatcher<Callback> {
  readonly matcher?: string;
  readonly hooks: readonly Callback[];
  readonly timeout?: number;
  readonly onFailure?: 'continue' | 'block';
}

/** The `hooks` of an `initialize` request: the matchers with the ids of their callbacks. Throws INVALID_HOOKS with the path of the error. */
export function matcherConfig<Callback extends object>(
  hooks: Readonly<Record<string, readonly CallbackMatcher<Callback>[]>>,
  registry: CallbackRegistry<Callback>,
): Record<string, WireMatcher[]> {
  checkHooks(hooks, CLAUDE_EVENTS);
  const config: Record<string, WireMatcher[]> = {};
  for (const [event, matchers] of Object.entries(hooks)) {
    if (!(CLAUDE_EVENTS as readonly string[]).includes(event))
      throw wrong(event, 'is not a known event', nearest(event, CLAUDE_EVENTS));
    if (!Array.isArray(matchers)) throw wrong(event, 'expected an array of matchers, [{ matcher, hooks: [fn] }]');
    for (const [i, matcher] of matchers.entries()) checkMatcher(matcher, `${event}[${i}]`);
  }
  for (const [event, matchers] of Object.entries(hooks)) {
    config[event] = matchers.map(({ matcher, hooks: callbacks, timeout, onFailure }) => ({
      ...(matcher === undefined ? {} : { matcher }),
      hookCallbackIds: callbacks.map((callback) => registry.register(callback)),
      ...(timeout === undefined ? {} : { timeout }),
      ...(onFailure === undefined ? {} : { onFailure }),
    }));
  }
  return config;
}

const KEYS = ['matcher', 'hooks', 'timeout', 'onFailure'];

function checkMatcher(given: unknown, where: string): void {
  if (!isObject(given)) throw wrong(where, 'expected a matcher, { matcher, hooks: [fn] }');
  for (const key of Object.keys(given)) {
    if (!KEYS.includes(key)) throw wrong(`${where}.${key}`, 'is not a known key', nearest(key, KEYS));
  }
  const { matcher, hooks, timeout, onFailure } = given;
  if (matcher !== undefined && !isText(matcher))
    throw wrong(`${where}.matcher`, `expected a string, which can be sent, got ${show(matcher)}`);
  if (!Array.isArray(hooks) || !hooks.every((hook) => typeof hook === 'function'))
    throw wrong(`${where}.hooks`, 'expected an array of functions');
  if (timeout !== undefined && !SECONDS.accepts(timeout))
    throw wrong(`${where}.timeout`, `expected ${SECONDS.expected}, got ${show(timeout)}`);
  if (onFailure !== undefined && onFailure !== 'continue' && onFailure !== 'block')
    throw wrong(`${where}.onFailure`, `expected "continue" or "block", got ${show(onFailure)}`);
}
