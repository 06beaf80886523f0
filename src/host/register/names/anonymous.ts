import type { Registration } from '../../../scopes/registration.js';
import type { Scope } from '../../../scopes/scope.js';

/** The numbers that are in use in each scope, by the place where anonymous functions were registered. */
const USED = new WeakMap<Scope, Map<string, Set<number>>>();

/** Names anonymous functions by the place where they are registered. From the second in the scope on, they get a number. */
export class AnonymousNames {
  /** The call registers only one function. */
  readonly alone: boolean;
  readonly #findPlace: () => string | undefined;
  readonly #used: Map<string, Set<number>> | undefined;
  /** Stands before the place in the names. */
  readonly #prefix: string;
  #place: string | undefined;
  #last = 0;

  constructor(scope: Scope, findPlace: () => string | undefined, how: { group: string | undefined; alone: boolean }) {
    this.#used = USED.get(scope);
    this.#findPlace = findPlace;
    this.#prefix = how.group === undefined ? '' : `${how.group}/`;
    this.alone = how.alone;
  }

  next(): string | undefined {
    if (this.#last === 0) this.#place = this.#findPlace();
    if (this.#place === undefined) return undefined;
    const used = this.#used?.get(this.#prefix + this.#place);
    this.#last = used === undefined ? this.#last + 1 : freeIn(used, this.#last);
    return this.#last === 1 ? this.#place : `${this.#place}#${this.#last}`;
  }
}

/** A number above `last` that is not in use. If none was taken back, it is found at once. */
function freeIn(used: ReadonlySet<number>, last: number): number {
  let number = used.size + 1;
  if (number > last && !used.has(number)) return number;
  number = last + 1;
  while (used.has(number)) number++;
  return number;
}

/** Notes the names that these registrations of a scope use. */
export function useNames(scope: Scope, registrations: readonly Registration[]): void {
  for (const [place, number] of placesOf(registrations)) {
    const used = USED.get(scope) ?? new Map<string, Set<number>>();
    USED.set(scope, used);
    const numbers = used.get(place) ?? new Set();
    used.set(place, numbers.add(number));
  }
}

/** Makes the names of registrations that are removed from a scope free again. */
export function freeNames(scope: Scope, registrations: readonly Registration[]): void {
  const used = USED.get(scope);
  if (used === undefined) return;
  for (const [place, number] of placesOf(registrations)) {
    const numbers = used.get(place);
    numbers?.delete(number);
    if (numbers?.size === 0) used.delete(place);
  }
}

function placesOf(registrations: readonly Registration[]): (readonly [place: string, number: number])[] {
  return registrations.flatMap(({ name, isNamed, dialect }) => {
    if (isNamed || dialect === 'claude') return [];
    const [, place, number = '1'] = /^(.*:\d+)(?:#(\d+))?$/s.exec(name) ?? [];
    return place === undefined ? [] : [[place, Number(number)] as const];
  });
}
