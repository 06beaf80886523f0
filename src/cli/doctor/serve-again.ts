import { serveArguments } from '../../server/client/service.js';
import { placesOf } from '../../server/places.js';
import { readServed } from '../../server/served.js';
import { pasted } from '../history/again.js';

/** The command that serves again what was served last, at the port that agents ask. */
export function serveAgain(addresses: readonly string[] = []): string {
  const port = addresses.map((one) => /^https?:\/\/[^/]*:(\d+)\//.exec(one)?.[1]).find((one) => one !== undefined);
  const at = port === undefined ? '' : ` --port ${port}`;
  try {
    const served = readServed(placesOf());
    if (served !== undefined)
      return `hookscope ${serveArguments({ ...served, ...(port === undefined ? {} : { port: Number(port) }) })
        .map((word) => pasted(word))
        .join(' ')}`;
  } catch {
    // What is wrong with it is reported elsewhere.
  }
  return `hookscope serve${at}, with the hooks that it is to serve (--hooks, --config, --plugin or --project)`;
}
