import { TABLES } from '../agents/agents.js';
import type { AgentTable } from '../agents/table.js';
import { isRemark } from '../files/json-comments.js';
import { findProblems, isSettingsFile } from '../foreign/parse.js';
import { nearest } from '../values/nearest.js';
import { formatPath } from '../values/problem.js';
import { checkMatcher } from './check-agent-matchers.js';
import type { CheckFinding, FileCheck } from './checking.js';
import { type AgentHandler, handlersOf, items } from './files/agent-handlers.js';
import type { SourceFile } from './files/source-file.js';
import { entryOf, type ObjectNode, plainData, spanAt, type TreeEntry, textOf } from './files/tree.js';

/** Checks a file of another agent against that agent's table. */
export const checkAgentFile: FileCheck = function* (file) {
  const table = TABLES.find(({ name }) => name === file.agent);
  const { root } = file.parsed;
  if (table === undefined || root?.kind !== 'object') return;
  const told = [...checkAgent(table, root, file)];
  yield* told;
  yield* checkLoaded(
    table,
    root,
    file,
    new Set(told.filter(({ rule }) => rule === 'agent-file').map(({ where }) => formatPath(where))),
  );
};

function* checkAgent(table: AgentTable, root: ObjectNode, file: SourceFile): Generator<CheckFinding> {
  if (!isSettingsFile(file.path)) yield* checkRoot(table, root);
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
}

/** Reports the loader's errors at places for which there is no other finding. */
function* checkLoaded(
  table: AgentTable,
  root: ObjectNode,
  { path: name }: SourceFile,
  told: ReadonlySet<string>,
): Generator<CheckFinding> {
  const { files, title } = table;
  for (const { level, path, message } of findProblems(table, plainData(root), name)) {
    if (level !== 'error' || told.has(formatPath(path))) continue;
    const effect = files.root.others === 'void' ? ` ${title} drops the whole file.` : '';
    const said = `${message.charAt(0).toUpperCase()}${message.slice(1)}.${effect}`;
    yield { rule: 'agent-file', at: spanAt(root, path), where: path, message: said };
  }
}

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
  if (isNote(key)) return;
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

/** The names of events with flat lists of handlers. For events with Claude Code's spelling, some agents also accept its groups. */
const FLAT = /^[a-z]/;

/** A comment, or a key that people use for one. */
const isNote = (key: string): boolean => isRemark(key) || /^(?:comment|description|id|name|note)$/.test(key);

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
    if (files.keys.includes(key) || runs?.others?.includes(key) || isNote(key)) continue;
    const near = nearest(key, files.keys);
    const message = `${title} does not read "${key}" of a hook.${near ? ` Did you mean "${near}"?` : ''}`;
    yield { rule, at: keySpan, where: [...path, key], message };
  }
}

/** Programs rarely start within this many milliseconds. */
const SHORT_MS = 1_000;
const LONG_S = 3_600; // Nobody waits longer than this many seconds.

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
