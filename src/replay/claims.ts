import type { RegisteredIn, Registration } from '../scopes/registration.js';
import type { RegistrationRef, StandInHook } from './given.js';
import type { RecordedFire } from './recorded.js';

/** The most lives (hosts, sessions and agents) whose claims are remembered. */
const MOST = 10_000;

/** Whether a `once` hook has had its single run. `maybe`: it depends on answers that are not known. */
export type Claim = 'free' | 'taken' | 'maybe';

/** What is known about the single run of a hook in one life. */
export interface ClaimHistory {
  readonly claim: Claim;
  /** What the recording says about the hook in replayed fires: that it ran, or that it was skipped as already run. */
  readonly ran: boolean;
  readonly skipped: boolean;
  /** The recorded registration of the hook in the latest of these fires. */
  readonly registered?: RegistrationRef;
}

/** The claims made in one run of a fire, by life and hook. */
type RunClaims = ReadonlyMap<string, ReadonlyMap<object, Claim>>;

const UNSEEN: ClaimHistory = Object.freeze({ claim: 'free', ran: false, skipped: false });

/**
 * Which `once` hooks have run, by life: the host, session or agent that the hook belongs to. A fire may be decided several times, each time with another
 * guess. Each run starts from the claims before the fire, and a claim on which the runs disagree becomes `maybe`.
 *
 * Hooks are identified by what they run, not by id, because each preview of an agent registers the hooks of its type anew.
 */
export class Claims {
  readonly #lives = new Map<string, Map<object, ClaimHistory>>();
  #made = new Map<string, Map<object, Claim>>();

  /** Returns the claims of the run that has ended, and clears them for the next run. */
  take(): RunClaims {
    const made = this.#made;
    this.#made = new Map();
    return made;
  }

  /** Stores the claims that all runs of a fire agree on; any other becomes `maybe`. */
  settle(runs: readonly RunClaims[]): void {
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

  /** What is known about the hook from earlier fires. */
  before(scope: RegisteredIn, fire: RecordedFire, r: Registration): ClaimHistory {
    return this.#find(lifeOf(scope, fire), hookOf(r));
  }

  /** The claim that the current run has made; undefined if there is none yet. */
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

  /** Notes that the hook may have run. */
  doubt(scope: RegisteredIn, fire: RecordedFire, r: Registration): void {
    this.doubtIn(lifeOf(scope, fire), r);
  }

  /** Like `doubt`, for a hook that belongs to another agent; `life` is from `agentOf`. */
  doubtIn(life: string, r: Registration): void {
    const hook = hookOf(r);
    const claim = this.#made.get(life)?.get(hook) ?? this.#find(life, hook).claim;
    if (claim === 'free') this.#make(life, hook, 'maybe');
  }

  /** Notes what the recording says about the hook in a replayed fire. */
  note(scope: RegisteredIn, fire: RecordedFire, r: Registration, what: 'ran' | 'skipped'): void {
    const life = lifeOf(scope, fire);
    const known = this.#find(life, hookOf(r));
    if (!known[what]) this.#keep(life, hookOf(r), { ...known, [what]: true });
  }

  /** Notes the hook's recorded registration. If it has changed within a scope, the agent was started anew, though perhaps no record shows it. */
  meet(scope: RegisteredIn, fire: RecordedFire, r: Registration, registered: RegistrationRef): void {
    const life = lifeOf(scope, fire);
    const known = this.#find(life, hookOf(r));
    const last = known.registered;
    if (last?.id === registered.id) return;
    const isAnew = last !== undefined && last.scope === registered.scope;
    this.#keep(life, hookOf(r), { ...(isAnew ? UNSEEN : known), registered });
  }

  /** Forgets the registrations of the fire's agent: in the recording it may end here and start anew, while in the replay it goes on. */
  part(fire: RecordedFire): void {
    const all = this.#lives.get(agentOf(fire, fire.scope));
    for (const [hook, { registered: _, ...known }] of all ?? []) all?.set(hook, known);
  }

  /** Notes that the fire's agent has ended or, without `isKnown`, may have ended. */
  end(fire: RecordedFire, isKnown: boolean): void {
    const life = agentOf(fire, fire.scope);
    const all = this.#lives.get(life);
    if (isKnown) this.#lives.delete(life);
    else
      for (const [hook, known] of all ?? []) if (known.claim === 'taken') all?.set(hook, { ...known, claim: 'maybe' });
  }

  #find(life: string, hook: object): ClaimHistory {
    return this.#lives.get(life)?.get(hook) ?? UNSEEN;
  }

  #keep(life: string, hook: object, known: ClaimHistory): void {
    const all = this.#lives.get(life) ?? new Map<object, ClaimHistory>();
    this.#lives.delete(life);
    this.#lives.set(life, all.set(hook, known));
    if (this.#lives.size > MOST) this.#lives.delete(this.#lives.keys().next().value as string);
  }
}

/** What identifies a hook: what it runs or, for a stand-in, what the original runs. */
const hookOf = (r: Registration | StandInHook): object => ('original' in r ? r.original : (r.work as object));

/** The life that a scope belongs to in a fire. Agents of a type share a scope, so the fire names the agent, unless the scope's agent is above it. */
function lifeOf({ kind, id, agentType }: RegisteredIn, fire: RecordedFire): string {
  const { above } = fire;
  const isAbove = Array.isArray(above) && above.some(({ agent }) => agent === id);
  if (kind === 'agent') return agentOf(fire, agentType === undefined || isAbove ? id : fire.scope);
  return JSON.stringify(kind === 'session' ? [fire.host ?? '', fire.session] : [fire.host ?? '']);
}

/** The life of an agent in the fire's session. */
export const agentOf = ({ host = '', session }: RecordedFire, agent: string): string =>
  JSON.stringify([host, session, agent]);
