import type { Json } from '../../values/shape.js';
import type { Verdict } from '../spec.js';

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
