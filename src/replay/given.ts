import { isDeepStrictEqual } from 'node:util';
import type { EventSpec } from '../events/spec.js';
import type { Registration } from '../scopes/registration.js';
import type { Json } from '../values/shape.js';
import { ANY_VALUE, type InputGaps } from './look.js';
import type { KnownAnswer, RecordedFire, RecordedHook } from './recorded.js';

/** A recorded registration; its id is unique in its host. */
export interface RegistrationRef {
  readonly id: string;
  readonly scope: string | undefined;
}

/** The stand-in for a hook. */
export interface StandInHook extends Registration {
  /** Its position among the hooks in its kind of scope that run the same code. */
  readonly place: number;
  /** What the original runs. The object is shared by all registrations of a hook for agents of a type. */
  readonly original: object;
}

/** A recorded fire's answers for the current hooks. A hook is recognised by the code that it runs, wherever it is registered. */
export class ReplayAnswers implements InputGaps {
  readonly fire: RecordedFire;
  readonly masked: InputGaps['masked'];
  readonly missing: readonly string[];
  readonly #field: string | undefined;
  #rows: Map<string, RecordedHook[]> | undefined;

  constructor(fire: RecordedFire, spec: EventSpec) {
    this.fire = fire;
    this.masked = fire.masked;
    this.missing = fire.truncated.flatMap((place) => (place.startsWith('input.') ? [place.slice(6)] : []));
    this.#field = spec.rewrites?.field;
  }

  /** Whether a part of the input is not known. */
  get hasGaps(): boolean {
    return this.masked !== false || this.missing.length > 0;
  }

  /** The recorded hooks that run the same code; in a recording without hashes, those with the same kind and name. */
  rowsOf({ definition, kind, name }: Registration): readonly RecordedHook[] {
    if (this.#rows === undefined) {
      this.#rows = new Map();
      for (const hook of this.fire.hooks ?? []) {
        const key = keyOf(hook.kind, hook.name, hook.definition);
        const same = this.#rows.get(key);
        if (same) same.push(hook);
        else this.#rows.set(key, [hook]);
      }
    }
    const hashed = definition && this.#rows.get(keyOf(kind, name, definition.hash));
    return hashed ?? this.#rows.get(keyOf(kind, name, undefined)) ?? NONE;
  }

  /** The recorded row of the hook, identified by its position in its kind of scope; undefined if it was not there. */
  #rowOf(r: StandInHook): RecordedHook | undefined {
    return this.rowsOf(r).filter(({ scope }) => kindOf(scope) === r.scope.kind)[r.place];
  }

  /** The hook's answer about this form of the input, or that of another hook that runs the same code. */
  answerOf(r: StandInHook, input: Json): KnownAnswer | undefined {
    const row = this.#rowOf(r);
    const forms = this.#formsOf(input);
    for (const { answers } of row === undefined ? this.rowsOf(r) : [row, ...this.rowsOf(r)]) {
      const said = answers.findLast(({ judged }) => forms.includes(judged));
      if (said !== undefined) return said;
    }
    return undefined;
  }

  /** Whether the hook was asked about this form of the input, if the configuration is the same; `undefined`: not known. */
  wasAsked(r: StandInHook, input: Json): boolean | undefined {
    const row = this.#rowOf(r);
    if (row === undefined) return undefined;
    // A hook that was never asked has judged no version of the input.
    return this.#answered(row, input) || (row.skipped === 'matcher' || row.skipped === 'if' ? false : undefined);
  }

  /**
   * Whether a matcher that is a function accepted this form of the input; `undefined`: not known. A skip because of `if` does not tell, since the
   * matcher may not have been called. If the input was rewritten, it is not known for which form a hook was skipped.
   */
  wasMatched(r: StandInHook, input: Json, predicate: string): boolean | undefined {
    const row = this.#rowOf(r);
    if (row?.predicate !== predicate) return undefined;
    if (this.#answered(row, input)) return true;
    if (this.fire.versions.length > 0) return undefined;
    // `once` is checked last, so the matcher had accepted.
    return row.skipped === 'once' || (row.skipped === 'matcher' ? false : undefined);
  }

  #answered({ answers }: RecordedHook, input: Json): boolean {
    const forms = this.#formsOf(input);
    return answers.some(({ judged }) => forms.includes(judged));
  }

  /** Whether a `once` hook had its single run before this fire; `undefined`: not known. */
  claimOf(r: StandInHook): 'free' | 'taken' | undefined {
    const row = this.#rowOf(r);
    if (row === undefined) return undefined;
    return row.answers.length > 0 ? 'free' : row.skipped === 'once' ? 'taken' : undefined;
  }

  /** The hook's recorded registration; undefined if it is not known. */
  registrationOf(r: StandInHook): RegistrationRef | undefined {
    const { id, scope } = this.#rowOf(r) ?? {};
    return id === undefined ? undefined : { id, scope };
  }

  /** The recorded forms that equal this input; empty if no hook was asked about it. */
  #formsOf(input: Json): readonly number[] {
    const { fire } = this;
    if (input === fire.input) return ORIGINAL;
    const field = this.#field;
    if (field === undefined) return ORIGINAL;
    const value = input[field];
    if (value === ANY_VALUE) return NO_FORM;
    return [fire.input[field], ...fire.versions].flatMap((form, i) => (isDeepStrictEqual(form, value) ? [i] : []));
  }
}

/** Whether the configuration's hash covers the hook; it does not cover hooks of single sessions and agents. */
export const isCovered = ({ scope }: Registration, isSame: boolean): boolean =>
  isSame && (scope.kind === 'managed' || scope.kind === 'host' || scope.agentType !== undefined);

/** A key that is equal for hooks in the same kind of scope that run the same code. */
export const sameness = ({ kind, name, definition, scope, id }: Registration): string =>
  `${scope.kind} ${definition === undefined ? id : keyOf(kind, name, definition.hash)}`;

/** Functions with equal text may close over different values, so their names count too. */
function keyOf(kind: RecordedHook['kind'], name: string, definition: string | undefined): string {
  if (definition === undefined) return `${kind} ${name}`;
  return kind === 'callback' || kind === 'tap' ? `${definition} ${name}` : definition;
}

/** The kind of a scope that a record names; for an agent's scope the name is the agent's id. */
function kindOf(scope = 'host'): Registration['scope']['kind'] {
  return scope === 'managed' || scope === 'host' || scope === 'session' ? scope : 'agent';
}

const NONE: readonly RecordedHook[] = [];
const ORIGINAL: readonly number[] = [0];
const NO_FORM: readonly number[] = [];
