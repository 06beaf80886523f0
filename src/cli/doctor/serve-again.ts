import { plain } from '../../plain.js';
import { namedGone } from '../../server/bound/files.js';
import { serveArguments } from '../../server/client/service.js';
import { placesOf } from '../../server/places.js';
import { readServed, type ServedSet } from '../../server/served.js';
import { pasted } from '../history/again.js';

/** The port in an address that connect has written. */
export function portIn(address: string): number | undefined {
  const port = /^https?:\/\/[^/]*:(\d+)\//.exec(address)?.[1];
  return port === undefined ? undefined : Number(port);
}

/** The command that serves this again. What it names and is gone is said behind it, since no server starts with that. */
export function commandFor(served: ServedSet): string {
  const command = ['hookscope', ...serveArguments(served).map((word) => pasted(word))].join(' ');
  const gone = namedGone(served.bindings.files).map(plain);
  return gone.length === 0
    ? command
    : `${command} (first put back what is gone, or leave that option out: ${gone.join(', ')})`;
}

/** The command that serves again what was served last, at the port that agents ask. */
export function serveAgain(addresses: readonly string[] = []): string {
  const port = addresses.map(portIn).find((one) => one !== undefined);
  const at = port === undefined ? '' : ` --port ${port}`;
  try {
    const served = readServed(placesOf());
    if (served !== undefined) return commandFor({ ...served, ...(port === undefined ? {} : { port }) });
  } catch {
    // What is wrong with it is reported elsewhere.
  }
  return `hookscope serve${at}, with the hooks that it is to serve (--hooks, --config, --plugin or --project)`;
}
