// Files of the working directory, and the agents that are defined as markdown.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';

const LEFT_OUT = new Set(['.git', 'node_modules']);

/** Every file below a directory, by its path there, sorted. @returns {Promise<string[]>} */
export async function listFiles(/** @type {string} */ directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').some((part) => LEFT_OUT.has(part)))
    .sort();
}

/** @typedef {{ name: string, description: string, tools: string[], prompt: string, file: string }} AgentDefinition */

/** Reads `agents/*.md`: frontmatter with name, description and tools, and the system prompt below it. */
export async function readAgents(/** @type {string} */ directory) {
  /** @type {Map<string, AgentDefinition>} */
  const agents = new Map();
  for (const entry of (await readdir(directory)).filter((name) => name.endsWith('.md')).sort()) {
    const file = join(directory, entry);
    const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(await readFile(file, 'utf8')) ?? [];
    const { name = basename(entry, '.md'), description = '', tools = '' } = parse(head) ?? {};
    agents.set(name, {
      name,
      description,
      tools: tools.split(',').map((/** @type {string} */ t) => t.trim()),
      prompt: body.trim(),
      file,
    });
  }
  return agents;
}
