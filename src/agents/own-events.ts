import type { CustomEvents } from '../events/catalogue.js';
import { defineEvent } from '../events/own-event.js';
import { zod } from '../values/zod.js';
import { agentCodec, WITH_OWN_EVENTS } from './agents.js';
import type { OwnEvent } from './table.js';

/**
 * The events of an agent that we do not have, for `createHost({ events: agentEvents('gemini') })`; without a name, those of all agents.
 * Throws INVALID_OPTIONS for an unknown agent.
 */
export function agentEvents(name?: string): CustomEvents {
  const codecs = (name === undefined ? WITH_OWN_EVENTS : [name]).map(agentCodec);
  const rows = codecs.flatMap(({ events }) => events);
  return Object.fromEntries(
    rows.flatMap((row) => (row.own ? [[row.ours, definitionOf(row.own, row.says.block !== undefined)]] : [])),
  );
}

function definitionOf({ fold, needs = {}, value = [], about }: OwnEvent, blocks: boolean): CustomEvents[string] {
  const keys = Object.fromEntries(value.map((key) => [key, zod().unknown().optional()]));
  const fields = Object.fromEntries(
    Object.entries(needs).map(([key, kind]) => [key, kind === 'text' ? zod().string() : zod().looseObject({})]),
  );
  return defineEvent({
    input: zod().looseObject(fields),
    fold,
    about,
    ...(blocks ? { exit2: 'block' as const } : {}),
    ...(fold === 'replace' ? { output: zod().object(keys), value: [...value] } : {}),
  }) as unknown as CustomEvents[string];
}
