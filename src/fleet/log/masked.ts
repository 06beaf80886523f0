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
export class MaskedLog {
  readonly #recent: Sink;
  #redactor: Redactor = createRedactor();
  /** What masks that were not known when a line was written are; undefined: there are none. */
  #again: Redactor | undefined;

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
    const isAny = [options.keys, options.paths, options.patterns].some((of = []) => of.length > 0);
    this.#again = isAny ? createRedactor({ ...options, shapes: false }) : undefined;
  }

  /** A line that was written under other masks, by those of now; what is masked stays as it is. undefined: it cannot be sent. */
  again(line: Buffer): Buffer | undefined {
    if (this.#again === undefined) return line;
    const { redacted, ...record } = JSON.parse(line.toString('utf8')) as HookRecord;
    const masked = this.#again.redact(record as HookRecord);
    if (masked === record) return line;
    const { key, count = 0 } = masked.redacted ?? {};
    const sum = { key: redacted?.key ?? key, count: count + (redacted?.count ?? 0) };
    return lineOf({ ...masked, redacted: sum } as HookRecord)?.subarray(0, -1);
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
