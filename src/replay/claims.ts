import type { RegisteredIn, Registration } from '../scopes/registration.js';
import type { RecordedFire } from './recorded.js';

/** Lives whose claims are remembered: hosts, sessions and agents. */
const MOST = 10_000;

/** Whether the single run of a `once` hook was taken. `maybe`: that depends on answers that are not known. */
export type Claim = 'free' | 'taken' | 'maybe';

/** What is known about the single run of a hook in one life. */
export interface Known {
  readonly claim: Claim;
  /** What the recording says of it in fires that were replayed: it ran, or its run had been taken. */
  readonly ran: boolean;
  readonly skipped: boolean;
}

/** The claims that one run of a fire has made, by hook and life. */
type Made = ReadonlyMap<string, { readonly life: string; readonly id: string; readonly claim: Claim }>;

const UNSEEN: Known = Object.freeze({ claim: 'free', ran: false, skipped: false });

/**
 * Which `once` hooks have run, by the host, session or agent that the hook belongs to. A fire may be decided several times, with another guess each
 * time: each run starts from the claims before the fire, and what the runs do not agree on is not known afterwards.
 */
export class Claims {
  readonly #lives = new Map<string, Map<string, Known>>();
  #made = new Map<string, { readonly life: string; readonly id: string; readonly claim: Claim }>();

  /** The claims of the run that has ended. The next run starts without them. */
  take(): Made {
    const made = this.#made;
    this.#made = new Map();
    return made;
  }

  /** Keeps what all runs of a fire agree on. */
  settle(runs: readonly Made[]): void {
    const all = new Map(runs.flatMap((made) => [...made]));
    for (const [key, { life, id }] of all) {
      const before = this.#find(life, id);
      const claims = new Set(runs.map((made) => made.get(key)?.claim ?? before.claim));
      const [first = 'maybe'] = claims;
      this.#keep(life, id, { ...before, claim: claims.size === 1 ? first : 'maybe' });
    }
  }

  /** What is known from the fires before. */
  before(scope: RegisteredIn, fire: RecordedFire, { id }: Registration): Known {
    return this.#find(lifeOf(scope, fire), id);
  }

  /** What has become of it in this run of the fire; undefined: nothing yet. */
  made(scope: RegisteredIn, fire: RecordedFire, { id }: Registration): Claim | undefined {
    return this.#made.get(keyOf(lifeOf(scope, fire), id))?.claim;
  }

  make(scope: RegisteredIn, fire: RecordedFire, { id }: Registration, claim: Claim): void {
    const life = lifeOf(scope, fire);
    this.#made.set(keyOf(life, id), { life, id, claim });
  }

  /** It may have run, or not. */
  doubt(scope: RegisteredIn, fire: RecordedFire, r: Registration): void {
    const claim = this.made(scope, fire, r) ?? this.before(scope, fire, r).claim;
    if (claim === 'free') this.make(scope, fire, r, 'maybe');
  }

  /** What the recording says about it in a fire that was replayed. */
  note(scope: RegisteredIn, fire: RecordedFire, { id }: Registration, what: 'ran' | 'skipped'): void {
    const life = lifeOf(scope, fire);
    const known = this.#find(life, id);
    if (!known[what]) this.#keep(life, id, { ...known, [what]: true });
  }

  /** The agent of that fire has ended, or, if that is not known, may have. */
  end(fire: RecordedFire, isKnown: boolean): void {
    const life = agentOf(fire, fire.scope);
    const all = this.#lives.get(life);
    if (isKnown) this.#lives.delete(life);
    else for (const [id, known] of all ?? []) if (known.claim === 'taken') all?.set(id, { ...known, claim: 'maybe' });
  }

  #find(life: string, id: string): Known {
    return this.#lives.get(life)?.get(id) ?? UNSEEN;
  }

  #keep(life: string, id: string, known: Known): void {
    const all = this.#lives.get(life) ?? new Map<string, Known>();
    this.#lives.delete(life);
    this.#lives.set(life, all.set(id, known));
    if (this.#lives.size > MOST) this.#lives.delete(this.#lives.keys().next().value as string);
  }
}

const keyOf = (life: string, id: string): string => `${id} ${life}`;

/** Agents of one type share a scope that has their type; any other agent, and one above it, has its own. */
function lifeOf({ kind, id, agentType }: RegisteredIn, fire: RecordedFire): string {
  const { above } = fire;
  const isAbove = Array.isArray(above) && above.some(({ agent }) => agent === id);
  if (kind === 'agent') return agentOf(fire, agentType === undefined || isAbove ? id : fire.scope);
  return JSON.stringify(kind === 'session' ? [fire.host ?? '', fire.session] : [fire.host ?? '']);
}

const agentOf = ({ host = '', session }: RecordedFire, agent: string): string => JSON.stringify([host, session, agent]);
