import { TABLES } from '../agents/agents.js';
import { claudeName, renamesTools } from '../agents/as-theirs.js';
import { builtInOf } from '../agents/rows.js';
import { subjectOf, theirWord } from '../agents/subjects.js';
import type { AgentTable } from '../agents/table.js';
import { isMcp } from '../agents/tools/mcp.js';
import { readMatcher } from '../foreign/matchers.js';
import { nearest } from '../values/nearest.js';
import type { CheckFinding } from './checking.js';
import type { AgentHandler } from './files/agent-handlers.js';
import { entryOf, type ObjectNode, textAt } from './files/tree.js';
import { subjectValues } from './names.js';

/** Reports a matcher that never matches in the file's agent. */
export function* checkMatcher(
  table: AgentTable,
  { event, group, groupPath, node }: AgentHandler,
): Generator<CheckFinding> {
  const entry = entryOf(group, 'matcher');
  const matcher = textAt(group, 'matcher');
  // Of several handlers in a group, only the first reports it.
  if (entry === undefined || matcher === undefined || !isFirst(group, node)) return;
  const found: FindingFactory = (message, fix) => ({
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
  else if (subject !== undefined && !tool) yield* neverSeen(table, event, matcher, accepts, found);
  else if (tool && !/^\*+$/.test(matcher.trim()) && !namesOf(table, event).some(accepts))
    yield* neverCalled(table, event, matcher, found);
}

type FindingFactory = (message: string, fix?: string) => CheckFinding;

/** Explains a matcher that matches no known tool. An unknown name may still be a tool of an extension or a new tool. */
function* neverCalled(
  table: AgentTable,
  event: string,
  matcher: string,
  found: FindingFactory,
): Generator<CheckFinding> {
  const { title } = table;
  const names = namesOf(table, event);
  const [, ruled] = /^\s*([A-Za-z_]\w*)\([^|]*\)\s*$/s.exec(matcher) ?? [];
  if (ruled !== undefined && (names.includes(ruled) || STRANGE.has(ruled)))
    return yield found(
      `${title} knows no permission rules in matchers: it is a regular expression that fits no tool.`,
      names.includes(ruled) ? `Write ${ruled}, and look at the rest in the hook.` : undefined,
    );
  const words = matcher.match(/[A-Za-z_]\w+/g) ?? [];
  if (words.some((word) => names.includes(word))) {
    const parts = matcher.split(',').map((part) => part.trim());
    return yield found(
      'It is one regular expression, and fits no tool.',
      parts.length > 1 && parts.every((part) => /^\w+$/.test(part)) ? `Write ${parts.join('|')}.` : undefined,
    );
  }
  const strangers = words.filter((word) => STRANGE.has(word) || isMcp(word));
  if (strangers.length === 0 || strangers.length < words.length) return yield* misspelt(table, event, matcher, found);
  const renames = isRenamed(table, event);
  for (const word of strangers) {
    const own = isMcp(word) ? [mcpName(table, event)] : renames ? ownNames(table, word) : claudeNames(table, word);
    yield found(
      renames
        ? `${title} has no tool "${word}".`
        : `${title} gives hooks on ${event} Claude Code's names of its tools, and none is "${word}".`,
      own.length > 0 ? `Write ${own.join('|')}, which is what it calls it${renames ? '' : ' there'}.` : undefined,
    );
  }
}

/** Reports names that are nearly the name of one of the agent's tools. */
function* misspelt(table: AgentTable, event: string, matcher: string, found: FindingFactory): Generator<CheckFinding> {
  const sample = mcpName(table, event);
  const names = namesOf(table, event).filter((name) => name !== sample);
  for (const word of namedIn(matcher)) {
    const near = nearest(word, names);
    if (near === undefined) continue;
    yield found(
      `${table.title} has no tool of its own that "${word}" fits.`,
      `Write ${near}, unless a tool of an extension is meant.`,
    );
  }
}

/** The names in a matcher that consists only of names. */
const namedIn = (matcher: string): readonly string[] =>
  /^\^?\(?[\w|]+\)?\$?$/.test(matcher.trim()) ? (matcher.match(/\w+/g) ?? []) : [];

/** Reports words that match no known value of the event and resemble one. */
function* neverSeen(
  table: AgentTable,
  event: string,
  matcher: string,
  accepts: (value: string) => boolean,
  found: FindingFactory,
): Generator<CheckFinding> {
  const known = valuesOf(table, event);
  if (known.length === 0 || matcher.trim() === '' || /^\*+$/.test(matcher.trim())) return;
  const isWhole = namedIn(matcher).length > 0 && PATTERN.test(matcher);
  for (const word of namedIn(matcher)) {
    const fits = isWhole ? readMatcher(table, word, false).accepts : accepts;
    const near = known.some(fits) ? undefined : nearest(word, known);
    if (near !== undefined) yield found(`On ${event} there is no "${word}".`, `Write ${near}.`);
  }
}

/** The values that a matcher is compared with on an event that is not about a tool, in the agent's spelling; empty if any value is possible. */
function valuesOf(table: AgentTable, event: string): readonly string[] {
  const subject = subjectOf(table, event);
  const row = table.events.find(({ name }) => name === event);
  if (subject === undefined || subject === 'tool' || row === undefined) return [];
  if ('word' in subject) return [subject.word];
  const spec = builtInOf(row);
  if (spec?.subjectField !== subject.field) return [];
  return (subjectValues(spec) ?? []).map((value) => theirWord(table, row, subject.field, value));
}

/** Characters that names do not contain. */
const PATTERN = /[|()[\]{}*+?^$\\]/;

/** The tool names of all agents. A name in this set that the file's agent does not have is never called there. */
const STRANGE: ReadonlySet<string> = new Set([
  ...TABLES.flatMap(({ tools }) => Object.entries(tools).flatMap(([name, { ours }]) => [name, ours])),
  ...['Bash', 'MultiEdit', 'NotebookEdit', 'Task', 'TodoWrite', 'LS', 'shell', 'local_shell'],
]);

/** The tool names that matchers of this agent are compared with on the event. */
function namesOf(table: AgentTable, event: string): string[] {
  const { tools, runs } = table;
  const renames = isRenamed(table, event);
  const own = Object.entries(tools).map(([name, tool]) => (renames ? name : claudeName(tool)));
  const aliases = Object.values(runs?.matching.aliases ?? {}).flat();
  return [...own, ...aliases, mcpName(table, event)];
}

/** The agent's name for the tool "tool" of the MCP server "server". If there are several forms, the first is the usual one. */
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

/**
 * An agent's own names for a tool that is given by Claude Code's name. Names of tools that do only a part of it (`view_image` of Codex reads images) are
 * left out.
 */
function ownNames({ tools }: AgentTable, word: string): string[] {
  const all = Object.entries(tools).filter(([name]) => name !== word);
  const same = all.filter(([, { ours, meant }]) => ours === word || meant === word);
  const isWhole = same.some(([, { oneWay }]) => oneWay !== true);
  return (isWhole ? same : all.filter(([, { also = {} }]) => Object.hasOwn(also, word))).map(([name]) => name);
}

function claudeNames({ tools }: AgentTable, word: string): string[] {
  const tool = Object.hasOwn(tools, word) ? tools[word] : undefined;
  return tool === undefined ? [] : [claudeName(tool)];
}
