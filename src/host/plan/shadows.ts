import type { Registration } from '../../scopes/registration.js';

/** Whether a session belongs to the share in which a hook is enforced. The same in every process, for all hooks with that share. */
export function isEnforcedIn(share: number, session: unknown): boolean {
  if (share === 0) return false;
  return hashOf(typeof session === 'string' ? session : '') < share * 2 ** 32;
}

/** `enforced in 30 % of sessions`. Rounded to 12 digits, because the product has rounding errors. */
export const inShare = (share: number): string => `enforced in ${Number((share * 100).toPrecision(12))} % of sessions`;

/** FNV-1a with a final mixing step, so that names that differ only at the end are spread evenly, too. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const ALONE = new WeakMap<Registration, Registration>();

/** The registration as it runs in the shadow: alone, without claiming a `once` run, sharing a deadline or waking the agent. */
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

/** Registrations that run as shadows. A hook that is skipped for any other reason does not run as a shadow either. */
export function shadowsIn(registrations: readonly Registration[]): readonly Registration[] {
  return own(registrations.filter(({ skip }) => skip?.reason === 'shadow'));
}

/** The distinct shares in which some of them are enforced. */
export function sharesIn(registrations: readonly Registration[]): readonly number[] {
  return own([...new Set(registrations.flatMap(({ enforce, skip }) => (skip === undefined ? (enforce ?? []) : [])))]);
}

const NONE: readonly never[] = [];

/** Every plan keeps this list, and it is usually empty. */
const own = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);

/** The registration for one session: skipped as a shadow if it is not enforced there. */
export function standsIn(r: Registration, session: unknown): Registration {
  if (r.enforce === undefined || r.skip !== undefined || isEnforcedIn(r.enforce, session)) return r;
  const why = `it is ${inShare(r.enforce)}, and this is not one of them`;
  return { ...r, skip: { reason: 'shadow', why } };
}
