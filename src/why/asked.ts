import { answersIn, type HookAnswer, isWithdrawn } from '../emit/reading/answers.js';
import { duration } from '../emit/reading/headline.js';
import { givenIn, isGiven, valueIn } from '../emit/reading/value.js';
import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { LEGACY } from '../events/output/what-counts.js';
import { clip, ended, plain } from '../plain.js';
import { own } from '../values/own.js';
import type { RunEnd } from './background.js';
import { isShadow } from './meaning.js';
import {
  endsRun,
  firstText,
  hookSpecificOf,
  isGate,
  listed,
  nested,
  output,
  quoted,
  shortJson,
  shortName,
  subjectOf,
  verdictIn,
} from './words.js';

/** The answers of a hook, or its failure, as a sentence without the hook's name. `end`: the end of its background run. */
export function saidBy(record: FireRecord, answers: readonly HookAnswer[], end?: RunEnd): string {
  const said = answers.map((answer, at) => saidOnce(record, answer, end, at === answers.length - 1));
  const last = said.at(-1) ?? '';
  const { handler } = answers.at(-1) as HookAnswer;
  const took = handler.duration_ms === undefined ? '' : ` (${duration(handler.duration_ms)})`;
  const times = handler.reasked ?? 0;
  const again = times === 0 ? '' : `, and was asked again ${times === 1 ? '' : `${times} times `}after a rewrite`;
  const watching = handler.phase === 'observe' ? '; it only observes, so its answer does not count' : '';
  // Not for a background run: it has no time yet, or `inBackground` says it.
  const rest = handler.status === 'background' ? '' : `${handler.status === 'ran' ? watching : ''}${took}`;
  if (said.every((one) => one === last) || isOneAnswer(answers))
    return `${last}${handler.status === 'ran' ? again : ''}${rest}`;
  const each = answers.map(({ given }, at) => {
    const about = given === undefined ? '' : ` about ${shortJson(given, 120)}`;
    return at === 0 ? `asked${about}, it ${said[0]}` : `asked again${about}, it ${said[at]}`;
  });
  return `was asked ${answers.length} times, as rewrites changed it: ${each.join('; ')}${rest}`;
}

/** Whether the hook gave the same answer each time. */
function isOneAnswer(answers: readonly HookAnswer[]): boolean {
  const [first, ...rest] = answers.map(({ handler, unjudged, rewrite }) =>
    handler.status === 'ran' && !unjudged && rewrite === undefined ? JSON.stringify(handler.output ?? null) : undefined,
  );
  return first !== undefined && rest.every((one) => one === first);
}

/** One answer as a part of a sentence. */
function saidOnce(record: FireRecord, answer: HookAnswer, end: RunEnd | undefined, isLast: boolean): string {
  const { handler, replaced } = answer;
  if (answer.unjudged) return 'announced a later answer, and gave none';
  if (handler.status === 'background') return inBackground(end);
  const parts = [verdict(record, answer, isLast), ...besides(record, answer)].filter((text) => text !== '');
  if (handler.status === 'failed') {
    if (replaced) return `failed (${causeOf(handler.failure)}), which no longer counts`;
    return `${failed(record, handler)}${parts.length === 0 ? '' : `; besides, it ${listed(parts)}`}`;
  }
  if (handler.status !== 'ran') return `is recorded as ${plain(handler.status)}, which this version does not know`;
  const [first = 'had no opinion', ...rest] = parts;
  return /, which (no|does)/.test(first) && rest.length > 0
    ? `${first}; besides, it ${listed(rest)}`
    : listed([first, ...rest]);
}

function inBackground(end: RunEnd | undefined): string {
  if (end === undefined) return 'goes on in the background, and decides nothing';
  const { failure, duration_ms: took } = end;
  const how = failure === undefined ? 'ended' : `failed (${causeOf(failure)})`;
  return `went on in the background and decided nothing; there it ${how} (${duration(took)})`;
}

function verdict(record: FireRecord, { handler, rewrite, replaced }: HookAnswer, isLast: boolean): string {
  const { verdict: counted, phase } = handler;
  const word = verdictIn(record, handler);
  const reason = reasonOf(record, handler);
  const why = reason === undefined ? '' : `: ${quoted(reason)}`;
  if (handler.would !== undefined)
    return handler.would === 'none' ? '' : `would ${plain(handler.would)}, and is not enforced${why}`;
  if (!isGate(record)) return blocking(record, handler, why);
  const ends = endsRun(handler) && counted === 'deny' && word !== 'deny';
  if (ends) return `ended the run with continue: false, which denies the call${why}`;
  // The verdict of a failed hook may come from its failure.
  if (counted !== undefined && counted !== 'none' && handler.status !== 'failed') return `said ${plain(counted)}${why}`;
  if (word === undefined) return '';
  const isKept = !isLast && !replaced;
  // Unlike other verdicts, an allow holds only for the input that the hook judged.
  if (isKept && isShadow(record) && word !== 'allow') return `would ${word}, and is not enforced${why}`;
  // For an observer, the end of the sentence says that its answer does not count.
  if ((isKept && word !== 'allow') || handler.status === 'failed' || phase === 'observe') return `said ${word}${why}`;
  if (phase === 'rewrite') return `said ${word}, which does not count in the phase rewrite`;
  const isLost = isLast && rewrite?.dropped === true;
  return `said ${word}${why}, which no longer counts, since ${isLost ? 'its rewrite was dropped' : 'it had not judged the final input'}`;
}

/** A block, or on a stop event a wish to continue, and its effect on the event. */
function blocking(record: FireRecord, handler: HandlerRecord, why: string): string {
  const { event, decision, error } = record;
  const { fold, blocked, continues } = decision;
  const isWatching = handler.phase === 'observe';
  const isBlock = handler.verdict === 'block' || verdictIn(record, handler) === 'block';
  const goesOn = fold === 'stop' && handler.dialect === 'code' && output(handler)['continue'] === true;
  if (!isBlock && !goesOn) return '';
  if (handler.phase === 'rewrite')
    return `said ${isBlock ? 'block' : 'continue'}, which does not count in the phase rewrite`;
  if (fold === 'stop')
    return `${continues && !isWatching ? 'kept the agent going' : 'wanted the agent to go on'}${why}`;
  if (blocked && !isWatching) return `blocked it${why}`;
  if (isWatching || error !== undefined) return `said block${why}`;
  if (handler.verdict === 'block' && isGiven(decision))
    return `said block, which means the value ${shortJson(givenIn(decision))}${why}`;
  const place = handler.verdict === 'block' ? `for ${subjectOf(record) ?? 'this'}` : `on ${event}`;
  return `said block, which does nothing ${plain(place)}${why}`;
}

/** The reason for a hook's verdict: of the spelling that counts if it used both, or of `continue: false` if that ended the run. */
function reasonOf(record: FireRecord, handler: HandlerRecord): string | undefined {
  const { decision, reason, stopReason } = output(handler);
  const { permissionDecision, permissionDecisionReason } = hookSpecificOf(handler);
  const word = verdictIn(record, handler);
  const isFlat = permissionDecision === word;
  const isLost = isFlat && decision !== undefined && own(LEGACY, String(decision)) !== word;
  return firstText(
    isGate(record) && endsRun(handler) && word !== 'deny' ? stopReason : undefined,
    isFlat ? permissionDecisionReason : undefined,
    nested(handler)['behavior'] === 'deny' ? nested(handler)['message'] : undefined,
    isLost ? undefined : reason,
    stopReason,
  );
}

function besides(record: FireRecord, { handler, rewrite, replaced }: HookAnswer): string[] {
  const context =
    !replaced && takesNone(record, handler) ? undefined : firstText(hookSpecificOf(handler)['additionalContext']);
  const message = firstText(output(handler)['systemMessage']);
  const isDropped = rewrite?.dropped === true && handler.phase !== 'observe';
  const [added, told, ended] = replaced
    ? ['had for the model', 'had for the user', 'had asked']
    : ['added for the model', 'told the user', 'asked'];
  const texts = [
    context === undefined ? '' : `${added}: ${quoted(context, 100)}`,
    message === undefined ? '' : `${told}: ${quoted(message, 100)}`,
    output(handler)['continue'] === false && handler.verdict !== 'deny'
      ? `${ended} for the end of the agent's loop`
      : '',
  ].filter((text) => text !== '');
  const last = texts.pop();
  return [
    valueWords(record, handler),
    ...(replaced ? [] : hiding(record, handler)),
    rewrite === undefined ? '' : isDropped ? 'rewrote it, which was dropped' : 'rewrote it',
    ...texts,
    last === undefined ? '' : replaced ? `${last}, which its next answer replaced` : last,
  ];
}

/** What is hidden because the hook said so. */
function hiding({ decision }: FireRecord, handler: HandlerRecord): string[] {
  if (handler.phase === 'observe') return [];
  const said = { ...output(handler), ...hookSpecificOf(handler) };
  const hides = (key: string): boolean => said[key] === true && own(decision, key) === true;
  return [
    hides('suppressOutput') ? 'hid the output' : '',
    hides('suppressOriginalPrompt') ? 'hid the prompt as it was written' : '',
  ];
}

/** The value in an answer, on an event that asks for one. */
function valueWords(record: FireRecord, handler: HandlerRecord): string {
  const given = valueIn(record, handler);
  if (given !== undefined) return 'value' in given ? `gave the value ${shortJson(given.value, 100)}` : 'gave a value';
  if (record.decision.fold !== 'replace' || specOf(record.event) !== undefined || handler.verdict === 'block')
    return '';
  // On an event that is not in the catalogue, the key of the value is not known.
  const { hookEventName: _, additionalContext: __, ...rest } = hookSpecificOf(handler);
  return Object.keys(rest).length === 0 ? '' : `answered ${shortJson(rest, 100)}`;
}

/** Whether the event takes no context: this hook's would count, and the decision has none. */
function takesNone(record: FireRecord, { phase }: HandlerRecord): boolean {
  const { additionalContext: taken }: Readonly<Record<string, unknown>> = record.decision;
  const mayCount = phase !== 'observe' && !isShadow(record) && record.error === undefined;
  return mayCount && Array.isArray(taken) && taken.length === 0;
}

function failed(record: FireRecord, handler: HandlerRecord): string {
  const blocked = record.decision.failures.find(({ id }) => id === handler.id)?.blocked === true;
  // An observer's failure does not count and is not in the decision.
  const counts =
    record.error !== undefined
      ? 'which decided nothing, since the fire was rejected'
      : blocked
        ? `which counts as ${plain(effectOf(record, handler))}, since ${whyItCounts(handler)}`
        : `which was ignored${handler.on_failure === 'continue' && handler.phase !== 'observe' ? ', since its onFailure is continue' : ''}`;
  return `failed (${causeOf(handler.failure)}), ${counts}`;
}

function causeOf({ cause = 'unknown', message = '' }: Partial<NonNullable<HandlerRecord['failure']>> = {}): string {
  return `${plain(cause)}: ${ended(shownText(message)).replace(/(?<!\.\.)\.$/, '')}`;
}

const shownText = (text: string): string => (text === '' ? 'no message' : clip(text.trim(), 200));

/** The effect of a hook's failure on the decision. */
function effectOf(record: FireRecord, handler: HandlerRecord): string {
  const { verdict: counted, on_failure: policy, failure } = handler;
  if (!isGate(record)) return 'a block';
  if (counted !== undefined && counted !== 'none' && verdictIn(record, handler) === undefined) return counted;
  if (failure?.blocks) return 'deny';
  return policy === 'ask' || (failure?.cause === 'untrusted' && policy !== 'block') ? 'ask' : 'deny';
}

function whyItCounts({ failure, on_failure: policy }: HandlerRecord): string {
  if (failure?.blocks) return 'its failure blocks whatever its onFailure says';
  if (failure?.cause === 'untrusted' && policy !== 'block') return 'a guard that was accepted could not judge it';
  return policy === undefined ? 'its policy says so' : `its onFailure is ${plain(policy)}`;
}

/** A sentence about the final input, if hooks rewrote it. */
export function rewrittenTo(record: FireRecord): string | undefined {
  const { final_input: final } = record;
  if (final === undefined || isShadow(record)) return undefined;
  if (isWithdrawn(record))
    return 'A hook rewrote it, which had no effect, since no hook whose answer counts allowed that.';
  const field = specOf(record.event)?.rewrites?.field;
  const by = rewriters(record);
  const who = by.length === 0 ? 'A hook' : listed(by.map(({ name }) => shortName(name)));
  const isWhole = field === undefined || Object.hasOwn(final, field) || !record.truncated?.length;
  if (!isWhole) return `${who} rewrote it.`;
  const value = field !== undefined && Object.hasOwn(final, field) ? final[field] : final;
  return `${who} rewrote it; what counts is ${shortJson(value)}.`;
}

/** The hooks whose rewrites were not dropped. */
export function rewriters(record: FireRecord): HandlerRecord[] {
  if (record.final_input === undefined || isShadow(record)) return [];
  const answers = answersIn(record);
  return record.handlers.filter(({ id }) => answers.get(id)?.some(({ rewrite }) => rewrite?.dropped === false));
}
