import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { z } from 'zod';
import { isObject, isText, type OptionCheck } from '../values/shape.js';
import { schema, zod } from '../values/zod.js';

const sourceSchema = schema(() =>
  zod().object({
    /** The kind of source: `project`, `plugin`, `agent` … */
    kind: zod().string(),
    /** The path at which the file was found, without following links: relative if it is inside the project, else absolute. */
    place: zod().string(),
    /** Distinguishes several parts of the same file. */
    part: zod().string().optional(),
    /** Whom the hooks are for: the types of an agent or the names of a skill. */
    names: zod().array(zod().string()).optional(),
    plugin: zod().string().optional(),
    /** The plugin's folder. */
    root: zod().string().optional(),
  }),
);

export const consentSchema = schema(() =>
  zod().object({
    /** The absolute path of the file, with links resolved. */
    file: zod().string(),
    /** The project for which it was accepted. */
    project: zod().string(),
    /** The hooks and settings of the file, as JSON. */
    definition: zod().string(),
    /**
     * The bound files, by their name in the commands: the hash of the bytes (null if there was no file) and the text, to show changes.
     * `data`: hooks write to the file, so only its name is bound. `executable`: the file was executable, and has to be.
     */
    files: zod().record(
      zod().string(),
      zod().object({
        sha256: zod().string().nullable(),
        text: zod().string().optional(),
        data: zod().literal(true).optional(),
        executable: zod().literal(true).optional(),
      }),
    ),
    /** The kind of the file, and whom its hooks are for. Absent if an earlier version stored the consent. */
    source: sourceSchema().optional(),
    /** When consent was given, in ISO 8601. */
    at: zod().string(),
  }),
);

/** Consent to one hook file and to the content of the files that it names. */
export type Consent = z.infer<ReturnType<typeof consentSchema>>;

/** The kind of a hook file, where it was found, and whom its hooks are for. */
export type ConsentSource = z.infer<ReturnType<typeof sourceSchema>>;

/** The content that consent to a file would bind now. */
export interface TrustRequest extends Pick<Consent, 'file' | 'project' | 'definition' | 'files'> {
  readonly source?: ConsentSource;
  /** Words in its commands that determine what runs but are known only at run time, so that no file can be bound for them. */
  readonly unresolved: readonly string[];
  /** The commands and addresses of MCP servers that use variables, as these fill them in now. They are shown, and not stored. */
  readonly filled?: readonly string[];
}

/** Checks the fields that a request and a consent have in common. */
export const REQUEST: OptionCheck = {
  expected: 'a file of which consent can be asked, with its file, definition and files, as listHeld gives it',
  accepts: (v) => isObject(v) && isText(v['file']) && isText(v['definition']) && isObject(v['files']),
};

/** The request for a hook file that is gone. Accepting it binds nothing. */
export function goneRequest({ file, project, source }: Consent): TrustRequest {
  return { file, project, definition: '{}', files: {}, unresolved: [], ...(source && { source }) };
}

/** The real path, with links resolved, or the absolute path if it does not exist. */
export function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** A path relative to the project if it is inside, so that a project reached through a link is the same project; else the absolute path. */
export function placeIn(project: string, path: string): string {
  const way = relative(resolve(project), resolve(path));
  return way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? resolve(path) : way;
}

/** Whether one consent replaces the other in the store. */
export function replaces(one: Consent, other: Consent): boolean {
  if (one.project !== other.project) return false;
  if (!one.source || !other.source) return one.file === other.file;
  const { kind, place, part } = one.source;
  return kind === other.source.kind && place === other.source.place && part === other.source.part;
}

/** Finds the consent for a file among all consents, newest last: the newest one that concerns it if that matches, otherwise the newest for this project, if any. */
export function consentFor(
  request: TrustRequest,
  all: readonly Consent[],
  matches: (consent: Consent) => boolean,
): Consent | undefined {
  const found = all.filter((consent) => concerns(consent, request)).reverse();
  const [newest] = found;
  if (newest === undefined || matches(newest)) return newest;
  return found.find(({ project }) => isSame(project, request.project)) ?? newest;
}

function concerns(consent: Consent, { file, project, source }: TrustRequest): boolean {
  const here = isSame(consent.project, project);
  if (source && consent.source) {
    if (consent.source.kind !== source.kind || consent.source.part !== source.part) return false;
    if (here && consent.source.place === source.place) return true;
    if (!isAbsolute(source.place)) return false;
  }
  return consent.file === file && (here || !liesInProject(consent));
}

/** Whether a file is inside its project. Then consent applies to that project only: from another one, through a link, `npm run lint` would run something else. */
export function liesInProject({ file, project }: Consent): boolean {
  return !isAbsolute(placeIn(realOr(project), file));
}

/** Whether two paths lead to the same folder after resolving links. */
export function isSame(one: string, other: string): boolean {
  return one === other || realOr(one) === realOr(other);
}
