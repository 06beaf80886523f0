import { answersIn } from '../emit/reading/answers.js';
import { whyItself } from '../emit/reading/own-answer.js';
import type { FireRecord, HandlerRecord, ToolCallRecord } from '../emit/record.js';
import { clip, ended, plain } from '../plain.js';
import { rewrittenTo, saidBy } from './asked.js';
import { endsIn, type RunEnd } from './background.js';
import { changesFor } from './changes.js';
import { decidedIn } from './decided.js';
import { isMeant } from './meaning.js';
import { whyNotAsked } from './not-asked.js';
import type { OtherFires } from './other-fires.js';
import { placeOf, quoted, shortJson, shortName, subjectOf } from './words.js';

/** One hook of a fire, in a sentence. */
export interface HookSentence {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** Why a fire ended as it did. Every list holds sentences. */
export interface WhyAnswer {
  readonly fire_id: string;
  readonly event: string;
  /** The event, the agent, the time, and the beginning of the input. */
  readonly question: readonly string[];
  readonly asked: readonly HookSentence[];
  readonly not_asked: readonly HookSentence[];
  /** About hooks of other scopes. */
  readonly out_of_scope: readonly string[];
  readonly decision: readonly string[];
  /** For a tool call: whether it ran in the end. */
  readonly outcome: readonly string[];
  readonly changes: readonly string[];
  /** Hookscope itself answered; which hooks were asked is not known. */
  readonly unanswered?: true;
}

export interface WhyFacts {
  /** The agent's name. */
  readonly agent: string;
  /** If given, the answer is only about this hook. */
  readonly hook?: string | undefined;
  readonly otherFires: OtherFires;
  readonly outcome: readonly string[];
  /** How the tool call of the fire ended. */
  readonly calls?: readonly ToolCallRecord[] | undefined;
  /** How runs of hooks of the fire ended. */
  readonly ends?: readonly RunEnd[] | undefined;
  /** The option by which commands read the same records, with a blank before it; empty: they find them. */
  readonly records?: string | undefined;
}

/** Builds the answer from the fire's record and facts from other records. */
export function answerFor(record: FireRecord, facts: WhyFacts): WhyAnswer {
  const { agent, hook, otherFires, outcome, calls, records = '' } = facts;
  const ends = endsIn(record, facts.ends ?? []);
  const meant = record.handlers.filter((handler) => isMeant(handler, hook));
  const asked = meant.filter(({ status }) => status !== 'skipped');
  const notAsked = meant
    .filter(({ status }) => status === 'skipped')
    .map((handler) => skipped(record, handler, records));
  const rewritten = rewrittenTo(record);
  const answers = answersIn(record);
  const changes = record.unanswered === undefined ? changesFor(record, { calls, ends }) : [mendItself(records)];
  const all = (texts: readonly string[]): string[] => texts.map(ended);
  return {
    fire_id: record.fire_id,
    event: record.event,
    ...(record.unanswered === undefined ? {} : { unanswered: true }),
    question: all(question(record, agent)),
    asked: asked.map((handler) =>
      sentence(
        handler,
        `${who(handler)} ${saidBy(record, answers.get(handler.id) ?? [], ends.get(handler.id))}.${warned(handler)}`,
      ),
    ),
    not_asked: notAsked.map(({ told }) => told),
    out_of_scope: all(otherFires.sentences),
    decision:
      record.unanswered === undefined
        ? all([...(rewritten === undefined ? [] : [rewritten]), ...decidedIn(record), ...untold(record)])
        : all([byItself(record, record.unanswered)]),
    outcome: all(outcome),
    changes: all([
      ...(hook === undefined || record.unanswered !== undefined ? changes : []),
      ...forNotAsked(record, notAsked, records),
      ...otherFires.changes,
    ]),
  };
}

/** The sentence for an answer that hookscope itself gave. */
function byItself({ decision }: FireRecord, reason: string): string {
  const { verdict = 'none', blocked, continues } = decision;
  const why = `${whyItself([reason])}: ${quoted(reason, 400)}`;
  if (verdict !== 'none') return `Hookscope itself decided: ${plain(verdict)}, ${why}`;
  if (blocked) return `Hookscope itself blocked it, ${why}`;
  if (continues) return `Hookscope itself kept the agent going, ${why}`;
  return `Hookscope itself answered and stopped nothing, ${why}`;
}

const mendItself = (records: string): string =>
  `For hooks to decide it, what the reason names must be mended; hookscope doctor${records} looks for the rest`;

/** Sentences about what another agent's protocol cannot express. */
const untold = ({ losses = [] }: FireRecord): string[] =>
  losses.map(({ what, why }) => `The agent's protocol does not carry "${clip(what, 60)}" as it is: ${clip(why, 200)}`);

interface SkippedHook {
  readonly told: HookSentence;
  readonly name: string;
  readonly change: string;
  /** The hook is for other calls: its matcher or rule did not match this one. */
  readonly isForOthers: boolean;
}

function skipped(record: FireRecord, handler: HandlerRecord, records: string): SkippedHook {
  const { why, change } = whyNotAsked(record, handler, records);
  const isForOthers = handler.reason === 'matcher' || handler.reason === 'if';
  const told = sentence(handler, `${who(handler)} was not asked: ${why}.`);
  return { told, name: shortName(handler.name), change, isForOthers };
}

/** What would have to change for hooks to be asked. Most are for other calls, and their advice is alike, so that of several is one sentence. */
function forNotAsked({ fire_id }: FireRecord, hooks: readonly SkippedHook[], records: string): string[] {
  const others = hooks.filter(({ isForOthers }) => isForOthers).length;
  const told = others > 1 ? hooks.filter(({ isForOthers }) => !isForOthers) : hooks;
  const each = told.map(({ name, change }) => `For ${name} to be asked: ${lower(change)}`);
  if (others < 2) return each;
  return [
    ...each,
    `${others} hooks are for other calls. What would have to change for one of them to be asked: hookscope why ${clip(fire_id, 60)} --hook NAME${records}.`,
  ];
}

/** What was warned about its answer. */
const warned = ({ warnings = [] }: HandlerRecord): string =>
  warnings.map((text) => ` Warning: ${ended(clip(text.trim(), 300))}`).join('');

const sentence = ({ id, name }: HandlerRecord, text: string): HookSentence => ({
  id,
  name: plain(name),
  text: ended(text),
});
const who = (handler: HandlerRecord): string =>
  `${shortName(handler.name)} (${plain(handler.handler)}, ${placeOf(handler)})`;
const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function question(record: FireRecord, agent: string): string[] {
  const {
    event,
    input,
    scope_known: known,
    time,
    session_id: session,
    stateless,
  } = record as FireRecord & {
    readonly stateless?: boolean;
  };
  const subject = subjectOf(record);
  const about = subject === undefined ? '' : ` about ${clip(subject, 60)}`;
  const call = record.tool_use_id === undefined ? '' : `, call ${clip(record.tool_use_id, 60)}`;
  const scope = known
    ? ''
    : ` Nobody had opened its scope ${clip(record.scope, 40)}: the hooks of the session were asked.`;
  const alone = stateless ? ' It was fired without the server, so that nothing was known of what came before it.' : '';
  const of = input['tool_input'] ?? input;
  return [
    `${clip(event, 60)}${about}, for ${plain(agent)} of session ${clip(session || '(none)', 40)}, at ${plain(time)}${call}.${scope}${alone}`,
    `It was asked about ${shortJson(of, 300)}.`,
    ...(record.truncated?.length
      ? [`The record does not hold all of it: ${record.truncated.map((t) => clip(t, 60)).join(', ')}.`]
      : []),
  ];
}

/** The answer as a terminal shows it. */
export function answerText(answer: WhyAnswer, { hook }: { readonly hook?: string | undefined } = {}): string {
  const { asked, not_asked: notAsked, out_of_scope: outOfScope, decision, outcome, changes } = answer;
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
  const nobody = asked.length === 0 && hook === undefined && !answer.unanswered ? ['No hook was asked.'] : [];
  return [
    ...answer.question,
    ...part('Hooks that ran:', [...asked.map(({ text }) => text), ...nobody]),
    ...part('Hooks that did not run, and why:', [...notAsked.map(({ text }) => text), ...outOfScope]),
    ...part('What was decided:', decision),
    ...part('What came of it:', outcome),
    ...part('What would have to change:', changes),
  ].join('\n');
}
