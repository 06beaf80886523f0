import { hasJoined } from '../../fleet/has-joined.js';
import { isNamed } from '../../server/named-set.js';
import { placesOf } from '../../server/places.js';
import { readServed } from '../../server/served.js';
import { defaultSocket, serverState } from '../../store/place.js';
import { createTrustStore } from '../../trust/store.js';

/**
 * Whether a command of `connect` that names no hooks would find none anywhere: no server runs, the last one has left none, no configuration
 * is accepted, and no fleet gives a policy. False if that cannot be known.
 */
export async function findsNoHooks(): Promise<boolean> {
  const state = await serverState(defaultSocket());
  if (state === 'runs' || state === 'stranger' || hasJoined()) return false;
  try {
    const served = readServed(placesOf());
    if (served !== undefined && (isNamed(served.set) || served.projects.length > 0)) return false;
    return !createTrustStore()
      .list()
      .some(({ source }) => source?.kind === 'config');
  } catch {
    return false;
  }
}
