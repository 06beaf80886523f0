import { basename, dirname } from 'node:path';
import { otherAgent } from '../../claude-code/files/other-shapes.js';
import { CLAUDE_EVENTS } from '../../events/catalogue.js';
import { own } from '../../values/own.js';
import { isObject } from '../../values/shape.js';

/** Agents that keep hooks in a folder of their own, by the folder's name. */
const FOLDERS: Readonly<Record<string, string>> = {
  '.cursor': 'Cursor',
  '.codex': 'Codex',
  '.gemini': 'Gemini CLI',
  '.copilot': 'GitHub Copilot',
  '.qwen': 'Qwen Code',
  '.windsurf': 'Windsurf',
  '.factory': 'Factory',
  '.kiro': 'Kiro',
  '.augment': 'Augment',
  '.mastracode': 'Mastra Code',
  '.opencode': 'OpenCode',
  '.cline': 'Cline',
  '.iflow': 'iFlow',
  '.amazonq': 'Amazon Q',
  '.continue': 'Continue',
  '.trae': 'Trae',
};

/** The codec names of the agents whose formats can be checked. */
const KNOWN: Readonly<Record<string, string>> = {
  Codex: 'codex',
  'GitHub Copilot': 'copilot',
  'Gemini CLI': 'gemini',
  Cursor: 'cursor',
};

/** The codec for an agent's file; undefined if its format is not known or the agent does not read the file. */
export function codecOfFile(path: string, agent: string): string | undefined {
  const known = KNOWN[agent];
  return path.endsWith('.json') || (path.endsWith('.toml') && known === 'codex') ? known : undefined;
}

/** The agent in whose folder a file is. */
export function agentOfPlace(path: string): string | undefined {
  const folder = dirname(path);
  const [name, above] = [basename(folder), basename(dirname(folder))];
  if (above === '.github' && (name === 'hooks' || name === 'copilot')) return 'GitHub Copilot';
  return (
    own(FOLDERS, name.replace(/-plugin$/, '')) ??
    (name === 'hooks' || name === 'extensions' ? own(FOLDERS, above) : undefined)
  );
}

/** The project of another agent's file; undefined if the file is the user's or the project is unknown. */
export function projectOf(path: string, home: string | undefined): string | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const name = basename(folder);
    if (Object.hasOwn(FOLDERS, name) || name === '.github')
      return dirname(folder) === home ? undefined : dirname(folder);
  }
  return undefined;
}

/** The agent to which a file belongs by its content, wherever it is. */
export function agentOfText(text: string): string | undefined {
  const data = read(text);
  return isObject(data) ? otherAgent(data, CLAUDE_EVENTS)?.agent : undefined;
}

/** Whether a file in another agent's folder is about hooks. */
export function isAboutHooks(path: string, text: string): boolean {
  if (path.endsWith('.toml')) return /^\s*\[+\s*hooks\b|^\s*hooks\s*=/m.test(text);
  return /"hooks"\s*:/.test(text) || /(^|\.)hooks(\.\w+)?\.json$/.test(basename(path));
}

function read(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // Not JSON, so it belongs to no agent.
    return undefined;
  }
}
