import { HOOK_EVENTS } from '../events/catalogue.js';
import { type ClaudeFiles, completeFiles } from './claude-files.js';
import type { ClaudeSource, ClaudeSourceKind } from './claude-source.js';
import { findSources } from './claude-sources.js';
import type { Consent, TrustRequest } from './consent.js';
import { trustRequest, whyHeld } from './trust.js';
import { checkOutside, createTrustStore, defaultTrustFile, type TrustStore } from './trust-store.js';

/** What hooks of projects and plugins may run: all of them, those in the user's own file of consent, or in a store of one's own. */
export type Trust = 'all' | 'stored' | TrustStore;

/** A file that does not run because it is not accepted. */
export interface HeldFile {
  readonly kind: ClaudeSourceKind;
  /** Of a plugin, agent or skill. */
  readonly name?: string;
  readonly file: string;
  readonly why: string;
  /** What accepting it would bind. */
  readonly request: TrustRequest;
  /** What was accepted last, if anything was. */
  readonly previous?: Consent;
}

/** What consent says of one source. */
export interface Hold {
  readonly request: TrustRequest;
  /** Absent: it is accepted. */
  readonly held?: HeldFile;
}

/** Looks up each file that needs consent. One that says nothing of hooks needs none. */
export function holdSources(
  sources: readonly ClaudeSource[],
  trust: Trust,
  projectDir: string,
): Map<ClaudeSource, Hold> {
  const holds = new Map<ClaudeSource, Hold>();
  const asking = trust === 'all' ? [] : sources.filter(needsConsent);
  if (trust === 'all' || asking.length === 0) return holds;
  const store = trust === 'stored' ? userStore(projectDir) : trust;
  for (const source of asking) {
    const { kind, name, file, part, variables } = source;
    const request = trustRequest({ ...file, ...(part === undefined ? {} : { part }) }, variables);
    const why = whyHeld(request, store);
    const [previous] = store.accepted(request.file);
    const held = {
      kind,
      ...(name === undefined ? {} : { name }),
      file: file.file,
      request,
      ...(previous && { previous }),
    };
    holds.set(source, why === undefined ? { request } : { request, held: { ...held, why } });
  }
  return holds;
}

function needsConsent({ needsTrust, file }: ClaudeSource): boolean {
  return needsTrust && !['{}', '{"hooks":{}}'].includes(JSON.stringify(file.definition));
}

/** The user's own file of consent, which the project must not be able to write. */
function userStore(projectDir: string): TrustStore {
  checkOutside(defaultTrustFile(), projectDir);
  return createTrustStore();
}

/**
 * What would be held of these files: what `acceptTrust` may be given once somebody has looked at it.
 * @throws HookscopeError INVALID_CONFIG: a managed file is wrong; UNTRUSTED, FILE: consent cannot be read
 */
export async function listHeld(files: ClaudeFiles & { readonly trust?: Exclude<Trust, 'all'> }): Promise<HeldFile[]> {
  const complete = completeFiles(files, HOOK_EVENTS);
  const holds = holdSources(await findSources(complete), files.trust ?? 'stored', complete.projectDir);
  return [...holds.values()].flatMap(({ held }) => held ?? []);
}
