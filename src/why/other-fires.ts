import { whyItself } from '../emit/reading/own-answer.js';
import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { clip, plain } from '../plain.js';
import type { RecordStore } from '../store/store.js';
import { nearest } from '../values/nearest.js';
import { agentName } from './about.js';
import { agentIdOf, isMeant, isShadow, typeOf } from './meaning.js';
import { listed, placeOf, shortName } from './words.js';

/** What other fires show about hooks that this one does not list. */
export interface OtherFires {
  readonly sentences: readonly string[];
  readonly changes: readonly string[];
}

/** A hook in a fire that listed it. */
interface ListedHook {
  readonly handler: HandlerRecord;
  readonly fire: FireRecord;
}

/** The most hooks of other scopes that are named. */
const NAMED = 8;

/** Looks for hooks of other scopes in the fires of the session; with `hook`, for that hook in all fires. `mask` masks secrets in the sentences. */
export async function findInOtherFires(
  store: Pick<RecordStore, 'records'>,
  record: FireRecord,
  hook: string | undefined,
  mask: (text: string) => string,
): Promise<OtherFires> {
  const { sentences, changes } = await look(store, record, hook);
  return { sentences: sentences.map(mask), changes: changes.map(mask) };
}

async function look(
  store: Pick<RecordStore, 'records'>,
  record: FireRecord,
  hook: string | undefined,
): Promise<OtherFires> {
  // A shadow record lists only its own hook, so it says nothing about others.
  if (isShadow(record)) return NOTHING;
  if (record.unanswered !== undefined) return hook === undefined ? NOTHING : notKnown(hook, record.unanswered);
  if (hook !== undefined)
    return record.handlers.some((handler) => isMeant(handler, hook)) ? NOTHING : await findHook(store, record, hook);
  if (record.out_of_scope === 0) return NOTHING;
  const others = await othersIn(store, record);
  const count = record.out_of_scope;
  const hooks = `${count} more ${count === 1 ? 'hook' : 'hooks'} for ${plain(record.event)} ${count === 1 ? 'belongs' : 'belong'} to other scopes, which are not asked here`;
  const names = others.slice(0, NAMED).map((found) => `${shortName(found.handler.name)} (${whose(found)})`);
  const seen = names.length === 0 ? '' : `; other fires of this session list ${listed(names)}`;
  return { sentences: [`${hooks}${seen}.`], changes: [] };
}

/** For a fire that hookscope itself answered: its record lists no hooks. */
const notKnown = (hook: string, reason: string): OtherFires => ({
  sentences: [
    `Whether ${shortName(hook)} was registered is not known: hookscope itself answered, ${whyItself([reason])}.`,
  ],
  changes: [],
});

const NOTHING: OtherFires = { sentences: [], changes: [] };

/** The owner of a hook, by its scope. */
function whose({ handler: { scope }, fire }: ListedHook): string {
  const agent = agentIdOf(fire);
  if (scope !== fire.scope || agent === undefined) return `of the scope ${clip(scope, 40)}`;
  return `of ${agentName(agent, typeOf(fire))}`;
}

/** Hooks for the same event that other fires of the session list and this one does not. */
async function othersIn(store: Pick<RecordStore, 'records'>, record: FireRecord): Promise<ListedHook[]> {
  const { event, session_id: session, host_id: host } = record as FireRecord & { host_id?: string };
  const key = ({ id, scope }: HandlerRecord): string => JSON.stringify([id, scope]);
  const here = new Set(record.handlers.map(key));
  const found = new Map<string, ListedHook>();
  for await (const fire of store.records({ types: ['hook_fire'], event, session, newest: true })) {
    if (fire.type !== 'hook_fire' || (fire as { host_id?: string }).host_id !== host) continue;
    for (const handler of fire.handlers)
      if (!here.has(key(handler)) && !found.has(key(handler))) found.set(key(handler), { handler, fire });
    if (found.size >= record.out_of_scope) break;
  }
  return [...found.values()];
}

/** The most names that are kept to suggest the nearest one. */
const MOST_NAMES = 2000;

async function findHook(store: Pick<RecordStore, 'records'>, record: FireRecord, hook: string): Promise<OtherFires> {
  let other: ListedHook | undefined;
  const names = new Set<string>();
  for await (const fire of store.records({ types: ['hook_fire'], newest: true })) {
    if (fire.type !== 'hook_fire') continue;
    for (const handler of fire.handlers) {
      if (names.size < MOST_NAMES) names.add(handler.name);
      if (!isMeant(handler, hook)) continue;
      if (fire.event === record.event) return inOtherScope({ handler, fire }, record);
      other ??= { handler, fire };
    }
  }
  if (other) return onOtherEvent(other, record);
  const near = nearest(hook, [...names]);
  return {
    sentences: [
      `No record lists a hook called ${shortName(hook)}: no such hook was registered when they were made.${near === undefined ? '' : ` Did you mean ${shortName(near)}?`}`,
    ],
    changes: [`Register ${shortName(hook)} where this host gets its hooks; hookscope list shows what is registered.`],
  };
}

function inOtherScope(found: ListedHook, record: FireRecord): OtherFires {
  const { handler } = found;
  const name = shortName(handler.name);
  const same = handler.scope === record.scope || handler.scope === 'host' || handler.scope === 'session';
  if (same)
    return {
      sentences: [
        `${name} (${placeOf(handler)}) was not registered for this call when it was made; the fire at ${plain(found.fire.time)} lists it.`,
      ],
      changes: [`Register ${name} before the agent begins, so that it is asked about every call.`],
    };
  return {
    sentences: [
      `${name} (${placeOf(handler)}) was not asked: it is a hook ${whose(found)}, and hooks of one agent are never asked about calls of another.`,
    ],
    changes: [
      `For ${name} to be asked: register it for the session or the host, or with spawnHooks for this agent's type, in ${placeOf(handler)}.`,
    ],
  };
}

function onOtherEvent({ handler, fire }: ListedHook, record: FireRecord): OtherFires {
  const name = shortName(handler.name);
  return {
    sentences: [
      `${name} (${placeOf(handler)}) was not asked: records list it for ${plain(fire.event)} and not for ${plain(record.event)}.`,
    ],
    changes: [`For ${name} to be asked: register it for ${plain(record.event)} too, in ${placeOf(handler)}.`],
  };
}
