import { serveArguments } from '../../server/client/service.js';
import { placesOf } from '../../server/places.js';
import { readServed } from '../../server/served.js';
import { pasted } from '../history/again.js';

/** The port in an address that connect has written. */
export function portIn(address: string): number | undefined {
  const port = /^https?:\/\/[^/]*:(\d+)\//.exec(address)?.[1];
  return port === undefined ? undefined : Number(port);
}

/** The command that serves again what was served last, at the port that agents ask. */
export function serveAgain(addresses: readonly string[] = []): string {
  const port = addresses.map(portIn).find((one) => one !== undefined);
  const at = port === undefined ? '' : ` --port ${port}`;
  try {
    const served = readServed(placesOf());
    if (served !== undefined)
      return `hookscope ${serveArguments({ ...served, ...(port === undefined ? {} : { port }) })
        .map((word) => pasted(word))
        .join(' ')}`;
  } catch {
    // What is wrong with it is reported elsewhere.
  }
  return `hookscope serve${at}, with the hooks that it is to serve (--hooks, --config, --plugin or --project)`;
}
