import { isObject } from '../values/shape.js';

/** A no-break space. It precedes each name in the subject of a call that has several names. */
const MARK = '\u00a0';
const MARKED = 0xa0;
/** Begins an escape sequence for a mark inside a name. */
const ESCAPE = '\u001b';
/** Prefix of a name that the call may get by a rewrite. */
const MAYBE = `${ESCAPE}2`;
const MCP = 'mcp__';
/** Stands for an unknown server in an MCP tool's name. */
export const SOME_SERVER = '?';
/** Names with more separators or dashes than this are not expanded into all possible readings. */
const MOST_SEAMS = 40;
const MOST_DASHES = 5;

/**
 * The subject of a call: its tool's name, with other names by which hooks may refer to it (`via.meant`), or may after a rewrite (`via.may`). Nearly all calls have a single name. That case is handled
 * without another function call, for speed (decision 10). An event of the user's own may lack it; throws if it is anything else, so that the subject is unknown.
 */
export function toolName({ tool_name: name, via }: { readonly tool_name?: unknown; readonly via?: unknown }): string {
  if (name == null) return name as never;
  return via === undefined && (name as string).charCodeAt(0) !== MARKED
    ? (name as string)
    : marked(name as string, via);
}

function marked(name: string, via: unknown): string {
  const { meant, may } = isObject(via) ? via : {};
  const names = [name, ...listed(meant)].map(escaped);
  const others = listed(may).map((one) => MAYBE + escaped(one));
  const all = [...names, ...others];
  return all.length === 1 && !isMarked(name) ? name : all.map((one) => MARK + one).join('');
}

const listed = (names: unknown): string[] => (Array.isArray(names) ? names.map(String) : []);

/** Escapes marks inside a name, which may be any text, so that they differ from the marks between names. */
const escaped = (name: string): string => name.replaceAll(ESCAPE, `${ESCAPE}0`).replaceAll(MARK, `${ESCAPE}1`);
const unescaped = (text: string): string => text.replaceAll(`${ESCAPE}1`, MARK).replaceAll(`${ESCAPE}0`, ESCAPE);

const isMarked = (name: string): boolean => name.charCodeAt(0) === MARKED;

/** The name of a call in messages and records. With several names: "shell or Bash". */
export function shownName(name: string): string {
  return isMarked(name) ? (namesOfCall(name, '') as readonly string[]).join(' or ') : name;
}

/** Whether the subject can only be read as one name. */
export function isOneName(name: string): boolean {
  return !isMarked(name) && (!name.startsWith(MCP) || namesOfCall(name, '')?.length === 1);
}

/** Tools whose calls can do anything, whatever other names the call has. */
const SHELLS: readonly string[] = ['Bash', 'Monitor', 'PowerShell'];

/** Whether each name of a call can be read in only one way. */
export const areSure = (name: string): boolean => (namesOfCall(name, '') ?? [name]).every(isOneName);

/** For rules that allow: whether a call is certainly meant. Its names must be unambiguous, at least one must match, and a shell tool among them must match too. */
export function isMeantSurely(name: string, isMeant: (name: string) => boolean): boolean {
  const names = namesOfCall(name, '') ?? [];
  return areSure(name) && names.some(isMeant) && names.every((one) => !SHELLS.includes(one) || isMeant(one));
}

/**
 * All names that a call may have, to be compared with `wanted`: the text of a matcher, or a rule's name. There are several if the call has other names, or if
 * it is an MCP call whose agent does not say which server it is (`mcp__?__tool`) or where the server's name ends (`mcp__a-b-c`). undefined if the names cannot
 * be listed and the pattern `wanted` may match.
 */
export function namesOfCall(name: string, wanted: string): readonly string[] | undefined {
  if (isMarked(name)) return marks(name).flatMap((one) => (one.startsWith(MAYBE) ? [] : [unescaped(one)]));
  if (!name.startsWith(MCP)) return [name];
  const rest = name.slice(MCP.length);
  if (rest.startsWith(`${SOME_SERVER}__`)) return withServers(rest.slice(SOME_SERVER.length + 2), wanted);
  return rest.includes('__') ? [name] : (readings(rest) ?? (wanted.includes('mcp') ? undefined : [name]));
}

/** Names that the call does not have now but may have after a hook rewrites it. */
export function mayMean(name: string): readonly string[] {
  if (!isMarked(name)) return [];
  return marks(name).flatMap((one) => (one.startsWith(MAYBE) ? [unescaped(one.slice(MAYBE.length))] : []));
}

const marks = (name: string): readonly string[] => name.slice(1).split(MARK);

/** The tool's name with every server that `wanted` may name. Words count if `wanted` mentions MCP or if they follow a `*`. */
function withServers(tool: string, wanted: string): readonly string[] | undefined {
  const servers = [...wanted.matchAll(/mcp__(.*?)(?:__|$)/g)].map(([, server = '']) => server);
  // The servers that such a pattern matches cannot be listed.
  if (servers.some((server) => /[^\w*.|(),-]/.test(server))) return undefined;
  const named = wanted.includes('mcp') ? /[\w-]+/g : /(?<=\*)[\w-]+/g;
  const words = (wanted.match(named) ?? []).flatMap((word) => word.replace(/^mcp_+/, '').split('__'));
  const all = new Set([SOME_SERVER, 'server', ...words.flatMap(beginnings)]);
  all.delete('');
  return [...all].map((one) => `${MCP}${one}__${tool}`);
}

/** The word and its beginnings up to each "-" or "_", which other agents put between server and tool. */
function beginnings(word: string): string[] {
  return [word, ...[...word.matchAll(/[_-]/g)].map(({ index }) => word.slice(0, index))];
}

/** Splits the text at every place where the server's name may end; undefined if there are too many. */
function readings(text: string): readonly string[] | undefined {
  const cuts = [...text.matchAll(/[_-]/g)].map(({ index }) => index).filter((at) => at > 0 && at < text.length - 1);
  if (cuts.length > MOST_SEAMS) return undefined;
  const names = cuts.flatMap((at) => {
    const tools = new Set([text.slice(at + 1), text.slice(at + 1).replaceAll('-', '_')]);
    return spellings(text.slice(0, at)).flatMap((server) => [...tools].map((tool) => `${MCP}${server}__${tool}`));
  });
  return [`${MCP}${text}`, ...names];
}

/** All names that result if each dash is either kept or stands for a character that we write as "_". */
function spellings(text: string): readonly string[] {
  const [first = '', ...parts] = text.split('-');
  if (parts.length > MOST_DASHES) return [text, text.replaceAll('-', '_')];
  return parts.reduce((all, part) => all.flatMap((one) => [`${one}-${part}`, `${one}_${part}`]), [first]);
}
