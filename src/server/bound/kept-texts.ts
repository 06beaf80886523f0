import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { textDiff } from '../../files/text-diff.js';
import { MEND_BIT } from '../../trust/changes.js';
import { sha256 } from '../../values/sha256.js';
import { type Bindings, type BoundFiles, FATES, fateOf, hashOf, PACKAGE, statOf } from './files.js';
import { executablesOf, hashesOf, hasStopped } from './scripts.js';

/** Of larger files, and of more bytes in all, only size and hash are known. */
const LARGEST = 64 * 1024;
const MOST = 4 * 1024 * 1024;
/** The most lines and characters of a difference that are shown. */
const LINES = 60;
const LENGTH = 8_000;

/** The texts of bound files as they were bound, to show what has changed since. They are in memory only. */
export class KeptTexts {
  readonly #texts = new Map<string, string>();
  readonly #executables: ReadonlySet<string>;
  readonly #files: BoundFiles;
  #bytes = 0;

  constructor({ files, scripts }: Bindings) {
    for (const [path, { sha256: hash, leads }] of Object.entries(files))
      if (leads === undefined) this.#keep(path, hash);
    for (const [path, hash] of hashesOf(scripts)) this.#keep(path, hash);
    this.#executables = executablesOf(scripts);
    this.#files = files;
  }

  /** Keeps a text, unless the file has changed since it was bound. */
  #keep(path: string, hash: string | null): void {
    const found = hash === null || path.endsWith(PACKAGE) || this.#texts.has(path) ? undefined : contentOf(path);
    if (found?.text === undefined || sha256(found.bytes) !== hash || this.#bytes + found.bytes.length > MOST) return;
    this.#bytes += found.bytes.length;
    this.#texts.set(path, found.text);
  }

  /** What has changed in a file, in lines: a difference of texts, else the size and the hash that it has now. `mask` masks secrets. */
  async change(path: string, mask: (text: string) => string): Promise<string> {
    const what = await this.#changeOf(path, mask);
    return hasStopped(path, this.#executables) ? `it can no longer be executed: ${MEND_BIT}\n${what}` : what;
  }

  async #changeOf(path: string, mask: (text: string) => string): Promise<string> {
    const bound = this.#files[path];
    const fate = fateOf(path, bound);
    if (fate === 'closed') return `it ${FATES.closed}; if you accept it as it is, its hook fails on every call`;
    if (fate !== 'changed') return `it ${FATES[fate]}`;
    if (path.endsWith(PACKAGE) || bound?.leads !== undefined) return 'files of the package';
    const now = contentOf(path);
    if (now === undefined) return `${statOf(path)?.size} bytes, SHA-256 ${hashOf(path) ?? 'unknown'}`;
    const before = this.#texts.get(path);
    if (before === undefined || now.text === undefined)
      return `${now.bytes.length} bytes, SHA-256 ${sha256(now.bytes)}`;
    if (before === now.text) return 'its text is the same';
    // Masked before they are compared, because a mark before a line may hide a secret from the mask.
    const diff = await textDiff(basename(path), mask(before), mask(now.text));
    return diff === '' ? 'only what is masked' : shortened(diff);
  }
}

interface FileContent {
  readonly bytes: Buffer;
  /** Absent: it is no text. */
  readonly text?: string;
}

/** The content of a file that is not too large. */
function contentOf(path: string): FileContent | undefined {
  try {
    const stats = statSync(path);
    // A pipe can be read only once, and may never end.
    if (!stats.isFile() || stats.size > LARGEST) return undefined;
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    return text.includes('\0') || !Buffer.from(text).equals(bytes) ? { bytes } : { bytes, text };
  } catch {
    return undefined;
  }
}

function shortened(diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const some = lines.slice(0, LINES).join('\n').slice(0, LENGTH);
  return lines.length > LINES || some.length === LENGTH ? `${some}\n… (${lines.length} lines in all)` : some;
}
