import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isHookscopeError } from '../errors.js';
import { bindsOf } from '../events/handler-kinds.js';
import { parseOwnJson, readHookText } from '../files/json-file.js';
import { consentOf } from '../trust/accept.js';
import { changeSince, whyUnreadable } from '../trust/changes.js';
import { type Consent, goneRequest, isSame, realOr, type TrustRequest } from '../trust/consent.js';
import type { UnacceptedFile } from '../trust/held-file.js';
import type { TrustStore } from '../trust/store.js';
import { isObject } from '../values/shape.js';
import { CodeFiles } from './code-files.js';

/** The names of configuration files, in order of precedence: the first accepted one counts. */
export const CONFIG_PLACES = [
  'hookscope.config.ts',
  'hookscope.config.mjs',
  'hookscope.config.js',
  'hookscope.config.json',
];

/** A configuration file in a folder, or one that was accepted there and is gone. */
export interface FoundConfig {
  readonly file: string;
  readonly request: TrustRequest;
  /** The acceptance, if there is one. */
  readonly consent?: Consent;
  /** Why it may not be used; absent if it is accepted as it is. */
  readonly held?: UnacceptedFile<'config'>;
}

/** Every configuration in a directory (not above it), and those that were accepted there and are gone. Runs none of them. */
export async function judgeConfigs(directory: string, store: TrustStore): Promise<FoundConfig[]> {
  const project = realOr(directory);
  const found: FoundConfig[] = [];
  for (const place of CONFIG_PLACES) {
    const file = join(project, place);
    if (isThere(file)) found.push(await judge(file, place, project, store));
    else {
      const consent = store
        .list()
        .findLast(
          ({ source, project: of }) => source?.kind === 'config' && source.place === place && isSame(of, project),
        );
      if (consent) found.push(gone(file, consent));
    }
  }
  return found;
}

/** The configurations in a directory that are not, or no longer, accepted. */
export async function heldConfigs(directory: string, store: TrustStore): Promise<UnacceptedFile<'config'>[]> {
  return (await judgeConfigs(directory, store)).flatMap(({ held }) => held ?? []);
}

async function judge(file: string, place: string, project: string, store: TrustStore): Promise<FoundConfig> {
  const request = await requestOf(file, place, project);
  const consent = consentOf(request, store);
  const found = { file, request, ...(consent && { consent }) };
  const held = { kind: 'config', file, request } as const;
  if (!consent) {
    const why = whyUnreadable(request) ?? `${file} is not accepted; see hookscope trust, or name it: --config ${place}`;
    return { ...found, held: { ...held, state: 'never', why } };
  }
  const why = changeSince(consent, request) ?? missingSince(consent, request);
  if (why === undefined) return found;
  return { ...found, held: { ...held, state: 'changed', why: `${why}; see hookscope trust`, previous: consent } };
}

/** A file that was part of the acceptance and is no longer named: it is gone, or another one is resolved in its place. */
function missingSince({ files }: Consent, request: TrustRequest): string | undefined {
  const missing = Object.keys(files).find(
    (name) => files[name]?.sha256 !== null && !Object.hasOwn(request.files, name),
  );
  return missing && `${missing}, which ${request.file} named when it was accepted, is missing`;
}

function gone(file: string, consent: Consent): FoundConfig {
  const request = goneRequest(consent);
  const why = `${file} was accepted, and is gone; see hookscope trust`;
  const held = { kind: 'config', file, state: 'gone', why, request, previous: consent } as const;
  return { file, request, consent, held };
}

/** The content that an acceptance would cover: the file, its imports, and the plugins and scripts that it names. */
async function requestOf(file: string, place: string, project: string): Promise<TrustRequest> {
  const real = realOr(file);
  const code = new CodeFiles(project);
  try {
    await code.follow(real);
    const config = isCodeFile(file) ? undefined : await parseOwnJson(readHookText(real), file);
    for (const name of pluginNames(config)) await code.plugin(name, { from: project });
    for (const handler of bindingIn(config)) code.command(handler);
  } catch (error) {
    // A file that cannot be read is still unaccepted; using it reports the problem.
    if (!isHookscopeError(error)) throw error;
  }
  const { files, unresolved, manifests } = code;
  return {
    file: real,
    project,
    definition: JSON.stringify(Object.keys(manifests).length > 0 ? { manifests } : {}, undefined, 2),
    files,
    source: { kind: 'config', place },
    unresolved: [...unresolved].sort(),
  };
}

export function isCodeFile(file: string): boolean {
  return !file.endsWith('.json');
}

/** The plugins that a configuration from JSON names. */
export function pluginNames(config: unknown): string[] {
  const plugins: unknown = isObject(config) ? config['plugins'] : [];
  if (!Array.isArray(plugins)) return [];
  const names = plugins.map((entry: unknown) => (Array.isArray(entry) ? (entry[0] as unknown) : entry));
  return names.filter((name) => typeof name === 'string');
}

/** Every object that may describe a hook that runs files of this machine, at any depth. */
function* bindingIn(config: unknown): Generator<Readonly<Record<string, unknown>>> {
  const waiting: unknown[] = [config];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (isObject(value) && bindsOf(value['type']) !== 'nothing') yield value;
    for (const child of Object.values(value)) waiting.push(child);
  }
}

/** Also true for a broken link, so that its missing hooks are reported. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
