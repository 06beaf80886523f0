import { isDeepStrictEqual } from 'node:util';
import type { EventSpec } from '../events/spec.js';
import type { Registration } from '../scopes/registration.js';
import type { Json } from '../values/shape.js';
import { ANY_VALUE, type Gaps } from './look.js';
import type { KnownAnswer, RecordedFire, RecordedHook } from './recorded.js';

/** A registration in a host: each has another id. */
export interface Registered {
  readonly id: string;
  readonly scope: string | undefined;
}

/** A hook that is stood in for. */
export interface Stood extends Registration {
  /** Which of those that run the same, in its kind of scope, it is. */
  readonly place: number;
  /** What it really runs. The same hook has the same wherever agents of its type get it. */
  readonly original: object;
}

/** The answers of a recorded fire for the current hooks: a hook is the same if it runs the same code, wherever it is registered. */
export class Given implements Gaps {
  readonly fire: RecordedFire;
  readonly masked: Gaps['masked'];
  readonly missing: readonly string[];
  readonly #field: string | undefined;
  #rows: Map<string, RecordedHook[]> | undefined;

  constructor(fire: RecordedFire, spec: EventSpec) {
    this.fire = fire;
    this.masked = fire.masked;
    this.missing = fire.truncated.flatMap((place) => (place.startsWith('input.') ? [place.slice(6)] : []));
    this.#field = spec.rewrites?.field;
  }

  /** Something of its input is not known. */
  get hasGaps(): boolean {
    return this.masked !== false || this.missing.length > 0;
  }

  /** The recorded hooks that run what it runs. Where a recording has no hashes: those of its kind and name. */
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

  /** The same hook in the recording, as far as it can be identified: by its position in its kind of scope; undefined: it was not there. */
  #rowOf(r: Stood): RecordedHook | undefined {
    return this.rowsOf(r).filter(({ scope }) => kindOf(scope) === r.scope.kind)[r.place];
  }

  /** Its answer when it was asked about this form of the input, or the answer of another hook that runs the same code. */
  answerOf(r: Stood, input: Json): KnownAnswer | undefined {
    const row = this.#rowOf(r);
    const forms = this.#formsOf(input);
    for (const { answers } of row === undefined ? this.rowsOf(r) : [row, ...this.rowsOf(r)]) {
      const said = answers.findLast(({ judged }) => forms.includes(judged));
      if (said !== undefined) return said;
    }
    return undefined;
  }

  /** Under the configuration that decided it: whether it was asked about this form of the input; `undefined`: not known. */
  wasAsked(r: Stood, input: Json): boolean | undefined {
    const row = this.#rowOf(r);
    if (row === undefined) return undefined;
    // A hook that was never asked has judged no version of the input.
    return this.#answered(row, input) || (row.skipped === 'matcher' || row.skipped === 'if' ? false : undefined);
  }

  /**
   * Whether the function that its matcher is accepted this form of the input; `undefined`: not known. A rule says nothing about that: where it was
   * not about the tool at all, the matcher was not looked at. If the input was rewritten, it is not known which form a hook was skipped for.
   */
  wasMatched(r: Stood, input: Json, predicate: string): boolean | undefined {
    const row = this.#rowOf(r);
    if (row?.predicate !== predicate) return undefined;
    if (this.#answered(row, input)) return true;
    if (this.fire.versions.length > 0) return undefined;
    // `once` is looked at last.
    return row.skipped === 'once' || (row.skipped === 'matcher' ? false : undefined);
  }

  #answered({ answers }: RecordedHook, input: Json): boolean {
    const forms = this.#formsOf(input);
    return answers.some(({ judged }) => forms.includes(judged));
  }

  /** Whether the run of a `once` hook had been taken before this fire; `undefined`: not known. */
  claimOf(r: Stood): 'free' | 'taken' | undefined {
    const row = this.#rowOf(r);
    if (row === undefined) return undefined;
    return row.answers.length > 0 ? 'free' : row.skipped === 'once' ? 'taken' : undefined;
  }

  /** Which registration of it was there, as its host has counted them; undefined: not known. */
  registrationOf(r: Stood): Registered | undefined {
    const { id, scope } = this.#rowOf(r) ?? {};
    return id === undefined ? undefined : { id, scope };
  }

  /** The forms of the input that equal this one; none: no hook was asked about it. */
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

/** Whether a configuration's hash says how it is registered: those of single sessions and agents are no part of it. */
export const isCovered = ({ scope }: Registration, isSame: boolean): boolean =>
  isSame && (scope.kind === 'managed' || scope.kind === 'host' || scope.agentType !== undefined);

/** In one kind of scope, hooks with an equal key run the same. */
export const sameness = ({ kind, name, definition, scope, id }: Registration): string =>
  `${scope.kind} ${definition === undefined ? id : keyOf(kind, name, definition.hash)}`;

/** Functions with one text may hold different things, so that their names count too. */
function keyOf(kind: RecordedHook['kind'], name: string, definition: string | undefined): string {
  if (definition === undefined) return `${kind} ${name}`;
  return kind === 'callback' || kind === 'tap' ? `${definition} ${name}` : definition;
}

/** The kind of scope that a record names: an agent's by the agent's id. */
function kindOf(scope = 'host'): Registration['scope']['kind'] {
  return scope === 'managed' || scope === 'host' || scope === 'session' ? scope : 'agent';
}

const NONE: readonly RecordedHook[] = [];
const ORIGINAL: readonly number[] = [0];
const NO_FORM: readonly number[] = [];
