import { findSourceMap } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Every file of this package is below this folder, both in the sources and in the build. */
const OWN = /^.*\/(?:src|dist)\//.exec(import.meta.url)?.[0];
/** Enough frames to reach the caller of `register` through a plugin's wrappers. */
const FRAMES = 25;
/** Places already mapped to their line in the source. */
const KNOWN = new Map<string, string>();
const MOST_KNOWN = 1_000;

/** The place in the user's code where hooks are being registered, `guards.ts:12`; `undefined`: none outside this package. */
export function callerPlace(): string | undefined {
  if (OWN === undefined) return undefined;
  const site = callSites().find(isForeign);
  const file = site?.getFileName();
  if (!site || !file) return undefined;
  const [line, column] = [site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0];
  const key = `${file}:${line}:${column}`;
  let place = KNOWN.get(key);
  if (place === undefined) {
    place = sourcePlace(file, line, column) ?? placeAsPrinted(site) ?? `${basename(pathOf(file))}:${line}`;
    if (KNOWN.size >= MOST_KNOWN) KNOWN.clear();
    KNOWN.set(key, place);
  }
  return place;
}

/** Whether a file is outside this package. Cached, because the same few files are in every stack. */
const FOREIGN = new Map<string, boolean>();

/** `callerPlace` for hooks that are read again for every agent: returns the place where they were first registered. */
export function placeOnce(): () => string | undefined {
  let found: { readonly place: string | undefined } | undefined;
  return () => {
    found ??= { place: callerPlace() };
    return found.place;
  };
}

function isForeign(site: NodeJS.CallSite): boolean {
  const file = site.getFileName();
  if (!file) return false;
  let foreign = FOREIGN.get(file);
  if (foreign === undefined) {
    foreign = /^(?:\/|file:|[A-Za-z]:)/.test(file) && !asUrl(file).startsWith(OWN as string);
    if (FOREIGN.size >= MOST_KNOWN) FOREIGN.clear();
    FOREIGN.set(file, foreign);
  }
  return foreign;
}

const asUrl = (file: string): string => (file.startsWith('file:') ? file : `file://${file}`);

/** The structured stack. Formatting it would look up every frame in its source map, and most frames are in this package. */
function callSites(): readonly NodeJS.CallSite[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.prepareStackTrace = (_, sites) => sites;
    Error.stackTraceLimit = FRAMES;
    const { stack } = new Error('where') as { stack?: unknown };
    return Array.isArray(stack) ? stack : [];
  } catch {
    // Error is frozen.
    return [];
  } finally {
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}

/** Uses the file's source map, if the process has source maps enabled (`--enable-source-maps`, tsx). */
function sourcePlace(file: string, line: number, column: number): string | undefined {
  const entry = findSourceMap(file)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return undefined;
  return `${basename(entry.originalSource)}:${entry.originalLine + 1}`;
}

const pathOf = (file: string): string => (file.startsWith('file:') ? fileURLToPath(file) : file);

/** Uses the `prepareStackTrace` of the process: vitest and similar tools install one that knows the source maps of transformed files. */
function placeAsPrinted(site: NodeJS.CallSite): string | undefined {
  const { prepareStackTrace } = Error;
  if (typeof prepareStackTrace !== 'function') return undefined;
  try {
    const printed = String(prepareStackTrace(new Error('where'), [site]));
    const [, file = '', line] = /(?:at |\()((?:file:|\/|[A-Za-z]:)[^()]*):(\d+):\d+\)?$/.exec(printed.trim()) ?? [];
    return line === undefined ? undefined : `${basename(pathOf(file))}:${line}`;
  } catch {
    return undefined;
  }
}
