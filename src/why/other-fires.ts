import { whyItself } from '../emit/reading/own-answer.js';
import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { clip, plain } from '../plain.js';
import type { RecordStore } from '../store/store.js';
import { nearest } from '../values/nearest.js';
import { agentName } from './about.js';
import { agentIdOf, isMeant, isShadow, typeOf } from './meaning.js';
import { firstText, listed, placeOf, shortName } from './words.js';

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

type Fires = Pick<RecordStore, 'records'>;

/** Looks for hooks of other scopes in the fires of the session; with `hook`, for that hook in all fires. `mask` masks secrets in the sentences. */
export async function findInOtherFires(
  store: Fires,
  record: FireRecord,
  hook: string | undefined,
  mask: (text: string) => string,
): Promise<OtherFires> {
  return (await findForEach(store, [record], hook, mask)).get(record) ?? NOTHING;
}

/** Like `findInOtherFires`, for several fires: the store is read once for all of one kind. */
export async function findForEach(
  store: Fires,
  records: readonly FireRecord[],
  hook: string | undefined,
  mask: (text: string) => string,
): Promise<ReadonlyMap<FireRecord, OtherFires>> {
  const search: OtherSearch = { store, records, others: new Map(), hooks: new Map() };
  const found = new Map<FireRecord, OtherFires>();
  for (const record of records) {
    const { sentences, changes } = await look(search, record, hook);
    found.set(record, { sentences: sentences.map(mask), changes: changes.map(mask) });
  }
  return found;
}

/** What was read for the fires that are explained together. */
interface OtherSearch {
  readonly store: Fires;
  readonly records: readonly FireRecord[];
  readonly others: Map<FireRecord, readonly ListedHook[]>;
  /** By event. */
  readonly hooks: Map<string, HookSearch>;
}

async function look(search: OtherSearch, record: FireRecord, hook: string | undefined): Promise<OtherFires> {
  // A shadow record lists only its own hook, so it says nothing about others.
  if (isShadow(record)) return NOTHING;
  if (record.unanswered !== undefined) return hook === undefined ? NOTHING : notKnown(hook, record.unanswered);
  if (hook !== undefined)
    return record.handlers.some((handler) => isMeant(handler, hook)) ? NOTHING : await findHook(search, record, hook);
  if (record.out_of_scope === 0) return NOTHING;
  const others = await othersIn(search, record);
  const count = record.out_of_scope;
  // It counts registrations: a hook of a type of agents has one for the type and one for each of its agents.
  const hooks = `${count === 1 ? '1 more hook' : `Up to ${count} more hooks`} for ${plain(record.event)} ${count === 1 ? 'belongs' : 'belong'} to other scopes, which are not asked here`;
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

/** Hooks for the same event that other fires of the session list and this one does not; at most `NAMED`, the latest first. */
async function othersIn({ store, records, others }: OtherSearch, record: FireRecord): Promise<readonly ListedHook[]> {
  const known = others.get(record);
  if (known !== undefined) return known;
  const { event, session_id: session } = record;
  const open = records
    .filter((one) => one.event === event && one.session_id === session && hostOf(one) === hostOf(record))
    .map((one) => ({ one, here: new Set(one.handlers.map(keyOf)), found: [] as ListedHook[] }))
    .filter(({ one }) => one.out_of_scope > 0);
  for (const { one, found } of open) others.set(one, found);
  const seen = new Set<string>();
  let left = open;
  for await (const fire of store.records({ types: ['hook_fire'], event, session, newest: true })) {
    if (fire.type !== 'hook_fire' || hostOf(fire) !== hostOf(record)) continue;
    for (const handler of fire.handlers) {
      const key = keyOf(handler);
      if (seen.has(key)) continue;
      seen.add(key);
      for (const { here, found } of left) if (!here.has(key)) found.push({ handler, fire });
      left = left.filter(({ one, found }) => found.length < Math.min(one.out_of_scope, NAMED));
    }
    if (left.length === 0) break;
  }
  return others.get(record) ?? [];
}

const hostOf = (fire: FireRecord): string | undefined => (fire as { host_id?: string }).host_id;
const keyOf = ({ id, scope }: HandlerRecord): string => JSON.stringify([id, scope]);

/** The most names that are kept to suggest the nearest one. */
const MOST_NAMES = 2000;

/** A hook as other fires list it. */
interface HookSearch {
  /** In a fire of the event. */
  readonly same?: ListedHook;
  /** In a fire of another event. */
  readonly other?: ListedHook;
  readonly names: readonly string[];
}

async function findHook({ store, hooks }: OtherSearch, record: FireRecord, hook: string): Promise<OtherFires> {
  const found = hooks.get(record.event) ?? (await searchHook(store, record.event, hook));
  hooks.set(record.event, found);
  const { same, other, names } = found;
  if (same) return inOtherScope(same, record);
  if (other) return onOtherEvent(other, record);
  const near = nearest(hook, names);
  return {
    sentences: [
      `No record lists a hook called ${shortName(hook)}: no such hook was registered when they were made.${near === undefined ? '' : ` Did you mean ${shortName(near)}?`}`,
    ],
    changes: [`Register ${shortName(hook)} where this host gets its hooks; hookscope list shows what is registered.`],
  };
}

async function searchHook(store: Fires, event: string, hook: string): Promise<HookSearch> {
  let other: ListedHook | undefined;
  const names = new Set<string>();
  for await (const fire of store.records({ types: ['hook_fire'], newest: true })) {
    if (fire.type !== 'hook_fire') continue;
    for (const handler of fire.handlers) {
      if (names.size < MOST_NAMES) names.add(handler.name);
      if (!isMeant(handler, hook)) continue;
      if (fire.event === event) return { same: { handler, fire }, names: [...names] };
      other ??= { handler, fire };
    }
  }
  return { ...(other && { other }), names: [...names] };
}

function inOtherScope(found: ListedHook, record: FireRecord): OtherFires {
  const { handler } = found;
  const name = shortName(handler.name);
  const same = handler.scope === record.scope || ['managed', 'host', 'session'].includes(handler.scope);
  if (same && hostOf(found.fire) !== hostOf(record) && !wasLoadedFor(record, handler))
    return inOtherHost(found, record);
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

/** The files of a project whose hooks count in its folder, by the folder. */
const IN_PROJECT = /^(.+?)\/(?:\.claude\/settings(?:\.local)?\.json|hookscope\.config\.\w+)$/;
const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** The kinds of sources that count in one project. Others count elsewhere too, wherever their files lie. */
const OF_PROJECT: readonly string[] = ['project', 'local', 'skill', 'agent'];

const projectOf = ({ source: { kind, file = '' } }: HandlerRecord): string | undefined =>
  ['config', 'project', 'local'].includes(kind) ? IN_PROJECT.exec(file)?.[1] : undefined;

/** Whether the hook's file or project counted for the call, wherever the call was: the record lists a hook of that file, or of another in the project. */
function wasLoadedFor({ handlers }: FireRecord, hook: HandlerRecord): boolean {
  const project = projectOf(hook);
  return handlers.some((one) => {
    const { kind, file } = one.source;
    if (file === undefined) return false;
    const isIn = project !== undefined && OF_PROJECT.includes(kind) && isWithin(file, project);
    return file === hook.source.file || isIn || (project !== undefined && projectOf(one) === project);
  });
}

/** A hook of another host: of another project if its file and the calls tell, or of one that had other hooks for a reason that no record tells. */
function inOtherHost({ handler, fire }: ListedHook, record: FireRecord): OtherFires {
  const name = shortName(handler.name);
  const hook = `${name} (${placeOf(handler)})`;
  const [here, there] = [record, fire].map(({ input }) => firstText(input['cwd']));
  const project = projectOf(handler);
  const at = `the fire at ${plain(fire.time)}${there === undefined ? '' : `, in ${clip(there, 100)},`} lists it`;
  const isOfProject = project !== undefined && there !== undefined && isWithin(there, project);
  if (!isOfProject || here === undefined || isWithin(here, project))
    return {
      sentences: [`${hook} was not among the hooks that were registered for this call; ${at}.`],
      changes: [`Register ${name} where this call gets its hooks; hookscope list shows what is registered there.`],
    };
  // A path in advice is whole: it is there to be used.
  const folder = plain(here);
  const forAll =
    handler.source.kind === 'config'
      ? `serve ${folder} with --project and the hook in its configuration, or name ${placeOf(handler)} for all calls with --config`
      : `register it in the settings of ${folder} too, or in the user's`;
  return {
    sentences: [
      `${hook} was not asked: it is of the project ${clip(project, 100)} (${at}), and this call was in ${clip(here, 100)}.`,
    ],
    changes: [`For ${name} to be asked there: ${forAll}.`],
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
