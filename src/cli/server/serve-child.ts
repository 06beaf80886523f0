import type { Host } from '../../create-host.js';
import { readRegularFile } from '../../files/regular-file.js';
import type { Fleet } from '../../fleet/fleet.js';
import { hasJoined, joinedFile } from '../../fleet/has-joined.js';
import { servicesOf } from '../../host/internals.js';
import { runChild } from '../../server/child.js';
import { isNamed } from '../../server/named-set.js';
import { waitingAlone } from '../../server/nobody.js';
import { placesOf } from '../../server/places.js';
import { ensureTokens } from '../../server/tokens.js';
import type { OpenSet } from '../../server/worker.js';
import { openHost } from '../host/open-host.js';
import type { Terminal } from '../terminal.js';
import { createKeeper, keptFromNow, keptRecords } from './keep.js';

/** Runs the process that answers. The process that starts it loads none of these modules. */
export async function serveChild(terminal: Terminal): Promise<number> {
  const places = placesOf();
  const moved = fleetWatch(terminal);
  const team = await joinedFleet(terminal);
  const open: OpenSet = async (set, { directory, project, prepare, checksOf }) => {
    const { host } = await openHost(set, {
      executes: true,
      strict: true,
      tell: terminal.tell,
      directory,
      finds: project ?? false,
      prepare,
      team,
      ...(checksOf ? { checksOf } : {}),
    });
    // What is named is the same for each project. A fleet's policy may still come.
    if (project === undefined && isNamed(set) && team === undefined && hasNone(host))
      terminal.tell('no hooks are served from what is named: there are none in it');
    return host;
  };
  await runChild({
    places,
    tokens: ensureTokens(places),
    open,
    keeper: createKeeper(places, terminal.tell),
    records: (params, lost) => keptRecords(places, params, lost),
    beside: keptFromNow(places),
    tell: terminal.tell,
    moved,
  });
  await team?.close();
  return 0;
}

/** Whether it has no hook, not even one that waits for consent. */
const hasNone = (host: Host): boolean => waitingAlone(servicesOf(host).registrar)?.size === 0;

/** The result tells whether a fleet was joined or left since its last call. */
function fleetWatch({ tell }: Terminal): () => boolean {
  const read = (): string => (hasJoined() ? readRegularFile(joinedFile()).toString('utf8') : '');
  let last = read();
  return () => {
    let now = last;
    try {
      now = read();
    } catch {
      // The file is being removed at this moment.
    }
    if (now === last) return false;
    last = now;
    tell(now === '' ? 'the fleet was left' : 'a fleet was joined');
    return true;
  };
}

/** Connects to the fleet that this machine has joined. */
async function joinedFleet({ tell }: Terminal): Promise<Fleet | undefined> {
  if (!hasJoined()) return undefined;
  const { readJoined } = await import('../../fleet/joined.js');
  const joined = readJoined();
  return joined && (await import('../../fleet/fleet.js')).fleet({ ...joined, logger: tell });
}
