import { dirname } from 'node:path';
import { TABLES } from '../../agents/agents.js';
import { misplacedIn } from '../../claude-code/files/misplaced.js';
import { CLAUDE_EVENTS, specOf } from '../../events/catalogue.js';
import type { Dialect, EventSpec } from '../../events/spec.js';
import type { Path } from '../../files/json-file.js';
import type { TomlParser } from '../../files/toml-tree.js';
import { parseJsonTree } from './json-tree.js';
import type { FileKind, FilePlace } from './kinds.js';
import {
  createLines,
  entryOf,
  type ObjectNode,
  type ParsedFile,
  plainData,
  type TreeEntry,
  type TreeNode,
  textAt,
} from './tree.js';
import { frontmatterOf, holdsHooks, parseYamlTree } from './yaml-tree.js';

/** A parsed but unchecked file with hooks. */
export interface SourceFile extends FilePlace {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly dialect: Dialect;
  readonly parsed: ParsedFile;
  /** The sets of hooks with their positions. There is one, unless a configuration has `spawnHooks`. */
  readonly sets: readonly { readonly path: Path; readonly node: TreeNode }[];
  readonly groups: readonly GroupNode[];
  readonly handlers: readonly HandlerNode[];
  lineOf(offset: number): { line: number; column: number };
}

/** A `{ matcher, hooks }` object of a file. */
export interface GroupNode {
  readonly event: string;
  /** Undefined if the event is unknown. */
  readonly spec: EventSpec | undefined;
  readonly path: Path;
  readonly node: ObjectNode;
  readonly matcher: TreeEntry | undefined;
  readonly handlers: readonly HandlerNode[];
}

export interface HandlerNode {
  readonly event: string;
  readonly spec: EventSpec | undefined;
  readonly path: Path;
  readonly node: ObjectNode;
  readonly type: string | undefined;
  /** The matcher of the group. */
  readonly matcher: string | undefined;
}

/** Parses a text as a file of this kind; undefined for a Markdown file whose frontmatter has no hooks. */
export function readSource(path: string, text: string, place: FilePlace, toml?: TomlParser): SourceFile | undefined {
  const parsed = toml === undefined ? parse(path, text, place) : parseTomlTree(toml, text);
  return parsed && sourceOf(path, text, place, parsed);
}

/** A file that exists but cannot be read. It has only one error, the reason, at its offset in the text that could be decoded. */
export function brokenSource(
  path: string,
  text: string,
  place: FilePlace,
  { at, message }: { readonly at: number; readonly message: string },
): SourceFile {
  const errors = [{ start: at, end: at + 1, message: `It cannot be read: ${message}` }];
  return sourceOf(path, text, place, { root: undefined, errors });
}

function sourceOf(path: string, text: string, place: FilePlace, parsed: ParsedFile): SourceFile {
  const sets = setsOf(parsed.root, place.kind);
  const groups = sets.flatMap((set) => groupsOf(set.node, set.path));
  const dialect: Dialect = place.kind === 'config' || place.kind === 'hooks-file' ? 'code' : 'claude';
  const handlers = groups.flatMap((group) => group.handlers);
  return { ...place, path, text, dialect, parsed, sets, groups, handlers, lineOf: createLines(text) };
}

function parse(path: string, text: string, { agent }: FilePlace): ParsedFile | undefined {
  const table = agent === undefined ? undefined : TABLES.find(({ name }) => name === agent);
  if (!path.endsWith('.md')) return parseJsonTree(text, table?.connect.reads);
  const front = frontmatterOf(text);
  if (!front || !holdsHooks(front.yaml)) return undefined;
  const parsed = parseYamlTree(front.yaml, front.start);
  const { root, errors } = parsed;
  // Only a text in it looks like hooks.
  const hasNone = root && errors.length === 0 && !entryOf(root, 'hooks');
  return hasNone && misplacedIn(plainData(root), CLAUDE_EVENTS).length === 0 ? undefined : parsed;
}

function parseTomlTree(toml: TomlParser, text: string): ParsedFile {
  const parsed = toml(text);
  if (!('problem' in parsed)) return { root: parsed.root, errors: [] };
  const { offset, message } = parsed.problem;
  return { root: undefined, errors: [{ start: offset, end: offset + 1, message }] };
}

function setsOf(root: TreeNode | undefined, kind: FileKind): SourceFile['sets'] {
  // Another agent's hooks are read by its own rules.
  if (root?.kind !== 'object' || kind === 'agent-hooks') return [];
  const hooks = entryOf(root, 'hooks');
  if (hooks && kind === 'manifest') return [...manifestSets(hooks.value, ['hooks'])];
  const own = hooks ? [{ path: ['hooks'], node: hooks.value }] : [];
  if (kind === 'hooks-file') return hooks ? own : [{ path: [], node: root }];
  if (kind !== 'config') return own;
  const spawn = entryOf(root, 'spawnHooks')?.value;
  const spawned = spawn?.kind === 'object' ? spawn.entries : [];
  return [...own, ...spawned.map(({ key, value }) => ({ path: ['spawnHooks', key], node: value }))];
}

/** The sets of hooks in a manifest, which has hooks by event, hooks nested under "hooks", the name of a file, or a list of these. */
function* manifestSets(node: TreeNode, path: Path): Generator<{ path: Path; node: TreeNode }> {
  if (node.kind === 'array') {
    for (const [i, item] of node.items.entries()) if (item.kind === 'object') yield* manifestSets(item, [...path, i]);
    return;
  }
  const inner = entryOf(node, 'hooks');
  if (inner?.value.kind === 'object') yield { path: [...path, 'hooks'], node: inner.value };
  else if (node.kind === 'object') yield { path, node };
}

function groupsOf(hooks: TreeNode, base: Path): GroupNode[] {
  if (hooks.kind !== 'object') return [];
  return hooks.entries.flatMap(({ key: event, value }) => {
    const spec = specOf(event);
    const nodes = value.kind === 'array' ? value.items : [];
    return nodes.flatMap((node, i) =>
      node.kind === 'object' ? [readGroup(node, [...base, event, i], event, spec)] : [],
    );
  });
}

function readGroup(node: ObjectNode, path: Path, event: string, spec: EventSpec | undefined): GroupNode {
  const matcher = entryOf(node, 'matcher');
  const list = entryOf(node, 'hooks')?.value;
  const nodes = list?.kind === 'array' ? list.items : [];
  const handlers = nodes.flatMap((hook, i): HandlerNode[] => {
    if (hook.kind !== 'object') return [];
    const text = textAt(node, 'matcher');
    return [{ event, spec, path: [...path, 'hooks', i], node: hook, type: textAt(hook, 'type'), matcher: text }];
  });
  return { event, spec, path, node, matcher, handlers };
}

/** The folder of a skill. */
export function skillFolder(file: SourceFile): string | undefined {
  return file.kind === 'skill' ? dirname(file.path) : undefined;
}
