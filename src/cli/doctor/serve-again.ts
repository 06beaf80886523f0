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

/** The command that serves this again, without the options that name what is gone, since no server starts with those; behind it stands what it leaves out. */
export function commandFor(served: ServedSet): string {
  const gone = namedGone(served.bindings.files);
  const [serve = '', ...words] = serveArguments(served);
  const isLeftOut = (at: number): boolean =>
    LEFT_OUT.has(words[at] as string) && words[at + 1] !== undefined && gone.includes(words[at + 1] as string);
  const kept = words.filter((_, at) => !isLeftOut(at) && !isLeftOut(at - 1));
  // Without any of them it would be the command for another server.
  const named = kept.length > 0 ? kept : words;
  const without = gone.filter((file) => !named.includes(file) && words.includes(file));
  const still = gone.filter((file) => !without.includes(file));
  const notes = [
    ...(without.length > 0 ? [`without what is gone: ${without.map(plain).join(', ')}`] : []),
    ...(still.length > 0
      ? [`first put back what is gone, or leave that option out: ${still.map(plain).join(', ')}`]
      : []),
  ];
  const command = ['hookscope', serve, ...named].map((word) => pasted(word)).join(' ');
  return notes.length === 0 ? command : `${command} (${notes.join('; ')})`;
}

/** The options whose value is one file. That of `--from` belongs to the agent before it. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '--hooks',
  '--config',
  '--plugin',
  '--settings',
  '--agent',
  '--trust',
  '--plugin-dir',
]);

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
