import { HookscopeError } from '../errors.js';
import { wordFor } from '../events/helpers.js';
import { readOutput } from '../events/outcome.js';
import type { Registration } from '../scopes/registration.js';
import { readOnly } from '../scopes/view.js';
import type { Attempt } from './attempt.js';
import { makeCall, type Work } from './call.js';
import { Context } from './context.js';
import type { Fire } from './fire.js';
import type { Failure, Reply } from './handlers/handler.js';
import type { Told } from './telling.js';

const SILENT: Attempt = Object.freeze({});

/** Reads what a handler handed back: a callback's output, or a reply from outside. */
export function read(
  fire: Fire,
  registration: Registration,
  context: Context,
  told: Told | undefined,
  value: unknown,
): Attempt {
  if ('callback' in (registration.work as Work)) return readCallback(fire, registration, context, told, value);
  const reply = value as Reply;
  const facts = { exitCode: reply.exitCode, stdout: reply.stdout, stderr: reply.stderr };
  if (reply.later !== undefined) {
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
  if (value instanceof Error) return { failure: threw(value) };
  const again = asyncAnswer(value);
  if (!again) return interpret(fire, registration, wordFor(fire.entry, value), false);
  const limitMs = (again.timeout ?? registration.asyncTimeout) * 1000;
  const later = again.result ?? (registration.async === 'two-phase' ? () => secondCall(fire, registration) : undefined);
  if (!later) return SILENT;
  fire.services.background.follow({ fire, registration, context, told, later: settleLater(later), limitMs });
  return { background: true };
}

/** `{ async: true, asyncTimeout?, result? }`; whatever its getters do, never a throw. */
function asyncAnswer(
  value: unknown,
): { timeout: number | undefined; result: PromiseLike<unknown> | undefined } | undefined {
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

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function join(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  return a && b ? [...a, ...b] : (a ?? b);
}
