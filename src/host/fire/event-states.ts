import { HookscopeError } from '../../errors.js';
import { CATALOGUE, type CustomEvents, HOOK_EVENTS } from '../../events/catalogue.js';
import { withName } from '../../events/define.js';
import { inputGuard } from '../../events/guard.js';
import { Meanings } from '../../events/output/meant.js';
import { checkEvent } from '../../events/own-event.js';
import type { EventSpec } from '../../events/spec.js';
import { describeError } from '../../values/message.js';
import { isObject, isText } from '../../values/shape.js';
import { ignoreRejections, isThenable } from '../../values/waiting/promises.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';
import type { EventPlans } from '../plan/plans.js';
import type { EventState } from '../services.js';

/**
 * If the subject function throws or returns a promise, a warning is reported and the subject is unknown (`null`): hooks run whatever their matcher.
 * Any other result that is not a string is converted to one.
 */
function guardSubject(spec: EventSpec, report: (message: string) => void): EventSpec {
  const { subject } = spec;
  if (!subject) return spec;
  return {
    ...spec,
    subject(input) {
      try {
        const found: unknown = subject(input);
        ignoreRejections(found);
        if (isThenable(found)) throw new TypeError('it must answer at once, and returned a promise');
        return typeof found === 'string' || found === undefined || found === null
          ? (found ?? undefined)
          : String(found);
      } catch (error) {
        ignoreRejections(error);
        report(
          `The subject function of event ${spec.name} threw: ${describeError(error)}; its hooks run whatever their matcher`,
        );
        return null;
      }
    },
  };
}

/** Every event of a host by name: the catalogue's and the host's own. Throws INVALID_OPTIONS. */
export function eventSpecs(
  custom: CustomEvents | undefined,
  report: (message: string) => void,
): Map<string, EventSpec> {
  const entries = new Map<string, EventSpec>(Object.entries(CATALOGUE));
  for (const [name, definition] of Object.entries(custom ?? {})) {
    if ((HOOK_EVENTS as readonly string[]).includes(name)) {
      throw new HookscopeError('INVALID_OPTIONS', {
        where: `events.${name}`,
        expected: 'is a built-in event; choose another name',
      });
    }
    if (name === '') {
      throw new HookscopeError('INVALID_OPTIONS', {
        where: 'events',
        expected: 'expected names that are not empty',
      });
    }
    if (!isDefinition(definition)) {
      throw new HookscopeError('INVALID_OPTIONS', {
        where: `events.${name}`,
        expected: 'expected an event made with defineEvent({ input, fold })',
      });
    }
    checkEvent(definition, `events.${name}.`);
    entries.set(name, guardSubject(withName(name, definition), report));
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

/** The state that a host keeps for one event. */
export function eventState(spec: EventSpec, plans: EventPlans): EventState {
  const nothing = Object.freeze([]);
  const state: EventState = {
    spec,
    plans,
    closes: spec.scope === 'close',
    endsSession: spec.claude?.bounds === 'end',
    endsCall: spec.endsCall === true,
    opens: spec.scope === 'open',
    hook: undefined,
    meanings: new Meanings(spec),
    quiet: Promise.resolve(Object.freeze(makeDecision(spec, undefined, nothing)) as AnyDecision),
    // Compiled at the first input, because most hosts use few of the events.
    accepts(input) {
      state.accepts = inputGuard(spec);
      return state.accepts(input);
    },
  };
  return state;
}
