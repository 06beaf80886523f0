import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Described } from '../host/handler-entry.js';
import { usualDirectory } from '../host/handlers/surroundings.js';
import type { Registration, Untrusted } from '../scopes/registration.js';
import { type Consent, type ConsentSource, consentFor, realOr, type TrustRequest } from './consent.js';
import { hashFile, isExecutable, namedFiles, readBytes, UNREADABLE } from './named-files.js';
import type { HookFile } from './settings.js';
import type { TrustStore } from './trust-store.js';
import type { Variables } from './variables.js';

/** A hook file that may run only once it is accepted. */
export interface Trustable extends HookFile {
  /** Tells several parts of one file apart. */
  readonly part?: string;
}

/** A text longer than this, or that is none, is compared by its hash alone. */
const SHOWN = 256 * 1024;

/** Reads all that consent binds: the definition, and the bytes of every file its commands name. */
export function trustRequest(file: Trustable, variables: Variables, source?: ConsentSource): TrustRequest {
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
    ...(source && { source }),
    unresolved: [...new Set(named.flatMap(({ unresolved }) => unresolved))].sort(),
  };
}

function keyOf({ file, part }: Trustable): string {
  const real = realOr(file);
  return part === undefined ? real : `${real}#${part}`;
}

/** The hash of what a path leads to, and its text where it is one. */
export function bound(path: string): Consent['files'][string] {
  const bytes = readBytes(path);
  if (bytes === null || bytes === UNREADABLE) return { sha256: bytes };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = bytes.length <= SHOWN && !bytes.includes(0) ? bytes.toString('utf8') : undefined;
  return { sha256, ...(text !== undefined && { text }), ...(isExecutable(path) && { executable: true }) };
}

/** What was accepted of the file, as far as it counts in the project, whether or not it is still so. */
export function consentOf(request: TrustRequest, store: TrustStore): Consent | undefined {
  return consentAmong(request, store.list());
}

/** The same, of all that was accepted, newest last. */
export function consentAmong(request: TrustRequest, all: readonly Consent[]): Consent | undefined {
  return consentFor(request, all, (consent) => changeSince(consent, request) === undefined);
}

/** What of it cannot be bound. */
export function whyUnreadable({ file, files }: TrustRequest): string | undefined {
  const name = Object.keys(files).find((key) => files[key]?.sha256 === UNREADABLE);
  return name && `${file} names ${name}, which cannot be read`;
}

/** What is not as it was accepted; undefined: nothing. */
export function changeSince(consent: Consent, request: TrustRequest): string | undefined {
  const { file, definition } = request;
  const who = changeOfSource(consent, request);
  if (who !== undefined) return who;
  if (consent.definition !== definition) return `${file} has changed since it was accepted`;
  return changeOfFiles(consent, request);
}

/** Which file that it names is not as it was accepted. */
export function changeOfFiles(consent: Consent, { file, files }: TrustRequest): string | undefined {
  const changed = Object.keys(files).find((name) => !covers(consent, name, files[name]?.sha256 ?? null));
  if (changed !== undefined) return changeOfFile(file, changed, files[changed]?.sha256 ?? null);
  const stopped = Object.keys(files).find((name) => hasStopped(consent.files[name], files[name]?.executable === true));
  return stopped && `${stopped}, which ${file} names, could be executed when it was accepted, and cannot now`;
}

/** Whether it was a program that could be started, and is none now: no less switched off than one that is gone. */
export function hasStopped(before: Consent['files'][string] | undefined, isExecutableNow: boolean): boolean {
  return before?.executable === true && before.data !== true && !isExecutableNow;
}

/** Of what kind it is, where it really lies, whom it speaks of. */
export function changeOfSource(
  { file: was, source: before }: Consent,
  { file, source }: TrustRequest,
): string | undefined {
  if (before === undefined || source === undefined) return undefined;
  if (was !== file) return `${source.place} leads to ${file}, which was ${was} when it was accepted`;
  const [old, now] = [before, source].map(({ names, plugin }) => JSON.stringify([names ?? null, plugin ?? null]));
  return old === now ? undefined : `${file} has another name than when it was accepted`;
}

function changeOfFile(file: string, name: string, hash: string | null): string {
  if (hash === UNREADABLE) return `${file} names ${name}, which cannot be read`;
  return hash === null
    ? `${name}, which ${file} names, is missing`
    : `${name}, which ${file} names, has changed since it was accepted`;
}

/** Whether consent was given to these bytes under that name, or to whatever is there. */
function covers({ files }: Pick<Consent, 'files'>, name: string, hash: string | null): boolean {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  // What was not looked for then must not be there now.
  if (file === undefined) return hash === null;
  return file.data === true || (file.sha256 === hash && hash !== UNREADABLE);
}

/**
 * Keeps consent to exactly what the request holds: bytes that change in between are held again. `data`: names of files that
 * change by themselves, of which the name alone is bound; what was named so before stays so.
 */
export function acceptTrust(
  request: TrustRequest,
  store: TrustStore,
  { data = [] }: { readonly data?: readonly string[] } = {},
): void {
  const { file, project, definition, source } = request;
  const before = consentOf(request, store)?.files ?? {};
  const isData = (name: string): boolean => data.includes(name) || before[name]?.data === true;
  const files = Object.fromEntries(
    Object.entries(request.files).map(([name, bytes]) => [
      name,
      isData(name) ? { sha256: null, data: true as const } : bytes,
    ]),
  );
  store.accept({ file, project, definition, files, ...(source && { source }), at: new Date().toISOString() });
}

/**
 * Watches one handler's files from consent on: before every run, what the names in its command lead to from where it would
 * run (`fallback` where the input does not say), and from the project. Something else than what was accepted is untrusted, and so is
 * what was there and is nowhere now.
 */
export function guardFiles(
  handler: Described,
  consent: Consent,
  { file, variables, fallback }: { readonly file: string; readonly variables: Variables; readonly fallback: string },
): Registration['gate'] {
  const names = namedFiles(handler, variables).files;
  if (names.length === 0) return undefined;
  const untrusted = (what: string): Untrusted => ({ file, why: `${what}; see hookscope trust` });
  return ({ cwd }) => {
    // A command may go to the project before it runs what it names: `cd "$(git rev-parse --show-toplevel)"`.
    const folders = new Set([usualDirectory(cwd, fallback), resolve(variables.projectDir)]);
    for (const name of names) {
      const found = [...folders].map((folder) => resolve(folder, name)).map((path) => ({ path, hash: hashFile(path) }));
      const other = found.find(({ hash }) => hash !== null && !covers(consent, name, hash));
      if (other) return untrusted(`${other.path} is not what was accepted for ${file}`);
      const stopped = found.find(
        ({ path, hash }) => hash !== null && hasStopped(consent.files[name], isExecutable(path)),
      );
      if (stopped) return untrusted(`${stopped.path} could be executed when it was accepted, and cannot now`);
      if (found.every(({ hash }) => hash === null) && !covers(consent, name, null))
        return untrusted(`${name}, which ${file} names, is missing`);
    }
    return undefined;
  };
}
