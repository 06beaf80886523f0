import type { RegisteredIn, Registration } from '../scopes/registration.js';
import type { Registered, Stood } from './given.js';
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
  /** Which it was in the latest of them. */
  readonly registered?: Registered;
}

/** The claims that one run of a fire has made, by life and hook. */
type Made = ReadonlyMap<string, ReadonlyMap<object, Claim>>;

const UNSEEN: Known = Object.freeze({ claim: 'free', ran: false, skipped: false });

/**
 * Which `once` hooks have run, by the host, session or agent that the hook belongs to. A fire may be decided several times, with another guess each
 * time: each run starts from the claims before the fire, and what the runs do not agree on is not known afterwards.
 *
 * A hook is known by what it runs, not by its id: where agents of a type have it, each preview of one of them is another registration of it.
 */
export class Claims {
  readonly #lives = new Map<string, Map<object, Known>>();
  #made = new Map<string, Map<object, Claim>>();

  /** The claims of the run that has ended. The next run starts without them. */
  take(): Made {
    const made = this.#made;
    this.#made = new Map();
    return made;
  }

  /** Keeps what all runs of a fire agree on. */
  settle(runs: readonly Made[]): void {
    const lives = new Set(runs.flatMap((made) => [...made.keys()]));
    for (const life of lives) {
      const hooks = new Set(runs.flatMap((made) => [...(made.get(life)?.keys() ?? [])]));
      for (const hook of hooks) {
        const before = this.#find(life, hook);
        const claims = new Set(runs.map((made) => made.get(life)?.get(hook) ?? before.claim));
        const [first = 'maybe'] = claims;
        this.#keep(life, hook, { ...before, claim: claims.size === 1 ? first : 'maybe' });
      }
    }
  }

  /** What is known from the fires before. */
  before(scope: RegisteredIn, fire: RecordedFire, r: Registration): Known {
    return this.#find(lifeOf(scope, fire), hookOf(r));
  }

  /** What has become of it in this run of the fire; undefined: nothing yet. */
  made(scope: RegisteredIn, fire: RecordedFire, r: Registration): Claim | undefined {
    return this.#made.get(lifeOf(scope, fire))?.get(hookOf(r));
  }

  make(scope: RegisteredIn, fire: RecordedFire, r: Registration, claim: Claim): void {
    this.#make(lifeOf(scope, fire), hookOf(r), claim);
  }

  #make(life: string, hook: object, claim: Claim): void {
    const made = this.#made.get(life) ?? new Map<object, Claim>();
    this.#made.set(life, made.set(hook, claim));
  }

  /** It may have run, or not. */
  doubt(scope: RegisteredIn, fire: RecordedFire, r: Registration): void {
    this.doubtIn(lifeOf(scope, fire), r);
  }

  /** The same, of one that belongs to another agent (`agentOf`). */
  doubtIn(life: string, r: Registration): void {
    const hook = hookOf(r);
    const claim = this.#made.get(life)?.get(hook) ?? this.#find(life, hook).claim;
    if (claim === 'free') this.#make(life, hook, 'maybe');
  }

  /** What the recording says about it in a fire that was replayed. */
  note(scope: RegisteredIn, fire: RecordedFire, r: Registration, what: 'ran' | 'skipped'): void {
    const life = lifeOf(scope, fire);
    const known = this.#find(life, hookOf(r));
    if (!known[what]) this.#keep(life, hookOf(r), { ...known, [what]: true });
  }

  /** In this fire the hook was that one. Where it was another before, its agent has begun anew since: a start that failed, of which no record may tell. */
  meet(scope: RegisteredIn, fire: RecordedFire, r: Registration, registered: Registered): void {
    const life = lifeOf(scope, fire);
    const known = this.#find(life, hookOf(r));
    const last = known.registered;
    if (last?.id === registered.id) return;
    const isAnew = last !== undefined && last.scope === registered.scope;
    this.#keep(life, hookOf(r), { ...(isAnew ? UNSEEN : known), registered });
  }

  /** In the recording the agent may have ended with this fire, and then begun anew; here it may not. */
  part(fire: RecordedFire): void {
    const all = this.#lives.get(agentOf(fire, fire.scope));
    for (const [hook, { registered: _, ...known }] of all ?? []) all?.set(hook, known);
  }

  /** The agent of that fire has ended, or, if that is not known, may have. */
  end(fire: RecordedFire, isKnown: boolean): void {
    const life = agentOf(fire, fire.scope);
    const all = this.#lives.get(life);
    if (isKnown) this.#lives.delete(life);
    else
      for (const [hook, known] of all ?? []) if (known.claim === 'taken') all?.set(hook, { ...known, claim: 'maybe' });
  }

  #find(life: string, hook: object): Known {
    return this.#lives.get(life)?.get(hook) ?? UNSEEN;
  }

  #keep(life: string, hook: object, known: Known): void {
    const all = this.#lives.get(life) ?? new Map<object, Known>();
    this.#lives.delete(life);
    this.#lives.set(life, all.set(hook, known));
    if (this.#lives.size > MOST) this.#lives.delete(this.#lives.keys().next().value as string);
  }
}

/** A stand-in runs something else than the hook that it stands for. */
const hookOf = (r: Registration | Stood): object => ('original' in r ? r.original : (r.work as object));

/** Agents of one type share a scope that has their type; any other agent, and one above it, has its own. */
function lifeOf({ kind, id, agentType }: RegisteredIn, fire: RecordedFire): string {
  const { above } = fire;
  const isAbove = Array.isArray(above) && above.some(({ agent }) => agent === id);
  if (kind === 'agent') return agentOf(fire, agentType === undefined || isAbove ? id : fire.scope);
  return JSON.stringify(kind === 'session' ? [fire.host ?? '', fire.session] : [fire.host ?? '']);
}

/** The life of an agent in the session of that fire. */
export const agentOf = ({ host = '', session }: RecordedFire, agent: string): string =>
  JSON.stringify([host, session, agent]);
