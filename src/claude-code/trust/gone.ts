import { resolve } from 'node:path';
import { type Consent, type ConsentSource, isSame, placeIn, realOr, replaces } from '../../trust/consent.js';
import { nameOfFile } from '../files/agent-file.js';
import { type HookFile, readAccepted } from '../files/settings.js';
import {
  agentTarget,
  type ClaudeSource,
  type ClaudeSourceKind,
  type FindOptions,
  type SourceTarget,
} from '../files/source.js';
import { shareHooks } from './accepted.js';

/** A source that was accepted and no longer exists, with its consent. */
export interface GoneSource {
  readonly source: ClaudeSource;
  readonly consent: Consent;
}

/** The usual place in which a source of each kind would be found. */
const PLACES: Readonly<Record<string, string>> = {
  project: 'project',
  local: 'local',
  plugin: 'project',
  agent: 'agents',
  skill: 'skills',
};

/** Finds files that were accepted in this project and are no longer among its sources: deleted, renamed, or without their hooks or plugin. */
export async function goneSources(
  sources: readonly ClaudeSource[],
  all: readonly Consent[],
  options: FindOptions,
): Promise<GoneSource[]> {
  const found = new Set(sources.map((source) => keyOf(describeSource(source))));
  const named = new Set(
    sources.flatMap(({ needsTrust, variables }) => (needsTrust ? [] : (variables.pluginRoot ?? []))),
  );
  const gone: GoneSource[] = [];
  for (const consent of newest(all).filter(({ project }) => isSame(project, options.projectDir))) {
    const described = consent.source ?? guessSource(consent);
    const place = described && PLACES[described.kind];
    if (!described || place === undefined || !options.places.includes(place)) continue;
    if (found.has(keyOf(described)) || (described.root !== undefined && named.has(described.root))) continue;
    const path = resolve(options.projectDir, described.place);
    const file = await readAccepted(consent.definition, path, { ...options, hooksOnly: isHooksOnly(described.kind) });
    gone.push({ source: sourceOf(described, file, options), consent: { ...consent, source: described } });
  }
  return gone;
}

/** The facts about a source, besides its content, to which consent is bound. */
export function describeSource({ kind, plugin, names, part, file, variables }: ClaudeSource): ConsentSource {
  const { projectDir, pluginRoot } = variables;
  return {
    kind,
    place: placeIn(projectDir, file.file),
    ...(part === undefined ? {} : { part }),
    ...(names === undefined ? {} : { names: [...names] }),
    ...(plugin === undefined ? {} : { plugin }),
    ...(pluginRoot === undefined ? {} : { root: pluginRoot }),
  };
}

/** Whether only hooks count in files of this kind: those of plugins, and Markdown files. */
export function isHooksOnly(kind: string): boolean {
  return ['plugin', 'agent', 'skill'].includes(kind);
}

/** A source whose hooks apply to more names: both the accepted ones and those now in the file. */
export function forNames(source: ClaudeSource, more: readonly string[], options: FindOptions): ClaudeSource {
  const names = [...new Set([...(source.names ?? []), ...more])];
  return { ...source, names, target: widen(source.target, names, options) };
}

/** The names of new sources with the same hooks, which are probably this source after renaming. */
export function namesSince({ source }: GoneSource, fresh: readonly ClaudeSource[]): readonly string[] {
  const same = fresh.filter(({ kind, file }) => kind === source.kind && shareHooks(file.hooks, source.file.hooks));
  return same.flatMap(({ names = [] }) => names);
}

function widen(target: SourceTarget, names: readonly string[], options: FindOptions): SourceTarget {
  if (target.for === 'skill') return { for: 'skill', names };
  return target.for === 'types' ? agentTarget([...new Set([...target.types, ...names])], options) : target;
}

function sourceOf(
  { kind, names, plugin, part, root }: ConsentSource,
  file: HookFile,
  options: FindOptions,
): ClaudeSource {
  const { projectDir } = options;
  const known = names ?? [];
  const target: Record<string, SourceTarget> = {
    agent: agentTarget(known, options),
    skill: { for: 'skill', names: known },
  };
  return {
    kind: kind as ClaudeSourceKind,
    ...(known[0] === undefined ? (plugin === undefined ? {} : { name: plugin }) : { name: known[0] }),
    ...(names === undefined ? {} : { names }),
    ...(plugin === undefined ? {} : { plugin }),
    ...(part === undefined ? {} : { part }),
    file,
    variables: { projectDir, ...(root === undefined ? {} : { pluginRoot: root }) },
    root: projectDir,
    needsTrust: true,
    target: target[kind] ?? { for: 'host' },
  };
}

const keyOf = ({ kind, place, part }: ConsentSource): string => JSON.stringify([kind, place, part ?? null]);

function newest(all: readonly Consent[]): Consent[] {
  const kept: Consent[] = [];
  for (const consent of [...all].reverse()) if (!kept.some((other) => replaces(other, consent))) kept.push(consent);
  return kept.reverse();
}

/** Guesses from the path what an older version did not store. */
function guessSource({ file, project }: Consent): ConsentSource | undefined {
  const place = placeIn(realOr(project), file);
  const own = { place, names: [nameOfFile(file)] };
  if (place === '.claude/settings.json') return { kind: 'project', place };
  if (place === '.claude/settings.local.json') return { kind: 'local', place };
  if (/^\.claude\/agents\/.*\.md$/i.test(place)) return { kind: 'agent', ...own };
  return /^\.claude\/(?:skills|commands)\/.*\.md$/i.test(place) ? { kind: 'skill', ...own } : undefined;
}
