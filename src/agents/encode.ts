import { plainJson } from '../plain.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks, isObject, type Json } from '../values/shape.js';
import type { Answer, Encoded, EncodeOptions } from './codec.js';
import { fillWords, mergeWords } from './fill-words.js';
import { type AnswerDraft, dropUnchanged, goesWith, keepRewrite, lose, rewritten } from './rewrites.js';
import { foldOf, inPlaceOfDefer, rowOf } from './rows.js';
import type { AgentTable, EventRow, Instead, Sayable, Says, Words } from './table.js';
import { type Directive, wishesOf } from './wishes.js';

/** The parts that decide what happens; each can carry a reason. */
const VERDICTS: readonly Sayable[] = ['stop', 'deny', 'block', 'continue', 'defer', 'ask', 'allow'];
/** The order in which parts are added to the answer. Of two parts that cannot be combined, the earlier one stays. */
const ORDER: readonly Sayable[] = [...VERDICTS, 'interrupt', 'rewrite', 'value', 'permissions', 'context', 'message'];
const rank = (what: Sayable): number => (ORDER.includes(what) ? ORDER.indexOf(what) : ORDER.length);
const NO_REASON: Readonly<Partial<Record<Sayable, string>>> = {
  continue: 'A hook wants this to go on, and gave no reason.',
  stop: 'A hook ended this, and gave no reason.',
  value: 'A hook answered in its place, and gave no reason.',
};
const DENIED = 'A hook refused this, and gave no reason.';

const OPTIONS: Keys<EncodeOptions> = { attended: checks.flag, input: checks.object };

/** Translates a decision to the agent's answer, and lists the parts that the agent cannot be told. */
export function encode(table: AgentTable, decision: Answer, event: string, options: EncodeOptions = {}): Encoded {
  checkKeys(options, OPTIONS, 'encode: ');
  const row = rowOf(table, event);
  const draft: AnswerDraft = {
    table,
    row,
    attended: options.attended === true,
    input: options.input,
    wishes: new Map(),
    losses: [],
  };
  const meant = foldOf(row) === 'gate' ? onGate(decision, draft) : decision;
  for (const wish of wishesOf(meant)) draft.wishes.set(wish.what, wish);
  dropUnchanged(draft);
  resolve(draft);
  const said = speak(draft);
  return { stdout: said, stderr: '', exitCode: 0, losses: draft.losses };
}

/** On gate events a block is a denial, and there is no output to rewrite yet. */
function onGate({ blocked, updatedOutput, ...decision }: Answer, draft: AnswerDraft): Answer {
  if (updatedOutput !== undefined) lose(draft, 'rewrite', `there is no output yet on ${draft.row.name}`);
  return blocked === true ? { ...decision, verdict: 'deny' } : decision;
}

const entryOf = ({ row }: AnswerDraft, what: Sayable): Says | undefined => row.says[what];

/** Replaces each part that the agent cannot express by one that it can, never by a weaker one. */
function resolve(draft: AnswerDraft): void {
  const { wishes, row, table } = draft;
  // Once the loop ends, nobody reads a replaced output, so stop covers that part before it is moved elsewhere.
  const stop = wishes.get('stop');
  if (stop !== undefined) cover(draft, stop);
  for (const what of ['suppress', 'defer', 'ask', 'rewrite', 'block', 'stop'] as const) {
    const wish = wishes.get(what);
    const entry = entryOf(draft, what);
    if (wish === undefined) continue;
    if (what === 'defer' && entry === undefined) move(draft, wish, inPlaceOfDefer(row, table.title));
    else if (entry !== undefined && 'as' in entry && !(draft.attended && entry.attended)) move(draft, wish, entry);
  }
  if (wishes.has('rewrite') && foldOf(draft.row) === 'gate') keepRewrite(draft);
  for (const wish of [...wishes.values()]) cover(draft, wish);
}

/** Drops the parts that this one makes redundant, and takes over their reasons. */
function cover({ wishes, row }: AnswerDraft, wish: Directive): void {
  const entry = row.says[wish.what];
  if (entry === undefined || !('say' in entry)) return;
  if (entry.needs !== undefined && !wishes.has(entry.needs)) return;
  for (const what of entry.covers ?? []) {
    const covered = wishes.get(what);
    // The reason of an allow does not explain a stop.
    if (covered !== undefined && usesText(entry) && what !== 'allow') wish.text = together(wish.text, covered.text);
    wishes.delete(what);
  }
}

/** The distinct non-empty texts, joined by newlines; undefined if there is none. */
function together(...texts: readonly (string | undefined)[]): string | undefined {
  const said = new Set(texts.filter((one) => one !== undefined && one !== ''));
  return said.size === 0 ? undefined : [...said].join('\n');
}

function move(draft: AnswerDraft, wish: Directive, { as, why, text }: Instead): void {
  const { wishes, table, row } = draft;
  wishes.delete(wish.what);
  const said = row.says[as] !== undefined && !('none' in row.says[as]);
  lose(draft, wish.what, said ? why : `${table.title} has no word for it on ${row.name}`);
  if (!said) return;
  // An output that is to be hidden must not be replaced by a rewritten one.
  if (wish.what === 'suppress') wishes.delete('rewrite');
  const target = wishes.get(as) ?? { what: as };
  // A replaced output goes before any other text of the reason.
  const own = wish.value === undefined ? (wish.text ?? text) : textOf(table, wish.value);
  if (as === 'rewrite') target.value = own;
  else target.text = together(own, target.text);
  wishes.set(as, target);
  const next = row.says[as];
  if (next !== undefined && 'as' in next) move(draft, target, next);
}

/** Writes the answer: one line, or an empty string. */
function speak(draft: AnswerDraft): string {
  const { wishes, table, row } = draft;
  const said: { what: Sayable; entry: Words }[] = [];
  let out: Json = {};
  let plain: string | undefined;
  // Texts for a reason must be collected before the reason is written.
  giveReasons(draft);
  for (const wish of [...wishes.values()].sort((a, b) => rank(a.what) - rank(b.what))) {
    const entry = asWords(draft, wish);
    if (entry === undefined) continue;
    if ('plain' in entry) {
      plain = wish.text;
      continue;
    }
    const other = said.find((one) => !goesWith(entry, one.what) && !goesWith(one.entry, wish.what));
    if (other !== undefined) {
      lose(draft, wish.what, `${table.title} was not seen to take it together with "${other.what}"`);
      continue;
    }
    if (entry.needs !== undefined && !said.some((one) => one.what === entry.needs)) {
      lose(draft, wish.what, `${table.title} takes it only together with "${entry.needs}"`);
      continue;
    }
    const own = wish.what === 'rewrite' ? rewritten(draft, wish, entry) : wish;
    const reason = wish.text ?? NO_REASON[wish.what] ?? DENIED;
    const filled = fillWords(entry.say, {
      reason,
      given: wish.text,
      value: own.value,
      string: textOf(table, own.value),
    });
    out = mergeWords(out, filled);
    said.push({ what: wish.what, entry });
    if (entry.loses !== undefined) lose(draft, wish.what, entry.loses);
    if (wish.text !== undefined && !usesText(entry))
      lose(draft, 'reason', `${table.title} takes no reason with "${wish.what}"`);
  }
  if (said.length > 0) {
    if (plain !== undefined) lose(draft, 'context', `${table.title} takes it only where nothing else is said`);
    return `${plainJson(named(out, row))}\n`;
  }
  // A text that begins like JSON would be parsed as JSON.
  if (plain !== undefined && !/^\s*[{[]/.test(plain)) return `${plain}\n`;
  if (plain !== undefined) lose(draft, 'context', 'it begins like JSON, and would be read as such');
  return table.quiet === '' ? '' : `${table.quiet}\n`;
}

/** Context that cannot be sent with a refusal goes into its reason, which the model also reads. */
function giveReasons(draft: AnswerDraft): void {
  const { wishes, row } = draft;
  const main = VERDICTS.map((what) => wishes.get(what)).find((wish) => wish !== undefined);
  const context = wishes.get('context');
  if (main === undefined || context === undefined) return;
  const entry = row.says[main.what];
  const spoken = row.says.context;
  if (entry === undefined || !('say' in entry) || !usesReason(entry)) return;
  if (main.what === 'continue' && main.text === undefined) main.text = context.text as string;
  else if (spoken !== undefined && 'say' in spoken && (goesWith(spoken, main.what) || goesWith(entry, main.what)))
    return;
  else if (spoken !== undefined && 'say' in spoken && goesWith(entry, 'context')) return;
  else main.text = [main.text, context.text].filter((one) => one !== undefined).join('\n');
  wishes.delete('context');
}

const usesReason = ({ say }: Words): boolean => JSON.stringify(say).includes('"$reason"');
const usesText = ({ say }: Words): boolean => /"\$(?:reason\??|text)"/.test(JSON.stringify(say));

/** The agent's entry for this part if it can be sent; otherwise records the loss. */
function asWords(draft: AnswerDraft, { what, text }: Directive): Words | { readonly plain: true } | undefined {
  const { table, row, attended } = draft;
  const entry = entryOf(draft, what);
  if (entry === undefined || 'none' in entry) {
    lose(draft, what, entry?.none ?? `${table.title} has no word for it on ${row.name}`);
    return undefined;
  }
  if ('silent' in entry) {
    if (entry.silent !== true) lose(draft, what, entry.silent);
    else if (text !== undefined) lose(draft, 'reason', `"${what}" is said by silence`);
    return undefined;
  }
  if ('as' in entry) return attended && entry.attended ? { say: entry.attended } : undefined;
  return entry;
}

/** A value as text, for agents that accept only text. */
function textOf({ textKey }: AgentTable, value: unknown): string {
  if (typeof value === 'string') return value;
  const inner = textKey !== undefined && isObject(value) ? value[textKey] : undefined;
  return typeof inner === 'string' ? inner : (JSON.stringify(value) ?? String(value));
}

/** Puts the event's name first into `hookSpecificOutput`. */
function named(out: Json, row: EventRow): Json {
  const { hookSpecificOutput, ...rest } = out;
  if (!isObject(hookSpecificOutput)) return out;
  return { ...rest, hookSpecificOutput: { hookEventName: row.name, ...hookSpecificOutput } };
}
