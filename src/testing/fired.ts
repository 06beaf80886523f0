import type { FireRecord } from '../emit/fire-record.js';
import { formatFire } from '../emit/reading/print.js';
import type { HookRecord } from '../emit/record.js';
import type { HookEvent } from '../events/catalogue.js';
import type { Explanation } from '../host/tell/explain.js';
import type { Decision } from '../host/types.js';
import { plainJson } from '../plain.js';
import { lateLines } from './background.js';

/** One event that was fired in a test: what was decided, and why. */
export interface Fired<E extends HookEvent = HookEvent> {
  readonly event: E;
  readonly decision: Decision<E>;
  /** Every registered hook, with its answer or why it did not run. */
  readonly record: FireRecord;
  /** All records of the fire, those of hooks in the background too. */
  readonly records: readonly HookRecord[];
  /** The explanation from before any hook was asked. */
  readonly explanation: Explanation;
  /**
   * The outcome as text: the decision, every hook with its answer or why it did not run, and what the model gets. Without ids and times, so
   * equal outcomes give equal texts, as a snapshot needs.
   */
  toString(): string;
}

/** The record in lines, without what differs from run to run. */
export function story(record: FireRecord): string {
  const handlers = record.handlers.map(({ duration_ms: _, ...handler }) => handler);
  return formatFire({ ...record, handlers } as FireRecord, { redact: false });
}

/** What the agent and the model get besides the verdict. */
function effects(decision: Decision): string {
  const { updatedInput: input, updatedOutput: output, additionalContext: context, systemMessages } = decision;
  const told = Object.entries({
    input,
    output,
    value: (decision as { value?: unknown }).value,
    context,
    systemMessages,
  });
  const lines = told.filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== undefined));
  return lines.map(([what, value]) => `\n  ${what}: ${plainJson(value)}`).join('');
}

/** A fire as a test looks at it. Its text is a method of the prototype, so that a snapshot of the object does not hold it twice. */
export class FiredEvent<E extends HookEvent> implements Fired<E> {
  constructor(
    readonly event: E,
    readonly decision: Decision<E>,
    readonly record: FireRecord,
    readonly records: readonly HookRecord[],
    readonly explanation: Explanation,
  ) {}

  toString(): string {
    return `${story(this.record)}${effects(this.decision)}${lateLines(this)}`;
  }
}
