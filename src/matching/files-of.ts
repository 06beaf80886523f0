import { fileSourceOf, filesIn, filesPatched } from '../events/named-files.js';
import { checkOption } from '../values/options.js';
import { checks, isObject, type Json } from '../values/shape.js';
import { shellPatch } from './shell-patch.js';

/** The field with which each tool says what it reads or changes. */
export const FILE_FIELDS = new Map([
  ['Read', 'file_path'],
  ['NotebookRead', 'notebook_path'],
  ['Grep', 'path'],
  ['Glob', 'path'],
  ['LS', 'path'],
  ['Edit', 'file_path'],
  ['Write', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
  ['Delete', 'file_path'],
]);
export const READERS = ['Read', 'NotebookRead', 'Grep', 'Glob', 'LS'];
/** Delete is a tool of other agents. */
export const EDITORS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'Delete'];
/** These look at the current directory when no path is given. */
export const SEARCHERS = ['Grep', 'Glob', 'LS'];

/**
 * Every file that a call of a tool names, as the call names it: its `file_path`, all files of a patch, also of one that Codex applies in a line of its shell, all
 * that Gemini reads at once, and where a search begins. None: it is no tool for files; what other shell commands do with files is not looked at. `undefined`: some
 * are not known, because the call has a pattern or does not say; a guard should refuse it.
 *
 * ```ts
 * filesOf({ tool_name: 'Write', tool_input: { file_path: 'a.ts', content: '' } }); // ['a.ts']
 * filesOf({ tool_name: 'Bash', tool_input: { command: 'ls' } }); // []
 * ```
 */
export function filesOf(input: {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly via?: unknown;
}): readonly string[] | undefined {
  checkOption('filesOf(input)', input, checks.object);
  const { tool_name: tool } = input;
  const call = isObject(input.tool_input) ? input.tool_input : {};
  const isForFiles = typeof tool === 'string' && FILE_FIELDS.has(tool);
  const paths = filesSaid(input) ?? (isForFiles ? pathsIn(tool, call) : []);
  const all = isForFiles && SEARCHERS.includes(tool) ? paths.map((path) => path ?? '.') : paths;
  return all.every((path) => typeof path === 'string') ? all : undefined;
}

/** What the input of a tool of ours says. */
export function pathsIn(tool: string, call: Json): readonly unknown[] {
  const path = call[FILE_FIELDS.get(tool) ?? 'file_path'];
  return Array.isArray(path) && path.length > 0 ? path : [path];
}

/** The files that another agent's tool is said to be about, undefined for one that is not known; undefined: its input says it as ours do. */
export function filesSaid({ tool_input: call, via }: Parameters<typeof filesOf>[0]): readonly unknown[] | undefined {
  if (!isObject(via)) return undefined;
  const input = isObject(call) ? call : {};
  const source = fileSourceOf({ via });
  const path = input['file_path'];
  const own = path === undefined ? [] : [path];
  if (source !== undefined) {
    const files = filesIn(source, input);
    return own.every((one) => files.includes(one as string)) ? files : [...files, ...own];
  }
  const { among } = via;
  const line = shellPatch(via);
  if (line !== undefined) return filesPatched(input[line]);
  return Array.isArray(among) ? [...new Set([...among.map((one: unknown) => one ?? undefined), ...own])] : undefined;
}
