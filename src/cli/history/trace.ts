import { stat } from 'node:fs/promises';
import type { HookRecord } from '../../emit/record.js';
import { HookscopeError } from '../../errors.js';
import { plainJson } from '../../plain.js';
import type { RecordStore } from '../../store/store.js';
import { type OutKind, openOutFile } from '../out-file.js';
import type { Terminal } from '../terminal.js';
import type { TraceEvent } from '../trace/event.js';
import { Trace } from '../trace/trace.js';
import type { RecordFilter } from './filter.js';
import type { RecordMask } from './masked.js';

export interface TraceParts {
  readonly store: RecordStore;
  readonly filter: RecordFilter;
  readonly mask: RecordMask;
  /** No filter was given, so hooks of another program, which no filter can select, are drawn, too. */
  readonly isAll: boolean;
  readonly terminal: Terminal;
  /** undefined: standard output. */
  readonly out: string | undefined;
}

const HEAD = '{"displayTimeUnit":"ms","traceEvents":[\n';
const TRACE: OutKind = {
  name: 'trace of hookscope',
  option: '--out',
  isOurs: (start) => start.startsWith(HEAD.trim()),
};

/** Writes a trace file, record by record. Resolves to how many slices there are. Throws FILE. */
export async function writeTrace(parts: TraceParts): Promise<number> {
  const { out, terminal, store } = parts;
  if (out === undefined) return draw(parts, printer(terminal));
  await checkOther(out, store);
  const file = await openOutFile(out, TRACE);
  try {
    const slices = await draw(parts, (text) => file.write(text));
    if (!terminal.signal.aborted) await file.finish();
    return slices;
  } finally {
    await file.discard();
  }
}

/** The records themselves are never written over, whatever they look like. Throws FILE. */
async function checkOther(out: string, { place }: RecordStore): Promise<void> {
  const [one, other] = await Promise.all([out, place].map((path) => stat(path).catch(() => undefined)));
  if (one === undefined || one.ino !== other?.ino || one.dev !== other.dev) return;
  throw new HookscopeError('FILE', { file: out, problem: 'is what is read; name another file with --out' });
}

async function draw({ store, filter, mask, isAll, terminal }: TraceParts, write: Write): Promise<number> {
  const waiting: TraceEvent[] = [];
  // Records are drawn masked, but the filter judges them as they were stored.
  let told: HookRecord | undefined;
  let slices = 0;
  const trace = new Trace({
    write: (event) => void waiting.push(event),
    isShown: () => (told?.type === 'system' ? isAll : told !== undefined && filter.match(told) === 'yes'),
    text: mask.text,
  });
  await filter.learnFrom(store, terminal.signal);
  let before = HEAD;
  for await (const record of store.records({ ...filter.query, types: [...KINDS] })) {
    if (terminal.gone || terminal.signal.aborted) break;
    told = record;
    trace.take(mask.record(record));
    for (const event of waiting.splice(0)) {
      if (event.ph === 'X') slices += 1;
      await write(before + plainJson(event));
      before = ',\n';
    }
  }
  await write(before === ',\n' ? '\n]}\n' : `${before}]}\n`);
  return slices;
}

const KINDS = ['system', 'hook_fire', 'tool_call', 'hook_alarm'] as const;

type Write = (text: string) => Promise<void>;

/** Prints whole lines, since the terminal adds a line break to each text. */
function printer(terminal: Terminal): Write {
  let held = '';
  return async (text) => {
    const end = text.lastIndexOf('\n');
    if (end < 0) {
      held += text;
      return;
    }
    const line = held + text.slice(0, end);
    held = text.slice(end + 1);
    if (!terminal.gone) await terminal.print(line);
  };
}
