import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { clip, plain } from '../plain.js';
import { SKIP_REASONS, type SkipReason } from '../scopes/skip.js';
import { own } from '../values/own.js';
import { endsRun, listed, placeOf, shortName, subjectOf } from './words.js';

/** Why a hook was not asked, and what would have to change for it to be asked. */
export interface NotAskedReason {
  readonly why: string;
  readonly change: string;
}

/** Reads the explanation from the hook's row in a fire. `records`: the option by which commands read the same records. */
export function whyNotAsked(record: FireRecord, handler: HandlerRecord, records = ''): NotAskedReason {
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
  const { why, change } = { ...usual(reason, handler, records), ...FROM_RECORD[reason]?.(record, handler) };
  return { why: withWhy(why, reason, handler), change };
}

/** Appends the record's `why`, unless the text says the same already. */
function withWhy(text: string, reason: SkipReason, { why }: HandlerRecord): string {
  return why === undefined || why === SKIP_REASONS[reason].why || text.includes(why)
    ? text
    : `${text} (${clip(why, 200)})`;
}

function usual(reason: SkipReason, handler: HandlerRecord, records: string): NotAskedReason {
  const { why, change } = SKIP_REASONS[reason];
  return { why, change: change(placeOf(handler), records) };
}

/** Explanations that use more of the record than the reason alone. */
const FROM_RECORD: {
  readonly [Reason in SkipReason]?: (record: FireRecord, handler: HandlerRecord) => Partial<NotAskedReason>;
} = {
  matcher(record, handler) {
    const { event } = record;
    // Only the host that declares an event of its own knows what its matchers are compared with.
    const spec = specOf(event);
    const subject = spec && subjectOf(record);
    const about =
      subject === undefined ? (spec ? `a ${plain(event)} about nothing` : `this ${plain(event)}`) : clip(subject, 60);
    const matcher = handler.matcher === undefined ? 'its matcher' : `its matcher ${clip(handler.matcher, 80)}`;
    return {
      why: `${matcher} does not match ${about}`,
      change: `Widen its matcher in ${placeOf(handler)} so that it matches ${about}${widened(handler.matcher, subject)}${ruleToo(record, handler)}.`,
    };
  },
  if(record, handler) {
    const rule = handler.rule === undefined ? 'its if rule' : `its if rule ${clip(handler.rule, 80)}`;
    if (specOf(record.event)?.tool === false)
      return {
        why: `${rule} is for tool calls only, and ${plain(record.event)} is not about one`,
        change: `Remove the rule in ${placeOf(handler)}: on this event a hook with one never runs.`,
      };
    const all = handler.handler === 'rule' ? ', or it allows and does not cover all of it' : '';
    return { why: `${rule} does not match this call${all}` };
  },
  scope: (record, handler) => ({
    why: `it belongs to the scope ${plain(handler.scope)}, and this was asked in ${plain(record.scope)}`,
  }),
  bailed(record, handler) {
    const enders = record.handlers.filter(endsRun);
    // Older versions recorded `bailed` for cancelled fires too.
    if (enders.length === 0) return record.error === undefined ? {} : whyCancelled(record);
    const who = listed(enders.map(({ name }) => shortName(name)));
    return {
      why: `${who} ended the run before its turn`,
      change: `${who} must not answer continue: false${enders.every(({ scope }) => scope === handler.scope) ? ', or this one needs an earlier stage' : ''}.`,
    };
  },
  cancelled: whyCancelled,
  shadow(record) {
    // A hook that is not enforced is asked after the decision, and a rejected fire has none.
    if (record.error === undefined) return {};
    const { why, change } = whyCancelled(record);
    return { why: `it is not enforced: it is asked after the decision, and nothing was decided, since ${why}`, change };
  },
};

const CANCELLED: Readonly<Record<string, NotAskedReason>> = {
  ABORTED: {
    why: 'the caller aborted the fire before its turn',
    change: 'The caller must wait longer, or the hooks before it must be faster.',
  },
  CLOSED: {
    why: 'the host was closed before its turn',
    change: 'The host must stay open longer, or the hooks before it must be faster.',
  },
  INVALID_INPUT: {
    why: 'the input could not be read or sent to hooks, which ended the fire before its turn',
    change: 'The input must be smaller, or what the error named must be corrected.',
  },
};

function whyCancelled({ error }: FireRecord): NotAskedReason {
  const { why, change } = SKIP_REASONS.cancelled;
  return (error === undefined ? undefined : own(CANCELLED, error)) ?? { why, change: change() };
}

/** The rule is looked at once the matcher has matched, so a wider matcher alone may not be enough. */
function ruleToo({ event }: FireRecord, { rule }: HandlerRecord): string {
  if (rule === undefined) return '';
  const its = `its if rule ${clip(rule, 80)}`;
  return specOf(event)?.tool === false ? `, and remove ${its}` : `, and see that ${its} matches the call too`;
}

/** An example of a wider matcher, if the matcher is a plain list of names. */
function widened(matcher: string | undefined, subject: string | undefined): string {
  if (matcher === undefined || subject === undefined) return '';
  const simple = /^[\w |,-]+$/.test(matcher) && /^[\w-]{1,60}$/.test(subject);
  return simple ? `, as in ${matcher}|${subject}` : '';
}
