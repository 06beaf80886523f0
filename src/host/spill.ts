import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '../events/outcome.js';

/** The longest text that is handed on as it is, in characters (SEMANTICS 8). */
const LIMIT = 10_000;
const PREVIEW = 2_000;
const TEXTS = ['reason', 'systemMessage', 'additionalContext'] as const;

/** Long texts of hooks: kept whole in a file, handed on as a preview with its path. */
export interface Spill {
  shorten(outcome: Outcome): Outcome;
}

/** The folder is made when first needed, readable by this user alone. */
export function createSpill(report: (message: string) => void): Spill {
  let folder: string | undefined;
  let count = 0;
  const save = (text: string): string | undefined => {
    try {
      folder ??= mkdtempSync(join(tmpdir(), 'hookscope-'));
      const path = join(folder, `output-${++count}.txt`);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      report(`A hook's long output could not be saved: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  return {
    shorten(outcome) {
      if (!TEXTS.some((key) => (outcome[key]?.length ?? 0) > LIMIT)) return outcome;
      const short: { -readonly [K in keyof Outcome]: Outcome[K] } = { ...outcome };
      for (const key of TEXTS) {
        const text = outcome[key];
        if (text !== undefined && text.length > LIMIT) short[key] = preview(text, save(text));
      }
      return short;
    },
  };
}

function preview(text: string, path: string | undefined): string {
  const where = path ? `Full output saved to: ${path}` : 'The full output could not be saved';
  return `Output too large (${text.length} characters). ${where}\n\nPreview:\n${text.slice(0, PREVIEW)}`;
}
