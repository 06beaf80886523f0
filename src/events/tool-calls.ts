import { isObject } from '../values/shape.js';

/** Before the names of a call that has several, and between them: a space that does not break. */
const MARK = '\u00a0';
const MARKED = 0xa0;
/** In the place of one in a name. */
const ESCAPE = '\u001b';
/** Before a name that the call may get. */
const MAYBE = `${ESCAPE}2`;
const MCP = 'mcp__';
/** In the place of a server that is not known. */
export const SOME_SERVER = '?';
/** Names with more seams or dashes than any that a person would give are not read in every way. */
const MOST_SEAMS = 40;
const MOST_DASHES = 5;

/**
 * What a call is known by: its tool's name, with others that hooks may mean by it (`via.meant`), or may once it is rewritten (`via.may`). Nearly all have one name, which is found here without another
 * call, for the engine (decision 10). The input is checked before: the name is a string.
 */
export function toolName({ tool_name: name, via }: { readonly tool_name?: unknown; readonly via?: unknown }): string {
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

/** A name may be anything, as it is somebody's text: marks in it are told from those between names. */
const escaped = (name: string): string => name.replaceAll(ESCAPE, `${ESCAPE}0`).replaceAll(MARK, `${ESCAPE}1`);
const unescaped = (text: string): string => text.replaceAll(`${ESCAPE}1`, MARK).replaceAll(`${ESCAPE}0`, ESCAPE);

const isMarked = (name: string): boolean => name.charCodeAt(0) === MARKED;

/** What a call is known by, as people and records read it: its name, or "shell or Bash" where it has several. */
export function shownName(name: string): string {
  return isMarked(name) ? (namesOfCall(name, '') as readonly string[]).join(' or ') : name;
}

/** Whether a name is one, however it is read. */
export function isOneName(name: string): boolean {
  return !isMarked(name) && (!name.startsWith(MCP) || namesOfCall(name, '')?.length === 1);
}

/** Tools whose call may do anything, whatever else it is known by. */
const SHELLS: readonly string[] = ['Bash', 'Monitor', 'PowerShell'];

/** Whether it is known what each name means that a call is known by. */
export const areSure = (name: string): boolean => (namesOfCall(name, '') ?? [name]).every(isOneName);

/** Whether all that a call may be is meant, for who permits it: its tool is known, and if it is a shell's, that is meant as well as what its line is known by. */
export function isMeantSurely(name: string, isMeant: (name: string) => boolean): boolean {
  const names = namesOfCall(name, '') ?? [];
  return areSure(name) && names.some(isMeant) && names.every((one) => !SHELLS.includes(one) || isMeant(one));
}

/**
 * All names that a call may have, for who looks for `wanted`: the text of a matcher, or a rule's name. More than one if it is known by several, or if it is
 * of an MCP server and its agent does not say which (`mcp__?__tool`), or where the server's name ends (`mcp__a-b-c`). undefined: `wanted` is a pattern that
 * may mean it.
 */
export function namesOfCall(name: string, wanted: string): readonly string[] | undefined {
  if (isMarked(name)) return marks(name).flatMap((one) => (one.startsWith(MAYBE) ? [] : [unescaped(one)]));
  if (!name.startsWith(MCP)) return [name];
  const rest = name.slice(MCP.length);
  if (rest.startsWith(`${SOME_SERVER}__`)) return withServers(rest.slice(SOME_SERVER.length + 2), wanted);
  return rest.includes('__') ? [name] : (readings(rest) ?? (wanted.includes('mcp') ? undefined : [name]));
}

/** Names that a call does not have, and may have once a hook has rewritten it. */
export function mayMean(name: string): readonly string[] {
  if (!isMarked(name)) return [];
  return marks(name).flatMap((one) => (one.startsWith(MAYBE) ? [unescaped(one.slice(MAYBE.length))] : []));
}

const marks = (name: string): readonly string[] => name.slice(1).split(MARK);

/** With every server that the text names: it does if it is about MCP, or about names with something before the word. */
function withServers(tool: string, wanted: string): readonly string[] | undefined {
  const servers = [...wanted.matchAll(/mcp__(.*?)(?:__|$)/g)].map(([, server = '']) => server);
  // Which servers a pattern of this kind means cannot be listed.
  if (servers.some((server) => /[^\w*.|(),-]/.test(server))) return undefined;
  const named = wanted.includes('mcp') ? /[\w-]+/g : /(?<=\*)[\w-]+/g;
  const words = (wanted.match(named) ?? []).flatMap((word) => word.replace(/^mcp_+/, '').split('__'));
  const all = new Set([SOME_SERVER, 'server', ...words.flatMap(beginnings)]);
  all.delete('');
  return [...all].map((one) => `${MCP}${one}__${tool}`);
}

/** Other agents have a "-" or "_" between server and tool. */
function beginnings(word: string): string[] {
  return [word, ...[...word.matchAll(/[_-]/g)].map(({ index }) => word.slice(0, index))];
}

/** Cut at every place where the server's name may end; undefined: there are too many. */
function readings(text: string): readonly string[] | undefined {
  const cuts = [...text.matchAll(/[_-]/g)].map(({ index }) => index).filter((at) => at > 0 && at < text.length - 1);
  if (cuts.length > MOST_SEAMS) return undefined;
  const names = cuts.flatMap((at) => {
    const tools = new Set([text.slice(at + 1), text.slice(at + 1).replaceAll('-', '_')]);
    return spellings(text.slice(0, at)).flatMap((server) => [...tools].map((tool) => `${MCP}${server}__${tool}`));
  });
  return [`${MCP}${text}`, ...names];
}

/** Names in which each dash may have been put for another character, which has become "_" in ours. */
function spellings(text: string): readonly string[] {
  const [first = '', ...parts] = text.split('-');
  if (parts.length > MOST_DASHES) return [text, text.replaceAll('-', '_')];
  return parts.reduce((all, part) => all.flatMap((one) => [`${one}-${part}`, `${one}_${part}`]), [first]);
}
