import type { Failure } from '../events/failure.js';
import type { Subject } from '../events/spec.js';
import { interpretOutput } from '../host/call/answer.js';
import { type Attempt, SILENT } from '../host/call/attempt.js';
import { timeout } from '../host/call/call-failures.js';
import type { FireFacts } from '../host/call/facts.js';
import type { AnswerSource } from '../host/call/said-again.js';
import { callbackOf, type Work } from '../host/call/work.js';
import { predicateHash } from '../host/tell/record.js';
import type { KnownAgent } from '../matching/known-agent.js';
import type { Matcher } from '../matching/matcher.js';
import type { Rule } from '../matching/rule.js';
import type { RegisteredIn, Registration } from '../scopes/registration.js';
import type { Json } from '../values/shape.js';
import { type CallbackResult, callOnce } from './answers/called.js';
import { isOtherwise } from './answers/damaged.js';
import type { GroupTime } from './answers/group-time.js';
import type { Claims } from './claims.js';
import { isCovered, type ReplayAnswers, type StandInHook } from './given.js';
import type { AnswerGuess } from './guesses.js';
import { ANY_VALUE, isMasked, look } from './look.js';
import type { KnownAnswer } from './recorded.js';

/** A hook whose answer is not known, and why. */
export interface UnknownAnswer extends Pick<Registration, 'name' | 'kind'> {
  /** Absent if it is not a registered hook. */
  readonly hook?: Registration | undefined;
  readonly why: string;
}

/** The fire that is being replayed, which the stand-ins read. There is only one at a time. */
export interface FireReplay {
  given: ReplayAnswers;
  guess: AnswerGuess;
  /** Hooks whose answers are not known, by hook id. */
  unknown: Map<string, UnknownAnswer>;
  /** Whether the configuration is the one that decided the recorded fire. */
  isSame: boolean;
  /** Group deadlines in the current run (one run per guess). */
  time: GroupTime;
  /** Results of the callbacks that were run in this fire. */
  called: CallbackResult[];
}

/** How hooks are replaced. */
export interface StandIns {
  readonly now: FireReplay;
  readonly claims: Claims;
  readonly runCallbacks: boolean;
  scopeOf(scope: RegisteredIn): RegisteredIn;
}

const NO_ANSWER = 'no answer of it to this input was recorded';
const DAMAGED = 'what was recorded of it is damaged';
const BACKGROUND: Attempt = Object.freeze({ background: true });

/**
 * The stand-in for a registration: the host treats it like the original, but its handler is not run. `careful`: matcher and rule are
 * watched for reading unknown parts of the input. `place`: its position among the hooks of its plan that run the same code.
 */
export function answering(r: Registration, place: number, careful: boolean, how: StandIns): Registration {
  const runs = how.runCallbacks && r.kind === 'callback' && callbackOf(r) !== undefined;
  const standsFor = { place, original: r.work as object, scope: how.scopeOf(r.scope) };
  const stood: StandInHook = { ...r, ...standsFor, rewake: undefined, trustCheck: checkedOnce(r) };
  const made: StandInHook = {
    ...stood,
    matcher: matcherOf(stood, careful, how),
    rule: careful ? ruleOf(stood, how) : r.rule,
  };
  if (r.kind === 'rule') return made;
  return { ...made, work: runs ? callOnce(stood, how.now) : workOf(stood, how) };
}

/** The most folders whose trust checks are remembered. */
const MOST_FOLDERS = 100;

/** The registration's trust check, with one result for each folder in which the hook would run. */
function checkedOnce({ trustCheck }: Registration): Registration['trustCheck'] {
  if (trustCheck === undefined) return undefined;
  const known = new Map<unknown, ReturnType<typeof trustCheck>>();
  return (input, folders) => {
    const { cwd } = input;
    if (known.has(cwd)) return known.get(cwd);
    if (known.size >= MOST_FOLDERS) known.clear();
    const found = trustCheck(input, folders);
    known.set(cwd, found);
    return found;
  };
}

function workOf(r: StandInHook, how: StandIns): Work {
  if (r.async === true) return { answer: () => BACKGROUND };
  // An observing hook's answer does not affect the decision.
  if (r.phase === 'observe') return { answer: () => SILENT };
  const answer: AnswerSource = (fire, asked, input) => {
    const { given } = how.now;
    const said = given.answerOf(r, input);
    const why = said === undefined ? NO_ANSWER : whyNot(said, r, how.now);
    const attempt = said === undefined || why !== undefined ? undefined : attemptOf(said, fire, asked);
    if (attempt !== undefined) how.now.time.spend(said?.duration);
    return attempt ?? unknown(r, why ?? (said === undefined ? NO_ANSWER : DAMAGED), how, isUnknown(input, fire));
  };
  return r.racing === true ? racing(r, answer, how) : { answer };
}

/** If several rewrites race, the last to finish wins, so they are replayed in the recorded order. */
function racing(r: StandInHook, answer: AnswerSource, { now }: StandIns): Work {
  return {
    answer: (fire, asked, input) => {
      const finished = now.given.answerOf(r, input)?.finished;
      const said = answer(fire, asked, input);
      return finished === undefined ? said : { ...said, finished };
    },
  };
}

const isUnknown = (input: Json, { spec }: FireFacts): boolean => input[spec.rewrites?.field ?? ''] === ANY_VALUE;

export function noteUnknown(hook: Registration, why: string, { unknown: noted }: FireReplay): void {
  if (!noted.has(hook.id)) noted.set(hook.id, { hook, name: hook.name, kind: hook.kind, why });
}

function unknown(hook: Registration, why: string, { now }: StandIns, again: boolean): Attempt {
  noteUnknown(hook, why, now);
  now.time.doubt(hook);
  return now.guess.answer(hook, again);
}

const OTHER_TIME = 'it had not answered in time, and has another time now';
const TOO_LONG = 'it took longer than it may now';

/** Why a recorded answer does not hold now, because of time limits. Under the same configuration the limits were the same. */
function whyNot(said: KnownAnswer, r: Registration, { isSame, time }: FireReplay): string | undefined {
  const { failure, duration = 0, background } = said;
  const limit = r.timeout * 1000;
  const isLate = failure?.cause === 'timeout';
  if (isLate && failure.message !== timeout(r).message) return OTHER_TIME;
  if (isCovered(r, isSame) || limit === 0 || background) return undefined;
  // How much time the other hooks of its group had left for it is not known.
  if (isLate) return r.shared !== undefined || (said.duration ?? limit) < limit ? OTHER_TIME : undefined;
  return duration > limit || !time.isEnough(r, duration) ? TOO_LONG : undefined;
}

/** The recorded answer, read as the host reads it now; undefined if the recording shows that the host read it differently. */
function attemptOf(said: KnownAnswer, fire: FireFacts, r: Registration): Attempt | undefined {
  const { output, background, unjudged } = said;
  // Its cause may be one that only another version knows.
  const failure = said.failure as Failure | undefined;
  if (background) return BACKGROUND;
  if (output === undefined && failure) return { failure };
  if (output === undefined && unjudged) return { unjudged };
  const read = output === undefined ? SILENT : interpretOutput(fire, r, output, false);
  if (isOtherwise(said, read, r)) return undefined;
  // Of several things that are wrong with an answer, the record names the first, and may not hold it.
  if (failure?.cause === 'bad_schema') return { ...read, failure };
  if (failure !== undefined) return { ...read, failure: read.failure ?? failure };
  return read.failure !== undefined ? undefined : read;
}

function matcherOf(r: StandInHook, careful: boolean, how: StandIns): Matcher {
  const { matcher } = r;
  if (matcher.all) return matcher;
  const { now } = how;
  const { text } = matcher;
  if (matcher.code !== undefined && !how.runCallbacks) {
    const hash = predicateHash(matcher);
    return looking(
      text,
      (_, input) => now.given.wasMatched(r, input, hash) ?? asked(r, input, how, 'its matcher is a function'),
    );
  }
  if (!careful) return matcher;
  return looking(text, (subject, input, agent) => {
    if (typeof subject === 'string' && isMasked(subject, now.given)) return asked(r, input, how, MASKED);
    const said = look(input, now.given, (seen) => matcher.matches(subject, seen, agent));
    return said ?? asked(r, input, how, MASKED);
  });
}

const MASKED = 'its matcher or rule looks at what is masked, left out or not known';

const looking = (
  text: string,
  test: (subject: Subject, input: Json, agent: KnownAgent | undefined) => boolean,
): Matcher => ({
  all: false,
  static: false,
  text,
  matches: (subject, input, agent) => test(subject, input as Json, agent),
});

function ruleOf(r: StandInHook, how: StandIns): Rule | undefined {
  const { rule } = r;
  if (rule === undefined) return undefined;
  return {
    ...rule,
    isAbout: (tool) => isMasked(tool, how.now.given) || rule.isAbout(tool),
    matches: (input) =>
      look(input as Json, how.now.given, (seen) => rule.matches(seen)) ?? asked(r, input as Json, how, MASKED),
  };
}

/** Whether the hook is asked: as recorded, if the configuration is the same; if that is not known, as the guess says. */
function asked(r: StandInHook, input: Json, how: StandIns, why: string): boolean {
  const { now, claims } = how;
  const was = isCovered(r, now.isSame) ? now.given.wasAsked(r, input) : undefined;
  if (was !== undefined) return was;
  // These hooks do not affect the decision.
  if (r.phase === 'observe' || r.async === true) return false;
  noteUnknown(r, why, now);
  if (r.once && !now.guess.matches) claims.doubt(r.scope, now.given.fire, r);
  return now.guess.matches;
}
