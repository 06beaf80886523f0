import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import type { AlarmRecord } from '../../record.js';
import type { TextMask } from './masked.js';
import { METRIC, NAME } from './names.js';

/** The attributes of a metric: each has few values, and none is an id or free text. */
export interface CountedBy {
  readonly event: string;
  readonly name: string;
  readonly scopeKind: string;
  readonly outcome: string;
  /** The hook is not enforced. */
  readonly isShadow: boolean;
}

export interface CountedRun extends CountedBy {
  readonly isDenial: boolean;
  readonly isFailure: boolean;
  readonly durationMs: number;
}

/** Bucket boundaries in seconds: from a callback's microseconds to a minute. */
const BOUNDARIES = [0.00001, 0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];

export class HookMetrics {
  readonly #runs: Counter;
  readonly #denials: Counter;
  readonly #failures: Counter;
  readonly #alarms: Counter;
  readonly #duration: Histogram;
  readonly #mask: TextMask;

  constructor(meter: Meter, mask: TextMask = (text) => text) {
    this.#mask = mask;
    const counter = (name: string, unit: string, description: string) =>
      meter.createCounter(name, { unit, description });
    this.#runs = counter(METRIC.runs, '{run}', 'Calls of hooks that have ended');
    this.#denials = counter(METRIC.denials, '{run}', 'Calls of hooks that denied or blocked');
    this.#failures = counter(METRIC.failures, '{run}', 'Calls of hooks that failed, or could not be started');
    this.#alarms = counter(METRIC.alarms, '{alarm}', 'What was done was not what was decided');
    this.#duration = meter.createHistogram(METRIC.duration, {
      unit: 's',
      description: 'How long a call of a hook took',
      advice: { explicitBucketBoundaries: BOUNDARIES },
    });
  }

  ran(run: CountedRun): void {
    const attributes = this.#attributesOf(run);
    this.#runs.add(1, attributes);
    if (run.isDenial) this.#denials.add(1, attributes);
    if (run.isFailure) this.#failures.add(1, attributes);
    this.#duration.record(run.durationMs / 1000, attributes);
  }

  /** Counts a hook that failed before it was started. */
  failed(by: CountedBy): void {
    this.#failures.add(1, this.#attributesOf(by));
  }

  alarmed({ alarm }: AlarmRecord): void {
    this.#alarms.add(1, { [NAME.alarm]: alarm });
  }

  #attributesOf({ event, name, scopeKind, outcome, isShadow }: CountedBy): Attributes {
    const attributes: Attributes = {
      [NAME.event]: this.#mask(event),
      [NAME.handlerName]: this.#mask(name),
      [NAME.scopeKind]: scopeKind,
      [NAME.outcome]: outcome,
    };
    if (isShadow) attributes[NAME.shadow] = true;
    return attributes;
  }
}
