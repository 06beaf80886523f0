import type { FireRecord, HandlerRecord } from '../emit/fire-record.js';
import type { HookRecord, HookResponse } from '../emit/record.js';
import { CATALOGUE, type HookEvent } from '../events/catalogue.js';
import { isObject } from '../values/shape.js';

/** The end of a hook's run in the background. */
export interface LateEnd {
  readonly row: HandlerRecord;
  readonly response: HookResponse;
  /** The texts that the model gets in the next turn. */
  readonly context: readonly string[];
  /** Whether the hook answered or printed anything. */
  readonly spoke: boolean;
}

type Records = { readonly record: FireRecord; readonly records: readonly HookRecord[] };

/** The ends of a fire's background runs. They come after the fire's record, in which these hooks have the status `background`. */
export function lateEnds({ record, records }: Records): LateEnd[] {
  return record.handlers.flatMap((row) => {
    if (row.status !== 'background') return [];
    const response = records.findLast(
      (one): one is HookResponse =>
        one.type === 'system' &&
        one.subtype === 'hook_response' &&
        one.fire_id === record.fire_id &&
        one.handler_id === row.id,
    );
    if (response === undefined) return [];
    const said = saidBy(response);
    // What an observer says is only recorded.
    const context = row.phase === 'observe' ? [] : contextIn(said, response);
    return [{ row, response, context, spoke: said !== undefined }];
  });
}

/** The hook's answer or output; undefined if there is none, or only a request to run in the background. */
function saidBy({ output, stdout }: HookResponse): unknown {
  const text = stdout.trim() || output.trim();
  try {
    const found: unknown = JSON.parse(text);
    if (!isObject(found)) return found ?? undefined;
    const { async: _, asyncTimeout: __, ...said } = found;
    return Object.keys(said).length === 0 ? undefined : said;
  } catch {
    return stdout.trim() || undefined;
  }
}

function contextIn(said: unknown, { hook_event }: HookResponse): string[] {
  if (typeof said === 'string') return CATALOGUE[hook_event as HookEvent]?.plainStdout === 'context' ? [said] : [];
  if (!isObject(said)) return [];
  const { hookSpecificOutput, systemMessage } = said;
  const specific = isObject(hookSpecificOutput) ? hookSpecificOutput : said;
  const texts = [specific['additionalContext'] ?? said['additionalContext'], systemMessage];
  return texts.filter((text) => typeof text === 'string');
}

/** One line for each end, without times. */
export function lateLines(records: Records): string {
  return lateEnds(records)
    .map(({ row, response: { failure }, context }) => {
      const how = failure === undefined ? 'ended' : `failed (${failure.cause}): ${failure.message}`;
      const told = context.length === 0 ? '' : `, context: ${JSON.stringify(context)}`;
      return `\n  ${row.name} ${how} in the background${told}`;
    })
    .join('');
}
