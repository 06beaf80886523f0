import { join } from 'node:path';
import type { HookRecord } from '../../emit/record.js';
import { createRedactor, type Redactor } from '../../emit/redact/redactor.js';
import type { Sink } from '../../emit/sink.js';
import { ndjsonSink } from '../../emit/sinks/ndjson.js';
import { lineOf } from './line.js';

/** Masking options in addition to the defaults. Plain data, since it goes to a thread. */
export interface MaskOptions {
  readonly keys?: readonly string[];
  readonly paths?: readonly string[];
  readonly patterns?: readonly RegExp[];
}

/** The file with a host's newest decisions. */
export const recentIn = (folder: string): string => join(folder, 'recent.ndjson');

/** Masks records, bounds them, and keeps the newest decisions, which a new bundle is compared with. */
export class Masked {
  readonly #recent: Sink;
  #redactor: Redactor = createRedactor();

  constructor(folder: string) {
    this.#recent = ndjsonSink(recentIn(folder), {
      redact: false,
      maxBytes: 4 * 1024 * 1024,
      keep: 1,
      logger: () => undefined,
    });
  }

  mask(options: MaskOptions): void {
    this.#redactor = createRedactor(options);
  }

  /** Records as lines of JSON, as they were emitted; the lines to be sent, and how many cannot be. */
  lines(lines: readonly string[]): { readonly lines: readonly Buffer[]; readonly lost: number } {
    const masked = lines.flatMap((line) => {
      const record = this.#redactor.redact(JSON.parse(line) as HookRecord);
      if (record.type === 'hook_fire') this.#recent.push(record);
      return lineOf(record) ?? [];
    });
    return { lines: masked, lost: lines.length - masked.length };
  }

  async flush(): Promise<void> {
    await this.#recent.flush();
  }

  async close(): Promise<void> {
    await this.#recent.close();
  }
}
