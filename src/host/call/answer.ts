import type { Failure } from '../../events/failure.js';
import { wordFor } from '../../events/helpers.js';
import { NOTHING_SAID } from '../../events/meant.js';
import { type Outcome, readOutput } from '../../events/outcome.js';
import type { Reply } from '../../handlers/handler.js';
import type { Registration } from '../../scopes/registration.js';
import { describeError, messageOf } from '../../values/message.js';
import { BrokenPromise, promiseIn, quiet } from '../../values/promises.js';
import { readOnly } from '../../values/view.js';
import type { Asked, FireFacts } from '../fire/facts.js';
import { type Attempt, SILENT } from './attempt.js';
import { makeCall } from './call.js';
import { Context } from './context.js';
import { whyNotTaken } from './taken.js';
import type { Work } from './work.js';

const UNJUDGED: Attempt = Object.freeze({ unjudged: true });

/** Reads what a handler handed back: a callback's output, or a reply from outside. Never throws. */
export function read(asked: Asked, value: unknown): Attempt {
  const { fire, registration } = asked;
  if ('callback' in (registration.work as Work)) {
    if (value === undefined || value === null) return SILENT;
    const result = tryCallback(asked, value);
    // What was not understood may hold promises, whose errors nobody would hear.
    if (result.failure || result.warnings?.length) quiet(value);
    return result;
  }
  const reply = value as Reply;
  if (reply.later !== undefined) {
    toBackground(asked, reply.later, 0);
    return { ...facts(reply), background: true };
  }
  if (reply.output === undefined) return { ...facts(reply), failure: reply.failure, warnings: reply.warnings };
  const said = interpret(fire, registration, reply.output, true);
  const { async } = said.outcome ?? {};
  if (async && registration.async === 'two-phase' && asked.context.call !== 'async') {
    callAgain(asked, async.timeout);
    return { ...facts(reply), background: true };
  }
  const warnings = join(reply.warnings, said.warnings);
  return { ...facts(reply), ...said, failure: said.failure ?? reply.failure, warnings };
}

/** What of a reply is told whatever it means. */
export function facts(reply: Reply): Pick<Attempt, 'exitCode' | 'stdout' | 'stderr'> {
  return { exitCode: reply.exitCode, stdout: reply.stdout, stderr: reply.stderr };
}

function tryCallback(asked: Asked, value: unknown): Attempt {
  try {
    return readCallback(asked, value);
  } catch (error) {
    // A proxy that lets nobody look at it.
    return badAnswer(messageOf(error));
  }
}

function badAnswer(why: string): Attempt {
  return { failure: { cause: 'bad_schema', message: `it cannot be read: ${why}` } };
}

function readCallback(asked: Asked, value: unknown): Attempt {
  const { fire, registration, context } = asked;
  const meant = typeof value === 'object' ? fire.state.meanings.of(value as object) : undefined;
  if (meant === NOTHING_SAID) return SILENT;
  if (meant !== undefined) return { outcome: fire.services.spill.shorten(meant), failure: undefined };
  const broken = BrokenPromise.why(value);
  if (broken !== undefined) return badAnswer(broken);
  if (value instanceof Error) return { failure: threw(value) };
  const again = asyncAnswer(value);
  if (!again) return interpret(fire, registration, wordFor(fire.entry, value), false);
  quiet(value);
  if (again.result !== undefined) {
    const limitMs = (again.timeout ?? registration.asyncTimeout) * 1000;
    toBackground(asked, again.result, limitMs);
  } else if (registration.async === 'two-phase' && context.call !== 'async') callAgain(asked, again.timeout);
  else return UNJUDGED;
  return { background: true };
}

/** `{ async: true, asyncTimeout?, result? }`. Throws what its getters throw. */
function asyncAnswer(
  value: unknown,
): { timeout: number | undefined; result: Promise<unknown> | undefined } | undefined {
  const output = value as { async?: unknown; asyncTimeout?: unknown; result?: unknown };
  if (typeof value !== 'object' || output.async !== true) return undefined;
  const { asyncTimeout: timeout, result } = output;
  return {
    timeout: typeof timeout === 'number' && timeout >= 0 ? timeout : undefined,
    result: promiseIn(result),
  };
}

/** What is asked in series serves call after call: what goes on in the background keeps its own. */
export function toBackground(asked: Asked, later: Promise<unknown>, limitMs: number): void {
  const { fire, registration, context, told, input } = asked;
  fire.background.follow({ fire, registration, context, told, input, later, limitMs });
}

/** Calls a two-phase handler for the second time, in the background, with what it was called with first. */
function callAgain(asked: Asked, seconds: number | undefined): void {
  const { fire, registration, told, input } = asked;
  const again = { fire, registration, context: new Context(fire, 'async', told), told, input };
  toBackground(again, settled(start(again)), (seconds ?? registration.asyncTimeout) * 1000);
}

/** By type, against the event's schema; long texts go to a file. */
export function interpret(
  fire: FireFacts,
  registration: Registration,
  output: unknown,
  nameRequired: boolean,
): Attempt {
  const result = readOutput(fire.entry, output, {
    eventName: registration.eventName,
    nameRequired,
    dialect: registration.dialect,
    mcpTool: fire.subject?.startsWith('mcp__') ?? false,
  });
  if ('bad' in result) return { failure: { cause: 'bad_schema', message: result.bad } };
  // An empty object is no opinion, as nothing at all is.
  if (Object.keys(result.outcome.output).length === 0) return { warnings: result.warnings };
  const outcome = fire.services.spill.shorten(result.outcome);
  return { outcome, ...notTaken(fire, registration, outcome), warnings: result.warnings };
}

/** A rewrite that is for Claude Code, which would ignore it, is a failure; what else it said counts. */
function notTaken(fire: FireFacts, { dialect }: Registration, outcome: Outcome): Attempt | undefined {
  const doneBy = fire.how.doneBy ?? (dialect === 'claude' ? 'client' : undefined);
  if (!outcome.rewrite || doneBy !== 'client') return undefined;
  const message = whyNotTaken(fire.entry, fire.input, outcome.rewrite);
  if (message === undefined) return undefined;
  const { rewrite: _, ...rest } = outcome;
  return { outcome: rest, failure: { cause: 'bad_schema', message } };
}

/** What a complaint has besides its text: the same is in the record of the fire. */
export interface OfHook {
  readonly event: string;
  readonly hook: string;
}

/** A failure or warning is never silent, whoever watches. */
export function complain(fire: FireFacts, { id, name }: Registration, result: Attempt): void {
  const about: OfHook = { event: fire.entry.name, hook: name };
  const who = `${about.event} hook ${name}`;
  const { failure, warnings = [] } = result;
  const { report } = fire.services;
  if (failure) report(`${who} failed (${failure.cause}): ${failure.message}`, about, `${id} ${failure.cause}`);
  for (const warning of warnings) report(`${who}: ${warning}`, about, `${id} ${warning}`);
}

export function isOfHook(detail: unknown): detail is OfHook {
  return typeof detail === 'object' && detail !== null && 'hook' in detail && 'event' in detail;
}

/** A failure of a handler's own code. */
export function threw(error: unknown): Failure {
  // A promise can be thrown, too.
  quiet(error);
  return { cause: 'threw', message: describeError(error) };
}

/** What a handler's work gave at once, and the promise of it where that is to be waited for. */
export type Started = { value: unknown; later: Promise<unknown> | undefined } | { threw: unknown };

/** Starts the work; a throw is data. */
export function start({ fire, registration, input, context, told }: Asked): Started {
  const work = registration.work as Work;
  try {
    const value =
      'callback' in work
        ? work.callback(readOnly(input), fire.toolUseID, context)
        : work.handler.run(makeCall(fire, registration, input, context, told));
    return { value, later: promiseIn(value) };
  } catch (error) {
    return { threw: error };
  }
}

export function settled(answer: Started): Promise<unknown> {
  if ('threw' in answer) return Promise.reject(answer.threw);
  return answer.later ?? Promise.resolve(answer.value);
}

function join(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  return a && b ? [...a, ...b] : (a ?? b);
}
