import type { Readable, Writable } from 'node:stream';
import type { z } from 'zod';
import type { Host } from '../../../create-host.js';
import { HookscopeError } from '../../../errors.js';
import type { CustomEvents, NoEvents } from '../../../events/catalogue.js';
import { rememberAnswer } from '../../../host/alarms/use.js';
import type { HostCore } from '../../../host/core.js';
import { servicesOf } from '../../../host/internals.js';
import type { Undo } from '../../../host/types.js';
import { ended } from '../../../plain.js';
import { checkOptions } from '../../../values/options.js';
import { findProblem } from '../../../values/problem.js';
import { checks, isObject, type Shape } from '../../../values/shape.js';
import { resultOf } from '../../../values/waiting/promises.js';
import { BYTES } from '../client/options.js';
import type { PermissionResult } from '../client/permission.js';
import { Peer } from '../peer/peer.js';
import { type ControlProblem, tellProblem } from '../peer/problem.js';
import { ReaderQueue } from '../peer/reader-queue.js';
import { ranBySession } from '../peer/results.js';
import {
  type ControlAsk,
  type InitializeAsk,
  initializeSchema,
  type Json,
  type PermissionReply,
  permissionResult,
} from '../peer/wire.js';
import { registerRemoteHooks } from './remote-hooks.js';
import { TurnEnd } from './turn-end.js';

/** Answers one kind of request. What it throws becomes the error reply; returning nothing means `{}`. */
export type RequestHandler = (
  request: Json,
  how: { readonly signal: AbortSignal },
) => Json | undefined | Promise<Json | undefined>;

/** Options of `serveControl`. */
export interface ServeOptions<C extends CustomEvents = NoEvents> {
  /** The stream to which the other side writes, one message per line: `process.stdin`. */
  readonly input: Readable;
  /** The stream that the other side reads: `process.stdout`. Nothing else may write to it. */
  readonly output: Writable;
  /** The host in which the other side's hooks are registered. */
  readonly host: Host<C>;
  /** More fields of the answer to `initialize`, or a function that makes them from the request: `commands`, `agents`, `models`, `claude_code_version` … */
  readonly info?: Readonly<Record<string, unknown>> | ((request: Json) => Readonly<Record<string, unknown>>);
  /** Requests that the agent answers itself, by subtype: `interrupt`, `set_model`, `set_permission_mode` … */
  readonly requests?: Readonly<Record<string, RequestHandler>>;
  /** The name of the other side in messages and records. Default: `sdk`. */
  readonly name?: string;
  /** The maximum size of a message in bytes. A longer one is skipped and reported. Default: 256 MiB. */
  readonly maxLine?: number;
}

/** The agent's end of the control protocol. */
export interface ControlServer extends AsyncDisposable {
  /** The fields of the first `initialize` request, once its hooks are registered. Rejects with CONTROL_FAILED if none comes. */
  readonly initialized: Promise<Json>;
  /** Messages of the other side that are not part of the protocol, mainly prompts. Ends when the other side disconnects. Only one reader is allowed. */
  readonly messages: AsyncIterable<Json>;
  /**
   * Sends a message: `{ type: 'assistant', … }`. Resolves when the next one may be sent. If a hook of the other side ended the turn with
   * `continue: false`, a `result` without a `terminal_reason` gets the one that Claude Code would send.
   */
  send(message: Readonly<Record<string, unknown>>): Promise<void>;
  /** Sends a request to the other side. Rejects with CONTROL_REFUSED, CONTROL_FAILED, or the signal's reason; aborting withdraws the request. */
  request(request: ControlAsk, how?: { readonly signal?: AbortSignal }): Promise<Json>;
  /**
   * Asks the other side's `canUseTool` about a call: `{ tool_name, input, tool_use_id, … }`. Any unclear answer is a denial.
   * Rejects only with the signal's reason.
   */
  canUseTool(call: CanUseToolCall, how?: { readonly signal?: AbortSignal }): Promise<PermissionResult>;
  /** Settles when the other side has disconnected. */
  readonly ended: Promise<void>;
  /** Unregisters the other side's hooks and ends the output. The input is still read, which keeps the process alive until the other side closes it. */
  close(): void;
}

/** The call about which the user is asked. Other fields (`permission_suggestions`, `decision_reason` …) are sent too. */
export interface CanUseToolCall extends Json {
  readonly tool_name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
}

const SHAPE: Shape = {
  input: { expected: 'a readable stream', accepts: (v) => isObject(v) && typeof v['on'] === 'function' },
  output: { expected: 'a writable stream', accepts: (v) => isObject(v) && typeof v['write'] === 'function' },
  host: checks.object,
  info: { expected: 'an object, or a function that makes one', accepts: (v) => isObject(v) || typeof v === 'function' },
  requests: {
    expected: 'an object of functions by subtype',
    accepts: (v) => isObject(v) && Object.values(v).every((fn) => typeof fn === 'function'),
  },
  name: checks.text,
  maxLine: BYTES,
};

/**
 * Serves Claude Code's control protocol for your own agent, so that Claude's SDKs can drive it. The request `initialize`
 * registers the other side's callbacks in the host, which calls them over the connection like any handler. A hook that does not answer
 * PreToolUse in time, or has disconnected, stops the call (docs/semantics.md 8). Throws INVALID_OPTIONS.
 */
export function serveControl<C extends CustomEvents = NoEvents>(options: ServeOptions<C>): ControlServer {
  if (!isObject(options)) {
    const expected = 'expected an object of options, { input, output, host }';
    throw new HookscopeError('INVALID_OPTIONS', { where: 'serveControl(options)', expected });
  }
  checkOptions('serveControl: ', options, SHAPE);
  for (const key of ['input', 'output'] as const) {
    if (options[key] === undefined)
      throw new HookscopeError('INVALID_OPTIONS', { where: `serveControl: ${key}`, expected: 'is missing' });
  }
  return serve(servicesOf(options.host), options);
}

function serve(services: HostCore, options: Omit<ServeOptions, 'host'>): ControlServer {
  const { input, output, info = {}, requests = {}, name = 'sdk', maxLine } = options;
  const messages = new ReaderQueue<Json>();
  const problem = (found: ControlProblem): void => tellProblem(services, name, found);
  let undo: Undo | undefined;
  let closed = false;
  const turn = new TurnEnd();
  const first = settleable<Json>();
  const ended = settleable<void>();

  const initialize = (ask: ControlAsk): Json => {
    // Hooks registered now would never be unregistered.
    if (closed) throw new HookscopeError('CONTROL_FAILED', { peer: name, problem: 'it was closed' });
    const wrong = whyWrong(initializeSchema(), ask);
    if (wrong !== undefined) throw new TypeError(`initialize: ${wrong}. Nothing was registered.`);
    const { hooks } = ask as InitializeAsk;
    const more = typeof info === 'function' ? info(ask) : info;
    // Registers the new hooks first, so that the old ones remain if the new ones are wrong.
    const next = registerRemoteHooks(hooks ?? {}, { peer, registrar: services.registrar, name, turn });
    undo?.();
    undo = next;
    // In a later turn of the event loop, so that the answer is sent first.
    setImmediate(() => first.resolve(ask));
    return {
      commands: [],
      agents: [],
      models: [],
      ...more,
      ...(hooks == null ? {} : { hooks_applied: true }),
      hook_on_failure_supported: true,
    };
  };

  const peer: Peer = new Peer({
    input,
    output,
    name,
    maxLine,
    answer(ask, how) {
      if (ask.subtype === 'initialize') return initialize(ask);
      const handler = Object.hasOwn(requests, ask.subtype) ? requests[ask.subtype] : undefined;
      if (!handler) throw new TypeError(`Unsupported control request subtype: ${ask.subtype}`);
      return resultOf(() => handler(ask, { signal: how.signal })).then((said) => (said ?? {}) as Json);
    },
    message: (message) => messages.push(message),
    problem,
    gone() {
      messages.end();
      const never = new HookscopeError('CONTROL_FAILED', { peer: name, problem: 'it ended before it sent initialize' });
      // Deferred, so that an `initialize` that came right before the end is handled first.
      setImmediate(() => first.reject(never));
      ended.resolve();
    },
  });

  const server: ControlServer = {
    initialized: first.promise,
    messages,
    send(message) {
      ranBySession(services, message);
      return peer.send(turn.sent(message));
    },
    request: (request, how) => peer.request(request, how),
    async canUseTool(call, how) {
      const answer = await askPerson(peer, call, how);
      const { session_id = services.session.session_id, input: tool_input } = call;
      rememberAnswer(services.alarms, { ...call, session_id, tool_input }, answer);
      return answer;
    },
    ended: ended.promise,
    close() {
      closed = true;
      undo?.();
      undo = undefined;
      peer.finish();
    },
    [Symbol.asyncDispose]: async () => server.close(),
  };
  return server;
}

async function askPerson(
  peer: Peer,
  call: CanUseToolCall,
  how: { readonly signal?: AbortSignal } | undefined,
): Promise<PermissionResult> {
  try {
    return readPermission(call, await peer.request({ subtype: 'can_use_tool', ...call }, how));
  } catch (error) {
    if (how?.signal?.aborted) throw error;
    return { behavior: 'deny', message: `${call.tool_name} could not be asked about: ${(error as Error).message}` };
  }
}

/** Validates the other side's answer. An invalid one is a denial. */
function readPermission(call: CanUseToolCall, answer: Json): PermissionResult {
  const wrong = whyWrong(permissionResult(), answer);
  if (wrong !== undefined)
    return { behavior: 'deny', message: `The answer about ${call.tool_name} makes no sense: ${ended(wrong)}` };
  const said = answer as PermissionReply;
  if (said.behavior === 'deny') {
    const message = said.message ?? `${call.tool_name} was denied.`;
    return { behavior: 'deny', message, ...(said.interrupt ? { interrupt: true } : {}) };
  }
  return {
    behavior: 'allow',
    updatedInput: said.updatedInput ?? call.input,
    ...(said.updatedPermissions ? { updatedPermissions: said.updatedPermissions } : {}),
  };
}

function whyWrong(schema: z.ZodType, value: unknown): string | undefined {
  const problem = findProblem(schema, value);
  return problem && `${problem.field || 'it'} must be ${problem.expected}, and is ${problem.got}`;
}

interface Settleable<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** A promise that is settled from outside, and whose rejection nobody has to handle. */
function settleable<T>(): Settleable<T> {
  let settle: Pick<Settleable<T>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => undefined);
  return { promise, ...(settle as Pick<Settleable<T>, 'resolve' | 'reject'>) };
}
