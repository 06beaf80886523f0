import { HookscopeError } from '../../errors.js';
import { CATALOGUE, type CustomEvents, HOOK_EVENTS } from '../../events/catalogue.js';
import { type EventEntry, named } from '../../events/define.js';
import { inputGuard } from '../../events/guard.js';
import { Meanings } from '../../events/meant.js';
import { describeError } from '../../values/message.js';
import { isObject, isText } from '../../values/shape.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';
import type { EventPlans } from '../plan/plans.js';
import type { EventState } from '../services.js';

/**
 * A subject function that throws leaves its event without a subject: only match-all hooks run, and it is said. Of another type,
 * its text is matched.
 */
function guardSubject(entry: EventEntry, report: (message: string) => void): EventEntry {
  const { subject } = entry;
  if (!subject) return entry;
  return {
    ...entry,
    subject(input) {
      try {
        const found: unknown = subject(input);
        return typeof found === 'string' || found === undefined || found === null
          ? (found ?? undefined)
          : String(found);
      } catch (error) {
        report(`The subject function of event ${entry.name} threw: ${describeError(error)}`);
        return undefined;
      }
    },
  };
}

/** Every event of a host by name: the catalogue's and its own. Throws INVALID_OPTIONS. */
export function eventEntries(
  custom: CustomEvents | undefined,
  report: (message: string) => void,
): Map<string, EventEntry> {
  const entries = new Map<string, EventEntry>(Object.entries(CATALOGUE));
  for (const [name, definition] of Object.entries(custom ?? {})) {
    if ((HOOK_EVENTS as readonly string[]).includes(name)) {
      throw new HookscopeError('INVALID_OPTIONS', {
        where: `events.${name}`,
        expected: 'is a built-in event; choose another name',
      });
    }
    if (!isDefinition(definition)) {
      throw new HookscopeError('INVALID_OPTIONS', {
        where: `events.${name}`,
        expected: 'expected an event made with defineEvent({ input, fold })',
      });
    }
    entries.set(name, guardSubject(named(name, definition), report));
  }
  return entries;
}

function isDefinition(definition: unknown): boolean {
  return (
    isObject(definition) &&
    isObject(definition['input']) &&
    isObject(definition['output']) &&
    isText(definition['fold'])
  );
}

/** What a host keeps of one event. */
export function eventState(entry: EventEntry, plans: EventPlans): EventState {
  const nothing = Object.freeze([]);
  const state: EventState = {
    entry,
    plans,
    closes: entry.scope === 'close',
    opens: entry.scope === 'open',
    hook: undefined,
    meanings: new Meanings(entry),
    quiet: Promise.resolve(Object.freeze(makeDecision(entry, undefined, nothing)) as AnyDecision),
    // Compiled at the first input; most hosts see few of the events.
    accepts(input) {
      state.accepts = inputGuard(entry);
      return state.accepts(input);
    },
  };
  return state;
}
