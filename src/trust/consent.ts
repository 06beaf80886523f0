import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { z } from 'zod';
import { isObject, isText, type OptionCheck } from '../values/shape.js';
import { schema, zod } from '../values/zod.js';

const sourceSchema = schema(() =>
  zod().object({
    /** `project`, `plugin`, `agent` … */
    kind: zod().string(),
    /** Where it was found, links not followed: relative to the project where it lies in it, else absolute. */
    place: zod().string(),
    /** Distinguishes several parts of one file. */
    part: zod().string().optional(),
    /** The scope its hooks are for: types of an agent, names of a skill. */
    names: zod().array(zod().string()).optional(),
    plugin: zod().string().optional(),
    /** The plugin's folder. */
    root: zod().string().optional(),
  }),
);

export const consentSchema = schema(() =>
  zod().object({
    /** The file, absolute, links resolved. */
    file: zod().string(),
    /** The project it was accepted for. */
    project: zod().string(),
    /** The hooks and settings of the file, as JSON. */
    definition: zod().string(),
    /**
     * By name in the commands: the hash of its bytes, null where there was no file; the text, to show changes. `data`: it changes by
     * itself, and its name alone is bound. `executable`: it could be started as a program.
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
    /** The kind of file, and the names it contains. Absent: it was accepted by a version that did not bind this. */
    source: sourceSchema().optional(),
    /** When, ISO 8601. */
    at: zod().string(),
  }),
);

/** One accepted file, with the bytes of the files that it names. */
export type Consent = z.infer<ReturnType<typeof consentSchema>>;

/** The kind of a file, and the names it contains. */
export type ConsentSource = z.infer<ReturnType<typeof sourceSchema>>;

/** The contents that consent to a file would bind now. */
export interface TrustRequest extends Pick<Consent, 'file' | 'project' | 'definition' | 'files'> {
  readonly source?: ConsentSource;
  /** Words in its commands that say what runs and are known only when it does: no file can be bound for them. */
  readonly unresolved: readonly string[];
}

/** A request, or a consent, as far as both are alike. */
export const REQUEST: OptionCheck = {
  expected: 'a file of which consent can be asked, with its file, definition and files, as listHeld gives it',
  accepts: (v) => isObject(v) && isText(v['file']) && isText(v['definition']) && isObject(v['files']),
};

/** Accepting a missing file binds nothing. */
export function goneRequest({ file, project, source }: Consent): TrustRequest {
  return { file, project, definition: '{}', files: {}, unresolved: [], ...(source && { source }) };
}

/** Its path with links resolved; unchanged if it does not exist. */
export function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** The name of a path in a project, so that a project reached through a link is the same project. */
export function placeIn(project: string, path: string): string {
  const way = relative(resolve(project), resolve(path));
  return way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? resolve(path) : way;
}

/** Whether one replaces the other in the store. */
export function replaces(one: Consent, other: Consent): boolean {
  if (one.project !== other.project) return false;
  if (!one.source || !other.source) return one.file === other.file;
  const { kind, place, part } = one.source;
  return kind === other.source.kind && place === other.source.place && part === other.source.part;
}

/** From all acceptances, newest last: the one of this file for this project; otherwise one that applies to every project. */
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

/** A file in a project was accepted for that project: in another, through a link, `npm run lint` runs something else. */
export function liesInProject({ file, project }: Consent): boolean {
  return !isAbsolute(placeIn(realOr(project), file));
}

/** The same folder, through whatever links. */
export function isSame(one: string, other: string): boolean {
  return one === other || realOr(one) === realOr(other);
}
