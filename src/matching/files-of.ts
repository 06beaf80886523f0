import { fileSourceOf, filesIn, filesPatched } from '../events/named-files.js';
import { checkOption } from '../values/options.js';
import { checks, isObject, type Json } from '../values/shape.js';
import { shellPatch } from './shell-patch.js';

/** The input field of each tool that names the files that it reads or changes. */
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
/** `Delete` only exists in other agents. */
export const EDITORS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'Delete'];
/** Tools that search the current directory when no path is given. */
export const SEARCHERS = ['Grep', 'Glob', 'LS'];

/**
 * Returns every file that a tool call names, spelled as in the call: its `file_path`, all files of a patch (also of one that Codex
 * applies in a shell command), all files that Gemini reads at once, and the folder where a search begins. Returns an empty array for
 * a tool that is not about files; other shell commands are not examined. Returns `undefined` if some files are unknown, because the
 * call has a pattern or does not name them; a guard should refuse such a call.
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

/** The paths in the input of one of Claude Code's tools. */
export function pathsIn(tool: string, call: Json): readonly unknown[] {
  const path = call[FILE_FIELDS.get(tool) ?? 'file_path'];
  return Array.isArray(path) && path.length > 0 ? path : [path];
}

/**
 * The files that the payload of another agent's tool names, with undefined for each unknown one. The whole is undefined if the
 * input names them as Claude Code's tools do.
 */
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
