import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../values/shape.js';
import { whyUnreadable } from '../values/unreadable.js';
import type { Loss } from './codec.js';
import { fillWords } from './fill-words.js';
import { foldOf } from './rows.js';
import type { AgentTable, EventRow, Sayable, Words } from './table.js';
import { inputToTheirs, type ToolWas, untoldIn } from './tools/tools.js';
import type { Directive } from './wishes.js';

/** An answer under construction: the parts still to be sent, and those that could not be expressed. */
export interface AnswerDraft {
  readonly table: AgentTable;
  readonly row: EventRow;
  readonly attended: boolean;
  /** The call that was decided. */
  readonly input: Json | undefined;
  readonly wishes: Map<Sayable, Directive>;
  readonly losses: Loss[];
}

export const lose = (draft: AnswerDraft, what: string, why: string): void => void draft.losses.push({ what, why });

/** Drops a rewrite that equals the present value. */
export function dropUnchanged({ row, input = {}, wishes }: AnswerDraft): void {
  const wish = wishes.get('rewrite');
  if (wish === undefined) return;
  const before = foldOf(row) === 'gate' ? [input['tool_input']] : [input['tool_response'], input['error']];
  if (before.some((one) => one !== undefined && isDeepStrictEqual(wish.value, one))) wishes.delete('rewrite');
}

/** If a rewritten input cannot be expressed, the original must not run in its place: the call is denied, unless the agent asks its user in any case. */
export function keepRewrite(draft: AnswerDraft): void {
  const { wishes, row, table } = draft;
  const entry = row.says.rewrite;
  const value = wishes.get('rewrite')?.value;
  const untold = untoldOf(draft, value);
  const verdict = (['defer', 'ask', 'allow'] as const).find((what) => wishes.has(what) && isSpoken(draft, what));
  if (wishes.has('deny')) return void wishes.delete('rewrite');
  if (untold === undefined && entry !== undefined && 'say' in entry) {
    const needed = entry.needs === undefined || verdict === entry.needs;
    if (needed && (verdict === undefined || goesWith(entry, verdict))) return;
  }
  wishes.delete('rewrite');
  const isAsked = row.says.ask !== undefined && 'silent' in row.says.ask;
  const beside = untold === undefined && verdict === 'ask' ? ' together with "ask"' : '';
  const why = `${table.title} cannot be told of another ${untold?.what ?? 'input'} on ${row.name}${beside}`;
  lose(draft, 'rewrite', isAsked ? `${why}: the user is asked about the one there is` : `${why}: the call is denied`);
  const reasons = isAsked
    ? []
    : [
        `A hook would have run this with another input, which ${table.title} cannot be told of here${untold?.why ?? ''}.`,
      ];
  for (const what of ['allow', 'ask', 'defer'] as const) {
    const wish = wishes.get(what);
    if (wish === undefined) continue;
    wishes.delete(what);
    lose(draft, what, `${table.title} would run the input there is`);
    // The reason of an allow does not explain a denial.
    if (what !== 'allow' && wish.text !== undefined) reasons.unshift(wish.text);
  }
  if (!isAsked) wishes.set('deny', { what: 'deny', text: reasons.join('\n') });
}

/** The part of a rewritten input that this agent could not receive even on events that accept rewrites. */
function untoldOf({ table, row, input }: AnswerDraft, value: unknown): { what: string; why?: string } | undefined {
  const before = input?.['tool_input'];
  const key = input && isObject(value) && isObject(before) ? untoldIn(value, before, wasOf(input)) : undefined;
  if (key !== undefined) return { what: `"${key}" for this call` };
  const { rewrite } = row.says;
  const said =
    rewrite && 'say' in rewrite ? fillWords(rewrite.say, { reason: '', given: '', value, string: '' }) : value;
  const why = whyUnreadable(said, table.limits.levels);
  return why === undefined ? undefined : { what: `input (${why})`, why: `: ${why}` };
}

/** Whether the answer states this part explicitly, rather than by silence. */
function isSpoken({ row, attended }: AnswerDraft, what: Sayable): boolean {
  const entry = row.says[what];
  return entry !== undefined && ('say' in entry || ('as' in entry && attended && entry.attended !== undefined));
}

export const goesWith = ({ beside = [] }: Words, other: Sayable): boolean => beside === '*' || beside.includes(other);

const wasOf = (input: Json): ToolWas => (isObject(input['via']) ? input['via'] : {});

/** The loss when the agent merges a rewritten input into the old one, so that dropped keys stay. */
export const keptLoss = (title: string, keys: readonly string[]): Loss => ({
  what: 'rewrite',
  why: `${title} puts it over the old input: ${keys.join(', ')} stay${keys.length === 1 ? 's' : ''}`,
});

/** A rewritten input or output under the agent's own names. */
export function rewritten(draft: AnswerDraft, wish: Directive, entry: Words): Directive {
  const { table, row, input } = draft;
  const { value } = wish;
  if (foldOf(row) !== 'gate' || !isObject(value) || input === undefined) return wish;
  const own = inputToTheirs(value, wasOf(input));
  if (entry.merges) {
    const before = input['tool_input'];
    const kept = isObject(before) ? Object.keys(before).filter((key) => !Object.hasOwn(value, key)) : [];
    if (kept.length > 0) draft.losses.push(keptLoss(table.title, kept));
  }
  return { ...wish, value: own };
}
