import { put } from '../values/copies/put.js';
import { isObject, type Json } from '../values/shape.js';
import type { Loss } from './codec.js';
import { copyOf } from './path.js';
import type { AgentTable, Tool } from './table.js';

/** The original form of a call that was translated to our names. */
export interface ToolWas {
  tool_name?: string;
  /** Keys of the input that were given our names, theirs to ours. */
  renamed?: Record<string, string>;
  /** `true`: `file_path` is the only path that the call names. A key: a list of the paths that may be meant. */
  path?: true | string;
  /** Values under names of ours that the agent does not read, or may not. */
  aside?: Record<string, unknown>;
}

/** Where no folder is given, the current one is searched. */
const FOLDER = 'path';

/** Tool and keys under the names that Claude Code has for them. */
export function toolToOurs(table: AgentTable, input: Record<string, unknown>, was: ToolWas, losses: Loss[]): void {
  const name = input['tool_name'];
  if (typeof name !== 'string') return;
  const tool = toolOf(table, name);
  if (tool === undefined) return;
  if (tool.ours !== name) {
    was.tool_name = name;
    input['tool_name'] = tool.ours;
  }
  const given = input['tool_input'];
  if (!isObject(given)) return;
  const call = copyOf(given);
  const names = namesOf({ table, tool, call, was, losses });
  if (Object.keys(names).length > 0) was.renamed = names;
  addPath(tool, call, was, losses);
  input['tool_input'] = renamed(call, names);
}

interface Naming {
  readonly table: AgentTable;
  readonly tool: Tool;
  readonly call: Record<string, unknown>;
  readonly was: ToolWas;
  readonly losses: Loss[];
}

/** Keys that get our names, theirs to ours. A model can give more arguments than a tool reads: those that have our names are moved aside. */
function namesOf({ table, tool, call, was, losses }: Naming): Record<string, string> {
  const names: Record<string, string> = {};
  const has = (key: string): boolean => Object.hasOwn(call, key);
  const setAside = (ours: string): void => {
    was.aside ??= {};
    put(was.aside, ours, call[ours]);
    delete call[ours];
  };
  const lose = (ours: string, why: string): void => void losses.push({ what: `tool_input.${ours}`, why });
  const goesBy = (ours: string, theirs: string): void => {
    setAside(ours);
    lose(ours, `${table.title} goes by "${theirs}", not by the "${ours}" beside it`);
  };
  const own = tool.patch ?? tool.files;
  if (own !== undefined && has('file_path')) goesBy('file_path', own);
  for (const [ours, theirs] of Object.entries(tool.instead ?? {})) if (has(theirs) && has(ours)) goesBy(ours, theirs);
  for (const [theirs, ours] of Object.entries(tool.fields ?? {})) {
    if (has(theirs) && has(ours)) goesBy(ours, theirs);
    else if (has(ours)) {
      // An older version may read it; this one searches the current folder.
      if (ours !== FOLDER || typeof call[ours] !== 'string') continue;
      const path = call[ours];
      setAside(ours);
      call[ours] = [path, '.'];
      was.path = ours;
      lose(ours, `${table.title} goes by "${theirs}": rules look at the current folder too`);
    }
    names[theirs] = ours;
  }
  for (const [ours, others] of Object.entries(tool.either ?? {})) {
    const found = [ours, ...others].filter(has);
    const [only] = found;
    if (found.length === 1 && only !== undefined && only !== ours) names[only] = ours;
    if (found.length < 2) continue;
    if (has(ours)) setAside(ours);
    lose(ours, `it may be any of ${found.map((name) => `"${name}"`).join(', ')}; rules about it ask their hook`);
  }
  return names;
}

/** The way back, in place. */
export function toolToTheirs(table: AgentTable, input: Record<string, unknown>, was: ToolWas): void {
  const call = input['tool_input'];
  if (isObject(call)) input['tool_input'] = inputToTheirs(call, was);
  const tool = was.tool_name === undefined ? undefined : toolOf(table, was.tool_name);
  if (tool && isTool(tool, input['tool_name'])) input['tool_name'] = was.tool_name;
}

/** A tool's input, or another one in its place, under the agent's own names. */
export function inputToTheirs(call: Json, was: ToolWas): Json {
  const back = Object.fromEntries(Object.entries(was.renamed ?? {}).map(([theirs, ours]) => [ours, theirs]));
  const copy = copyOf(call);
  if (was.path === true) delete copy['file_path'];
  else if (was.path !== undefined && Array.isArray(copy[was.path])) delete copy[was.path];
  const named = renamed(copy, back);
  for (const [key, value] of Object.entries(was.aside ?? {})) if (!Object.hasOwn(named, key)) put(named, key, value);
  return named;
}

const isTool = ({ ours, also = {} }: Tool, name: unknown): boolean =>
  name === ours || (typeof name === 'string' && Object.hasOwn(also, name));

function toolOf(table: AgentTable, name: string): Tool | undefined {
  if (Object.hasOwn(table.tools, name)) return table.tools[name];
  // A payload may have Claude's name and the agent's own keys.
  return Object.values(table.tools).find(
    (tool) => tool.ours === name && (tool.fields ?? tool.instead ?? tool.either) !== undefined,
  );
}

/** Keeps the order of the keys. What has a name that another key gets is left out. */
export function renamed(call: Json, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const given = new Set(Object.keys(names).flatMap((key) => (Object.hasOwn(call, key) ? [names[key]] : [])));
  for (const key of Object.keys(call)) {
    const other = Object.hasOwn(names, key) ? names[key] : undefined;
    if (other === undefined && given.has(key)) continue;
    put(copy, other ?? key, call[key]);
  }
  return copy;
}

function addPath(tool: Tool, call: Record<string, unknown>, was: ToolWas, losses: Loss[]): void {
  const own = tool.patch ?? tool.files;
  const value = own === undefined ? undefined : call[own];
  if (value === undefined) return;
  const files = new Set(tool.patch === undefined ? listed(value) : patched(value));
  const [only] = files;
  if (files.size === 1 && only !== undefined && (tool.patch !== undefined || !/[*?[{!]/.test(only))) {
    call['file_path'] = only;
    was.path = true;
  } else
    losses.push({
      what: 'tool_input.file_path',
      why: `the call names ${files.size} files or patterns; rules about a path ask their hook`,
    });
}

/** A list with anything but texts in it names none. */
function listed(value: unknown): string[] {
  const all: unknown[] = [value].flat();
  return all.every((one) => typeof one === 'string') ? all : [];
}

const HEADER = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/s;

/** The files of a patch. Lines end with a line feed alone, and space around a header does not count, as where it is applied. */
function patched(patch: unknown): string[] {
  if (typeof patch !== 'string') return [];
  return patch.split('\n').flatMap((line) => HEADER.exec(trimmed(line))?.[1]?.trim() ?? []);
}

/** Of all that is white space to Unicode, which counts one more than JavaScript does. */
const trimmed = (line: string): string => line.replace(/^[\s\u0085]+|[\s\u0085]+$/g, '');
