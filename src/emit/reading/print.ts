import { styleText } from 'node:util';
import { clip, column, plain } from '../../plain.js';
import { skipWords } from '../../scopes/skip.js';
import { greatest } from '../../values/append.js';
import { NotLoaded } from '../../values/not-loaded.js';
import { checkKeys, checkOption, type Keys } from '../../values/options.js';
import { own } from '../../values/own.js';
import { checks, isObject, isText, type Json, type OptionCheck } from '../../values/shape.js';
import type { FireRecord, HandlerRecord } from '../fire-record.js';
import type { HookProgress, HookRecord, HookResponse, HookStarted } from '../record.js';
import { REDACT_OPTION, type RedactOptions } from '../redact/options.js';
import { type Redactor, redactorOf } from '../redact/redactor.js';
import { leftOut } from '../redact/total.js';
import { callWords, duration, handlerNames, headline, type PrintPaint, VERDICT_STYLE } from './headline.js';
import { valueIn } from './value.js';

/** How records are formatted for people. */
export interface PrintOptions {
  /** Colour; default false. The caller is the one who knows its terminal and NO_COLOR. */
  readonly color?: boolean;
  /** The `time` from which offsets are shown, such as the first record's. Default: the time of day (UTC) instead of an offset. */
  readonly since?: string;
  /** Masks secrets before formatting: options, or the result of `createRedactor`. Default: with this machine's key. `false` masks nothing. */
  readonly redact?: Redactor | RedactOptions | false;
  /** The subject that follows the event's name in a fire record; default: the input's `tool_name`. */
  readonly subject?: (event: string, input: Readonly<Record<string, unknown>>) => string | undefined;
}

const PRINT: Keys<PrintOptions> = { color: checks.flag, since: checks.text, subject: checks.fn, redact: REDACT_OPTION };

const RECORD: OptionCheck = {
  expected: 'a record of a host',
  accepts: (v) => isObject(v) && isText(v['type']) && isText(v['time']),
};
const FIRE_RECORD: OptionCheck = {
  expected: 'the record of a fire, whose type is "hook_fire"',
  accepts: (v) => RECORD.accepts(v) && (v as Json)['type'] === 'hook_fire',
};

/** One record as one line: time, agent or scope, event and subject, handler, outcome, duration. */
export function formatRecord(told: HookRecord, options: PrintOptions = {}): string {
  checkKeys(options, PRINT, 'formatRecord: ');
  checkOption('formatRecord(record)', told, RECORD);
  const record = masked(told, options);
  if (typeof record === 'string') return record;
  const paint = painter(options);
  const when = paint(
    'dim',
    options.since === undefined ? record.time.slice(11, 23) : offset(options.since, record.time),
  );
  if (record.type === 'system' && record.subtype === 'control_problem') {
    const what = paint('yellow', clip(record.message, 160));
    return [when, column(record.peer, 14), column(record.subtype, 24), column(record.problem, 24), what].join('  ');
  }
  const who = column(record.agent_id ?? record.scope, 14);
  if (record.type === 'hook_alarm') {
    const about = column(`${record.evidence}:${record.tool_name}`, 24);
    return [when, who, about, paint('red', column(record.alarm, 24)), paint('red', clip(record.message, 160))].join(
      '  ',
    );
  }
  if (record.type === 'tool_call') {
    const about = column(`${record.tool_name} ${record.tool_use_id}`, 24);
    return [when, who, about, paint('bold', column('tool call', 24)), callWords(record, paint)].join('  ');
  }
  if (record.type === 'hook_fire') {
    return [
      when,
      who,
      column(title(record, options), 24),
      paint('bold', column('=', 24)),
      headline(record, paint),
    ].join('  ');
  }
  return [when, who, column(record.hook_name, 24), column(record.name, 24), runWord(record, paint)].join('  ');
}

/** A fire as a block: the decision, then every registered handler with its answer or the reason why it did not run. */
export function formatFire(told: FireRecord, options: PrintOptions = {}): string {
  checkKeys(options, PRINT, 'formatFire: ');
  checkOption('formatFire(record)', told, FIRE_RECORD);
  const record = masked(told, options);
  if (typeof record === 'string') return record;
  const paint = painter(options);
  const names = handlerNames(record);
  const width = Math.min(
    40,
    greatest(
      0,
      record.handlers.map((handler) => plain(handler.name).length),
    ),
  );
  const lines = record.handlers.map((handler) => {
    const from = column(`${handler.handler} ${handler.source.kind}`, 18);
    const warnings = (handler.warnings ?? []).map((text) => `\n    ${paint('yellow', `warning: ${clip(text, 160)}`)}`);
    return `  ${column(handler.name, width)}  ${paint('dim', from)}  ${handlerLine(handler, record, paint)}${warnings.join('')}`;
  });
  const what = record.decision.fold === 'replace' ? 'value' : 'rewrite';
  for (const { winner, loser } of record.conflicts) {
    lines.push(
      `  ${paint('yellow', `conflict: the ${what} of ${names(winner)} stands, that of ${names(loser)} was dropped`)}`,
    );
  }
  if (record.out_of_scope > 0)
    lines.push(
      `  ${paint('dim', `${record.out_of_scope > 1 ? 'up to ' : ''}${record.out_of_scope} more in other scopes`)}`,
    );
  if (record.policies?.length) lines.push(`  ${paint('dim', `under ${policiesOf(record)}`)}`);
  const scope = `in ${plain(record.scope)}${record.scope_known ? '' : ' (a scope nobody opened)'}`;
  return [
    `${paint('bold', title(record, options))}  ${headline(record, paint)}  ${paint('dim', scope)}`,
    ...lines,
  ].join('\n');
}

/** The record as it may be shown. If what masks it cannot be loaded: a line without its texts, so that a subscriber that prints does not throw. */
function masked<R extends HookRecord>(told: R, { redact }: PrintOptions): R | string {
  try {
    return (redactorOf(redact)?.redact(told) ?? told) as R;
  } catch (error) {
    if (!(error instanceof NotLoaded)) throw error;
    const event = 'event' in told ? told.event : told.type;
    const verdict = told.type === 'hook_fire' && 'verdict' in told.decision ? `  ${told.decision.verdict}` : '';
    return plain(`${told.time.slice(11, 23)}  ${event}${verdict}  ${leftOut(error)}`);
  }
}

/** The policies of a fleet that were in force. */
function policiesOf({ policies = [] }: FireRecord): string {
  const all = policies.map(({ channel, revision, sequence }) =>
    plain(revision === undefined ? `${channel}: no policy` : `${channel} ${revision} (${sequence})`),
  );
  return all.join(', ');
}

function runWord(record: HookStarted | HookProgress | HookResponse, paint: PrintPaint): string {
  if (record.subtype === 'hook_started') return paint('dim', 'started');
  if (record.subtype === 'hook_progress') return paint('dim', `… ${clip(record.output.trimEnd(), 80)}`);
  const verdict =
    record.decision === undefined ? '' : ` ${paint(own(VERDICT_STYLE, record.decision), record.decision)}`;
  const failure = record.failure === undefined ? '' : ` ${record.failure.cause}: ${clip(record.failure.message, 80)}`;
  const status = paint(record.outcome === 'success' ? 'green' : 'red', record.outcome);
  return `${status}${verdict}${failure} ${paint('dim', duration(record.duration_ms))}`;
}

function handlerLine(handler: HandlerRecord, record: FireRecord, paint: PrintPaint): string {
  const took = handler.duration_ms === undefined ? '' : ` ${paint('dim', duration(handler.duration_ms))}`;
  const again = handler.reasked ? ` ${paint('dim', `(asked again ${handler.reasked}x)`)}` : '';
  if (handler.status === 'skipped') {
    const reason = clip(skipWords(handler.reason), 120);
    const because = handler.why ?? handler.matcher ?? handler.rule ?? reason;
    return paint('dim', `did not run: ${reason}${because === reason ? '' : ` (${clip(because, 120)})`}`);
  }
  if (handler.status === 'background') return `runs on in the background${took}`;
  if (handler.status === 'failed') {
    const { cause = 'unknown', message = '' } = handler.failure ?? {};
    return `${paint('red', `failed: ${cause}`)}: ${clip(message, 120)}${again}${took}`;
  }
  const said = handler.verdict ?? (valueIn(record, handler) === undefined ? 'no opinion' : 'gave a value');
  return `${paint(own(VERDICT_STYLE, handler.verdict ?? ''), said)}${again}${took}`;
}

function title(record: FireRecord, { subject = toolName }: PrintOptions): string {
  const about = subject(record.event, record.input);
  return plain(about === undefined ? record.event : `${record.event}:${about}`);
}

function toolName(_event: string, input: Readonly<Record<string, unknown>>): string | undefined {
  return typeof input['tool_name'] === 'string' ? input['tool_name'] : undefined;
}

export function painter({ color = false }: PrintOptions): PrintPaint {
  // Without `validateStream: false`, `styleText` would check the terminal itself; the caller has decided already.
  return (style, text) => (color && style !== undefined ? styleText(style, text, { validateStream: false }) : text);
}

function offset(since: string, time: string): string {
  return `+${((Date.parse(time) - Date.parse(since)) / 1000).toFixed(3)}s`;
}
