import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeError } from '../../files/json-file.js';
import { plainJson } from '../../plain.js';
import type { RecordStore } from '../../store/store.js';
import type { Terminal } from '../terminal.js';
import type { TraceEvent } from '../trace/event.js';
import { Trace } from '../trace/trace.js';
import type { RecordFilter } from './filter.js';
import type { Mask } from './masked.js';

export interface TraceParts {
  readonly store: RecordStore;
  readonly filter: RecordFilter;
  readonly mask: Mask;
  /** Also what no filter is about: hooks of another program. */
  readonly isAll: boolean;
  readonly terminal: Terminal;
  /** undefined: standard output. */
  readonly out: string | undefined;
}

/** Writes a trace file, record by record. Resolves to how many slices there are. Throws FILE. */
export async function writeTrace({ store, filter, mask, isAll, terminal, out }: TraceParts): Promise<number> {
  const writer = out === undefined ? printer(terminal) : fileWriter(out);
  const waiting: TraceEvent[] = [];
  let slices = 0;
  const trace = new Trace({
    write: (event) => void waiting.push(event),
    isShown: (record) => (record.type === 'system' ? isAll : filter.match(record) === 'yes'),
    text: mask.text,
  });
  await filter.learnFrom(store, terminal.signal);
  let before = '{"displayTimeUnit":"ms","traceEvents":[\n';
  for await (const record of store.records({ ...filter.query, types: [...KINDS] })) {
    if (terminal.gone || terminal.signal.aborted) break;
    trace.take(record);
    for (const event of waiting.splice(0)) {
      if (event.ph === 'X') slices += 1;
      await writer.write(before + plainJson(event));
      before = ',\n';
    }
  }
  await writer.write(before === ',\n' ? '\n]}\n' : `${before}]}\n`);
  await writer.end();
  return slices;
}

const KINDS = ['system', 'hook_fire', 'tool_call', 'hook_alarm'] as const;

interface Writer {
  write(text: string): Promise<void>;
  end(): Promise<void>;
}

/** Line by line, as everything is printed. */
function printer(terminal: Terminal): Writer {
  let held = '';
  const print = async (text: string): Promise<void> => {
    const end = text.lastIndexOf('\n');
    if (end < 0) {
      held += text;
      return;
    }
    const line = held + text.slice(0, end);
    held = text.slice(end + 1);
    if (!terminal.gone) await terminal.print(line);
  };
  return { write: print, end: async () => undefined };
}

/** Only its owner may read it, as the store that it comes from. */
function fileWriter(file: string): Writer {
  const stream = createWriteStream(file, { mode: 0o600 });
  let problem: Error | undefined;
  stream.on('error', (error) => {
    problem = error;
  });
  const check = (): void => {
    if (problem !== undefined) throw writeError(file, problem);
  };
  return {
    async write(text) {
      check();
      if (stream.write(text)) return;
      await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => undefined);
      check();
    },
    async end() {
      stream.end();
      if (!stream.closed) await once(stream, 'close').catch(() => undefined);
      check();
    },
  };
}
