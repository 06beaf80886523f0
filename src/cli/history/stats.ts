import { whyItself } from '../../emit/reading/own-answer.js';
import type { FireRecord } from '../../emit/record.js';
import { clip, plainJson } from '../../plain.js';
import { greatest } from '../../values/append.js';
import { isMeant } from '../../why/meaning.js';
import { SameHooks } from '../../why/same-hook.js';
import { countedIn, type HookTally, Tallies } from '../../why/tally.js';
import type { Flags } from '../options.js';
import { createPaint, type Paint } from '../run/view.js';
import type { Terminal } from '../terminal.js';
import { optionWith, sameStore } from './again.js';
import { readFilter } from './filter.js';
import { type MaskFlags, maskOf } from './masked.js';
import { type StoreFlags, withStore } from './open.js';

type StatsFlags = StoreFlags & MaskFlags & Flags<'since' | 'until' | 'agent' | 'hook' | 'event' | 'by' | 'json'>;

type GroupKey = NonNullable<StatsFlags['by']>;

export async function statsCommand(_args: readonly string[], flags: StatsFlags, terminal: Terminal): Promise<number> {
  const { by, hook, ...rest } = flags;
  const filter = readFilter(rest);
  const named = readFilter(hook === undefined ? {} : { hook });
  return withStore(flags, terminal, async (store) => {
    const tallies = new Tallies();
    const hooks = new SameHooks();
    let fires = 0;
    const unanswered: string[] = [];
    const rejected = new Set<string>();
    await filter.checkEvent(store);
    await filter.learnFrom(store, terminal.signal, by === 'agent');
    for await (const record of store.records({ ...filter.query, types: ['hook_fire', 'system'] })) {
      if (terminal.signal.aborted) return 0;
      if (record.type === 'system' && record.subtype === 'hook_response') tallies.end(record);
      if (record.type !== 'hook_fire' || filter.match(record) !== 'yes') continue;
      // A fire that was rejected, and hookscope's answer for it, are one.
      if (record.error !== undefined) rejected.add(keyOf(record));
      if (record.unanswered === undefined || !rejected.delete(keyOf(record))) fires += 1;
      if (record.unanswered !== undefined) unanswered.push(record.unanswered);
      named.match(record);
      const group = by === 'agent' ? filter.agentOf(record) : by === 'event' ? record.event : undefined;
      for (const handler of countedIn(record, hooks)) if (isMeant(handler, hook)) tallies.add(record, handler, group);
    }
    const mask = maskOf(flags);
    const rows = tallies.rows().map((row) => ({
      ...row,
      hook: mask.text(row.hook),
      ...(row.place === undefined ? {} : { place: mask.text(row.place) }),
      ...(row.group === undefined ? {} : { group: mask.text(row.group) }),
    }));
    if (flags.json) for (const row of rows) await terminal.print(plainJson(jsonOf(row, by)));
    else if (rows.length > 0) await terminal.print(table(rows, by, createPaint(terminal.color)));
    if (unanswered.length > 0)
      terminal.tell(
        `${unanswered.length} of the ${fires} fires ${unanswered.length === 1 ? 'was' : 'were'} answered by hookscope itself, ${whyItself(unanswered)} (hookscope history --unanswered${mask.text(sameFires(flags))})`,
      );
    if (rows.length > 0) return 0;
    const unknown = named.unknownHook();
    terminal.tell(
      `no hook ran in the ${fires} fires of that kind in ${store.place}${unknown === undefined ? '' : `: ${unknown}`}`,
    );
    return 0;
  });
}

/** The options of another command that is to look at the same fires. */
const sameFires = ({ agent, event, since, until, store }: StatsFlags): string =>
  [
    optionWith('agent', agent),
    optionWith('event', event),
    ...[since, until].map((time, i) =>
      optionWith(i === 0 ? 'since' : 'until', time === undefined ? undefined : new Date(time).toISOString()),
    ),
    sameStore({ store }),
  ].join('');

const keyOf = ({ event, session_id: session, tool_use_id: call }: FireRecord): string =>
  JSON.stringify([event, session, call]);

function jsonOf({ hook, key: _, place, group, ...rest }: HookTally, by: GroupKey | undefined): object {
  return { hook, ...(place === undefined ? {} : { place }), ...(by ? { [by]: group } : {}), ...rest };
}

function table(rows: readonly HookTally[], by: GroupKey | undefined, paint: Paint): string {
  const head = ['hook', ...(by ? [by] : []), 'runs', 'denials', 'failures', 'p50 ms', 'p95 ms', 'p99 ms'];
  const texts = by ? 2 : 1;
  const cells = rows.map((row) => [
    `${clip(row.hook, 48)}${row.place === undefined ? '' : ` (${clip(row.place, 48)})`}`,
    ...(by ? [clip(row.group ?? '', 24)] : []),
    ...[row.runs, row.denials, row.failures].map(String),
    ...[row.p50, row.p95, row.p99].map((ms) => (ms === undefined ? '-' : ms.toFixed(ms < 10 ? 1 : 0))),
  ]);
  const widths = head.map((title, i) =>
    greatest(
      title.length,
      cells.map((line) => (line[i] as string).length),
    ),
  );
  const pad = (text: string, i: number): string =>
    i < texts ? text.padEnd(widths[i] as number) : text.padStart(widths[i] as number);
  const line = (parts: readonly string[]): string => parts.map(pad).join('  ').trimEnd();
  return [paint('bold', line(head)), ...cells.map(line)].join('\n');
}
