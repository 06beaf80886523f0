import { existsSync } from 'node:fs';
import { HOOK_EVENTS } from '../../events/catalogue.js';
import { consentAmong } from '../../trust/accept.js';
import { changeOfFiles, changeOfSource, changeSince, whyUnreadable } from '../../trust/changes.js';
import { type Consent, goneRequest, isSame, liesInProject, type TrustRequest } from '../../trust/consent.js';
import type { UnacceptedFile } from '../../trust/held-file.js';
import { checkOutside, createTrustStore, defaultTrustFile, type TrustStore } from '../../trust/store.js';
import { checkKeys, checkOption, type Keys } from '../../values/options.js';
import { own } from '../../values/own.js';
import { checks, isObject, type OptionCheck } from '../../values/shape.js';
import { type ClaudeFiles, completeFiles, FILES } from '../files/places.js';
import type { ClaudeHandler } from '../files/schema.js';
import { readAccepted } from '../files/settings.js';
import type { ClaudeSource, ClaudeSourceKind, FindOptions } from '../files/source.js';
import { findSources } from '../files/sources.js';
import { type HookState, hasHooks, mergeAccepted, settingsOf } from './accepted.js';
import { describeSource, forNames, type GoneSource, goneSources, isHooksOnly, namesSince } from './gone.js';
import { trustRequest } from './request.js';

/** The hooks of projects and plugins that may run: all, or those that are accepted in the user's own consent file or in another store. */
export type Trust = 'all' | 'stored' | TrustStore;

export const TRUST: OptionCheck = {
  expected: '"stored", "all" or a store, as createTrustStore makes it',
  accepts: (v) => v === 'all' || v === 'stored' || isObject(v),
};

/** A file that differs from what was accepted: one of Claude Code's, its MCP servers (`mcp`), or a `hookscope.config.*` (`config`). */
export type HeldFile = UnacceptedFile<ClaudeSourceKind | 'config' | 'mcp'>;

/** A source with the state of consent for each of its hooks. */
export interface JudgedSource {
  readonly source: ClaudeSource;
  readonly held?: HeldFile;
  /** The content that consent would bind. Absent if it needs no consent or not all is as accepted. */
  readonly request?: TrustRequest;
  /** The stored consent. Absent if there is none or none is needed. */
  readonly consent?: Consent;
  /** Set if nothing in it is as accepted, so that it defines no agent. */
  readonly whole?: true;
  stateOf(handler: ClaudeHandler): HookState;
}

/** The sources with the state of their consent, and the number of consents for projects at other paths (`elsewhere`). */
export interface JudgedSources {
  readonly judged: readonly JudgedSource[];
  readonly elsewhere: number;
}

/** Looks up the consent for each source that needs it, and adds sources that were accepted and no longer exist. */
export async function judgeSources(
  sources: readonly ClaudeSource[],
  trust: Trust,
  options: FindOptions,
): Promise<JudgedSources> {
  const stateOf = (): HookState => 'accepted';
  if (trust === 'all' || !(sources.some(needsConsent) || mayBeAccepted(sources, trust, options)))
    return { judged: sources.map((source) => ({ source, stateOf })), elsewhere: 0 };
  const all = storeOf(trust, options).list();
  const gone = await goneSources(sources, all, options);
  const judged: JudgedSource[] = [];
  for (const source of sources) {
    judged.push(source.needsTrust ? await judge(source, all, options) : { source, stateOf });
  }
  const fresh = judged.filter(({ held }) => held?.state === 'never').map(({ source }) => source);
  for (const missing of gone) insert(judged, judgeGone(missing, namesSince(missing, fresh), options));
  judged.splice(0, judged.length, ...judged.map((each) => sayWhomItReplaces(each, judged)));
  const elsewhere = all.filter((c) => liesInProject(c) && !isSame(c.project, options.projectDir));
  return { judged, elsewhere: elsewhere.length };
}

/** Adds a warning if accepting a project's agent would disable the hooks of the user's own agent of the same name. */
function sayWhomItReplaces(each: JudgedSource, all: readonly JudgedSource[]): JudgedSource {
  const { held, source } = each;
  if (!held || held.state === 'gone' || source.yields !== true || !hasHooks(source.file)) return each;
  const behind = all.find((other) => isBehind(other.source, source));
  if (!behind) return each;
  const why = `${held.why}; accepted, it switches off the hooks of the agent of that name in ${behind.source.file.file}`;
  return { ...each, held: { ...held, why } };
}

function isBehind(other: ClaudeSource, { name }: ClaudeSource): boolean {
  return other.yields === true && !other.needsTrust && other.name === name && hasHooks(other.file);
}

/** Whether files that need no consent as they are now, or are gone, may have been accepted before. */
function mayBeAccepted(sources: readonly ClaudeSource[], trust: Exclude<Trust, 'all'>, options: FindOptions): boolean {
  const looks = ['project', 'local', 'agents', 'skills'].some((place) => options.places.includes(place));
  return (
    (looks || sources.some(({ needsTrust }) => needsTrust)) && (trust !== 'stored' || existsSync(defaultTrustFile()))
  );
}

async function judge(source: ClaudeSource, all: readonly Consent[], options: FindOptions): Promise<JudgedSource> {
  const { kind, name, file, part, variables } = source;
  const request = trustRequest({ ...file, ...(part === undefined ? {} : { part }) }, variables, describeSource(source));
  const held = { kind, ...(name === undefined ? {} : { name }), file: file.file, request };
  const consent = consentAmong(request, all);
  if (!consent) {
    if (!needsConsent(source)) return { source, stateOf: () => 'accepted' };
    const why = whyUnreadable(request) ?? `${request.file} is not accepted; see hookscope trust`;
    return { source, held: { ...held, state: 'never', why }, stateOf: () => 'never' };
  }
  const changed = (why: string): HeldFile => ({
    ...held,
    state: 'changed',
    why: `${why}; see hookscope trust`,
    previous: consent,
  });
  const change = changeSince(consent, request);
  const ofSource = changeOfSource(consent, request);
  // If only a file that its commands name has changed, its hooks stay accepted here: that file is checked before each run.
  if (change === undefined || (ofSource === undefined && consent.definition === request.definition))
    return { source, request, consent, ...(change ? { held: changed(change) } : {}), stateOf: () => 'accepted' };
  const how = { ...options, hooksOnly: isHooksOnly(kind) };
  const before = await readAccepted(consent.definition, file.file, how);
  const whole = ofSource !== undefined || defaultsOf(consent.definition) !== defaultsOf(request.definition);
  const { hooks, settings, stateOf, differs } = mergeAccepted(before, file, whole);
  const { dropped: _, ...readable } = file;
  const merged = { ...source, file: { ...readable, hooks, settings } };
  const why = differs ? change : changeOfFiles(consent, request);
  return {
    source: whole ? forNames(merged, consent.source?.names ?? [], options) : merged,
    consent,
    ...(why === undefined ? {} : { held: changed(why) }),
    ...(whole ? { whole: true } : {}),
    stateOf,
  };
}

function judgeGone({ source, consent }: GoneSource, names: readonly string[], options: FindOptions): JudgedSource {
  const { kind, name, file } = source;
  const request = goneRequest(consent);
  const why = `${consent.file} was accepted, and it or its hooks are gone; see hookscope trust`;
  const held = { kind, ...(name === undefined ? {} : { name }), file: file.file, state: 'gone', why, request } as const;
  return {
    source: { ...forNames(source, names, options), file: { ...file, settings: settingsOf(file.settings, {}) } },
    consent,
    ...(hasHooks(file) ? { held: { ...held, previous: consent } } : {}),
    whole: true,
    stateOf: () => 'untrusted',
  };
}

const ORDER: readonly ClaudeSourceKind[] = ['managed', 'user', 'project', 'local', 'flag', 'plugin', 'agent', 'skill'];

/** Inserts a missing source at its former place: after the kinds that precede its own, and within its kind by path. */
function insert(judged: JudgedSource[], missing: JudgedSource): void {
  const rank = ({ source }: JudgedSource): number => ORDER.indexOf(source.kind);
  const isBefore = (other: JudgedSource): boolean =>
    rank(other) < rank(missing) || (rank(other) === rank(missing) && other.source.file.file < missing.source.file.file);
  const at = judged.findLastIndex(isBefore);
  judged.splice(at + 1, 0, missing);
}

const isFalse = (value: unknown): boolean => value === false;
const isEmpty = (value: unknown): boolean => JSON.stringify(value) === '{}';

/** By key: whether it does nothing with this value, as if it were not there. An empty list of URLs or variables does something: it allows none. */
const DOES_NOTHING: Readonly<Record<string, (value: unknown) => boolean>> = {
  hooks: (value) => isObject(value) && Object.values(value).every((groups) => JSON.stringify(groups) === '[]'),
  disableAllHooks: isFalse,
  allowManagedHooksOnly: isFalse,
  enabledPlugins: isEmpty,
  pluginConfigs: isEmpty,
};

function needsConsent({ needsTrust, file: { definition } }: ClaudeSource): boolean {
  return needsTrust && !Object.entries(definition).every(([key, value]) => own(DOES_NOTHING, key)?.(value) === true);
}

/** The store for consent. If it is a file, it must be outside the project. */
function storeOf(trust: Exclude<Trust, 'all'>, { projectDir }: FindOptions): TrustStore {
  const path = trust === 'stored' ? defaultTrustFile() : trust.path;
  if (path !== undefined) checkOutside(path, projectDir);
  return trust === 'stored' ? createTrustStore() : trust;
}

type HeldFiles = ClaudeFiles & { readonly trust?: Exclude<Trust, 'all'> };

const HELD: Keys<HeldFiles> = { ...FILES, trust: TRUST };

/**
 * Lists the files that are not, or no longer, accepted. Show them to the user, then pass their requests to `acceptTrust`.
 * @throws HookscopeError INVALID_CONFIG: a managed file is wrong; UNTRUSTED, FILE: consent cannot be read
 */
export async function listHeld(files: HeldFiles): Promise<HeldFile[]> {
  checkOption('listHeld(files)', files, checks.object);
  checkKeys(files, HELD, 'listHeld: ');
  const complete = completeFiles(files, HOOK_EVENTS);
  const { judged } = await judgeSources(await findSources(complete), files.trust ?? 'stored', complete);
  return judged.flatMap(({ held }) => held ?? []);
}

/** Lists the files that are accepted and unchanged, in the form of `listHeld`, so that they can be accepted again with more files as data. */
export async function listAccepted(files: ClaudeFiles): Promise<HeldFile[]> {
  const complete = completeFiles(files, HOOK_EVENTS);
  const { judged } = await judgeSources(await findSources(complete), 'stored', complete);
  return judged.flatMap(({ source: { kind, name, file }, request, consent, held }) => {
    if (!request || !consent || held) return [];
    const why = 'it is accepted; the names below would be bound by name alone';
    return [
      {
        kind,
        ...(name === undefined ? {} : { name }),
        file: file.file,
        state: 'changed',
        why,
        request,
        previous: consent,
      },
    ];
  });
}

/** The plugin's option defaults in a manifest, as text to compare. All of the plugin's hooks depend on them. */
function defaultsOf(definition: string): string {
  return JSON.stringify((JSON.parse(definition) as { userConfig?: unknown }).userConfig ?? null);
}
