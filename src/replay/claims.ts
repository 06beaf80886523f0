import type { RegisteredIn, Registration } from '../scopes/registration.js';
import type { RecordedFire } from './recorded.js';

/** Lives whose claims are remembered: hosts, sessions and agents. */
const MOST = 10_000;

/** Which `once` hooks have run, by the host, session or agent that the hook belongs to, as in the recording. */
export class Claims {
  readonly #taken = new Map<string, Set<string>>();
  #made: [Set<string>, string][] = [];

  /** From now on, claims can be taken back. */
  begin(): void {
    this.#made = [];
  }

  takeBack(): void {
    for (const [taken, id] of this.#made) taken.delete(id);
    this.#made = [];
  }

  claim(scope: RegisteredIn, fire: RecordedFire, { id }: Registration): boolean {
    const taken = this.#of(scope, fire);
    if (taken.has(id)) return false;
    taken.add(id);
    this.#made.push([taken, id]);
    return true;
  }

  giveBack(scope: RegisteredIn, fire: RecordedFire, { id }: Registration): void {
    this.#of(scope, fire).delete(id);
  }

  claimed(scope: RegisteredIn, fire: RecordedFire, { id }: Registration): boolean {
    return this.#of(scope, fire).has(id);
  }

  /** The agent of that fire has ended. */
  end(fire: RecordedFire): void {
    this.#taken.delete(keyOf('agent', fire));
  }

  #of({ kind }: RegisteredIn, fire: RecordedFire): Set<string> {
    const key = keyOf(kind, fire);
    const known = this.#taken.get(key);
    const taken = known ?? new Set();
    if (known !== undefined) this.#taken.delete(key);
    this.#taken.set(key, taken);
    if (this.#taken.size > MOST) this.#taken.delete(this.#taken.keys().next().value as string);
    return taken;
  }
}

const keyOf = (kind: RegisteredIn['kind'], { host = '', session, scope }: RecordedFire): string =>
  JSON.stringify(kind === 'agent' ? [host, session, scope] : kind === 'session' ? [host, session] : [host]);
