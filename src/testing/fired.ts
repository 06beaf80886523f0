import type { FireRecord } from '../emit/fire-record.js';
import { formatFire } from '../emit/reading/print.js';
import type { HookRecord } from '../emit/record.js';
import type { HookEvent } from '../events/catalogue.js';
import type { Explanation } from '../host/tell/explain.js';
import type { Decision } from '../host/types.js';
import { plainJson } from '../plain.js';
import { lateLines } from './background.js';

/** The result of firing one event in a test. */
export interface Fired<E extends HookEvent = HookEvent> {
  readonly event: E;
  readonly decision: Decision<E>;
  /** Every registered hook, with its answer or why it did not run. */
  readonly record: FireRecord;
  /** All records of the fire, including those of hooks in the background. */
  readonly records: readonly HookRecord[];
  /** The result of `host.explain` before the fire. */
  readonly explanation: Explanation;
  /**
   * The outcome as text: the decision, every hook with its answer or why it did not run, and what the model gets. It has no ids and
   * times, so equal outcomes give equal texts and can be compared with a snapshot.
   */
  toString(): string;
}

/** The record as text, without durations. */
export function story(record: FireRecord): string {
  const handlers = record.handlers.map(({ duration_ms: _, ...handler }) => handler);
  return formatFire({ ...record, handlers } as FireRecord, { redact: false });
}

/** The parts of a decision besides the verdict, as text. */
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

/** The class of `Fired`. `toString` is a method of the prototype, so that it does not appear in a snapshot of the object. */
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
