import { existsSync, statSync } from 'node:fs';
import { clip, plain } from '../../plain.js';
import { callServer } from '../../server/client/ask.js';
import { placesOf } from '../../server/places.js';
import { readTokens } from '../../server/tokens.js';
import { isObject } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import { listed } from '../../why/words.js';
import type { DoctorFinding } from './finding.js';

/** At most this many changed files are named. */
const NAMED = 5;

/** Problems with a running server. `alone`: when the last fire was answered without one, in ISO 8601. */
export async function servedFindings(alone: string | undefined): Promise<DoctorFinding[]> {
  return [...(await changedFiles()), ...unasked(alone)];
}

/** Files that are not what they were when the server was started. */
async function changedFiles(): Promise<DoctorFinding[]> {
  const places = placesOf();
  try {
    const token = readTokens(places)?.admin;
    if (token === undefined) return [];
    const { body } = await callServer(places, { path: '/admin/changes', token });
    const found = isObject(body) ? body['changes'] : undefined;
    const files = Array.isArray(found) ? found.map((file) => clip(String(file), 200)) : [];
    if (files.length === 0) return [];
    const more = files.length - NAMED;
    const names = listed([...files.slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])]);
    return [
      {
        level: 'problem',
        about: 'server',
        text: `Since the server was started, ${files.length === 1 ? 'a file that it serves has' : 'files that it serves have'} changed or gone: ${names}. Hooks that need ${files.length === 1 ? 'it' : 'them'} fail as untrusted.`,
        fix: 'Look at what changed, and accept it in a terminal: hookscope serve --accept.',
      },
    ];
  } catch (error) {
    return [
      {
        level: 'remark',
        about: 'server',
        text: `The server could not be asked whether its files have changed: ${plain(messageOf(error))}.`,
        fix: 'Start it again: hookscope serve.',
      },
    ];
  }
}

/** A fire without the server while it was running. */
function unasked(alone: string | undefined): DoctorFinding[] {
  const { socket, fireHeader, proof } = placesOf();
  const started = statSync(socket, { throwIfNoEntry: false })?.mtimeMs;
  if (alone === undefined || started === undefined || Date.parse(alone) <= started) return [];
  const missing = [fireHeader, proof].find((file) => !existsSync(file));
  const [why, fix] =
    missing === undefined
      ? [
          'it does not serve the files that hookscope hook was given, or --no-server was',
          'Start the server with the files that the agent was connected with: the same --hooks, --config and --plugin.',
        ]
      : [`${plain(missing)} is not there, without which nobody can ask it`, 'Start it again: hookscope serve.'];
  return [
    {
      level: 'remark',
      about: 'server',
      text: `The server was not asked about the fire at ${plain(alone)}, although it runs: ${why}. Each such fire starts a process.`,
      fix,
    },
  ];
}
