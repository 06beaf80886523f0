import { callServer, isSocketThere } from '../../server/client/ask.js';
import { placesOf } from '../../server/places.js';
import { readServed } from '../../server/served.js';
import { readTokens } from '../../server/tokens.js';
import { isObject } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { Terminal } from '../terminal.js';

/** How long a server may take to load its hooks, in milliseconds. */
const PATIENCE = 15_000;
const STILL_LOADING = `it has not answered in ${PATIENCE / 1000} seconds, and may still be loading them`;

/** Lets the running server load what a person has just accepted, if it serves files that need consent. */
export async function loadAccepted({ tell }: Terminal): Promise<void> {
  try {
    const places = placesOf();
    const admin = isSocketThere(places) ? readTokens(places)?.admin : undefined;
    const served = admin === undefined ? undefined : readServed(places);
    if (admin === undefined || served === undefined) return;
    if (served.projects.length === 0 && !served.set.claudeCode && !served.set.from) return;
    const call = { path: '/admin/reload', token: admin, method: 'POST', body: {}, patience: PATIENCE };
    const { body } = await callServer(places, call);
    const { ok, error } = isObject(body) ? body : {};
    const done = 'the running server has loaded its hooks again';
    tell(ok === true ? done : `the running server could not load its hooks again: ${String(error)}`);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    // Its socket was left behind.
    if (code === 'ECONNREFUSED') return;
    const why = name === 'TimeoutError' || name === 'AbortError' ? STILL_LOADING : messageOf(error);
    tell(`the running server has not said that it has loaded its hooks again: ${why}`);
  }
}
