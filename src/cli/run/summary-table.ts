import { clip, plain } from '../../plain.js';
import { greatest } from '../../values/append.js';
import type { SummaryRow } from './summary.js';
import type { Paint } from './view.js';

/** The rows as a table, by agent and event; a repeated name is left blank. */
export function summaryTable(rows: readonly SummaryRow[], paint: Paint): string {
  const head = ['agent', 'event', 'hook', 'runs', 'blocked', 'failed', 'p50 ms', 'p95 ms'];
  const cells = rows.map((row, i) => {
    const above = rows[i - 1];
    const sameAgent = above?.agent === row.agent;
    return [
      sameAgent ? '' : plain(row.agent),
      sameAgent && above?.event === row.event ? '' : plain(row.event),
      clip(row.hook.replace(/^hookscope-plugin-/, ''), 40),
      ...[row.runs, row.blocked, row.failed].map(String),
      ...[row.p50, row.p95].map((ms) => (ms === undefined ? '-' : milliseconds(ms))),
    ];
  });
  const widths = head.map((title, i) =>
    greatest(
      title.length,
      cells.map((line) => (line[i] as string).length),
    ),
  );
  const pad = (text: string, i: number): string =>
    i < 3 ? text.padEnd(widths[i] as number) : text.padStart(widths[i] as number);
  const line = (texts: readonly string[]): string => texts.map(pad).join('  ').trimEnd();
  return [paint('bold', line(head)), ...cells.map(line)].join('\n');
}

function milliseconds(ms: number): string {
  return ms.toFixed(ms < 10 ? 1 : 0);
}
