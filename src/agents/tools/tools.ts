import { isDeepStrictEqual } from 'node:util';
import {
  type FileSource,
  filesNamed,
  filesPatched,
  knownPath,
  mayPatch,
  type NamedSource,
  onePath,
  PATCHED,
} from '../../events/named-files.js';
import { put } from '../../values/copies/put.js';
import { isObject, type Json } from '../../values/shape.js';
import type { Loss } from '../codec.js';
import { copyOf } from '../path.js';
import type { AgentTable, EventRow, ToolRow, TypedText } from '../table.js';
import { isMcp, mcpToOurs } from './mcp.js';
import { commandTyped } from './typed.js';

/** What is needed to restore a call that was translated to our names, and to judge rules about it. */
export interface ToolWas {
  tool_name?: string;
  /** Other tools of ours whose hooks apply to this call. */
  meant?: readonly string[];
  /** Tools whose hooks may apply once the call is rewritten. */
  may?: readonly string[];
  /** Keys of the input that we added. */
  added?: string[];
  /** Keys of the input that were renamed, theirs to ours. */
  renamed?: Record<string, string>;
  /** The key that says which files the call is about; `path`: the path, if it is a single one, which became `file_path`. */
  files?: NamedSource;
  /** The key of a shell command that may apply a patch. */
  patches?: string;
  /** Values any of which may be the `file_path`; null: an unknown one. Rules about files look at each. */
  among?: (string | null)[];
  /** Values that the call had under our names, but that the agent does not, or may not, read there. */
  aside?: Record<string, unknown>;
  /** Values under our names that older versions of the agent read; they stay in the input. */
  older?: Record<string, unknown>;
  /** Folders that the tool may search besides `path`. Rules about paths look at them too. */
  searches?: string[];
  /** Keys of ours whose new value the agent cannot be told: it ignores them in this call, or has several keys for them. */
  untold?: string[];
}

/** Our key for a folder to search; without it, the agent searches the current one. */
const FOLDER = 'path';

/** Translates a call to Claude Code's names of tool and keys, in place, and notes in `was` how to restore it. */
export function toolToOurs(
  table: AgentTable,
  row: Pick<EventRow, 'mcp'>,
  input: Record<string, unknown>,
  was: ToolWas,
  losses: Loss[],
): void {
  const name = input['tool_name'];
  if (typeof name !== 'string') return;
  const given = input['tool_input'];
  const mcp = mcpToOurs(table, row, input, losses);
  const tool = mcp === undefined ? toolOf(table, name, isObject(given) ? given : {}) : undefined;
  const ours = mcp ?? tool?.ours;
  if (ours !== undefined && ours !== name) {
    was.tool_name = name;
    input['tool_name'] = ours;
  }
  if (tool?.meant !== undefined) was.meant = [tool.meant];
  if (tool === undefined || !isObject(given)) return;
  const call = copyOf(given);
  const names = namesOf({ table, tool, call, was, losses });
  if (Object.keys(names).length > 0) was.renamed = names;
  addPath(tool, call, was, losses);
  if (tool.shellPatch !== undefined) addShellPatch(tool.shellPatch, call, was, losses);
  if (tool.typed !== undefined) addTyped(tool.typed, call, was, losses);
  input['tool_input'] = renamed(call, names);
}

interface ToolNaming {
  readonly table: AgentTable;
  readonly tool: ToolRow;
  readonly call: Record<string, unknown>;
  readonly was: ToolWas;
  readonly losses: Loss[];
}

/** The keys to rename, theirs to ours. A model can send arguments that the tool does not read; those under our names are moved aside. */
function namesOf({ table, tool, call, was, losses }: ToolNaming): Record<string, string> {
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
  const own = filesKey(tool);
  if (own !== undefined && has('file_path')) goesBy('file_path', own);
  const cannotTell = (ours: string): void => {
    was.untold = [...(was.untold ?? []), ours];
  };
  for (const [ours, theirs] of Object.entries(tool.instead ?? {})) {
    if (!has(theirs)) continue;
    cannotTell(ours);
    if (has(ours)) goesBy(ours, theirs);
  }
  for (const [theirs, ours] of Object.entries(tool.fields ?? {})) {
    if (has(theirs) && has(ours)) goesBy(ours, theirs);
    else if (has(ours)) {
      // Older versions may read our key; the current one does not, and searches the current folder.
      if (ours !== FOLDER) continue;
      was.older = { [ours]: call[ours] };
      was.searches = ['.'];
      lose(ours, `${table.title} goes by "${theirs}": rules look at the current folder too`);
    }
    names[theirs] = ours;
  }
  for (const [ours, others] of Object.entries(tool.either ?? {})) {
    const found = [ours, ...others].filter(has);
    const [only] = found;
    if (found.length === 1 && only !== undefined && only !== ours) names[only] = ours;
    if (found.length < 2) continue;
    const values = found.map((key) => call[key]);
    if (has(ours)) setAside(ours);
    const path = tool.perhaps ? knownPath : onePath;
    if (ours === 'file_path') was.among = [...new Set(values.map((value) => path(value) ?? null))];
    else {
      call[ours] = values.flat();
      was.added = [ours];
    }
    for (const key of new Set([ours, ...found])) cannotTell(key);
    lose(ours, `it may be any of ${found.map((name) => `"${name}"`).join(', ')}; rules about it look at each`);
  }
  return names;
}

/** Restores the agent's own names, in place. */
export function toolToTheirs(table: AgentTable, input: Record<string, unknown>, was: ToolWas): void {
  const call = input['tool_input'];
  if (isObject(call)) input['tool_input'] = inputToTheirs(call, was);
  const tool = was.tool_name === undefined ? undefined : toolOf(table, was.tool_name, {});
  const isSame = isMcp(input['tool_name']) || (tool !== undefined && isTool(tool, input['tool_name']));
  if (was.tool_name !== undefined && isSame) input['tool_name'] = was.tool_name;
}

/** A tool's input, or a rewritten one, under the agent's own names. */
export function inputToTheirs(call: Json, was: ToolWas): Json {
  const back = Object.fromEntries(Object.entries(was.renamed ?? {}).map(([theirs, ours]) => [ours, theirs]));
  const copy = copyOf(call);
  if (was.files !== undefined) delete copy['file_path'];
  for (const key of was.added ?? []) delete copy[key];
  const older = Object.entries(was.older ?? {}).filter(([ours]) => Object.hasOwn(call, ours));
  const isChanged = ([ours, given]: [string, unknown]): boolean => !isDeepStrictEqual(call[ours], given);
  for (const [ours] of older.filter((one) => !isChanged(one))) delete back[ours];
  const named = renamed(copy, back);
  // Set the new value under both keys, since versions of the agent differ in the one they read.
  for (const [ours] of older.filter(isChanged)) put(named, ours, call[ours]);
  for (const [key, value] of Object.entries(was.aside ?? {})) {
    const isDropped = Object.hasOwn(back, key) && !Object.hasOwn(call, key);
    if (!isDropped && !Object.hasOwn(named, key)) put(named, key, value);
  }
  return named;
}

/** The first key of a rewritten input whose value the agent cannot be told; `before`: the call under our names. */
export function untoldIn(call: Json, before: Json, { files, untold = [], aside = {} }: ToolWas): string | undefined {
  const path = call['file_path'];
  if (files !== undefined && path !== undefined && path !== files.path && path !== filesNamed(files, call).path)
    return 'file_path';
  // Hooks do not see values that were moved aside, so a missing one was not dropped by a hook.
  const isKept = (key: string): boolean =>
    Object.hasOwn(aside, key)
      ? call[key] === undefined || isDeepStrictEqual(call[key], aside[key])
      : isDeepStrictEqual(call[key], before[key]);
  return untold.find((key) => !isKept(key));
}

const isTool = ({ ours, also = {} }: ToolRow, name: unknown): boolean =>
  name === ours || (typeof name === 'string' && Object.hasOwn(also, name));

function toolOf(table: AgentTable, name: string, call: Json): ToolRow | undefined {
  if (Object.hasOwn(table.tools, name)) return table.tools[name];
  // A payload may combine Claude Code's tool name with the agent's own keys.
  const all = Object.values(table.tools).filter(({ ours }) => ours === name);
  const usual = all.find((tool) => (tool.fields ?? tool.instead ?? tool.either) !== undefined);
  const other = all.find((tool) => Object.hasOwn(call, filesKey(tool) ?? ''));
  const key = other && filesKey(other);
  if (key === undefined) return usual;
  const fields = Object.entries(usual?.fields ?? {});
  const paths = fields.filter(([theirs, ours]) => ours === 'file_path' && Object.hasOwn(call, theirs));
  if (paths.length === 0) return other;
  // The keys fit either tool.
  const rest = Object.fromEntries(fields.filter(([, ours]) => ours !== 'file_path'));
  return { ours: name, fields: rest, either: { file_path: [key, ...paths.map(([theirs]) => theirs)] }, perhaps: true };
}

const filesKey = ({ patch, files }: ToolRow): string | undefined => patch ?? files;

/** Renames keys, and keeps their order. A key whose name another key receives is dropped. */
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

function addPath(tool: ToolRow, call: Record<string, unknown>, was: ToolWas, losses: Loss[]): void {
  const key = filesKey(tool);
  if (key === undefined) return;
  const source: FileSource = { key, patch: tool.patch !== undefined };
  was.files = source;
  if (call[key] === undefined) return;
  const { count, path } = filesNamed(source, call);
  if (path !== undefined) {
    call['file_path'] = path;
    was.files = { ...source, path };
  } else
    losses.push({
      what: 'tool_input.file_path',
      why:
        count === 0
          ? 'the call does not say which files it is about; rules about files ask their hook'
          : `the call names ${count} files or patterns; rules about files look at each, and ask their hook about a pattern`,
    });
}

/** A shell command that applies a patch stays a shell call, but hooks about edits apply too. */
function addShellPatch(key: string, call: Json, was: ToolWas, losses: Loss[]): void {
  was.patches = key;
  if (!mayPatch(call[key])) {
    was.may = PATCHED;
    return;
  }
  was.meant = PATCHED;
  if (filesPatched(call[key]).includes(undefined))
    losses.push({
      what: 'tool_input.command',
      why: 'it does not say which files its patch is about; rules about files ask their hook',
    });
}

/** Sets the `command` that is typed. It cannot be rewritten, because the shell may have read a part of the line before. */
function addTyped(typed: TypedText, call: Record<string, unknown>, was: ToolWas, losses: Loss[]): void {
  was.untold = [...(was.untold ?? []), 'command', typed.field];
  if (Object.hasOwn(call, 'command')) {
    was.aside = { ...was.aside, command: call['command'] };
    delete call['command'];
  }
  const command = commandTyped(typed, call);
  if (command === undefined) {
    const why = 'it is typed with keys that change the line; rules about commands ask their hook';
    losses.push({ what: 'tool_input.command', why });
    return;
  }
  call['command'] = command;
  was.added = ['command'];
}
