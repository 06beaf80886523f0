import { existsSync, statSync } from 'node:fs';
import { OPEN_IT } from '../../files/regular-file.js';
import { clip, plain } from '../../plain.js';
import { BESIDE_SERVER } from '../../server/bound/binding.js';
import { fateOf, isNamedGone } from '../../server/bound/files.js';
import { callServer, isSocketThere } from '../../server/client/ask.js';
import { isNamed } from '../../server/named-set.js';
import { checkOwnFolder, readOwned } from '../../server/owned.js';
import { placesOf } from '../../server/places.js';
import { changesSince, readServed, type ServedSet } from '../../server/served.js';
import { readTokens } from '../../server/tokens.js';
import { refusesToken } from '../../store/place.js';
import { isObject } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import { listed } from '../../why/words.js';
import type { DoctorFinding } from './finding.js';
import type { StatelessFire } from './health.js';
import { serveAgain } from './serve-again.js';

/** At most this many changed files are named. */
const NAMED = 5;

/** Folders and files that fail the checks of `hookscope hook`, which then answers by itself without asking a hook. */
export function placesFindings(): DoctorFinding[] {
  const places = placesOf();
  const checks = [
    () => isSocketThere(places) && [places.fireHeader, places.proof].forEach(readOwned),
    () => checkOwnFolder(places.state),
  ];
  const why = checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      return [plain(messageOf(error))];
    }
  });
  return [...new Set(why)].map((text) => ({
    level: 'problem',
    about: 'server',
    text: `Hookscope stops whatever can be stopped, without asking a hook: ${text}`,
    fix: 'What is yours must be for your user alone: chmod 700 for the folder, 600 for a file in it. Move away what is not.',
  }));
}

/** Problems with a running server. `alone`: the last fire that was answered without one. */
export async function servedFindings(alone: StatelessFire | undefined): Promise<DoctorFinding[]> {
  const { socket, tokens } = placesOf();
  if (!(await refusesToken(socket))) return [...(await changedFiles()), ...unasked(alone)];
  const text = `The server that runs does not take the token to read: ${plain(tokens)} is gone, or is not what it was when the server was started. What it serves cannot be looked at, and its records are read from its files.`;
  return [{ level: 'problem', about: 'server', text, fix: `Start it again: ${serveAgain()}.` }, ...unasked(alone)];
}

/** Files that are not what they were when the server was started. */
async function changedFiles(): Promise<DoctorFinding[]> {
  const places = placesOf();
  try {
    const token = readTokens(places)?.admin;
    if (token === undefined) return [];
    const { body } = await callServer(places, { path: '/admin/changes', token });
    const found = isObject(body) ? body['changes'] : undefined;
    const files = Array.isArray(found) ? found.map(String) : [];
    return whichChanged(files, {
      since: 'the server was started',
      serves: 'it serves',
      accept: 'hookscope serve --accept',
      // As long as one of them is gone, none can be accepted.
      gone: BESIDE_SERVER.gone(),
    });
  } catch (error) {
    return [
      {
        level: 'remark',
        about: 'server',
        text: `The server could not be asked whether its files have changed: ${plain(messageOf(error))}.`,
        fix: `Start it again: ${serveAgain()}.`,
      },
    ];
  }
}

/** Files that changed since the last server was started, if none runs now: their hooks fail as untrusted without a server, too. */
export function servedLastFindings(): DoctorFinding[] {
  try {
    return whichChanged(changesSince(readServed(placesOf())), {
      since: 'the last server was started',
      serves: 'it served',
      accept: serveAgain(),
    });
  } catch (error) {
    const fix = `Start the server again: ${serveAgain()}.`;
    return [{ level: 'problem', about: 'server', text: `${plain(messageOf(error))}.`, fix }];
  }
}

/** What the last server was started with; undefined also where that cannot be read, which is reported elsewhere. */
export function lastServed(): ServedSet | undefined {
  try {
    return readServed(placesOf());
  } catch {
    return undefined;
  }
}

/** Fires since the last server answered; it may have been stopped on purpose. */
export function missedFindings(missed: number, serve: string): DoctorFinding[] {
  const served = lastServed();
  if (missed === 0 || served === undefined) return [];
  if (!isNamed(served.set) && served.projects.length === 0) return [];
  const [fires, were] = missed === 1 ? ['1 fire', 'was'] : [`${missed} fires`, 'were'];
  return [
    {
      level: 'remark',
      about: 'server',
      text: `${fires} since the server last answered ${were} made without it (stateless): hooks that remember something between calls start afresh each time.`,
      fix: `${serve} starts it again.`,
    },
  ];
}

interface ChangeWords {
  readonly since: string;
  readonly serves: string;
  /** The command that accepts changes. */
  readonly accept: string;
  /** What helps for what is gone and was named itself, if that cannot be accepted. */
  readonly gone?: string;
}

function whichChanged(files: readonly string[], { since, serves, accept, gone }: ChangeWords): DoctorFinding[] {
  if (files.length === 0) return [];
  const bound = lastServed()?.bindings.files ?? {};
  const named = (file: string): string => clip(file, 200);
  const fates = files.map((file) => [file, fateOf(file, bound[file])] as const);
  const closed = fates.filter(([, fate]) => fate === 'closed').map(([file]) => file);
  const lost = gone === undefined ? [] : files.filter((file) => isNamedGone(file, bound[file]));
  const more = files.length - NAMED;
  const names = listed([
    ...fates.slice(0, NAMED).map(([file, fate]) => `${named(file)} (${fate})`),
    ...(more > 0 ? [`${more} more`] : []),
  ]);
  const [subject, object] =
    files.length === 1
      ? [`a file that ${serves} is not what it was`, 'it']
      : [`files that ${serves} are not what they were`, 'them'];
  const text = `Since ${since}, ${subject}: ${names}. Hooks that need ${object} fail as untrusted.`;
  const fix = [
    ...(closed.length > 0 ? [`For ${listed(closed.map(named))}: ${OPEN_IT}.`] : []),
    ...(lost.length > 0 ? [`For ${listed(lost.map(named))}: ${gone}.`] : []),
    ...(closed.length + lost.length < files.length
      ? [`Look at what changed, and accept it in a terminal: ${accept}.`]
      : []),
  ];
  return [{ level: 'problem', about: 'server', text, fix: fix.join(' ') }];
}

/** A fire that was answered without the server although it was running when the fire began. */
function unasked(alone: StatelessFire | undefined): DoctorFinding[] {
  const { socket, fireHeader, proof } = placesOf();
  const started = statSync(socket, { throwIfNoEntry: false })?.mtimeMs;
  if (alone === undefined || started === undefined || alone.began <= started) return [];
  const missing = [fireHeader, proof].find((file) => !existsSync(file));
  const [why, fix] =
    missing === undefined
      ? [
          'hookscope hook was given files that it does not serve, or only some of those that it serves, or --no-server',
          'Name the same files for the server and for the agent: the same --hooks, --config and --plugin.',
        ]
      : [`${plain(missing)} is not there, without which nobody can ask it`, `Start it again: ${serveAgain()}.`];
  return [
    {
      level: 'remark',
      about: 'server',
      text: `The server was not asked about the fire at ${plain(alone.time)}, although it runs: ${why}. Each such fire starts a process.`,
      fix,
    },
  ];
}
