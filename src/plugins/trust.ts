import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Described } from '../host/handler-entry.js';
import { usualDirectory } from '../host/handlers/surroundings.js';
import type { Registration } from '../scopes/registration.js';
import { hashFile, namedFiles, readBytes, UNREADABLE } from './named-files.js';
import type { HookFile } from './settings.js';
import type { Consent, TrustStore } from './trust-store.js';
import type { Variables } from './variables.js';

/** A hook file that may run only once it is accepted. */
export interface Trustable extends HookFile {
  /** Tells several parts of one file apart. */
  readonly part?: string;
}

/** What consent to a file would bind, as it stands now. */
export interface TrustRequest {
  readonly file: string;
  readonly project: string;
  readonly definition: string;
  readonly files: Consent['files'];
  /** Words in its commands that say what runs and are known only when it does: no file can be bound for them. */
  readonly unresolved: readonly string[];
}

/** A text longer than this, or that is none, is compared by its hash alone. */
const SHOWN = 256 * 1024;

/** Reads all that consent binds: the definition, and the bytes of every file its commands name. */
export function trustRequest(file: Trustable, variables: Variables): TrustRequest {
  const project = resolve(variables.projectDir);
  const { defaults = {} } = variables;
  const definition = { ...file.definition, ...(Object.keys(defaults).length > 0 && { userConfig: defaults }) };
  const named = Object.values(file.hooks).flatMap((groups) =>
    groups.flatMap((group) => group.hooks.map((hook) => namedFiles(hook, variables))),
  );
  const names = new Set(named.flatMap(({ files }) => files));
  return {
    file: keyOf(file),
    project,
    definition: JSON.stringify(definition, undefined, 2),
    files: Object.fromEntries([...names].sort().map((name) => [name, bound(resolve(project, name))])),
    unresolved: [...new Set(named.flatMap(({ unresolved }) => unresolved))].sort(),
  };
}

function keyOf({ file, part }: Trustable): string {
  const real = realOr(file);
  return part === undefined ? real : `${real}#${part}`;
}

function realOr(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

function bound(path: string): Consent['files'][string] {
  const bytes = readBytes(path);
  if (bytes === null || bytes === UNREADABLE) return { sha256: bytes };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = bytes.length <= SHOWN && !bytes.includes(0) ? bytes.toString('utf8') : undefined;
  return text === undefined ? { sha256 } : { sha256, text };
}

/** Why a file is held; undefined: what it would run is what was accepted. */
export function whyHeld(request: TrustRequest, store: TrustStore): string | undefined {
  const unreadable = Object.keys(request.files).find((name) => request.files[name]?.sha256 === UNREADABLE);
  if (unreadable !== undefined) return `${request.file} names ${unreadable}, which cannot be read`;
  const consents = store.accepted(request.file).filter((consent) => countsIn(request.project, consent));
  if (consents.length === 0) return `${request.file} is not accepted; see hookscope trust`;
  const changes = consents.map((consent) => changeSince(consent, request));
  return changes.includes(undefined) ? undefined : `${changes[0]}; see hookscope trust`;
}

/** What lies in a project was accepted for that one: elsewhere, behind a link, `npm run lint` runs something else. */
function countsIn(project: string, { file, project: given }: Consent): boolean {
  const home = realOr(given);
  return home === realOr(project) || !file.startsWith(home + sep);
}

function changeSince(consent: Consent, { file, definition, files }: TrustRequest): string | undefined {
  if (consent.definition !== definition) return `${file} has changed since it was accepted`;
  const changed = Object.keys(files).find((name) => !covers(consent, name, files[name]?.sha256 ?? null));
  return changed === undefined ? undefined : `${changed}, which ${file} names, has changed since it was accepted`;
}

/** Whether consent was given to these bytes under that name. */
function covers({ files }: Pick<Consent, 'files'>, name: string, hash: string | null): boolean {
  return Object.hasOwn(files, name) && files[name]?.sha256 === hash;
}

/** Keeps consent to exactly what the request holds: bytes that change in between are held again. */
export function acceptTrust(request: TrustRequest, store: TrustStore): void {
  const { file, project, definition, files } = request;
  store.accept({ file, project, definition, files, at: new Date().toISOString() });
}

/**
 * Watches one handler's files from consent on: before every run, what the names in its command lead to from where it would
 * run (`fallback` where the input does not say). Something else than what was accepted is held; a file that is gone is not, since the command itself then says so.
 */
export function guardFiles(
  handler: Described,
  request: TrustRequest,
  { variables, fallback }: { readonly variables: Variables; readonly fallback: string },
): Registration['gate'] {
  const names = namedFiles(handler, variables).files;
  if (names.length === 0) return undefined;
  return ({ cwd }) => {
    const from = usualDirectory(cwd, fallback);
    // A command may go to the project before it runs what it names: `cd "$(git rev-parse --show-toplevel)"`.
    for (const folder of new Set([from, request.project])) {
      for (const name of names) {
        const path = resolve(folder, name);
        const hash = hashFile(path);
        if (hash === null || covers(request, name, hash)) continue;
        return { reason: 'trust', why: `${path} is not what was accepted for ${request.file}; see hookscope trust` };
      }
    }
    return undefined;
  };
}
