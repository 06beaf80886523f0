import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nameKind } from '../../emit/redact/find/names.js';
import { HookscopeError } from '../../errors.js';
import { readText } from '../../files/json-file.js';
import { checkMcpServers, type McpServers } from '../../handlers/mcp/server-options.js';
import { consentAmong } from '../../trust/accept.js';
import { boundAll, changeSince, whyUnreadable } from '../../trust/changes.js';
import { type Consent, isSame, placeIn, realOr, type TrustRequest } from '../../trust/consent.js';
import type { UnacceptedFile } from '../../trust/held-file.js';
import { type NamedFiles, namedBy } from '../../trust/named/named-files.js';
import { checkOutside, createTrustStore, defaultTrustFile, type TrustStore } from '../../trust/store.js';
import { sha256 } from '../../values/sha256.js';
import { isObject, isText } from '../../values/shape.js';
import { hookVariable } from '../../values/user-folders.js';

/** The places to search for MCP servers. */
export interface McpPlaces {
  readonly projectDir: string;
  readonly home: string;
  /** Settings files that the user named. */
  readonly settings?: readonly string[];
  /** Whether the user's own files count. */
  readonly user?: boolean;
}

/** The servers that hooks may call, and those that they may not call. */
export interface JudgedServers {
  readonly servers: McpServers;
  /** Why a server may not be called, by its name: only a project's file names it, and that file is not, or no longer, accepted. */
  readonly refused: ReadonlyMap<string, string>;
  readonly held: readonly UnacceptedFile<'mcp'>[];
  /** Problems in the descriptions of servers. */
  readonly problems: readonly string[];
}

/** The project's files that may name servers. Each needs consent. */
const OF_PROJECT = ['.mcp.json', '.claude/settings.json', '.claude/settings.local.json'];

/** Reads the configured servers without starting any. The user's own and named files come first, so that no project can take over their names. */
export function judgeMcpServers(places: McpPlaces, trust: 'all' | TrustStore = createTrustStore()): JudgedServers {
  const servers: Record<string, McpServers[string]> = {};
  const refused = new Map<string, string>();
  const held: UnacceptedFile<'mcp'>[] = [];
  const problems: string[] = [];
  const add = (file: string, named: Servers): void => {
    for (const [name, raw] of Object.entries(named)) {
      if (Object.hasOwn(servers, name)) continue;
      try {
        const server = serverOf(raw, places.projectDir);
        checkMcpServers({ [name]: server });
        // As hooks have it: consent looks for scripts in this folder.
        servers[name] =
          'url' in server ? server : { ...server, env: { CLAUDE_PROJECT_DIR: places.projectDir, ...server.env } };
      } catch (error) {
        if (!(error instanceof HookscopeError)) throw error;
        problems.push(`${file}: ${error.message}`);
      }
    }
  };
  for (const file of ownFiles(places)) add(file, serversIn(file, places.projectDir));
  for (const found of projectFiles(places.projectDir, trust)) {
    if (found.held) {
      held.push(found.held);
      for (const name of found.names) if (!Object.hasOwn(servers, name)) refused.set(name, found.held.why);
    } else add(found.file, found.named);
  }
  for (const name of Object.keys(servers)) refused.delete(name);
  return { servers, refused, held, problems };
}

/** The project's files with servers that are not, or no longer, accepted. */
export function heldMcpServers(projectDir: string, store: TrustStore): UnacceptedFile<'mcp'>[] {
  return projectFiles(projectDir, store).flatMap(({ held }) => held ?? []);
}

type Servers = Readonly<Record<string, unknown>>;

interface FoundServers {
  readonly file: string;
  readonly named: Servers;
  /** The names of all servers in the file, accepted or not. */
  readonly names: readonly string[];
  readonly held?: UnacceptedFile<'mcp'>;
}

function projectFiles(projectDir: string, trust: 'all' | TrustStore): FoundServers[] {
  const project = realOr(projectDir);
  const all = trust === 'all' ? [] : trust.list();
  const found = OF_PROJECT.flatMap((place): FoundServers[] => {
    const file = join(project, place);
    const named = serversIn(file, project);
    const before = all.findLast(
      ({ source, project: of }) => source?.kind === 'mcp' && source.place === place && isSame(of, project),
    );
    const names = [...Object.keys(named), ...namesIn(before)];
    if (names.length === 0) return [];
    const request = requestOf(file, named, project, before);
    return [{ file, named, names, ...(trust === 'all' ? {} : judge(request, consentAmong(request, all) ?? before)) }];
  });
  if (trust !== 'all' && found.length > 0) checkOutside(trust.path ?? defaultTrustFile(), project);
  return found;
}

function judge(request: TrustRequest, consent: Consent | undefined): { readonly held?: UnacceptedFile<'mcp'> } {
  const held = { kind: 'mcp', file: request.file, request } as const;
  if (!consent) {
    const why = whyUnreadable(request) ?? `the MCP servers of ${request.file} are not accepted; see hookscope trust`;
    return { held: { ...held, state: 'never', why } };
  }
  const change = changeSince(consent, request);
  if (change === undefined) return {};
  const state = request.definition === NOTHING ? 'gone' : 'changed';
  const why =
    state === 'gone'
      ? `the MCP servers of ${request.file} were accepted, and are gone`
      : (changeOfVariables(consent, request) ?? change);
  return { held: { ...held, state, why: `${why}; see hookscope trust`, previous: consent } };
}

const NOTHING = JSON.stringify({ mcpServers: {} }, undefined, 2);

/** The content to which consent is bound: the descriptions of the servers, what variables make of them, and the bytes of the files that their commands then name. */
function requestOf(file: string, named: Servers, project: string, before: Consent | undefined): TrustRequest {
  const namesWith = (look?: Look): NamedFiles => {
    const commands = Object.values(named).map((raw) => {
      // Names stay relative to the project, as they are shown and stored.
      return { args: [], ...serverOf(raw, project, look), type: 'command', cwd: undefined };
    });
    return namedBy(commands, { projectDir: project, isFilled: true });
  };
  const names = namesWith();
  const definition = JSON.stringify({ mcpServers: named, ...filledIn(named, project) }, undefined, 2);
  // The value of a variable that looks like a path may be a secret. A file that consent does not mention must not exist in any case.
  const files = Object.entries(boundAll(names, project)).filter(
    ([name, { sha256 }]) => sha256 !== null || definition.includes(name) || Object.hasOwn(before?.files ?? {}, name),
  );
  return {
    file: realOr(file),
    project,
    definition,
    files: Object.fromEntries(files),
    source: { kind: 'mcp', place: placeIn(project, file) },
    unresolved: withoutValues(names.unresolved, () => namesWith(byName).unresolved),
    filled: Object.entries(named).flatMap(([name, raw]) =>
      variablesOf(raw).length > 0 ? [`${name}  ${shownOf(raw, project, Object.fromEntries(files))}`] : [],
    ),
  };
}

/** Stands for the value of a variable, which may be a secret, in what is shown. */
const byName: Look = (name) => (hookVariable(name) === undefined ? undefined : `\${${name}}`);

/** The words that are the same whatever the variables hold. The others may contain a secret. */
function withoutValues(words: readonly string[], withNames: () => readonly string[]): readonly string[] {
  const known = words.length > 0 ? withNames() : [];
  return [...new Set(words.map((word) => (known.includes(word) ? word : 'what variables fill in')))];
}

/** The command or address of a server, as JSON, as it is shown: the value of a variable only in the name of a program, or of a file that consent binds. */
function shownOf(raw: unknown, project: string, files: Consent['files']): string {
  const there = Object.keys(files).filter((name) => files[name]?.sha256 !== null);
  const bound = new Set(there.map((name) => resolve(project, name)));
  const shown = (text: unknown, isProgram = false): unknown => {
    const fill = (look: Look): unknown => filled(text, inProject(project, look));
    const word = fill((name) => (nameKind(name) === undefined ? hookVariable(name) : byName(name)));
    const isClear = isText(word) && (bound.has(resolve(project, word)) || (isProgram && /^[\w.+-]+$/.test(word)));
    return isClear ? word : fill(byName);
  };
  const { command, args } = isObject(raw) ? raw : {};
  const server = { ...serverOf(raw, project, byName), env: undefined, headers: undefined };
  if ('url' in server) return JSON.stringify(server);
  const words = Array.isArray(args) ? args.map((word) => shown(word)) : args;
  return JSON.stringify({ ...server, command: shown(command, true), args: words });
}

/** A hash of each command and address that variables change, whose values may be secret. `env` and `headers` hold secrets that are renewed. */
function filledIn(named: Servers, project: string): { readonly variables?: Readonly<Record<string, string>> } {
  const hashes = Object.entries(named).flatMap(([name, raw]) => {
    const said = saidOf(raw, project);
    return said === saidOf(raw, project, () => undefined) ? [] : [[name, sha256(said)] as const];
  });
  return hashes.length > 0 ? { variables: Object.fromEntries(hashes) } : {};
}

/** The command or address of a server, as JSON. */
const saidOf = (raw: unknown, project: string, look?: Look): string =>
  JSON.stringify({ ...serverOf(raw, project, look), env: undefined, headers: undefined });

/** The names of the variables in a server's command or address. */
function variablesOf(raw: unknown): string[] {
  const text = JSON.stringify({ ...(isObject(raw) ? raw : {}), env: undefined, headers: undefined });
  const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => name !== 'CLAUDE_PROJECT_DIR');
}

/** The first server that variables alone have changed, in words. */
function changeOfVariables(before: Consent, { file, definition, files }: TrustRequest): string | undefined {
  const [was, now] = [before.definition, definition].map((text) => JSON.parse(text) as Definition);
  if (JSON.stringify(was?.mcpServers) !== JSON.stringify(now?.mcpServers)) return undefined;
  // A default that is used only now. Where it was used before, consent mentions the file, there or not.
  const isNew = Object.keys(files).some((name) => !Object.hasOwn(before.files, name) && definition.includes(name));
  for (const [name, raw] of Object.entries(now?.mcpServers ?? {})) {
    const names = variablesOf(raw);
    const [old, hash] = [was?.variables?.[name], now?.variables?.[name]];
    if (names.length === 0 || (old === hash && !(isNew && hash === undefined))) continue;
    return `a variable that the MCP server ${name} of ${file} uses (${names.join(', ')}) has another value than when it was accepted`;
  }
  return undefined;
}

interface Definition {
  readonly mcpServers?: Servers;
  readonly variables?: Readonly<Record<string, string>>;
}

function namesIn(consent: Consent | undefined): string[] {
  const { mcpServers } = JSON.parse(consent?.definition ?? '{}') as Definition;
  return Object.keys(mcpServers ?? {});
}

/** The user's own files, and files that the user named explicitly. */
function ownFiles({ home, settings = [], user = false }: McpPlaces): string[] {
  return [...settings, ...(user ? [join(home, '.claude', 'settings.json'), join(home, '.claude.json')] : [])];
}

/** The servers in a file; none if the file is missing or cannot be read. */
function serversIn(file: string, projectDir: string): Servers {
  if (!existsSync(file)) return {};
  try {
    const data: unknown = JSON.parse(readText(file).replace(/^\uFEFF/, ''));
    if (!isObject(data)) return {};
    const projects = data['projects'];
    const here = isObject(projects) && /\.claude\.json$/.test(file) ? projects[projectDir] : undefined;
    const own = isObject(here) && isObject(here['mcpServers']) ? here['mcpServers'] : {};
    return { ...(isObject(data['mcpServers']) ? data['mcpServers'] : {}), ...own };
  } catch {
    // Errors in the file are reported when its hooks are read.
    return {};
  }
}

/** Converts a server to the form of the host's own option. Variables are filled in, usually those that hooks have. */
function serverOf(raw: unknown, projectDir: string, look: Look = hookVariable): McpServers[string] {
  const given = isObject(raw) ? raw : {};
  const { type, command, args, env, url, headers } = filled(given, inProject(projectDir, look)) as Record<
    string,
    unknown
  >;
  if (url !== undefined) {
    const kind = type === 'sse' ? 'sse' : 'http';
    return { type: kind, url, ...(headers === undefined ? {} : { headers }) } as McpServers[string];
  }
  const more = { ...(args === undefined ? {} : { args }), ...(env === undefined ? {} : { env }) };
  return { command, ...more, cwd: projectDir } as McpServers[string];
}

type Look = (name: string) => string | undefined;

const inProject =
  (projectDir: string, look: Look): Look =>
  (name) =>
    name === 'CLAUDE_PROJECT_DIR' ? projectDir : look(name);

/** Fills in `${NAME}` and `${NAME:-default}` in all strings. */
function filled(value: unknown, look: Look): unknown {
  if (isText(value))
    return value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise = '') => look(name) ?? otherwise);
  if (Array.isArray(value)) return value.map((item) => filled(item, look));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, look)]));
}
