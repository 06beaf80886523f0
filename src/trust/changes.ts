import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Consent, TrustRequest } from './consent.js';
import { bytesAt, hashFile, isExecutable, UNREADABLE } from './file-hash.js';
import type { NamedFiles } from './named/named-files.js';

/** In bytes. A longer text, or one that is not UTF-8 (different bytes could look the same), is compared by hash only. */
const SHOWN = 256 * 1024;

/** The files that commands name, as consent binds them. */
export const boundAll = ({ files, executed }: NamedFiles, project: string): Consent['files'] =>
  Object.fromEntries(files.map((name) => [name, bound(resolve(project, name), executed.has(name))]));

/** The hash of the file at a path and, if it is text, its content. `isExecuted`: whether it may have to be executable. */
export function bound(path: string, isExecuted = true): Consent['files'][string] {
  const bytes = bytesAt(path);
  const isShown = Buffer.isBuffer(bytes) && bytes.length <= SHOWN && !bytes.includes(0) && isUtf8(bytes);
  // The hash is computed from the bytes that were read, so that it belongs to the text. A file too large for that is hashed in chunks.
  const sha256 = Buffer.isBuffer(bytes) ? createHash('sha256').update(bytes).digest('hex') : bytes && hashFile(path);
  if (sha256 === null || sha256 === UNREADABLE) return { sha256 };
  return {
    sha256,
    ...(isShown && { text: bytes.toString('utf8') }),
    ...(isExecuted && isExecutable(path) && { executable: true }),
  };
}

/** Why a file cannot be bound; undefined if all files can be read. */
export function whyUnreadable({ file, project, files }: TrustRequest): string | undefined {
  const name = Object.keys(files).find((key) => files[key]?.sha256 === UNREADABLE);
  return name && unreadable(name, file, project);
}

/** Whether the name is the hook file itself, since a configuration is among its own bound files. */
const isItself = (name: string, file: string, project: string): boolean => resolve(project, name) === file;

const unreadable = (name: string, file: string, project: string): string =>
  isItself(name, file, project) ? `${file} cannot be read` : `${file} names ${name}, which cannot be read`;

/** The first difference from what was accepted, in words; undefined if there is none. */
export function changeSince(consent: Consent, request: TrustRequest): string | undefined {
  const { file, definition } = request;
  const who = changeOfSource(consent, request);
  if (who !== undefined) return who;
  if (consent.definition !== definition) return `${file} has changed since it was accepted`;
  return changeOfFiles(consent, request);
}

/** The first named file that differs from what was accepted, in words. */
export function changeOfFiles(consent: Consent, request: TrustRequest): string | undefined {
  const { file, project, files } = request;
  const changed = Object.keys(files).find((name) => !covers(consent, name, files[name]?.sha256 ?? null));
  if (changed !== undefined) return changeOfFile({ file, project }, changed, files[changed]?.sha256 ?? null);
  const stopped = Object.keys(files).find((name) => hasStoppedSince(consent, request, name));
  return (
    stopped && `${stopped}, which ${file} names, could be executed when it was accepted, and cannot now: ${MEND_BIT}`
  );
}

/** What to do about a file that can no longer be executed. */
export const MEND_BIT =
  'chmod +x mends it, unless it is not yours or its file system is mounted noexec; if you accept it as it is, its hook may fail on every call';

/** Whether a file was executable and no longer is, which counts like a deleted file. */
export function hasStopped(before: Consent['files'][string] | undefined, isExecutableNow: boolean): boolean {
  return before?.executable === true && before.data !== true && !isExecutableNow;
}

/** Whether that is so of a file of a request. Earlier versions also kept it of files that are only read. */
export const hasStoppedSince = ({ files }: Consent, request: TrustRequest, name: string): boolean =>
  hasStopped(files[name], request.files[name]?.executable === true || isExecutable(resolve(request.project, name)));

/** A change of the file's real location or of whom its hooks are for, in words. */
export function changeOfSource(
  { file: was, source: before }: Consent,
  { file, source }: TrustRequest,
): string | undefined {
  if (before === undefined || source === undefined) return undefined;
  if (was !== file) return `${source.place} leads to ${file}, which was ${was} when it was accepted`;
  const [old, now] = [before, source].map(({ names, plugin }) => JSON.stringify([names ?? null, plugin ?? null]));
  return old === now ? undefined : `${file} has another name than when it was accepted`;
}

function changeOfFile(
  { file, project }: Pick<TrustRequest, 'file' | 'project'>,
  name: string,
  hash: string | null,
): string {
  if (hash === UNREADABLE) return unreadable(name, file, project);
  const which = isItself(name, file, project) ? file : `${name}, which ${file} names,`;
  return hash === null ? `${which} is missing` : `${which} has changed since it was accepted`;
}

/** Whether consent covers this content under this name: the same hash was accepted, or the file is data. */
export function covers({ files }: Pick<Consent, 'files'>, name: string, hash: string | null): boolean {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  // A file that consent does not mention must not exist now.
  if (file === undefined) return hash === null;
  return file.data === true || (file.sha256 === hash && hash !== UNREADABLE);
}
