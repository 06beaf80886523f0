import { TABLES } from '../agents/agents.js';
import { claudeName, renamesTools } from '../agents/as-theirs.js';
import { subjectOf } from '../agents/subjects.js';
import type { AgentTable } from '../agents/table.js';
import { isMcp } from '../agents/tools/mcp.js';
import { readMatcher } from '../foreign/matchers.js';
import type { CheckFinding } from './checking.js';
import type { AgentHandler } from './files/agent-handlers.js';
import { entryOf, type ObjectNode, textAt } from './files/tree.js';

/** A matcher that never matches in the agent whose file it is. */
export function* checkMatcher(
  table: AgentTable,
  { event, group, groupPath, node }: AgentHandler,
): Generator<CheckFinding> {
  const entry = entryOf(group, 'matcher');
  const matcher = textAt(group, 'matcher');
  // Of several handlers in a group, only the first reports it.
  if (entry === undefined || matcher === undefined || !isFirst(group, node)) return;
  const found = (message: string, fix?: string): CheckFinding => ({
    rule: 'agent-matcher',
    at: entry.value,
    where: [...groupPath, 'matcher'],
    message,
    fix,
  });
  const subject = subjectOf(table, event);
  const tool = subject === 'tool';
  const { accepts, never, warning, name } = readMatcher(table, matcher, tool);
  if (never !== undefined) yield found(`It ${never}.`);
  else if (warning !== undefined) yield found(`${warning}.`);
  else if (name && subject !== undefined && PATTERN.test(matcher))
    yield found(
      `${table.title} takes it for a name here, and nothing is called so.`,
      `Write one name, or none for all.`,
    );
  else if (tool && !/^\*+$/.test(matcher.trim()) && !namesOf(table, event).some(accepts)) {
    // An unknown name may be a tool of an extension, or a new one.
    const words = matcher.match(/[A-Za-z_]\w+/g) ?? [];
    const strangers = words.filter((word) => STRANGE.has(word) || isMcp(word));
    if (strangers.length === 0 || strangers.length < words.length) return;
    const renames = isRenamed(table, event);
    for (const word of strangers) {
      const own = isMcp(word) ? [mcpName(table, event)] : renames ? ownNames(table, word) : claudeNames(table, word);
      yield found(
        renames
          ? `${table.title} has no tool "${word}".`
          : `${table.title} gives hooks on ${event} Claude Code's names of its tools, and none is "${word}".`,
        own.length > 0 ? `Write ${own.join('|')}, which is what it calls it${renames ? '' : ' there'}.` : undefined,
      );
    }
  }
}

/** Characters that names do not contain. */
const PATTERN = /[|()[\]{}*+?^$\\]/;

/** Tools by the names of every agent: those that this one does not have are never called there. */
const STRANGE: ReadonlySet<string> = new Set([
  ...TABLES.flatMap(({ tools }) => Object.entries(tools).flatMap(([name, { ours }]) => [name, ours])),
  ...['Bash', 'MultiEdit', 'NotebookEdit', 'Task', 'TodoWrite', 'LS', 'shell', 'local_shell'],
]);

/** The names that this agent's hooks on the event are compared with. */
function namesOf(table: AgentTable, event: string): string[] {
  const { tools, runs } = table;
  const renames = isRenamed(table, event);
  const own = Object.entries(tools).map(([name, tool]) => (renames ? name : claudeName(tool)));
  const aliases = Object.values(runs?.matching.aliases ?? {}).flat();
  return [...own, ...aliases, mcpName(table, event)];
}

/** What it calls the tool "tool" of the MCP server "server". Of several forms the first is the usual one. */
function mcpName({ events, mcp }: AgentTable, event: string): string {
  const [form = 'mcp__{server}__{tool}'] = events.find(({ name }) => name === event)?.mcp ?? mcp?.names ?? [];
  return form.replaceAll(/[{}]/g, '');
}

const isRenamed = (table: AgentTable, event: string): boolean =>
  table.events.some((row) => row.name === event && renamesTools(table, row));

function isFirst(group: ObjectNode, node: ObjectNode): boolean {
  const list = entryOf(group, 'hooks')?.value;
  return group === node || (list?.kind === 'array' && list.items[0] === node);
}

/** An agent's own names of a tool given by Claude Code's name; none: it is not such a name, or the agent uses it too. */
function ownNames({ tools }: AgentTable, word: string): string[] {
  const all = Object.entries(tools).filter(([name]) => name !== word);
  const same = all.filter(([, { ours, meant }]) => ours === word || meant === word);
  return (same.length > 0 ? same : all.filter(([, { also = {} }]) => Object.hasOwn(also, word))).map(([name]) => name);
}

function claudeNames({ tools }: AgentTable, word: string): string[] {
  const tool = Object.hasOwn(tools, word) ? tools[word] : undefined;
  return tool === undefined ? [] : [claudeName(tool)];
}
