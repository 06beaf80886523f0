import type { Host } from '../../create-host.js';
import type { HookRecord } from '../../emit/record.js';
import type { Description } from '../../host/types.js';
import { plainJson } from '../../plain.js';
import { agentOf, roleOf } from '../../why/about.js';
import { isBlocked } from '../../why/meaning.js';
import type { Terminal } from '../terminal.js';
import type { RecordedEvent, RecordedSession } from './session-file.js';
import type { RunSummary } from './summary.js';
import { summaryTable } from './summary-table.js';
import { createPaint, createRunView } from './view.js';

/** What is shown during the replay. */
export interface Show {
  session(session: RecordedSession): Promise<void>;
  event(event: RecordedEvent): Promise<void>;
  record(record: HookRecord): void;
  end(): void;
  summary(summary: RunSummary): Promise<void>;
}

/** Every record as one line of JSON, then the summary. */
export function jsonLines(terminal: Terminal): Show {
  let behind = Promise.resolve();
  const line = (value: unknown): Promise<void> => (behind = terminal.print(plainJson(value)));
  return {
    session: async () => undefined,
    event: () => behind,
    record: (record) => void line(record),
    end: () => undefined,
    summary: (summary) => line({ type: 'run_summary', rows: summary.rows() }),
  };
}

/** For people: what ran for whom; on a terminal also the progress. */
export function liveLines(
  host: Host,
  terminal: Terminal,
  sessions: readonly RecordedSession[],
  summary: RunSummary,
  mask: (text: string) => string,
): Show {
  const paint = createPaint(terminal.color);
  const view = createRunView({ paint, describe: () => maskedTree(host.describe(), mask) });
  const total = sessions.reduce((sum, session) => sum + session.events.length, 0);
  const warned = new Set<string>();
  const agents = new Map<string, string>();
  let done = 0;
  let heard = 0;
  let stopped = 0;
  let at = 0;
  let behind = Promise.resolve();
  const clear = (): void => (terminal.live ? terminal.write('\r\u001b[K') : undefined);
  const bar = (): void => (terminal.live ? terminal.write(view.bar(done, total, terminal.columns)) : undefined);
  const print = (text: string): void => {
    clear();
    behind = terminal.print(text);
    bar();
  };
  const tell = (text: string): void => {
    clear();
    terminal.tell(text);
    bar();
  };
  return {
    async session(session) {
      print(`${view.heading(session)}\n${view.legend}`);
    },
    async event(recorded) {
      at = recorded.at;
      done += 1;
      clear();
      bar();
      await behind;
    },
    record(record) {
      if (record.type === 'hook_fire') {
        if (record.handlers.some((handler) => handler.status === 'background'))
          agents.set(record.fire_id, agentOf(record));
        if (isBlocked(record)) stopped += 1;
        const ran = record.handlers.some((handler) => handler.status !== 'skipped');
        if (ran) heard += 1;
        // The start and end of an agent with hooks of its own is worth showing even if no hook ran.
        if (ran || roleOf(record.event) !== undefined) print(view.fire(record, at));
        for (const warning of record.handlers.flatMap((handler) => handler.warnings ?? [])) {
          if (!warned.has(warning)) tell(warning);
          warned.add(warning);
        }
      } else if (record.type === 'system' && record.subtype === 'hook_response' && summary.end(record)) {
        print(view.late(record, agents.get(record.fire_id) ?? 'main'));
      }
    },
    end: clear,
    async summary(counts) {
      const rows = counts.rows();
      await terminal.print(`\n${done} of ${total} events sent, hooks ran on ${heard}, ${stopped} denied or blocked.`);
      if (rows.length > 0) await terminal.print(`\n${summaryTable(rows, paint)}`);
    },
  };
}

/** Masked before names are shortened for display: a hook's name may be a command line that contains a secret. */
function maskedTree(tree: Description, mask: (text: string) => string): Description {
  return JSON.parse(JSON.stringify(tree), (_, value) => (typeof value === 'string' ? mask(value) : value));
}
