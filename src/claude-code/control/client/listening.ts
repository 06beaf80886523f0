import { CLAUDE_EVENTS, type HookEvent, specOf } from '../../../events/catalogue.js';
import type { EventSpec } from '../../../events/spec.js';
import type { HostCore } from '../../../host/core.js';
import type { Undo } from '../../../host/types.js';
import type { Registration } from '../../../scopes/registration.js';
import { tellProblem } from '../peer/problem.js';
import { neverSent } from './info.js';

export const LISTEN = ['all', 'needed'] as const;
/** The events that a client is asked to report: all, or only those that the host needs or that have hooks now. */
export type ListenMode = (typeof LISTEN)[number];

/** The events for which callbacks are registered with the client. */
export function askedEvents({ events, registrar }: HostCore, listen: ListenMode): HookEvent[] {
  const { anything, scopes } = registrar.known();
  const hooks = (event: HookEvent): readonly Registration[] => [
    ...scopes.flatMap((scope) => scope.own(event)),
    ...(events[event]?.hook?.taps() ?? []).map(({ registration }) => registration),
  ];
  const hooked = (event: HookEvent): boolean => hooks(event).length > 0;
  // SessionStart is fired by us, and background work may end at any time. The output of both is sent with the next prompt at the latest.
  const waits = (event: HookEvent): boolean =>
    (specOf(event).claude?.bounds === 'start' && hooked(event)) || hooks(event).some(({ async }) => async !== false);
  const all = listen === 'all' || anything;
  const late = CLAUDE_EVENTS.some(waits);
  return CLAUDE_EVENTS.filter((event) => {
    const { claude } = specOf(event);
    // The operation fails if a callback is registered but gives no answer.
    if (claude?.answerNeeded) return hooked(event);
    return (
      all || isNeeded(specOf(event)) || hooked(event) || events[event]?.hook?.foreign || (late && claude?.beginsTurn)
    );
  });
}

/** Whether the host itself needs the event, to follow sessions and agents or to compare decisions with what was done. */
const isNeeded = ({ callRole, scope, claude }: EventSpec): boolean =>
  callRole !== undefined || scope !== undefined || claude?.bounds !== undefined;

/** Creates the input schemas of these events ahead of time. The first one loads zod, which takes as long as a hundred events. */
export function warm({ events }: HostCore, asked: readonly HookEvent[]): void {
  for (const event of asked) events[event]?.accepts({});
}

/** From now on, registering a hook for an event that the client does not report is an error, or is reported once. */
export function listenFor(
  services: HostCore,
  name: string,
  asked: readonly HookEvent[],
  has: (session: string) => boolean,
): Undo {
  const told = new Set<string>();
  return services.registrar.listen({
    name,
    isDeafTo: ({ name: event }) => isClaudes(event) && !asked.includes(event),
    has,
    late({ name: event }, hook) {
      const message = `${name}: ${hook} came too late for ${event}, which it was not asked to tell of, so it never runs there`;
      if (told.has(message)) return;
      told.add(message);
      tellProblem(services, name, { problem: 'not_listened', message });
    },
  });
}

const isClaudes = (event: string): event is HookEvent => (CLAUDE_EVENTS as readonly string[]).includes(event);

export function warnOfNeverSent(services: HostCore, name: string): void {
  for (const event of neverSent()) {
    if ((services.events[event]?.plans.total ?? 0) === 0) continue;
    const message = `${name}: hooks are registered for ${event}, which it never asks callbacks about`;
    tellProblem(services, name, { problem: 'never_sent', message });
  }
}
