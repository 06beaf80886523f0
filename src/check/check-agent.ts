import { basename } from 'node:path';
import { TABLES } from '../agents/agents.js';
import { subjectOf } from '../agents/subjects.js';
import type { AgentTable } from '../agents/table.js';
import type { Path } from '../files/json-file.js';
import { readMatcher } from '../foreign/matchers.js';
import { nearest } from '../values/nearest.js';
import type { Check, CheckFinding } from './checking.js';
import type { SourceFile } from './files/source-file.js';
import { entryOf, type ObjectNode, type TreeEntry, type TreeNode, textAt, textOf } from './files/tree.js';

/** A handler in another agent's file, with the group around it where there are groups. */
export interface AgentHandler {
  readonly event: string;
  readonly path: Path;
  readonly node: ObjectNode;
  readonly group: ObjectNode;
  readonly groupPath: Path;
}

/** A file of another agent, by that agent's table. */
export const checkAgentFile: Check = function* (file) {
  const table = TABLES.find(({ name }) => name === file.agent);
  const { root } = file.parsed;
  if (table === undefined || root?.kind !== 'object') return;
  if (!isSettings(file)) yield* checkRoot(table, root);
  const hooks = entryOf(root, 'hooks');
  if (hooks === undefined) return;
  if (hooks.value.kind !== 'object') {
    const message = `${table.title} expects an object by event under "hooks".`;
    yield { rule: 'agent-file', at: hooks.value, where: ['hooks'], message };
    return;
  }
  for (const entry of hooks.value.entries) yield* checkEvent(table, entry);
  for (const handler of handlersOf(file)) {
    yield* checkHandler(table, handler);
    yield* checkTimeout(table, handler);
    yield* checkMatcher(table, handler);
  }
};

/** The handlers of such a file, however they are grouped. */
export function handlersOf({ parsed: { root } }: SourceFile): AgentHandler[] {
  const hooks = entryOf(root, 'hooks')?.value;
  const events = hooks?.kind === 'object' ? hooks.entries : [];
  return events.flatMap(({ key: event, value }) =>
    items(value).flatMap(([group, i]) => {
      const groupPath = ['hooks', event, i];
      const inner = entryOf(group, 'hooks')?.value;
      if (inner === undefined) return [{ event, path: groupPath, node: group, group, groupPath }];
      return items(inner).map(([node, j]) => ({ event, path: [...groupPath, 'hooks', j], node, group, groupPath }));
    }),
  );
}

const items = (node: TreeNode): (readonly [ObjectNode, number])[] =>
  node.kind !== 'array' ? [] : node.items.flatMap((one, i) => (one.kind === 'object' ? [[one, i] as const] : []));

/** A file with other settings in it. */
const isSettings = ({ path }: SourceFile): boolean => /^settings\b|\.toml$/.test(basename(path));

function* checkRoot({ files, title }: AgentTable, root: ObjectNode): Generator<CheckFinding> {
  const rule = 'agent-file';
  if (entryOf(root, 'hooks') === undefined)
    yield {
      rule,
      at: start(root),
      where: [],
      message: `${title} reads hooks under "hooks", and there is no such key.`,
    };
  for (const { key, keySpan } of root.entries) {
    if (files.root.others !== 'void' || key === 'hooks' || files.root.keys.includes(key)) continue;
    const message = `${title} drops the whole file for the key "${key}" at its root.`;
    yield { rule, at: keySpan, where: [key], message, fix: 'Take the key out.' };
  }
  const version = entryOf(root, 'version');
  if (files.version === undefined || (version?.value.kind === 'scalar' && version.value.value === files.version))
    return;
  const message = `${title} wants "version": ${files.version}, ${version ? 'and it is another' : 'and there is none'}.`;
  yield { rule, at: version?.value ?? start(root), where: version ? ['version'] : [], message };
}

const start = ({ start: at }: ObjectNode) => ({ start: at, end: at + 1 });

function* checkEvent(table: AgentTable, { key, keySpan, value }: TreeEntry): Generator<CheckFinding> {
  if (isRemark(key)) return;
  const where = ['hooks', key];
  const rows = table.events.filter(({ name }) => name === key);
  if (rows.length === 0 && value.kind === 'array') {
    const meant = [...new Set(table.events.filter(({ ours, own }) => !own && ours === key).map(({ name }) => name))];
    const near =
      meant[0] ??
      nearest(
        key,
        table.events.map(({ name }) => name),
      );
    const hint = meant.length > 0 ? ` It is ${meant.join(' or ')} there.` : near ? ` Did you mean "${near}"?` : '';
    yield { rule: 'agent-event', at: keySpan, where, message: `${table.title} has no event "${key}".${hint}` };
    return;
  }
  if (rows.length === 0) return;
  if (value.kind !== 'array') {
    yield { rule: 'agent-file', at: keySpan, where, message: `${table.title} expects a list under "${key}".` };
    return;
  }
  const { shape } = table.files;
  for (const [group, i] of items(value)) {
    const isGroup = entryOf(group, 'hooks') !== undefined;
    const wrong = shape === 'groups' ? !isGroup : isGroup && FLAT.test(key);
    const expected =
      shape === 'groups' ? 'groups, { "matcher": …, "hooks": [ … ] }' : 'hooks, without groups around them';
    if (wrong)
      yield {
        rule: 'agent-file',
        at: start(group),
        where: [...where, i],
        message: `${table.title} expects ${expected}.`,
      };
  }
}

/** Under names as Claude Code has them some agents take its groups too. */
const FLAT = /^[a-z]/;

/** Keys that people use for comments in JSON. */
const isRemark = (key: string): boolean => /^(?:\/\/|_|#|\$|(?:comment|description|id|name|note)$)/.test(key);

function* checkHandler({ files, title, runs }: AgentTable, { node, path }: AgentHandler): Generator<CheckFinding> {
  const rule = 'agent-handler';
  const type = entryOf(node, 'type');
  const name = textOf(type?.value);
  if (type && name !== undefined && !files.handlers.includes(name))
    yield {
      rule,
      at: type.value,
      where: [...path, 'type'],
      message: `${title} does not run hooks of the type "${name}", only ${files.handlers.join(', ')}.`,
    };
  for (const { key, keySpan } of node.entries) {
    if (files.keys.includes(key) || runs?.others?.includes(key) || isRemark(key)) continue;
    const near = nearest(key, files.keys);
    const message = `${title} does not read "${key}" of a hook.${near ? ` Did you mean "${near}"?` : ''}`;
    yield { rule, at: keySpan, where: [...path, key], message };
  }
}

/** Programs hardly start within this many milliseconds, and nobody waits for this many seconds. */
const SHORT_MS = 1_000;
const LONG_S = 3_600;

function* checkTimeout(table: AgentTable, { event, node, path }: AgentHandler): Generator<CheckFinding> {
  const { files, title, events } = table;
  const { key, unit } = files.timeout;
  const entry = entryOf(node, key) ?? entryOf(node, 'timeout');
  const value = entry?.value.kind === 'scalar' ? entry.value.value : undefined;
  if (entry === undefined || typeof value !== 'number') return;
  const found = (message: string, fix?: string): CheckFinding => ({
    rule: 'agent-timeout',
    at: entry.value,
    where: [...path, entry.key],
    message,
    fix,
  });
  const most = events.find((row) => row.name === event)?.timeout?.most;
  if (unit === 'ms' && value > 0 && value < SHORT_MS)
    yield found(
      `${title} counts milliseconds: this hook is ended after ${value / 1000} seconds.`,
      `Write ${value * 1000}, if seconds are meant.`,
    );
  else if (unit === 's' && value > LONG_S)
    yield found(
      `${title} counts seconds: this hook may take ${Math.round(value / 60)} minutes.`,
      `Write ${Math.ceil(value / 1000)}, if milliseconds are meant.`,
    );
  else if (most !== undefined && value > most)
    yield found(`${title} waits at most ${most} seconds on ${event}.`, `Write ${most} or less.`);
}

function* checkMatcher(table: AgentTable, { event, group, groupPath, node }: AgentHandler): Generator<CheckFinding> {
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
    const strangers = words.filter((word) => STRANGE.has(word));
    if (strangers.length === 0 || strangers.length < words.length) return;
    for (const word of strangers) {
      const own = ownNames(table, word);
      yield found(
        `${table.title} has no tool "${word}".`,
        own.length > 0 ? `Write ${own.join('|')}, which is what it calls it.` : undefined,
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
function namesOf({ tools, runs, events }: AgentTable, event: string): string[] {
  const renames = events.some((row) => row.name === event && row.matches === 'own');
  const own = Object.entries(tools).flatMap(([name, { ours }]) => (renames || !ours ? [name] : [name, ours]));
  const aliases = Object.values(runs?.matching.aliases ?? {}).flat();
  const plain = renames ? [] : ['Bash'];
  return [...own, ...aliases, ...plain, 'mcp__server__tool', 'server-tool', 'MCP:tool'];
}

function isFirst(group: ObjectNode, node: ObjectNode): boolean {
  const list = entryOf(group, 'hooks')?.value;
  return group === node || (list?.kind === 'array' && list.items[0] === node);
}

/** An agent's own names of a tool given by Claude Code's name; none: it is not such a name, or the agent uses it too. */
function ownNames({ tools }: AgentTable, word: string): string[] {
  return Object.entries(tools).flatMap(([name, { ours }]) => (ours === word && name !== word ? [name] : []));
}
