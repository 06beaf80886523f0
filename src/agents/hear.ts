import { beginning } from '../emit/redact/total.js';
import type { Cause } from '../events/failure.js';
import { isObject, type Json } from '../values/shape.js';
import type { Answer } from './codec.js';
import { at } from './path.js';
import { foldOf } from './rows.js';
import type { DroppedAnswer, HookRuntime, OutputReader } from './running.js';
import type { AgentTable, EventRow, Sayable, Words } from './table.js';

/** The raw result of a hook's process. */
export interface ProcessResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Absent if the process was killed. */
  readonly exitCode?: number | undefined;
}

/** A hook's answer as the agent interprets it. */
export interface HeardAnswer {
  readonly answer: Answer;
  /** Set if the hook failed, or the agent ignores a part of the answer. The rest of the answer still counts. */
  readonly failure?: { readonly cause: Cause; readonly message: string };
  readonly warnings: readonly string[];
}

type HeardDraft = { -readonly [K in keyof Answer]: Answer[K] };
const NOTHING: HeardAnswer = Object.freeze({ answer: {}, warnings: [] });
const failed = (cause: Cause, message: string, answer: Answer = {}): HeardAnswer => ({
  answer,
  failure: { cause, message },
  warnings: [],
});

/** Interprets exit code, JSON and plain text by the agent's own rules. */
export function hear(table: AgentTable, row: EventRow, said: ProcessResult): HeardAnswer {
  const { hearing } = table.runs as HookRuntime;
  const text = said.stdout.trim();
  const json = hearing.json === 'any' || said.exitCode === 0 ? objectIn(text, hearing) : undefined;
  if (json !== undefined) return hearJson({ table, row, hearing }, json);
  if (said.exitCode !== 0) return hearExit({ table, row, hearing }, said);
  if (text === '') return NOTHING;
  if (looksLikeJson(text)) {
    return failed('bad_json', `${table.title} cannot read what it printed as one JSON object: ${short(text)}`);
  }
  return hearing.plain?.includes(row.name) ? { answer: { additionalContext: [text] }, warnings: [] } : NOTHING;
}

interface HearContext {
  readonly table: AgentTable;
  readonly row: EventRow;
  readonly hearing: OutputReader;
}

function hearExit({ table, row, hearing }: HearContext, { stdout, stderr, exitCode }: ProcessResult): HeardAnswer {
  const { exit } = hearing;
  const killed = exitCode === undefined;
  const cause = killed ? 'signal' : exitCode === 127 || exitCode === 126 ? 'spawn_failed' : 'exit_code';
  const printed = (exit.text === 'either' && stdout.trim()) || stderr.trim();
  const how = killed ? 'It was killed' : `It exited with code ${exitCode}`;
  const message = printed === '' ? `${how}.` : `${how}: ${short(printed)}`;
  const inRange = killed ? exit.killed === true : exitCode >= exit.from && exitCode <= exit.to;
  const refusal = inRange && (exit.on === 'all' || foldOf(row) === 'gate') ? refusalOn(row) : undefined;
  const reason = exit.text === undefined ? '' : printed;
  if (refusal === undefined || (exit.needed && reason === '')) return failed(cause, message);
  const answer = refuse(refusal, reason === '' ? `${row.name} hook of ${table.title}: ${message}` : reason);
  // An exit code that is meant as a denial is not a failure.
  return exitCode === 2 ? { answer, warnings: [] } : failed(cause, message, answer);
}

/** Which part expresses a refusal on the event; undefined if the agent has none. */
function refusalOn({ says }: EventRow): 'deny' | 'block' | 'continue' | undefined {
  // Only a part that the agent understands directly can be meant by an exit code.
  return (['deny', 'block', 'continue'] as const).find((what) => says[what] !== undefined && 'say' in says[what]);
}

function refuse(what: 'deny' | 'block' | 'continue', reason: string): Answer {
  if (what === 'deny') return { verdict: 'deny', reason };
  return what === 'block' ? { blocked: true, reason } : { continues: true, reason };
}

function hearJson(listening: HearContext, json: Json): HeardAnswer {
  const { table, row, hearing } = listening;
  const why = whyVoid(listening, json);
  const title = table.title;
  if (why !== undefined) return failed('bad_schema', `${title} drops the whole answer for ${why}.`);
  const draft: HeardDraft = {};
  for (const [what, words] of wordsOf(listening, json)) {
    const found = meet(words, json, hearing.bare);
    if (found !== undefined) take(draft, what, words, found);
  }
  const beyond = hearing.beyond?.find((one) => concerns(one, row) && applies(one, json));
  if (beyond) return failed('bad_schema', `${beyond.why}, which can be done in ${title} alone.`, draft);
  const no = unheardNo(draft, json);
  if (no !== undefined)
    return failed('bad_schema', `${title} does not hear ${no} on ${row.name}, or not in these words.`, draft);
  return { answer: draft, warnings: [] };
}

/** All answers that the agent understands on the event. */
function* wordsOf({ row, hearing }: HearContext, json: Json): Generator<readonly [Sayable, Words]> {
  for (const [what, entry] of Object.entries(row.says) as [Sayable, EventRow['says'][Sayable]][]) {
    if (entry === undefined) continue;
    if ('say' in entry) yield [what, entry];
    else if ('as' in entry && entry.attended) yield [what, { say: entry.attended }];
    else if (what === 'stop' && 'silent' in entry) yield [what, STOP];
  }
  for (const { what, words, on, unless } of hearing.also ?? []) {
    if (on !== undefined ? !on.includes(row.name) : what !== 'message' && row.says[what] === undefined) continue;
    if (unless === undefined || at(json, unless) === undefined) yield [what, words];
  }
}

function whyVoid({ row, hearing }: HearContext, json: Json): string | undefined {
  if (hearing.fields !== undefined) {
    const fields = [...(hearing.fields['*'] ?? []), ...(hearing.fields[row.name] ?? [])];
    const inner = json['hookSpecificOutput'];
    const names = [...Object.keys(json), ...(isObject(inner) ? Object.keys(inner).map((key) => `.${key}`) : [])];
    const unknown = names.find((name) => !fields.includes(name));
    if (unknown !== undefined)
      return `the field "${unknown.replace(/^\./, 'hookSpecificOutput.')}", which it does not know on ${row.name}`;
    if (inner !== undefined && (!isObject(inner) || inner['hookEventName'] === undefined))
      return 'a "hookSpecificOutput" without "hookEventName"';
  }
  return hearing.voids?.find((one) => concerns(one, row) && applies(one, json))?.why;
}

const concerns = ({ on }: DroppedAnswer, { name }: EventRow): boolean => on === undefined || on.includes(name);
const applies = ({ words, unless }: DroppedAnswer, json: Json): boolean =>
  meet(words, json, true) !== undefined && (unless === undefined || at(json, unless) === undefined);

interface MatchedFields {
  reason?: string;
  value?: unknown;
}

/** Matches an answer against a template; undefined if it does not match. `bare`: the answer may lack a reason. */
function meet({ say }: Words, json: Json, bare: boolean): MatchedFields | undefined {
  const found: MatchedFields = {};
  return meetWithin(say, json, bare && hasLiteral(say), found) ? found : undefined;
}

function meetWithin(say: Json, json: Json, bare: boolean, found: MatchedFields): boolean {
  return Object.entries(say).every(([key, word]) => {
    const value = Object.hasOwn(json, key) ? json[key] : undefined;
    if (isObject(word)) return isObject(value) && meetWithin(word, value, bare, found);
    if (word === '$reason' || word === '$reason?' || word === '$text') {
      const text = typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
      found.reason ??= text as string;
      return text !== undefined || (bare && word !== '$text') || word === '$reason?';
    }
    if (word !== '$value' && word !== '$string') return value === word;
    if (word === '$string' && typeof value !== 'string') return false;
    found.value = value;
    return value !== undefined && value !== null;
  });
}

const hasLiteral = (say: Json): boolean =>
  Object.values(say).some((word) => (isObject(word) ? hasLiteral(word) : !String(word).startsWith('$')));

const RANK = ['allow', 'ask', 'defer', 'deny'] as const;

function take(draft: HeardDraft, what: Sayable, { say }: Words, { reason, value }: MatchedFields): void {
  switch (what) {
    case 'allow':
    case 'ask':
    case 'defer':
    case 'deny':
      if (draft.verdict !== undefined && RANK.indexOf(draft.verdict as 'deny') >= RANK.indexOf(what)) return;
      draft.verdict = what;
      break;
    case 'block':
      draft.blocked = true;
      break;
    case 'continue':
      draft.continues = true;
      break;
    case 'stop':
      draft.continue = false;
      if (reason !== undefined) draft.stopReason = reason;
      return;
    case 'interrupt':
      draft.interrupt = true;
      return;
    case 'rewrite':
      // A new input on gate events, a new output on others; `foreignHandler` tells them apart.
      draft.updatedInput = value;
      return;
    case 'value':
      draft.value = underItsName(say, value);
      break;
    case 'context':
      draft.additionalContext = [reason as string];
      return;
    case 'message':
      draft.systemMessages = [reason as string];
      return;
    default:
      return;
  }
  if (reason !== undefined) draft.reason = reason;
}

/** The value under the key that the template gives it. */
function underItsName(say: Json, value: unknown): Json {
  const inner = isObject(say['hookSpecificOutput']) ? say['hookSpecificOutput'] : say;
  const key = Object.keys(inner).find((name) => inner[name] === '$value' || inner[name] === '$string') as string;
  return { [key]: value };
}

const NO: readonly (readonly [path: string, values: readonly unknown[]])[] = [
  ['decision', ['deny', 'block', 'ask']],
  ['permissionDecision', ['deny', 'ask', 'defer']],
  ['hookSpecificOutput.permissionDecision', ['deny', 'ask', 'defer']],
  ['hookSpecificOutput.decision.behavior', ['deny']],
  ['behavior', ['deny']],
  ['permission', ['deny', 'ask']],
  ['continue', [false]],
];

/** The field of a refusal in another agent's format, which this agent ignores; undefined if there is none. */
export function unheardNo(heard: Answer, json: Json): string | undefined {
  const said = heard.verdict === 'deny' || heard.verdict === 'ask' || heard.blocked || heard.continues;
  if (said || heard.continue === false) return undefined;
  const found = NO.find(([path, values]) => values.includes(at(json, path)));
  return found && `"${found[0].replace(/^.*\./, '')}": ${JSON.stringify(at(json, found[0]))}`;
}

/** The JSON object that a text is. Agents that read JSON at any exit code also accept an object encoded in a JSON string. */
function objectIn(text: string, { json }: OutputReader): Json | undefined {
  try {
    let value: unknown = JSON.parse(text);
    if (typeof value === 'string' && json === 'any') value = JSON.parse(value);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const STOP: Words = { say: { continue: false, stopReason: '$reason?' } };
const looksLikeJson = (text: string): boolean => /^[{[]/.test(text);
const short = (text: string): string => beginning(text, 200);
