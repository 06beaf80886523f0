import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '../../events/outcome.js';

/** The longest text that is handed on as it is, in characters (docs/semantics.md 8). */
const LIMIT = 10_000;
const PREVIEW = 2_000;
const TEXTS = ['reason', 'stopReason', 'systemMessage', 'additionalContext'] as const;
/** The keys such a text may have in the output itself, and the objects they may be in. */
const KEYS: readonly string[] = [...TEXTS, 'permissionDecisionReason', 'message'];
const HOLDERS: readonly string[] = ['hookSpecificOutput', 'decision'];

/** Long texts of hooks: kept whole in a file, handed on as a preview with its path. */
export interface LargeOutput {
  shorten(outcome: Outcome): Outcome;
  /** One text: as it is, or its preview. */
  text(text: string): string;
  /** Deletes what was saved, of which nothing is masked, with the host. */
  clear(): void;
  /** From now on it outlives the host: an agent of another process will read it. */
  keep(): void;
}

/** The folder is made when first needed, readable by this user alone. */
export function createSpill(report: (message: string) => void): LargeOutput {
  let folder: string | undefined;
  let count = 0;
  let kept = false;
  const save = (text: string): string | undefined => {
    try {
      if (folder === undefined) {
        folder = mkdtempSync(join(tmpdir(), 'hookscope-'));
        // Of a host that nobody closes.
        process.on('exit', clear);
      }
      const path = join(folder, `output-${++count}.txt`);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      report(`A hook's long output could not be saved: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const clear = (): void => {
    process.off('exit', clear);
    if (folder !== undefined && !kept) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  };
  return {
    clear,
    keep() {
      kept = true;
    },
    text: (text) => (text.length > LIMIT ? preview(text, save(text)) : text),
    shorten(outcome) {
      const { reason, stopReason, systemMessage, additionalContext } = outcome;
      if (!(isTooLong(reason) || isTooLong(stopReason) || isTooLong(systemMessage) || isTooLong(additionalContext)))
        return outcome;
      const previews = new Map<string, string>();
      for (const key of TEXTS) {
        const text = outcome[key];
        if (text === undefined || text.length <= LIMIT || previews.has(text)) continue;
        previews.set(text, preview(text, save(text)));
      }
      const short: { -readonly [K in keyof Outcome]: Outcome[K] } = { ...outcome };
      // Also in the output, so that what is recorded and handed on is what was decided by.
      short.output = replaced(outcome.output, previews);
      for (const key of TEXTS) if (outcome[key] !== undefined) short[key] = previews.get(outcome[key]) ?? outcome[key];
      return short;
    },
  };
}

const isTooLong = (text: string | undefined): boolean => text !== undefined && text.length > LIMIT;

type Output = Outcome['output'];

function replaced(output: Output, previews: ReadonlyMap<string, string>): Output {
  const part = (key: string, value: unknown): unknown => {
    if (typeof value === 'string') return KEYS.includes(key) ? (previews.get(value) ?? value) : value;
    const holds = HOLDERS.includes(key) && typeof value === 'object' && value !== null;
    return holds ? replaced(value as Output, previews) : value;
  };
  return Object.fromEntries(Object.entries(output).map(([key, value]) => [key, part(key, value)]));
}

function preview(text: string, path: string | undefined): string {
  const where = path ? `Full output saved to: ${path}` : 'The full output could not be saved';
  return `Output too large (${text.length} characters). ${where}\n\nPreview:\n${text.slice(0, PREVIEW).replace(/[\uD800-\uDBFF]$/, '')}`;
}
