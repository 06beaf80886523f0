import type { Registration } from '../../scopes/registration.js';

/** Whether a session is among those that a share of all is: the same for all hooks with that share, in every process. */
export function isEnforcedIn(share: number, session: unknown): boolean {
  if (share === 0) return false;
  return hashOf(typeof session === 'string' ? session : '') < share * 2 ** 32;
}

/** FNV-1a, whose last step is mixed, so that names that differ in their end alone are spread too. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const ALONE = new WeakMap<Registration, Registration>();

/** The registration as it runs in the shadow: by itself, claiming, sharing and waking nothing. */
export function shadowOf(r: Registration): Registration {
  const known = ALONE.get(r);
  if (known) return known;
  const alone: Registration = {
    ...r,
    skip: undefined,
    enforce: undefined,
    once: false,
    dedup: undefined,
    shared: undefined,
    rewake: undefined,
    mode: 'series',
    before: [],
    after: [],
  };
  ALONE.set(r, alone);
  return alone;
}

/** Those that do not decide. One that policy, trust and the like keep from running does not run in the shadow either. */
export function shadowsIn(registrations: readonly Registration[]): readonly Registration[] {
  return own(registrations.filter(({ skip }) => skip?.reason === 'shadow'));
}

/** The shares that some of them are enforced in, each once. */
export function sharesIn(registrations: readonly Registration[]): readonly number[] {
  return own([...new Set(registrations.flatMap(({ enforce, skip }) => (skip === undefined ? (enforce ?? []) : [])))]);
}

const NONE: readonly never[] = [];

/** Kept with every plan, most of which have none. */
const own = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);

/** The registration as it stands in a session: one that is not enforced there is skipped. */
export function standsIn(r: Registration, session: unknown): Registration {
  if (r.enforce === undefined || r.skip !== undefined || isEnforcedIn(r.enforce, session)) return r;
  const why = `it is enforced in ${r.enforce * 100} % of sessions, and this is not one of them: it was asked after the decision`;
  return { ...r, skip: { reason: 'shadow', why } };
}
