import { performance } from 'node:perf_hooks';
import { HookscopeError } from '../errors.js';
import { wordFor } from '../events/helpers.js';
import type { Outcome } from '../events/outcome.js';
import { readOutput } from '../events/outcome.js';
import type { Registration } from '../scopes/registration.js';
import { readOnly } from '../scopes/view.js';
import type { Watched } from './clock.js';
import { Context } from './context.js';
import type { Fire } from './fire.js';
import type { Call, Failure, Handler, Reply } from './handlers/handler.js';
import type { Told } from './telling.js';

/** The function behind a callback registration. */
export type CallbackFunction = (input: unknown, toolUseID: string | undefined, context: Context) => unknown;
/** What a registration runs. */
export type Work = { readonly callback: CallbackFunction } | { readonly handler: Handler };

/** How one call of one handler came out. Always a value. */
export interface Attempt {
  readonly outcome?: Outcome | undefined;
  readonly failure?: Failure | undefined;
  readonly exitCode?: number | undefined;
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly durationMs?: number | undefined;
  /** It goes on in the background; what it says comes later. */
  readonly background?: boolean;
}

/** How long a process gets to die after its time is up, milliseconds: TERM, KILL after 1.5 s, and a little. */
const GRACE = 2_500;

const LOADED = new WeakSet<Handler>();

const SILENT: Attempt = Object.freeze({});

/** Calls one handler once: the one place with a deadline, a signal and a catch. Sync handlers give their attempt at once. */
export function attempt(
  fire: Fire,
  registration: Registration,
  input: Readonly<Record<string, unknown>>,
  call: 'first' | 'reask',
): Attempt | Promise<Attempt> {
  const { work } = registration as { work: Work };
  if ('handler' in work && work.handler.load && !LOADED.has(work.handler)) {
    // What the first run needs is loaded before its deadline starts.
    const again = (): Attempt | Promise<Attempt> => attempt(fire, registration, input, call);
    LOADED.add(work.handler);
    return work.handler.load().then(again, (error) => ({ failure: { cause: 'spawn_failed', message: threw(error).message } }));
  }
  const context = new Context(fire, registration, call);
  const told = fire.teller?.started(registration, context);
  const began = told !== undefined || fire.services.slowAfter > 0 ? performance.now() : 0;
  const finish = (result: Attempt): Attempt => conclude(fire, registration, told, began, result);
  const answer = start(fire, registration, input, context, told);
  if ('threw' in answer) return finish({ failure: threw(answer.threw) });
  const { value, later } = answer;
  if (registration.async === true) return toBackground(fire, registration, context, told, later ?? Promise.resolve(value));
  if (!later) return finish(read(fire, registration, context, told, value));
  return wait(fire, registration, context, told, later).then(finish);
}

/** Starts the work; a throw is data. */
function start(
  fire: Fire,
  registration: Registration,
  input: Readonly<Record<string, unknown>>,
  context: Context,
  told: Told | undefined,
): { value: unknown; later?: Promise<unknown> } | { threw: unknown } {
  const work = registration.work as Work;
  try {
    const value =
      'callback' in work
        ? work.callback(readOnly(input), fire.toolUseID, context)
        : work.handler.run(makeCall(fire, registration, input, context, told));
    return isThenable(value) ? { value, later: Promise.resolve(value) } : { value };
  } catch (error) {
    return { threw: error };
  }
}

function makeCall(
  fire: Fire,
  registration: Registration,
  input: Readonly<Record<string, unknown>>,
  context: Context,
  told: Told | undefined,
): Call {
  const { services } = fire;
  return {
    entry: fire.entry,
    input,
    toolUseID: fire.toolUseID,
    fireId: fire.id,
    scope: fire.scopeId,
    call: context.call,
    onFailure: registration.onFailure,
    async: registration.async,
    asyncTimeout: registration.asyncTimeout,
    eventName: registration.eventName,
    signal: context.signal,
    projectDir: services.projectDir ?? (typeof input['cwd'] === 'string' ? input['cwd'] : process.cwd()),
    progress: told ? (piece) => told.progress(piece) : undefined,
    keep: (name, done, end) => services.background.keep(name, done, end),
  };
}

/** Waits for the answer, its deadline, or the end of the whole fire, whichever is first; a late answer is dropped. */
function wait(
  fire: Fire,
  registration: Registration,
  context: Context,
  told: Told | undefined,
  answer: Promise<unknown>,
): Promise<Attempt> {
  const { clock, background } = fire.services;
  const outside = 'handler' in (registration.work as Work);
  return new Promise<Attempt>((resolve) => {
    let timedOut: Attempt | undefined;
    let settled = false;
    const settle = (result: Attempt): void => {
      if (settled) return;
      settled = true;
      clock.forget(node);
      fire.live.delete(node);
      resolve(result);
    };
    const leave = (result: Attempt): void => {
      if (outside && !settled) background.linger(registration.name, answer);
      settle(result);
    };
    const node: Watched = {
      fire,
      limit: fire.remaining(registration),
      since: performance.now(),
      expire() {
        if (timedOut) return leave(timedOut);
        timedOut = { failure: timeout(registration) };
        Context.end(context, new DOMException(timedOut.failure?.message, 'TimeoutError'));
        if (outside) node.limit += GRACE;
        else settle(timedOut);
      },
      cancel() {
        Context.end(context, fire.cancelled ?? new DOMException('The fire was aborted', 'AbortError'));
        leave(timedOut ?? { failure: { cause: 'aborted', message: 'The fire was aborted before it answered' } });
      },
      waiting: () => [registration.name],
    };
    clock.watch(node);
    fire.live.add(node);
    answer.then(
      (value) => settle(timedOut ?? read(fire, registration, context, told, value)),
      (error: unknown) => settle(timedOut ?? { failure: threw(error) }),
    );
  });
}

/** Reads what a handler handed back: a callback's output, or a reply from outside. */
export function read(fire: Fire, registration: Registration, context: Context, told: Told | undefined, value: unknown): Attempt {
  if ('callback' in (registration.work as Work)) return readCallback(fire, registration, context, told, value);
  const reply = value as Reply;
  const facts = { exitCode: reply.exitCode, stdout: reply.stdout, stderr: reply.stderr };
  if (reply.later) {
    fire.services.background.follow({ fire, registration, context, told, later: reply.later, limitMs: 0 });
    return { ...facts, background: true };
  }
  if (reply.output === undefined) return { ...facts, failure: reply.failure, warnings: reply.warnings };
  const said = interpret(fire, registration, reply.output, true);
  if (said.outcome?.async && registration.async === 'two-phase' && context.call !== 'async') {
    const limitMs = (said.outcome.async.timeout ?? registration.asyncTimeout) * 1000;
    const later = settleLater(() => secondCall(fire, registration));
    fire.services.background.follow({ fire, registration, context, told, later, limitMs });
    return { ...facts, background: true };
  }
  return { ...facts, ...said, failure: said.failure ?? reply.failure, warnings: join(reply.warnings, said.warnings) };
}

function readCallback(
  fire: Fire,
  registration: Registration,
  context: Context,
  told: Told | undefined,
  value: unknown,
): Attempt {
  if (value === undefined || value === null) return SILENT;
  const again = asyncAnswer(value);
  if (!again) return interpret(fire, registration, wordFor(fire.entry, value), false);
  const limitMs = (again.timeout ?? registration.asyncTimeout) * 1000;
  const later = again.result ?? (registration.async === 'two-phase' ? () => secondCall(fire, registration) : undefined);
  if (!later) return SILENT;
  fire.services.background.follow({ fire, registration, context, told, later: settleLater(later), limitMs });
  return { background: true };
}

/** `{ async: true, asyncTimeout?, result? }`; whatever its getters do, never a throw. */
function asyncAnswer(value: unknown): { timeout: number | undefined; result: PromiseLike<unknown> | undefined } | undefined {
  try {
    const output = value as { async?: unknown; asyncTimeout?: unknown; result?: unknown };
    if (typeof value !== 'object' || output.async !== true) return undefined;
    const timeout = output.asyncTimeout;
    return {
      timeout: typeof timeout === 'number' && timeout >= 0 ? timeout : undefined,
      result: isThenable(output.result) ? output.result : undefined,
    };
  } catch {
    // A hostile getter: readOutput, which never throws, names it.
    return undefined;
  }
}

async function settleLater(later: PromiseLike<unknown> | (() => unknown)): Promise<unknown> {
  return typeof later === 'function' ? await later() : await later;
}

/** The second call of a two-phase handler, in the background. */
function secondCall(fire: Fire, registration: Registration): unknown {
  const work = registration.work as Work;
  const context = new Context(fire, registration, 'async');
  if ('callback' in work) return work.callback(readOnly(fire.input), fire.toolUseID, context);
  return work.handler.run(makeCall(fire, registration, fire.input, context, undefined));
}

/** A registration that is async from the start: nothing it does is waited for. */
function toBackground(
  fire: Fire,
  registration: Registration,
  context: Context,
  told: Told | undefined,
  later: Promise<unknown>,
): Attempt {
  const limitMs = registration.asyncTimeout * 1000;
  fire.services.background.follow({ fire, registration, context, told, later, limitMs });
  return { background: true };
}

/** By type, against the event's schema; long texts go to a file. */
export function interpret(fire: Fire, registration: Registration, output: unknown, nameRequired: boolean): Attempt {
  const result = readOutput(fire.entry, output, {
    eventName: registration.eventName,
    nameRequired,
    mcpTool: fire.subject?.startsWith('mcp__') ?? false,
  });
  if ('bad' in result) return { failure: { cause: 'bad_schema', message: result.bad } };
  const outcome = fire.services.spill.shorten(result.outcome);
  return { outcome, warnings: result.warnings };
}

/** What every attempt ends with: it is told, or, nobody watching, what went wrong goes to the logger. */
function conclude(fire: Fire, registration: Registration, told: Told | undefined, began: number, result: Attempt): Attempt {
  if (began === 0) {
    if (result.failure || result.warnings?.length) complain(fire, registration, result);
    return result;
  }
  const durationMs = performance.now() - began;
  const { slowAfter } = fire.services;
  const done = { ...result, durationMs };
  if (slowAfter > 0 && durationMs >= slowAfter * 1000) {
    fire.services.report(`Slow hook: ${registration.name} took ${(durationMs / 1000).toFixed(2)} s on ${fire.entry.name}`);
  }
  if (told) {
    if (!done.background) told.responded(done);
  } else if (done.failure || done.warnings?.length) complain(fire, registration, done);
  return done;
}

/** A failure or warning that nobody watches is never silent. */
export function complain(fire: Fire, registration: Registration, result: Attempt): void {
  const who = `${fire.entry.name} hook ${registration.name}`;
  if (result.failure) fire.services.report(`${who} failed (${result.failure.cause}): ${result.failure.message}`);
  for (const warning of result.warnings ?? []) fire.services.report(`${who}: ${warning}`);
}

export function threw(error: unknown): Failure {
  if (error instanceof HookscopeError) return { cause: 'threw', message: error.message };
  return { cause: 'threw', message: messageOf(error) };
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    // Something that cannot even be printed was thrown.
    return 'an error that cannot be printed';
  }
}

export function timeout(registration: Registration): Failure {
  return { cause: 'timeout', message: `did not answer within its timeout of ${registration.timeout} s` };
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function join(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  return a && b ? [...a, ...b] : (a ?? b);
}
