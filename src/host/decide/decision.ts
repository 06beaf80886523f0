import type { RecordedAnswer } from '../../emit/record.js';
import type { Cause } from '../../events/failure.js';
import { EXTRAS } from '../../events/output/extras.js';
import type { EventSpec, Fold, Verdict } from '../../events/spec.js';

/** A handler that failed, and whether its failure policy made the failure count. */
export interface DecisionFailure {
  readonly id: string;
  readonly name: string;
  readonly cause: Cause;
  readonly message: string;
  /** The failure blocks whatever the handler's `onFailure` says. */
  readonly blocks?: true;
  readonly blocked: boolean;
}

/** Two handlers rewrote the same thing, and the winner's rewrite counts. Handler ids. */
export interface Conflict {
  readonly winner: string;
  readonly loser: string;
}

/** Why a loop ended although hooks would have kept it going: too many continuations in a row, or the agent was being closed. */
export type EndedBy = 'cap' | 'close';

/** One handler's answer; a decision lists them in plan order. */
export interface HandlerOutcome {
  readonly id: string;
  readonly name: string;
  /** The hook comes from Claude Code's own files or protocol; absent: from code. */
  readonly dialect?: 'claude';
  readonly decision?: string;
  readonly message?: string;
  readonly continue?: boolean;
  readonly systemMessage?: string;
  readonly suppressOutput?: boolean;
  readonly stopReason?: string;
  readonly reason?: string;
  readonly hookSpecificOutput?: Readonly<Record<string, unknown>>;
}

/** The fields of every decision, whatever its event. Read-only: fires with the same answers may share one decision, which is frozen. */
export interface BaseDecision {
  readonly event: string;
  readonly fold: Fold;
  /** false: a hook ended the agent's loop (only on events where that counts). */
  readonly continue: boolean;
  readonly stopReason?: string;
  /** The reason of the deciding verdict; on block and stop events every blocking reason, one per line. */
  readonly reason?: string;
  /** The id of the handler that decided. */
  readonly decidedBy?: string;
  /** The ids of handlers whose answer did not win, in plan order. */
  readonly overruled: readonly string[];
  /** The tool input with which a hook replaced the original; a deep copy that nothing else refers to. */
  readonly updatedInput?: unknown;
  readonly updatedOutput?: unknown;
  readonly suppressOutput: boolean;
  readonly additionalContext: readonly string[];
  readonly systemMessages: readonly string[];
  readonly failures: readonly DecisionFailure[];
  readonly conflicts: readonly Conflict[];
  /** On stop events: why the loop ended although hooks (`overruled`) would have kept it going. */
  readonly endedBy?: EndedBy;
  /** Who answered an ask outside the agent (docs/semantics.md 10, `answered`); `verdict` and `reason` are the result. */
  readonly answered?: RecordedAnswer;
  readonly interrupt?: boolean;
  readonly updatedPermissions?: readonly unknown[];
  readonly retry?: boolean;
  readonly sessionTitle?: string;
  readonly initialUserMessage?: string;
  readonly watchPaths?: readonly string[];
  readonly suppressOriginalPrompt?: boolean;
  readonly reloadSkills?: boolean;
  readonly classifierContext?: string;
  /** What hooks want written to the terminal, in order. */
  readonly terminalSequence?: string;
  /** Each handler's answer, in plan order. */
  readonly outcomes: readonly HandlerOutcome[];
  /** The decision as the output of a single hook, in Claude Code's format. */
  toJSON(): Record<string, unknown>;
}

/** The fields that the fold kind adds. */
export interface FoldFields {
  /** `none` means that the harness's own permission flow decides. */
  gate: { readonly verdict: Verdict };
  block: { readonly blocked: boolean };
  /** The loop goes on, with `reason` as the next instruction. */
  stop: { readonly continues: boolean };
  context: unknown;
  /** `blocked`: the operation failed or was refused (WorktreeCreate). */
  replace: { readonly value?: unknown; readonly blocked: boolean };
  observe: unknown;
}

/** A decision with the fields of all folds, for internal code. */
export type AnyDecision = BaseDecision & {
  readonly verdict?: Verdict;
  readonly blocked?: boolean;
  readonly continues?: boolean;
  readonly value?: unknown;
};

/** The fields a decision is made of. */
export type DecisionFields = { -readonly [K in keyof AnyDecision]?: AnyDecision[K] };

const NOTHING = Object.freeze([]) as readonly never[];

/** Makes a decision's outcomes when they are first read. Most are never read, and a closure per decision would take more memory. */
export interface OutcomesLater {
  listOutcomes(): readonly HandlerOutcome[];
}

type Outcomes = readonly HandlerOutcome[] | OutcomesLater;

class DecisionObject {
  readonly event: string;
  readonly fold: Fold;
  readonly continue: boolean = true;
  readonly overruled: readonly string[] = NOTHING;
  readonly suppressOutput: boolean = false;
  readonly additionalContext: readonly string[] = NOTHING;
  readonly systemMessages: readonly string[] = NOTHING;
  readonly failures: readonly DecisionFailure[] = NOTHING;
  readonly conflicts: readonly Conflict[] = NOTHING;
  // `declare`, because only the field of the event's fold may exist.
  declare readonly verdict?: Verdict;
  declare readonly blocked?: boolean;
  declare readonly continues?: boolean;
  readonly #spec: EventSpec;
  #outcomes: Outcomes;

  constructor(spec: EventSpec, outcomes: Outcomes) {
    this.event = spec.name;
    this.fold = spec.fold;
    this.#spec = spec;
    this.#outcomes = outcomes;
    if (spec.fold === 'gate') this.verdict = 'none';
    else if (spec.fold === 'stop') this.continues = false;
    else if (spec.fold === 'block' || spec.fold === 'replace') this.blocked = false;
  }

  get outcomes(): readonly HandlerOutcome[] {
    if ('listOutcomes' in this.#outcomes) this.#outcomes = this.#outcomes.listOutcomes();
    return this.#outcomes;
  }

  toJSON(): Record<string, unknown> {
    return toWire(this.#spec, this);
  }
}

/** Makes a decision. Fields that are left out have their fold's default, as if every hook were silent. */
export function makeDecision(spec: EventSpec, fields: DecisionFields | undefined, outcomes: Outcomes): AnyDecision {
  const decision: AnyDecision = new DecisionObject(spec, outcomes);
  return fields === undefined ? decision : Object.assign(decision, fields);
}

/** The decision in the form that a single hook would have printed. */
function toWire(spec: EventSpec, d: AnyDecision): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  const specific: Record<string, unknown> = {};
  if (!d.continue) out['continue'] = false;
  if (d.stopReason !== undefined) out['stopReason'] = d.stopReason;
  if (d.suppressOutput) out['suppressOutput'] = true;
  if (d.systemMessages.length > 0) out['systemMessage'] = d.systemMessages.join('\n');
  if (d.terminalSequence !== undefined) out['terminalSequence'] = d.terminalSequence;
  const rewriteKey = spec.rewrites?.keys[0] ?? 'updatedInput';
  if (spec.fold === 'gate') Object.assign(specific, spec.nestedDecision ? nestedGate(d) : flatGate(d, rewriteKey));
  if (d.blocked || d.continues)
    Object.assign(out, { decision: 'block' }, d.reason === undefined ? {} : { reason: d.reason });
  if (d.additionalContext.length > 0) specific['additionalContext'] = d.additionalContext.join('\n');
  if (d.updatedOutput !== undefined) specific[rewriteKey] = d.updatedOutput;
  for (const key of EXTRAS) if (d[key] !== undefined) specific[key] = d[key];
  if (d.value !== undefined) {
    const [only, ...more] = spec.value ?? ['value'];
    Object.assign(specific, more.length === 0 ? { [only as string]: d.value } : d.value);
  }
  if (Object.keys(specific).length > 0) out['hookSpecificOutput'] = { hookEventName: spec.name, ...specific };
  return out;
}

function flatGate(d: AnyDecision, rewriteKey: string): Record<string, unknown> {
  const rewritten = d.updatedInput === undefined ? {} : { [rewriteKey]: d.updatedInput };
  if (d.verdict === 'none') return rewritten;
  return {
    permissionDecision: d.verdict,
    ...(d.reason === undefined ? {} : { permissionDecisionReason: d.reason }),
    ...rewritten,
  };
}

function nestedGate(d: AnyDecision): Record<string, unknown> {
  if (d.verdict === 'deny') {
    const message = d.reason === undefined ? {} : { message: d.reason };
    return { decision: { behavior: 'deny', ...message, ...(d.interrupt ? { interrupt: true } : {}) } };
  }
  if (d.verdict !== 'allow') return {};
  const rewritten = d.updatedInput === undefined ? {} : { updatedInput: d.updatedInput };
  const permissions = d.updatedPermissions === undefined ? {} : { updatedPermissions: d.updatedPermissions };
  return { decision: { behavior: 'allow', ...rewritten, ...permissions } };
}
