import { duration } from '../../emit/reading/headline.js';
import type { FireRecord, HandlerRecord } from '../../emit/record.js';
import { INTERPRETER_DOUBT } from '../../events/failure.js';
import { clip, plain } from '../../plain.js';
import { isInTheWay, skipWords } from '../../scopes/skip.js';
import { percentile } from '../../why/meaning.js';
import { mendFor } from '../../why/mends.js';
import { whyNotAsked } from '../../why/not-asked.js';
import { listed, placeOf } from '../../why/words.js';
import type { DoctorFinding } from './finding.js';

export interface HandlerInFire {
  readonly record: FireRecord;
  readonly handler: HandlerRecord;
}

/** What records show about one hook on one event. */
export interface EventHealth {
  readonly event: string;
  /** What tells it from other hooks. */
  readonly key: string;
  listed: number;
  ran: number;
  /** How long each run took that was ended from outside: whoever asked went away (Ctrl-C), or its host was closed. */
  readonly cut: number[];
  failed: number;
  /** How often it ran in a process of its own call, since there was no server. */
  alone: number;
  /** How often it blocked by what looks like an error of its interpreter. */
  doubted: number;
  readonly times: number[];
  readonly skips: Map<string, number>;
  readonly causes: Map<string, number>;
  last: HandlerInFire;
  /** The last fire that it was skipped for, about something whose name differs from one of its matcher only in case. */
  meant?: HandlerInFire;
  lastFailed?: HandlerInFire;
  lastDoubted?: HandlerInFire;
}

/** How often a hook must have been skipped before it is reported. */
const OFTEN = 5;

/** `EventHealth` with its secrets masked. */
interface MaskedHealth extends Omit<EventHealth, 'lastFailed' | 'lastDoubted'> {
  /** Its name, and its place as it is told from others. */
  readonly who: string;
  readonly lastFailed: HandlerRecord | undefined;
  readonly lastDoubted: HandlerRecord | undefined;
}

/** What is to be said of a hook. `slow`: from this 95th percentile on it is slow, in milliseconds. `records`: the option by which commands read the same records. */
export function judged(shown: MaskedHealth, slow: number, records: string): DoctorFinding[] {
  if (shown.ran === 0) return neverRan(shown, records);
  // A run that was cut short says nothing about the hook beside others.
  const ended = { ...shown, ran: shown.ran - shown.cut.length };
  if (ended.ran === 0) return neverEnded(shown);
  return [...failing(ended), ...doubtful(ended), ...slowness(ended, slow)];
}

function neverEnded({ who, event, ran, cut, last }: MaskedHealth): DoctorFinding[] {
  if (ran === 1) return [];
  return [
    {
      level: 'remark',
      about: 'hook',
      text: `${who} has never answered on ${plain(event)}: each of the ${ran} times it ran, whoever asked went away or its host was closed first; it had up to ${duration(Math.max(...cut))}.`,
      fix: `If it hangs, correct it in ${placeOf(last.handler)}; with a shorter timeout it fails by itself, and its failure policy decides.`,
    },
  ];
}

function neverRan({ who, event, listed: often, skips, last }: MaskedHealth, records: string): DoctorFinding[] {
  const reasons = [...skips].sort(([, a], [, b]) => b - a);
  const [[reason = ''] = []] = reasons;
  const wrong = isInTheWay(reason);
  if (!wrong && often < OFTEN) return [];
  const words = reasons.map(([name, times]) => `${plain(skipWords(name))}${reasons.length > 1 ? ` (${times})` : ''}`);
  const { change } = whyNotAsked(last.record, last.handler, records);
  return [
    {
      level: wrong ? 'problem' : 'remark',
      about: 'hook',
      text: `${who} never ran, although ${plain(event)} was fired ${times(often)} while it was registered: ${listed(words)}.`,
      fix: reason === 'matcher' || reason === 'if' ? `If it should have run: ${lower(change)}` : change,
    },
  ];
}

function failing({ who, event, ran, failed, causes, lastFailed }: MaskedHealth): DoctorFinding[] {
  if (lastFailed === undefined) return [];
  const always = failed === ran;
  const names = [...causes].sort(([, a], [, b]) => b - a).map(([cause]) => plain(cause));
  const often = always
    ? ran === 1
      ? 'the one time it ran'
      : `each of the ${ran} times it ran`
    : `${failed} of ${ran} times`;
  const message = lastFailed.failure?.message ?? '';
  return [
    {
      level: always ? 'problem' : 'remark',
      about: 'hook',
      text: `${who} failed ${often} on ${plain(event)} (${listed(names)})${message === '' ? '' : `, the last time with: ${clip(message.trim(), 160)}`}.`,
      fix: `${upper(mendFor(lastFailed, event))}.`,
    },
  ];
}

function doubtful({ who, event, ran, doubted, lastDoubted }: MaskedHealth): DoctorFinding[] {
  if (lastDoubted === undefined) return [];
  const said = clip((lastDoubted.warnings?.find(isDoubt) ?? '').slice(INTERPRETER_DOUBT.length + 1).trim(), 160);
  const [answers, look] = ran === 1 ? ['The one answer', 'looks'] : [`${doubted} of ${ran} answers`, 'look'];
  return [
    {
      // A hook that checks scripts may print the same words as its answer.
      level: 'remark',
      about: 'hook',
      text: `${answers} of ${who} on ${plain(event)} ${look} like an error of its interpreter, not an answer of the hook; exit code 2 blocked all the same. The last: ${said}.`,
      fix: `If so, correct its command in ${placeOf(lastDoubted)} or its script; a relative path leads elsewhere in another folder.`,
    },
  ];
}

/** Whether a warning of a hook says that its block looks like an error of its interpreter. */
export const isDoubt = (warning: string): boolean => warning.startsWith(INTERPRETER_DOUBT);

function slowness({ who, event, times: measured, alone }: MaskedHealth, slow: number): DoctorFinding[] {
  if (measured.length === 0) return [];
  const p95 = percentile(Float64Array.from(measured).sort(), 95);
  if (p95 < slow) return [];
  const runs = measured.length;
  // Of fewer runs the 95th percentile is the longest.
  const took =
    runs === 1 ? 'its one run took' : runs < 20 ? `its ${runs} runs took up to` : '95 of 100 runs take up to';
  const ways = ['Narrow its matcher', 'let it run in the background (async) if it decides nothing'];
  return [
    {
      level: 'remark',
      about: 'hook',
      text: `${who} is slow on ${plain(event)}: ${took} ${duration(p95)}.`,
      fix: `${alone > 0 ? `${ways.join(', ')}, or let a server run it (hookscope serve)` : ways.join(', or ')}.`,
    },
  ];
}

export const times = (often: number): string => (often === 1 ? 'once' : `${often} times`);
const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
