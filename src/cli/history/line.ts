import { callWords, duration, headline, type PrintPaint } from '../../emit/reading/headline.js';
import { painter } from '../../emit/reading/print.js';
import type { HookRecord } from '../../emit/record.js';
import { clip, column, plain } from '../../plain.js';
import { about } from '../../why/about.js';
import { hasRun, isMeant } from '../../why/meaning.js';
import { isSlow } from './filter.js';

export interface LineOptions {
  readonly color: boolean;
  /** The name of the record's agent, coloured by `agentPaint` if given. */
  readonly agent: string;
  readonly agentPaint?: ((text: string) => string) | undefined;
  /** In milliseconds: hooks that took at least this long are named. */
  readonly slow?: number | undefined;
  readonly hook?: string | undefined;
  /** For a call: the name of the hook that decided about it, where it is known. */
  readonly decider?: string | undefined;
  /** Leaves out the day. */
  readonly today?: boolean | undefined;
}

/** A fire, a call or an alarm as one line: when, for whom, about what, the result, and the id to ask about. */
export function recordLine(record: HookRecord, options: LineOptions): string {
  const { agentPaint = (text) => text } = options;
  const paint = painter({ color: options.color });
  const when = options.today ? record.time.slice(11, 23) : record.time.slice(0, 23).replace('T', ' ');
  const parts = [
    paint('dim', plain(when)),
    agentPaint(column(options.agent, 16)),
    column(subjectOf(record), 44),
    outcomeOf(record, options, paint),
    paint('dim', idOf(record)),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function subjectOf(record: HookRecord): string {
  if (record.type === 'hook_fire') return `${record.event} ${about(record)}`.trim();
  if (record.type === 'tool_call') return `call of ${record.tool_name}`;
  return record.type === 'hook_alarm' ? `ALARM ${record.tool_name}` : record.subtype;
}

function outcomeOf(record: HookRecord, { slow, hook, decider }: LineOptions, paint: PrintPaint): string {
  if (record.type === 'hook_alarm') return paint('red', `${record.alarm}: ${clip(record.message, 160)}`);
  if (record.type === 'tool_call') return callWords(record, paint, decider);
  if (record.type !== 'hook_fire') return '';
  const late =
    slow === undefined
      ? []
      : record.handlers.filter((handler) => hasRun(handler) && isMeant(handler, hook) && isSlow(handler, slow));
  const took = late.map(({ name, duration_ms: ms = 0 }) => `${clip(name, 40)} ${duration(ms)}`);
  return [headline(record, paint), ...(took.length > 0 ? [paint('yellow', took.join(', '))] : [])].join('  ');
}

function idOf(record: HookRecord): string {
  if (record.type === 'hook_fire') return shortId(record.fire_id);
  return record.type === 'tool_call' || record.type === 'hook_alarm' ? clip(record.tool_use_id, 60) : '';
}

/** Both ends of an id, by which `why` finds it: the ids of one process differ only at the end. */
export function shortId(id: string): string {
  const [, end = ''] = /^[0-9a-f]{8}-[0-9a-f-]{14}-0*([0-9a-f]{3,12})$/.exec(id) ?? [];
  return end === '' ? clip(id, 60) : `${id.slice(0, 6)}..${end}`;
}

/** Whether the typed text means an id: all of it, its beginning, or both its ends. */
export function isIdLike(id: string, typed: string): boolean {
  const [, start, end] = /^(.*?)(?:\.\.|…)(.*)$/.exec(typed) ?? [];
  if (start === undefined || end === undefined) return id.startsWith(typed);
  return id.length >= start.length + end.length && id.startsWith(start) && id.endsWith(end);
}
