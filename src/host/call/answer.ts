import type { Failure } from '../../events/failure.js';
import { NOTHING_SAID } from '../../events/output/meant.js';
import type { Outcome } from '../../events/output/outcome.js';
import { printed } from '../../events/output/printed.js';
import { readAnswer } from '../../events/output/read-answer.js';
import { idleAsync, idleStop } from '../../events/output/warnings.js';
import { canRefuse, isMcpTool } from '../../events/output/what-counts.js';
import type { Reply } from '../../handlers/handler.js';
import type { Registration } from '../../scopes/registration.js';
import { readOnly } from '../../values/copies/view.js';
import { kindOf } from '../../values/problem.js';
import { isObject, show } from '../../values/shape.js';
import { BrokenPromise, ignoreRejections, messageOf, promiseIn } from '../../values/waiting/promises.js';
import { type Attempt, SILENT } from './attempt.js';
import { Context } from './context.js';
import type { CallFacts, FireFacts } from './facts.js';
import { startWork } from './start.js';
import { reasonFromStderr } from './stderr-reason.js';
import { whyNotTaken } from './taken.js';
import { threw } from './threw.js';
import { type CallbackWork, isOutside } from './work.js';

const UNJUDGED: Attempt = Object.freeze({ unjudged: true });

/** Reads what a handler returned: a callback's output, or a reply from outside the process. Never throws. */
export function readReturned(call: CallFacts, value: unknown): Attempt {
  return isOutside(call.registration) ? readReplyOf(call, value as Reply) : readOutputOf(call, value);
}

function readReplyOf(call: CallFacts, reply: Reply): Attempt {
  try {
    return readReply(call, reply);
  } catch (error) {
    return { ...replyFacts(reply), ...badAnswer(messageOf(error)) };
  }
}

/** Reads a callback's return value. Separate from the rest of the reading, so that the engine can inline it into the call (decision 10). */
function readOutputOf(call: CallFacts, value: unknown): Attempt {
  if (value === undefined || value === null) return SILENT;
  try {
    const meant =
      typeof value === 'object'
        ? call.fire.state.meanings.of(
            value,
            call.registration.eventName,
            (call.registration.work as CallbackWork).recent,
          )
        : undefined;
    if (meant === undefined) return readInFull(call, value);
    if (meant === NOTHING_SAID) return SILENT;
    if (meant.answer !== undefined) return meant.answer;
    const { fire } = call;
    return { outcome: fire.services.largeOutput.shorten(meant, fire.input['session_id']), failure: undefined };
  } catch (error) {
    // The value may be a proxy that throws on every access.
    ignoreRejections(value);
    return badAnswer(messageOf(error));
  }
}

function readReply(call: CallFacts, reply: Reply): Attempt {
  const { fire, registration } = call;
  if (reply.later !== undefined) {
    toBackground(call, reply.later, 0);
    return { ...replyFacts(reply), background: true, warnings: reply.warnings };
  }
  if (reply.output === undefined) return { ...replyFacts(reply), failure: reply.failure, warnings: reply.warnings };
  let said = interpretOutput(fire, registration, printed(reply.output), true);
  const explained = reasonFromStderr(registration, said.outcome, reply.stderr);
  // Its failure and warnings are those of the output as it was printed.
  if (explained !== undefined) {
    const { failure, warnings } = said;
    const again = interpretOutput(fire, registration, explained, true);
    said = { ...again, failure: failure ?? again.failure, warnings };
  }
  const { async } = said.outcome ?? {};
  if (async && registration.async === 'two-phase' && call.context.call !== 'async') {
    return { ...replyFacts(reply), ...callAgain(call, async.timeout), warnings: said.warnings };
  }
  const warnings = join(reply.warnings, said.warnings);
  const failure = said.failure ?? reply.failure;
  // Nothing more comes from it, so it is like a callback that answers `{ async: true }`.
  if (async && failure === undefined) return { ...replyFacts(reply), ...UNJUDGED, warnings };
  return { ...replyFacts(reply), ...said, failure, warnings };
}

/** The parts of a reply that are recorded, whatever it means. */
export function replyFacts(reply: Reply): Pick<Attempt, 'exitCode' | 'stdout' | 'stderr'> {
  return { exitCode: reply.exitCode, stdout: reply.stdout, stderr: reply.stderr };
}

function badAnswer(why: string): Attempt {
  return { failure: { cause: 'bad_schema', message: `it cannot be read: ${why}` } };
}

/** Reads callbacks' answers that have to be parsed by the event's schema. */
function readInFull(call: CallFacts, value: unknown): Attempt {
  const result = readCallback(call, value);
  // A value that was not understood may hold promises, whose rejections nothing would handle.
  if (result.failure || result.warnings?.length) ignoreRejections(value);
  return result;
}

function readCallback(call: CallFacts, value: unknown): Attempt {
  const { fire, registration, context } = call;
  const broken = BrokenPromise.why(value);
  if (broken !== undefined) return badAnswer(broken);
  if (value instanceof Error) return { failure: threw(value) };
  const answer = printed(value);
  if (typeof answer !== 'object' || Array.isArray(answer)) {
    // A text may hold a secret, so it is not shown.
    const got = typeof answer === 'boolean' ? String(answer) : `a value of type ${kindOf(answer)}`;
    const deny = canRefuse(fire.spec) ? ", or deny('why')" : '';
    const message = `hook ${registration.name} returned ${got}, which is no answer: return nothing${deny}`;
    return { failure: { cause: 'bad_schema', message } };
  }
  const again = asyncAnswer(answer);
  if (!again) return interpretOutput(fire, registration, answer, false);
  ignoreRejections(value);
  if (again.wrong !== undefined) return { failure: { cause: 'bad_schema', message: again.wrong } };
  const idle = again.idle === undefined ? undefined : { warnings: [again.idle] };
  // A background answer that again announces one could go on for ever.
  if (call.followed) return badAnswer('its result in the background is { async: true } again');
  if (again.result !== undefined) {
    const limitMs = (again.timeout ?? registration.asyncTimeout) * 1000;
    toBackground(call, again.result, limitMs, true);
  } else if (registration.async === 'two-phase' && context.call !== 'async')
    return { ...callAgain(call, again.timeout), ...idle };
  else return idle === undefined ? UNJUDGED : { ...UNJUDGED, ...idle };
  return { background: true, ...idle };
}

/** An answer with which the hook continues in the background. */
interface AsyncAnswer {
  readonly timeout: number | undefined;
  readonly result: Promise<unknown> | undefined;
  /** Why `asyncTimeout` or `result` cannot be used. */
  readonly wrong: string | undefined;
  /** A warning about other fields of the answer, which have no effect. */
  readonly idle: string | undefined;
}

/** `{ async: true, asyncTimeout?, result? }`. Throws what its getters throw. */
function asyncAnswer(value: unknown): AsyncAnswer | undefined {
  if (!isObject(value) || value['async'] !== true) return undefined;
  const output = value as { asyncTimeout?: unknown; result?: unknown };
  const { asyncTimeout: timeout, result } = output;
  const later = promiseIn(result);
  return {
    timeout: isTime(timeout) ? timeout : undefined,
    result: later,
    wrong: wrongAsync(timeout, result, later),
    idle: idleAsync(output),
  };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function wrongAsync(timeout: unknown, result: unknown, later: Promise<unknown> | undefined): string | undefined {
  if (timeout !== undefined && timeout !== null && !isTime(timeout))
    return `asyncTimeout: expected a number of seconds from 0 on, got ${show(timeout)}`;
  if (later !== undefined || result === undefined || result === null) return undefined;
  return `result: expected a promise of the answer, got ${kindOf(result)}; an answer that is there already is returned without "async"`;
}

/** A `HandlerCall` in series is reused for the next hook, so background work gets a copy of its facts. */
export function toBackground(call: CallFacts, later: Promise<unknown>, limitMs: number, followed?: true): void {
  const { fire, registration, context, reporter, input } = call;
  fire.background.follow({ fire, registration, context, reporter, input, later, limitMs, followed });
}

/** Calls a two-phase handler for the second time, in the background, with the input of its first call. */
function callAgain({ fire, registration, reporter, input }: CallFacts, seconds: number | undefined): Attempt {
  const context = new Context(fire, 'async', reporter);
  const again = { fire, registration, context, reporter, input, view: readOnly(input), open: () => undefined };
  const started = startWork(again, 'async');
  // The first call was started, so a `once` hook has used up its run.
  if ('instead' in started) return { ...started.instead, unstarted: undefined };
  toBackground(again, laterOf(started), (seconds ?? registration.asyncTimeout) * 1000);
  return { background: true };
}

/** Reads an output (after `toJSON`) against the event's schema. Long texts go to a file. */
export function interpretOutput(
  fire: FireFacts,
  registration: Registration,
  output: unknown,
  nameRequired: boolean,
): Attempt {
  const result = readAnswer(fire.spec, output, {
    eventName: registration.eventName,
    nameRequired,
    dialect: registration.dialect,
    mcpTool: fire.spec.rewrites?.mcpKeys !== undefined && isMcpTool(fire.input['tool_name']),
  });
  const failure: Failure | undefined = 'bad' in result ? { cause: 'bad_schema', message: result.bad } : undefined;
  const said = 'bad' in result ? result.kept : result.outcome;
  if (said === undefined) return { failure };
  // An empty object is no opinion, like no output.
  if (Object.keys(said.output).length === 0) return { warnings: result.warnings };
  const warnings = join(result.warnings, idleStop(fire.spec, said, registration.dialect));
  const outcome = fire.services.largeOutput.shorten(said, fire.input['session_id']);
  const isOver = fire.options.keepsKeys && outcome.rewrite !== undefined;
  const read = isOver
    ? overOld(fire, outcome, warnings)
    : { outcome, ...notTaken(fire, registration, outcome), warnings };
  return failure === undefined ? read : { ...read, failure };
}

/** Merges a rewrite over the old input, for agents that keep the keys which a rewrite leaves out. */
function overOld(
  { spec, input, options }: FireFacts,
  outcome: Outcome,
  warnings: readonly string[] | undefined,
): Attempt {
  const [old, value] = [input[spec.rewrites?.field ?? ''], outcome.rewrite?.value];
  if (!isObject(old) || !isObject(value)) return { outcome, warnings };
  const stay = Object.keys(old).filter((key) => !Object.hasOwn(value, key));
  if (stay.length === 0) return { outcome, warnings };
  for (const key of stay) options.keptKeys?.add(key);
  const kept = `the agent keeps what the rewrite leaves out: ${stay.join(', ')}`;
  return { outcome: { ...outcome, rewrite: { value: { ...old, ...value } } }, warnings: join(warnings, [kept]) };
}

/** A rewrite that Claude Code would ignore is a failure; the rest of the answer counts. */
function notTaken(fire: FireFacts, { dialect }: Registration, outcome: Outcome): Attempt | undefined {
  const doneBy = fire.options.doneBy ?? (dialect === 'claude' ? 'client' : undefined);
  if (!outcome.rewrite || doneBy !== 'client') return undefined;
  const message = whyNotTaken(fire.spec, fire.input, outcome.rewrite);
  if (message === undefined) return undefined;
  const { rewrite: _, ...rest } = outcome;
  return { outcome: rest, failure: { cause: 'bad_schema', message } };
}

/** The `detail` of a log line about a hook. */
export interface HookDetail {
  readonly event: string;
  readonly hook: string;
  /** Why it failed; undefined: it did not. */
  readonly cause?: string;
}

/** Failures and warnings are always logged, with or without subscribers. */
export function logProblems(fire: FireFacts, { id, name }: Registration, result: Attempt): void {
  const about: HookDetail = {
    event: fire.spec.name,
    hook: name,
    ...(result.failure && { cause: result.failure.cause }),
  };
  const who = `${about.event} hook ${name}`;
  const { failure, warnings = [] } = result;
  const { report } = fire.services;
  if (failure) report(`${who} failed (${failure.cause}): ${failure.message}`, about, `${id} ${failure.cause}`);
  for (const warning of warnings) report(`${who}: ${warning}`, about, `${id} ${warning}`);
}

/** Logs a call that took at least `slowAfter` seconds. */
export function logSlow({ services, spec }: FireFacts, { name }: Registration, durationMs: number): void {
  const { slowAfter, report } = services;
  if (slowAfter <= 0 || durationMs < slowAfter * 1000) return;
  report(`Slow hook: ${name} took ${(durationMs / 1000).toFixed(2)} s on ${spec.name}`);
}

export function isOfHook(detail: unknown): detail is HookDetail {
  return typeof detail === 'object' && detail !== null && 'hook' in detail && 'event' in detail;
}

/** What was started, as a promise. */
export function laterOf(started: { readonly value: unknown } | { readonly threw: unknown }): Promise<unknown> {
  if ('threw' in started) return Promise.reject(started.threw);
  return promiseIn(started.value) ?? Promise.resolve(started.value);
}

function join(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  return a?.length && b?.length ? [...a, ...b] : a?.length ? a : (b ?? a);
}
