// The agent's tools: what the model is told of them, what they do to the world, and how they run. Paths are relative to the
// session's directory. A tool throws to fail: the message is the model's error result.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { minimatch } from 'minimatch';
import { listFiles } from './files.mjs';
import { runShell } from './processes.mjs';

const text = { type: 'string' };

/** @typedef {{ id: string, cwd: () => string }} Place the call's id, and where it runs */
/** @typedef {{ effect: 'read' | 'edit' | 'other', description: string, input: Record<string, object>, optional?: string[], schema?: object, mcp?: { name: string, source: string }, run: (input: any, place: Place, signal: AbortSignal) => Promise<unknown> }} Tool */

/** @type {Record<string, Tool>} */
export const TOOLS = {
  Bash: {
    effect: 'other',
    description: 'Run a shell command.',
    input: { command: text, timeout: { type: 'number', description: 'seconds' } },
    optional: ['timeout'],
    async run({ command, timeout = 60 }, { cwd }, signal) {
      const { stdout, stderr } = await runShell(command, { cwd: cwd(), signal, timeout });
      return { stdout: stdout.trimEnd(), stderr: stderr.trimEnd(), interrupted: false };
    },
  },
  Read: {
    effect: 'read',
    description: 'Read a text file.',
    input: { file_path: text },
    run: ({ file_path }, { cwd }) => readFile(resolve(cwd(), file_path), 'utf8'),
  },
  Write: {
    effect: 'edit',
    description: 'Write a file, making its folder.',
    input: { file_path: text, content: text },
    async run({ file_path, content }, { cwd }) {
      const path = resolve(cwd(), file_path);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return `Wrote ${file_path}.`;
    },
  },
  Edit: {
    effect: 'edit',
    description: 'Replace a text that occurs once in a file.',
    input: { file_path: text, old_string: text, new_string: text },
    async run({ file_path, old_string, new_string }, { cwd }) {
      const path = resolve(cwd(), file_path);
      const parts = (await readFile(path, 'utf8')).split(old_string);
      if (parts.length !== 2) throw new Error(`old_string occurs ${parts.length - 1} times in ${file_path}, not once.`);
      await writeFile(path, parts.join(new_string));
      return `Edited ${file_path}.`;
    },
  },
  Glob: {
    effect: 'read',
    description: 'List the files whose path matches a glob.',
    input: { pattern: text },
    async run({ pattern }, { cwd }) {
      return (await listFiles(cwd())).filter((file) => minimatch(file, pattern)).join('\n');
    },
  },
  Grep: {
    effect: 'read',
    description: 'Search files for a regular expression.',
    input: { pattern: text, glob: text },
    optional: ['glob'],
    async run({ pattern, glob = '**' }, { cwd }) {
      const wanted = new RegExp(pattern);
      const found = [];
      for (const file of (await listFiles(cwd())).filter((f) => minimatch(f, glob))) {
        const lines = (await readFile(resolve(cwd(), file), 'utf8')).split('\n');
        for (const [i, line] of lines.entries()) if (wanted.test(line)) found.push(`${file}:${i + 1}:${line}`);
      }
      return found.join('\n') || 'No matches.';
    },
  },
};

/** What the model is told of its tools. */
export function describeTools(/** @type {string[]} */ names, /** @type {Record<string, Tool>} */ tools) {
  return names
    .filter((name) => tools[name])
    .map((name) => {
      const { description, input, optional = [], schema } = /** @type {Tool} */ (tools[name]);
      if (schema) return { name, description, input_schema: schema };
      const required = Object.keys(input).filter((key) => !optional.includes(key));
      return { name, description, input_schema: { type: 'object', properties: input, required } };
    });
}
