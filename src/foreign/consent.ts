import { resolve } from 'node:path';
import type { AgentTable } from '../agents/table.js';
import { HookscopeError } from '../errors.js';
import { readHookText } from '../files/json-file.js';
import type { HandlerDescription } from '../handlers/handler.js';
import { consentAmong } from '../trust/accept.js';
import { boundAll, changeSince, whyUnreadable } from '../trust/changes.js';
import { type Consent, goneRequest, isSame, placeIn, realOr, type TrustRequest } from '../trust/consent.js';
import type { UnacceptedFile } from '../trust/held-file.js';
import { namedBy } from '../trust/named/named-files.js';
import { isText } from '../values/shape.js';
import { describeForeign } from './describe.js';
import { type ForeignFile, readForeign, readForeignData } from './parse.js';
import type { FoundFile } from './places.js';

/** Another agent's file that is not, or no longer, accepted. `kind` is the agent's name. */
export type HeldAgentFile = UnacceptedFile<string>;

/** A file with the consent to it. */
export interface JudgedFile {
  readonly read: ForeignFile;
  readonly place: FoundFile['place'] | 'named';
  readonly held?: HeldAgentFile;
  /** The stored consent. */
  readonly consent?: Consent;
  /** `accepted`: hooks run. `never`: hooks are skipped. `untrusted`: changed or gone, so the accepted hooks fail. */
  readonly state: 'accepted' | 'never' | 'untrusted';
}

/** Reads the files that were found, and looks up the consent that project files need. Nothing runs. */
export async function judgeFound(
  table: AgentTable,
  found: readonly FoundFile[],
  projectDir: string,
  all: readonly Consent[] | 'all',
): Promise<JudgedFile[]> {
  const judged: JudgedFile[] = [];
  for (const { file, place } of found) {
    const read = await readFound(table, file);
    const needs = place === 'project' && all !== 'all';
    judged.push(needs ? await judge(table, read, projectDir, all) : { read, place, state: 'accepted' });
  }
  if (all === 'all') return judged;
  const there = new Set(found.map(({ file }) => placeIn(projectDir, file)));
  for (const consent of all) {
    const { source, project } = consent;
    if (source?.kind !== table.name || !isSame(project, projectDir) || there.has(source.place)) continue;
    there.add(source.place);
    judged.push(await judgeGone(table, consent, resolve(projectDir, source.place)));
  }
  return judged;
}

/** Reads a file. One that cannot be read is a file without hooks, not a file that is gone. */
export async function readFound(table: AgentTable, file: string): Promise<ForeignFile> {
  try {
    return await readForeign(table, readHookText(file), file);
  } catch (error) {
    if (!(error instanceof HookscopeError) || error.code !== 'FILE') throw error;
    const { problem } = error.details as { problem: string };
    const problems = [{ level: 'error', file, where: '', message: problem } as const];
    return { file, hooks: [], definition: {}, problems, dropped: problem };
  }
}

async function judge(
  table: AgentTable,
  read: ForeignFile,
  projectDir: string,
  all: readonly Consent[],
): Promise<JudgedFile> {
  const request = requestFor(table, read, projectDir);
  const consent = consentAmong(request, all);
  const held = { kind: table.name, file: read.file, request } as const;
  const place = 'project';
  if (!consent) {
    if (read.hooks.length === 0) return { read, place, state: 'accepted' };
    const why = whyUnreadable(request) ?? `${request.file} is not accepted; see ${remedyFor(table)}`;
    return { read, place, state: 'never', held: { ...held, state: 'never', why } };
  }
  const change = changeSince(consent, request);
  if (change === undefined) return { read, place, consent, state: 'accepted' };
  const changed: HeldAgentFile = {
    ...held,
    state: 'changed',
    why: `${change}; see ${remedyFor(table)}`,
    previous: consent,
  };
  // Only files named by its commands changed; they are checked before each run.
  if (consent.definition === request.definition && consent.file === request.file)
    return { read, place, consent, state: 'accepted', held: changed };
  return { read: await accepted(table, consent, read.file), place, consent, state: 'untrusted', held: changed };
}

async function judgeGone(table: AgentTable, consent: Consent, file: string): Promise<JudgedFile> {
  const request = goneRequest(consent);
  const why = `${consent.file} was accepted, and is gone; see ${remedyFor(table)}`;
  const held = { kind: table.name, file, state: 'gone', why, request, previous: consent } as const;
  return { read: await accepted(table, consent, file), place: 'project', consent, state: 'untrusted', held };
}

const accepted = async (table: AgentTable, { definition }: Consent, file: string): Promise<ForeignFile> => ({
  ...(await readForeignData(table, JSON.parse(definition), file)),
  problems: [],
});

/** What consent to a file is bound to: its hooks, and the files that their commands name. */
function requestFor(table: AgentTable, read: ForeignFile, projectDir: string): TrustRequest {
  const project = resolve(projectDir);
  const handlers = read.hooks.flatMap((hook) => {
    const described = describeForeign(table, hook, { file: read.file, place: 'project' });
    return 'description' in described ? [nameable(table, described.description)] : [];
  });
  const named = namedBy(handlers, { projectDir: project });
  return {
    file: realOr(read.file),
    project,
    definition: JSON.stringify(read.definition, undefined, 2),
    files: boundAll(named, project),
    source: { kind: table.name, place: placeIn(project, read.file) },
    unresolved: named.unresolved,
  };
}

/** Replaces the agent's variables for the project folder, so that consent finds the files that they lead to. */
export function nameable({ runs }: AgentTable, description: HandlerDescription): HandlerDescription {
  const { command } = description;
  if (!isText(command)) return description;
  const names = Object.keys(runs?.variables ?? {}).filter((name) => !/SESSION/.test(name));
  if (names.length === 0) return description;
  const name = new RegExp(`\\$(?:\\{(?:${names.join('|')})\\}|(?:${names.join('|')})\\b)`, 'g');
  return { ...description, command: command.replace(name, '$${CLAUDE_PROJECT_DIR}') };
}

/** The command that accepts a file of the agent. */
export const remedyFor = ({ name }: AgentTable): string => `hookscope trust --from ${name}`;
