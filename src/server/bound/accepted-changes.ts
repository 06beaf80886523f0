import { HookscopeError } from '../../errors.js';
import type { AcceptedChange } from '../../trust/acceptances.js';
import { hashFile } from '../../trust/file-hash.js';
import { type Bindings, type BoundFiles, hashOf, hashOfFolder } from './files.js';
import { executablesOf, hashesOf, hasStopped } from './scripts.js';

type Hashes = ReadonlyMap<string, string | null>;

const hashesIn = ({ files, scripts }: Bindings): Hashes =>
  new Map([...hashesOf(scripts), ...Object.entries(files).map(([path, { sha256 }]) => [path, sha256] as const)]);

/** What accepting these files changes: each with its hash as it was bound, and as it is now, and whether it can no longer be executed. */
export function acceptedChanges(paths: readonly string[], bindings: Bindings): AcceptedChange[] {
  const before = hashesIn(bindings);
  const now = (path: string): string | null => {
    const file = bindings.files[path];
    if (file?.leads !== undefined) return hashOfFolder(file.leads);
    return file === undefined ? hashFile(path) : hashOf(path);
  };
  const executables = executablesOf(bindings.scripts);
  return paths.map((what) => {
    const stopped = hasStopped(what, executables) && { executable: false as const };
    return { what, from: before.get(what) ?? null, to: now(what), ...stopped };
  });
}

/** The files with which a server may start: as they were served before, but with what the user was shown. */
export interface ShownFiles {
  readonly hashes: Hashes;
  /** The scripts that could be executed. */
  readonly executables: ReadonlySet<string>;
  /** When they were looked at, in words, such as `while you were asked`. */
  readonly since: string;
}

/** `named`: the files that are named now. */
export function shownBy(
  before: Bindings,
  { changes, named, since }: { changes: readonly AcceptedChange[]; named: BoundFiles; since: string },
): ShownFiles {
  const shown = changes.map(({ what, to }) => [what, to] as const);
  const hashes = new Map([...hashesIn({ files: named, scripts: {} }), ...hashesIn(before), ...shown]);
  const stopped = new Set(changes.flatMap(({ what, executable }) => (executable === false ? [what] : [])));
  const executables = [...executablesOf(before.scripts)].filter((path) => !stopped.has(path));
  return { hashes, executables: new Set(executables), since };
}

/** Throws FILE if a bound file is not as it was shown. What a file names that was not served before was not shown. */
export function checkShown(bindings: Bindings, shown: ShownFiles | undefined): void {
  if (shown === undefined) return;
  for (const [file, hash] of hashesIn(bindings)) {
    if (!shown.hashes.has(file)) continue;
    if (shown.hashes.get(file) === hash && !hasStopped(file, shown.executables)) continue;
    const problem = `it changed ${shown.since}, so nothing is served; start the server again, which asks about it as it is now`;
    throw new HookscopeError('FILE', { file, problem });
  }
}
