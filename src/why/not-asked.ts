import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { SKIP_REASONS, type SkipReason } from '../events/skip.js';
import { clip, plain } from '../plain.js';
import { endsRun, listed, named, placeOf, specOf, subjectOf } from './words.js';

/** Why a hook was not asked, and what would have to change so that it is. */
export interface NotAsked {
  readonly why: string;
  readonly change: string;
}

/** From what a fire's row of it says. */
export function whyNotAsked(record: FireRecord, handler: HandlerRecord): NotAsked {
  const { reason } = handler;
  const known = reason !== undefined && Object.hasOwn(SKIP_REASONS, reason);
  if (!known)
    return {
      why:
        reason === undefined
          ? 'no reason is recorded'
          : `for the reason ${plain(reason)}, which this version does not know`,
      change: 'Ask the version of hookscope that wrote the record.',
    };
  const told = SAYINGS[reason](record, handler);
  return { ...told, why: withWhy(told.why, handler) };
}

function withWhy(text: string, { why }: HandlerRecord): string {
  return why === undefined || text.includes(why) ? text : `${text} (${clip(why, 200)})`;
}

type Saying = (record: FireRecord, handler: HandlerRecord) => NotAsked;

const SAYINGS: Readonly<Record<SkipReason, Saying>> = {
  matcher(record, handler) {
    const subject = subjectOf(record);
    const about = subject === undefined ? `a ${plain(record.event)} about nothing` : clip(subject, 60);
    const matcher = handler.matcher === undefined ? 'its matcher' : `its matcher ${clip(handler.matcher, 80)}`;
    return {
      why: `${matcher} does not match ${about}`,
      change: `Widen its matcher in ${placeOf(handler)} so that it matches ${about}${widened(handler.matcher, subject)}.`,
    };
  },
  if(record, handler) {
    const rule = handler.rule === undefined ? 'its if rule' : `its if rule ${clip(handler.rule, 80)}`;
    if (specOf(record.event)?.tool === false)
      return {
        why: `${rule} is about tool calls, and ${plain(record.event)} is none`,
        change: `Take the rule away in ${placeOf(handler)}: on this event a hook with one never runs.`,
      };
    return {
      why: `${rule} does not match this call`,
      change: `Change the rule in ${placeOf(handler)} so that it matches, or take it away.`,
    };
  },
  scope: (record, handler) => ({
    why: `it belongs to the scope ${plain(handler.scope)}, and this was asked in ${plain(record.scope)}`,
    change: `Register it for the session or the host (in ${placeOf(handler)}), or for this agent's type with spawnHooks.`,
  }),
  policy: (_, handler) => ({
    why: 'a policy does not let it run',
    change: `Whoever manages ${handler.why === undefined ? 'the policy' : 'what is named'} must let hooks of ${placeOf(handler)} run.`,
  }),
  disabled: (_, handler) => ({
    why: 'it is switched off',
    change: `Take away what switches it off${handler.why === undefined ? ` for hooks of ${placeOf(handler)}` : ''}.`,
  }),
  trust: (_, handler) => ({
    why: 'its file is not trusted yet',
    change: `Look at ${placeOf(handler)} and accept it: hookscope trust.`,
  }),
  duplicate: () => ({
    why: 'a copy of it ran already in this fire',
    change: 'Nothing, unless both are meant: then they must differ in command, arguments or if rule.',
  }),
  once: (_, handler) => ({
    why: 'it runs once in its scope, and has',
    change: `Take "once" away in ${placeOf(handler)}.`,
  }),
  bailed(record) {
    const enders = record.handlers.filter(endsRun);
    const who = enders.length === 0 ? 'a hook before it' : listed(enders.map(({ name }) => named(name)));
    return {
      why: `${who} ended the run before its turn`,
      change: `${enders.length === 0 ? 'That hook' : who} must not answer continue: false, or this one needs an earlier stage.`,
    };
  },
  shadow: (_, handler) => ({
    why: 'it is not enforced: it was asked in the shadow of the decision',
    change: `Take "enforce" away in ${placeOf(handler)}, so that what it says counts; hookscope history --shadow has what it would have said.`,
  }),
  invalid: (_, handler) => ({
    why: 'it cannot run as it is written',
    change: `Correct it in ${placeOf(handler)}: hookscope check says what is wrong.`,
  }),
  unsupported: (_, handler) => ({
    why: 'the agent whose hook it is runs it, and this host cannot',
    change: `Write it in ${placeOf(handler)} as a command, or leave it to that agent.`,
  }),
};

/** An example, where the matcher is a plain list of names. */
function widened(matcher: string | undefined, subject: string | undefined): string {
  if (matcher === undefined || subject === undefined) return '';
  const simple = /^[\w |,-]+$/.test(matcher) && /^[\w-]{1,60}$/.test(subject);
  return simple ? `, as in ${matcher}|${subject}` : '';
}
