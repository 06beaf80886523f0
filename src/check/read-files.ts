import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import { readBytes } from '../files/json-file.js';
import { type TomlParser, tomlParser } from '../files/toml-tree.js';
import { decodeText } from '../files/utf8.js';
import type { CheckMachine } from './checking.js';
import { findHookFiles, known } from './files/find.js';
import { agentOfPlace, agentOfText, codecOfFile, projectOf } from './files/foreign.js';
import { type FileKind, type FilePlace, placeOf } from './files/kinds.js';
import { brokenSource, readSource, type SourceFile } from './files/source-file.js';
import { entryOf, textOf } from './files/tree.js';
import { frontmatterOf } from './files/yaml-tree.js';

/** The paths to check. */
interface CheckTargets {
  readonly paths: readonly string[];
  readonly hooksFiles?: readonly string[];
  readonly as?: string;
}

/** The files found at the paths. */
export interface ReadFiles {
  readonly files: readonly SourceFile[];
  readonly others: readonly { readonly path: string; readonly agent: string }[];
  readonly elsewhere: readonly string[];
}

export async function readFiles(
  { paths, hooksFiles = [], as }: CheckTargets,
  { cwd, home, managed }: CheckMachine,
): Promise<ReadFiles> {
  const found = new Map<string, FileKind | undefined>();
  const places = paths.map((path) => findHookFiles(resolve(cwd, path)));
  const others = new Map<string, string>();
  const theirs = new Map<string, string>();
  for (const place of places) {
    for (const file of place.files) if (as === undefined) found.set(file, undefined);
    for (const path of place.others) if (as === undefined) others.set(path, agentOfPlace(path) as string);
    if (as !== undefined) for (const path of [...place.files, ...place.others]) theirs.set(path, as);
  }
  for (const path of hooksFiles) found.set(resolve(cwd, path), 'hooks-file');
  const files: SourceFile[] = [];
  // Iterating a Map also visits entries that are added during the iteration.
  for (const [path, kind] of found) {
    const place = placeOf(path, home);
    const file = readAny(path, { ...place, kind: kind ?? place.kind });
    if (!file) continue;
    const agent = file.kind === 'settings' ? agentOfText(file.text) : undefined;
    if (agent !== undefined) others.set(path, agent);
    else files.push(file);
    for (const named of namedBy(file)) if (!found.has(named)) found.set(named, 'plugin');
  }
  for (const [path, agent] of others) {
    const codec = codecOfFile(path, agent);
    if (codec === undefined) continue;
    theirs.set(path, codec);
    others.delete(path);
  }
  for (const [path, agent] of theirs) {
    const place: FilePlace = { kind: 'agent-hooks', project: projectOf(path, home), plugin: undefined, agent };
    const file = readAny(path, place, path.endsWith('.toml') ? await tomlParser() : undefined);
    if (file) files.push(file);
  }
  const searched = places.some((place, i) => place.files[0] !== resolve(cwd, paths[i] as string));
  const more = searched ? ofMachine(home, managed) : [];
  const elsewhere = [...places.flatMap((place) => place.elsewhere), ...more].filter((path) => !found.has(path));
  return { files, others: [...others].map(([path, agent]) => ({ path, agent })), elsewhere: [...new Set(elsewhere)] };
}

/** The files that apply in every project on this machine. */
function ofMachine(home: string | undefined, managed: string): string[] {
  return [
    ...(home === undefined ? [] : known(home)),
    ...known(join(managed, '.')),
    join(managed, 'managed-settings.json'),
  ].filter((path) => existsSync(path));
}

/** Reads a file of any format. A file that cannot be read becomes a finding, so that the others are still checked. */
function readAny(path: string, place: FilePlace, toml?: TomlParser): SourceFile | undefined {
  try {
    const { text, wrong } = decodeText(readBytes(path));
    const file = readSource(path, text, place, toml);
    const isBroken = file !== undefined && wrong !== undefined && wrong.at < endOfHooks(path, text);
    return isBroken ? brokenSource(path, text, place, wrong) : file;
  } catch (error) {
    if (!(error instanceof HookscopeError) || error.code !== 'FILE') throw error;
    return brokenSource(path, '', place, { at: 0, message: (error.details as { problem: string }).problem });
  }
}

/** The offset where the part about hooks ends: for Markdown, the end of the frontmatter. */
function endOfHooks(path: string, text: string): number {
  const front = path.endsWith('.md') ? frontmatterOf(text) : undefined;
  return front === undefined ? text.length : front.start + front.yaml.length;
}

/** The hook files named by a manifest that exist. */
function namedBy({ kind, plugin, parsed }: SourceFile): string[] {
  const hooks = entryOf(parsed.root, 'hooks')?.value;
  if (kind !== 'manifest' || plugin === undefined || hooks === undefined) return [];
  return (hooks.kind === 'array' ? hooks.items : [hooks]).flatMap((node) => {
    const text = textOf(node);
    return text?.endsWith('.json') ? existing(resolve(plugin, text)) : [];
  });
}

function existing(path: string): string[] {
  return existsSync(path) ? [path] : [];
}
