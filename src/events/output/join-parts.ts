import type { Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';
import type { Outcome } from './answer.js';
import { strictness } from './helper-keys.js';
import type { OutputShape } from './shape.js';

/** How the parts of an answer are read. */
interface Joining {
  readonly spec: EventSpec;
  readonly shape: OutputShape;
  /** The code dialect, where `continue: false` denies too, and `continue: true` keeps a loop going. */
  readonly fromCode: boolean;
}

/** What the parts say, each read as the answer of a hook, in the event's words: as that many hooks would be heard. */
export function joinParts(how: Joining, parts: readonly Outcome[]): Json {
  const { shape } = how;
  const said = parts.map((part) => withStopDenied(how, part));
  const verdict = strictest(said);
  const isEnd = said.some((part) => part.continue === false);
  const reason = reasonOf(how, said, verdict, isEnd);
  const stopReason = said.find((part) => part.continue === false && part.stopReason !== undefined)?.stopReason;
  const { terminalSequence, ...own } = specificOf(said);
  const inner: Record<string, unknown> = {
    ...given('additionalContext', textOf(said, 'additionalContext', '\n')),
    ...(shape.nested ? nestedOf(shape, said, verdict, reason) : { ...flatOf(how, said, verdict, reason), ...own }),
  };
  return {
    ...given('continue', isEnd ? false : said.find((part) => part.continue)?.continue),
    ...given('stopReason', stopReason),
    ...given('suppressOutput', said.some((part) => part.suppressOutput) || undefined),
    ...given('systemMessage', textOf(said, 'systemMessage', '\n')),
    ...given('terminalSequence', terminalSequence),
    ...(said.some((part) => part.block) && { decision: 'block' }),
    ...(!saysWhyInside(how, verdict) && given('reason', reason)),
    ...(Object.keys(inner).length > 0 && { hookSpecificOutput: inner }),
  };
}

const given = (key: string, value: unknown): Json => (value === undefined ? {} : { [key]: value });

/** On a gate, from code, what ends the loop denies too, for its own reason. */
function withStopDenied({ spec, fromCode }: Joining, part: Outcome): Outcome {
  if (spec.fold !== 'gate' || !fromCode || part.continue !== false || part.verdict === 'deny') return part;
  return { ...part, verdict: 'deny', reason: part.stopReason ?? part.reason };
}

/** Whether the reason of a verdict is said beside it. */
const saysWhyInside = ({ spec, shape }: Joining, verdict: Outcome['verdict']): boolean =>
  shape.nested ? takes(shape, verdict, 'message') : spec.fold === 'gate';

/** Whether a nested verdict has such a key. */
const takes = ({ nested }: OutputShape, verdict: Outcome['verdict'], key: string): boolean =>
  nested?.get(verdict ?? '')?.includes(key) === true;

/** Of equal verdicts the first. */
function strictest(said: readonly Outcome[]): Outcome['verdict'] {
  const words = said.flatMap(({ verdict }) => verdict ?? []);
  return words.reduce<Outcome['verdict']>((a, b) => (strictness(b) > strictness(a) ? b : a), undefined);
}

/** The reason of who decides. Where several block, or keep the loop going, all have a reason. */
function reasonOf(
  { spec, fromCode }: Joining,
  said: readonly Outcome[],
  verdict: Outcome['verdict'],
  isEnd: boolean,
): string | undefined {
  if (spec.fold === 'gate') return said.find((part) => part.verdict === verdict && verdict !== undefined)?.reason;
  if (spec.fold === 'stop' && isEnd) return said.find((part) => part.continue === false)?.reason;
  const keepsOn = (part: Outcome): boolean =>
    spec.fold === 'stop' && (part.additionalContext !== undefined || (fromCode && part.continue === true));
  return textOf(
    said.filter((part) => part.block || keepsOn(part)),
    'reason',
    '\n',
  );
}

function textOf(
  said: readonly Outcome[],
  key: 'reason' | 'additionalContext' | 'systemMessage',
  between: string,
): string | undefined {
  const texts = said.flatMap((part) => part[key] ?? []);
  return texts.length === 0 ? undefined : texts.join(between);
}

/** Lists and what is written to the terminal are joined; of other values the last counts, and of flags that one is set. */
function specificOf(said: readonly Outcome[]): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [key, value] of said.flatMap(({ specific = {} }) => Object.entries(specific))) {
    const before = whole[key];
    if (key === 'terminalSequence') whole[key] = `${before ?? ''}${value}`;
    else whole[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  }
  return whole;
}

function flatOf(
  { spec, shape }: Joining,
  said: readonly Outcome[],
  verdict: Outcome['verdict'],
  reason: string | undefined,
): Json {
  const rewrite = said.findLast((part) => part.rewrite !== undefined)?.rewrite;
  const key = shape.rewrites[0] ?? shape.mcpRewrites[0];
  return {
    ...given('permissionDecision', verdict),
    ...(spec.fold === 'gate' && given('permissionDecisionReason', reason)),
    ...(rewrite && key !== undefined && { [key]: rewrite.value }),
    ...lastValue(shape, said),
  };
}

/** The last value, unless a part blocks. */
function lastValue({ value: keys }: OutputShape, said: readonly Outcome[]): Json {
  const value = said.findLast((part) => part.value !== undefined)?.value;
  if (value === undefined || said.some((part) => part.block)) return {};
  return keys.length === 1 ? { [keys[0] as string]: value } : (value as Json);
}

/** A nested verdict has only what the parts say that give it. */
function nestedOf(
  shape: OutputShape,
  said: readonly Outcome[],
  verdict: Outcome['verdict'],
  reason: string | undefined,
): Json {
  if (verdict === undefined) return {};
  const giving = said.filter((part) => part.verdict === verdict);
  const rewrite = giving.findLast((part) => part.rewrite !== undefined)?.rewrite;
  const interrupt = giving.some((part) => part.specific?.['interrupt'] === true) || undefined;
  const words = {
    ...given('message', reason),
    ...(rewrite && { [shape.rewrites[0] as string]: rewrite.value }),
    ...specificOf(giving),
    ...given('interrupt', interrupt),
  };
  return {
    decision: Object.fromEntries([
      ['behavior', verdict],
      ...Object.entries(words).filter(([key]) => takes(shape, verdict, key)),
    ]),
  };
}
