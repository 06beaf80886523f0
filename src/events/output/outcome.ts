import type { Json } from '../../values/shape.js';
import { type Dialect, type EventSpec, VERDICTS, type Verdict } from '../spec.js';
import { checkOutput, type OutputReading, whyBad } from './check.js';
import { restricting } from './restricting.js';
import { outputShape } from './shape.js';
import { idleKey, unknownNested } from './warnings.js';
import { canBlock, LEGACY, rewriteKeys, valueAmong } from './what-counts.js';

/** One handler's answer, parsed with the event's schema. Plain data, independent of time, scope and failure policy. */
export interface Outcome {
  /** A plain copy of the handler's output. */
  readonly output: Json;
  /** The output as JSON, if it has been computed already. The output is frozen then. */
  readonly printed?: string | undefined;
  /** On gates: the verdict, which may have a legacy spelling in the output. Absent: no opinion. */
  readonly verdict?: Exclude<Verdict, 'none'> | undefined;
  /** On block and stop events: the answer is block (on stop: keep going). On replace events: the answer is a refusal, which may stand for the event's `blockValue`. */
  readonly block?: true | undefined;
  /** The handler's own value; absent if it gave none. `preventContinuation: true` counts as false. */
  readonly continue?: boolean | undefined;
  readonly stopReason?: string | undefined;
  /** The reason of the verdict that counts: permissionDecisionReason, else decision.message, else reason, else stopReason. Never empty. */
  readonly reason?: string | undefined;
  readonly systemMessage?: string;
  readonly suppressOutput?: boolean;
  readonly additionalContext?: string | undefined;
  /** The new value of the event's `rewrites.field`, which may be null. Absent if none was given. The copy is shared only with `output`. */
  readonly rewrite?: { readonly value: unknown };
  /** On replace events: the new value. */
  readonly value?: unknown;
  /** All other keys of the output: interrupt, updatedPermissions, retry, sessionTitle, watchPaths, terminalSequence … */
  readonly specific?: Json;
  /** Set if the answer is `{ async: true, asyncTimeout? }`. Nothing else is read then. The timeout is in seconds. */
  readonly async?: { readonly timeout?: number };
}

export type ReadOutput = { readonly outcome: Outcome; readonly warnings: readonly string[] } | BadAnswer;

/** A wrong answer. */
export interface BadAnswer {
  readonly bad: string;
  /** What counts of it nevertheless, and its warnings. An allow does not count, since the answer may have meant something stricter. */
  readonly kept?: Outcome;
  readonly warnings?: readonly string[];
}

export interface OutputOptions {
  /** The name that `hookSpecificOutput.hookEventName` must have (for a scope's own Stop: SubagentStop). */
  readonly eventName: string;
  /** Whether `hookEventName` is required, as for command and http hooks. Callbacks may leave it out. */
  readonly nameRequired: boolean;
  /** In the `code` dialect, keys of a gate outside `hookSpecificOutput` are an error; in `claude`, they are unknown keys. Default: `code`. */
  readonly dialect?: Dialect;
  /** Whether the tool is an MCP tool, for which `updatedMCPToolOutput` counts. */
  readonly mcpTool?: boolean;
}

/** Checks the types in one handler's output (after `toJSON`) and reads what it means for this event. Never throws. */
export function readOutput(spec: EventSpec, output: unknown, how: OutputOptions): ReadOutput {
  const warnings: string[] = [];
  try {
    const { eventName, nameRequired, dialect } = how;
    const problems: string[] = [];
    const reading = { spec, shape: outputShape(spec), eventName, nameRequired, dialect, warnings, problems };
    const mcpTool = how.mcpTool === true;
    const outcome = interpret(reading, checkOutput(reading, output), mcpTool);
    const [bad] = problems;
    return bad === undefined ? { outcome, warnings } : badAnswer(bad, kept(reading, outcome, mcpTool), warnings);
  } catch (error) {
    return { bad: whyBad(error) };
  }
}

/** A wrong answer of which this part was read without what is wrong. */
export function readBeside(spec: EventSpec, read: ReadOutput, how: OutputOptions, bad: string): BadAnswer {
  if ('bad' in read) return { bad };
  const { eventName, nameRequired, dialect } = how;
  const reading = { spec, shape: outputShape(spec), eventName, nameRequired, dialect, warnings: [], problems: [] };
  return badAnswer(bad, kept(reading, read.outcome, how.mcpTool === true), read.warnings);
}

function badAnswer(bad: string, outcome: Outcome, warnings: readonly string[]): BadAnswer {
  const saysMore = Object.keys(outcome).some((key) => key !== 'output' && key !== 'reason');
  return saysMore ? { bad, kept: outcome, warnings } : { bad };
}

/**
 * What counts of a wrong answer: of a gate not its allow, and no rewrite that only an allow carries; of another event what restricts, and texts. Its output has what
 * counts alone, since records keep it.
 */
function kept(reading: OutputReading, outcome: Outcome, mcpTool: boolean): Outcome {
  const { spec, eventName } = reading;
  const isGate = spec.fold === 'gate';
  if (outcome.async !== undefined || (isGate && outcome.verdict !== 'allow')) return outcome;
  const { output } = outcome;
  const counts = isGate ? withoutAllow(spec, output) : restricting(spec, eventName, output);
  return interpret({ ...reading, warnings: [] }, counts, mcpTool);
}

function withoutAllow({ nestedDecision }: EventSpec, output: Json): Json {
  const { hookSpecificOutput, ...words } = output;
  const own = without(hookSpecificOutput as Json, nestedDecision ? ['decision'] : FLAT_VERDICT);
  const top = nestedDecision ? words : without(words, LEGACY_VERDICT);
  return Object.keys(own).some((key) => key !== 'hookEventName') ? { ...top, hookSpecificOutput: own } : top;
}

const FLAT_VERDICT = ['permissionDecision', 'permissionDecisionReason'];
const LEGACY_VERDICT = ['decision', 'reason'];

const without = (from: Json | undefined, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(from ?? {}).filter(([key]) => !keys.includes(key)));

type OutcomeDraft = { -readonly [K in keyof Outcome]: Outcome[K] };
const NOTHING: Json = Object.freeze({});

/** Reads an output whose known keys all have the right type. */
function interpret(reading: OutputReading, output: Json, mcpTool: boolean): Outcome {
  if (output['async'] === true) {
    const timeout = output['asyncTimeout'] as number | undefined;
    return { output, async: timeout === undefined ? {} : { timeout } };
  }
  const specific = (output['hookSpecificOutput'] ?? NOTHING) as Json;
  const draft: OutcomeDraft = { output };
  readCommon(draft, output);
  const context = reading.shape.hasContext ? text(specific['additionalContext']) : undefined;
  if (context !== undefined) draft.additionalContext = context;
  if (reading.spec.nestedDecision) readNested(reading, draft, output, specific);
  else {
    readDecision(reading, draft, output, specific);
    readRewrite(reading, draft, specific, mcpTool);
    readExtras(draft, specific, reading.shape.extras);
  }
  return draft;
}

const text = (value: unknown): string | undefined => (value === '' ? undefined : (value as string | undefined));

function readCommon(draft: OutcomeDraft, output: Json): void {
  if (output['continue'] !== undefined) draft.continue = output['continue'] as boolean;
  if (output['suppressOutput'] !== undefined) draft.suppressOutput = output['suppressOutput'] as boolean;
  const stopReason = text(output['stopReason']);
  if (stopReason !== undefined) draft.stopReason = stopReason;
  const systemMessage = text(output['systemMessage']);
  if (systemMessage !== undefined) draft.systemMessage = systemMessage;
  if (output['terminalSequence'] !== undefined) draft.specific = { terminalSequence: output['terminalSequence'] };
}

function readDecision(reading: OutputReading, draft: OutcomeDraft, output: Json, specific: Json): void {
  const { spec, shape, warnings } = reading;
  if (output['preventContinuation'] === true) draft.continue = false;
  const legacy = LEGACY[output['decision'] as string];
  const why = text(output['reason']) ?? draft.stopReason;
  if (spec.fold === 'gate') readGate(draft, shape.hasVerdict ? specific : NOTHING, legacy, why);
  else {
    if (why !== undefined) draft.reason = why;
    if (legacy === 'deny' && canBlock(spec)) draft.block = true;
    else if (legacy === 'deny') warnings.push(idleKey(spec, `decision "${output['decision']}"`));
  }
  if (spec.fold === 'replace') readValue(reading, draft, specific);
}

/** Of the flat and the legacy spelling, the stronger verdict counts, with its own reason. */
function readGate(
  draft: OutcomeDraft,
  specific: Json,
  legacy: 'allow' | 'deny' | undefined,
  why: string | undefined,
): void {
  const flat = specific['permissionDecision'] as Outcome['verdict'];
  const flatWhy = text(specific['permissionDecisionReason']);
  const legacyWins = legacy !== undefined && VERDICTS.indexOf(legacy) > VERDICTS.indexOf(flat ?? 'none');
  const verdict = legacyWins ? legacy : flat;
  if (verdict !== undefined) draft.verdict = verdict;
  const lost = legacy !== undefined && legacy !== verdict;
  const reason = legacyWins ? why : (flatWhy ?? (lost ? draft.stopReason : why));
  if (reason !== undefined) draft.reason = reason;
}

function readValue({ spec, shape }: OutputReading, draft: OutcomeDraft, specific: Json): void {
  if (draft.block && spec.blockValue) {
    draft.value = { ...spec.blockValue };
    return;
  }
  const given = draft.block ? undefined : valueAmong(shape.value, specific);
  if (given !== undefined) draft.value = given.value;
}

function readRewrite(
  { spec, shape, warnings }: OutputReading,
  draft: OutcomeDraft,
  specific: Json,
  mcpTool: boolean,
): void {
  for (const key of rewriteKeys(spec, mcpTool))
    if (key in specific && shape.specific.has(key)) draft.rewrite ??= { value: specific[key] };
  for (const key of mcpTool ? [] : shape.mcpRewrites)
    if (key in specific) warnings.push(`${idleKey(spec, `"${key}"`)} of a tool that is not an MCP tool`);
}

function readExtras(draft: OutcomeDraft, from: Json, keys: readonly string[]): void {
  for (const key of keys) {
    if (from[key] !== undefined) draft.specific = { ...draft.specific, [key]: from[key] };
  }
}

/** Reads `hookSpecificOutput.decision { behavior, … }` and ignores the flat and legacy spellings. */
function readNested(reading: OutputReading, draft: OutcomeDraft, output: Json, specific: Json): void {
  const { spec, shape, warnings } = reading;
  for (const key of ['decision', 'preventContinuation']) {
    if (output[key] !== undefined) warnings.push(idleKey(spec, `"${key}" at top level`));
  }
  const decision = (specific['decision'] ?? NOTHING) as Json;
  const behavior = decision['behavior'] as 'allow' | 'deny' | undefined;
  const known = shape.nested?.get(behavior ?? '') ?? [];
  const message = known.includes('message') ? text(decision['message']) : undefined;
  const reason = message ?? text(output['reason']) ?? draft.stopReason;
  if (reason !== undefined) draft.reason = reason;
  if (behavior === undefined) return;
  draft.verdict = behavior;
  for (const key of Object.keys(decision)) if (!known.includes(key)) warnings.push(unknownNested(shape, key, behavior));
  for (const key of rewriteKeys(spec, false, behavior))
    if (known.includes(key) && key in decision) draft.rewrite ??= { value: decision[key] };
  const rest = known.filter((key) => key !== 'behavior' && key !== 'message' && !shape.rewrites.includes(key));
  readExtras(draft, decision, rest);
}
