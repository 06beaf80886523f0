import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { readBytes } from '../../files/json-file.js';
import { ASK_ELSEWHERE, type AskElsewhere } from '../../fleet/ask/asker.js';
import { fleet } from '../../fleet/fleet.js';
import { hasJoined, joinedFile } from '../../fleet/has-joined.js';
import { type JoinedFleet, readJoined, writeJoined } from '../../fleet/joined.js';
import { checkFiles, withoutPassword } from '../../fleet/nats/connection.js';
import { readAllowed } from '../../fleet/policy/allowed.js';
import { plain } from '../../plain.js';
import { wrongOption } from '../../values/options.js';
import { typedAs } from '../options.js';
import type { Terminal } from '../terminal.js';
import { type FleetFlags, tlsOf } from './flags.js';

const isAskElsewhere = (text: string): text is AskElsewhere => (ASK_ELSEWHERE as readonly string[]).includes(text);

/** How the options of `fleet()` are spelled on the command line, for its errors. */
const TYPED = {
  'fleet: servers': 'the broker',
  'fleet: team': '--team',
  'fleet: host': '--host',
  'fleet: keys': '--key',
  'fleet: channels': '--channel',
  'fleet: credentials': '--credentials',
  'fleet: allow': '--allow',
} as const;

const isAddress = (text: string): boolean =>
  URL.canParse(text) && /^(nats|tls):$/.test(new URL(text).protocol) && new URL(text).hostname !== '';

/** Tries the fleet, and stores that this user of this machine has joined it. */
export async function joinVerb([url]: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const { team = 'team', key = [], credentials, channel, host, allow, askElsewhere, askTimeout } = flags;
  if (allow === true) throw wrongOption('--allow', 'expected the file that says what of a bundle may run here');
  if (askElsewhere !== undefined && !isAskElsewhere(askElsewhere))
    throw wrongOption('--ask-elsewhere', `expected ${ASK_ELSEWHERE.join(', ')}, got "${askElsewhere}"`);
  const seconds = askTimeout === undefined ? undefined : Number(askTimeout);
  if (seconds !== undefined && !(seconds > 0 && Number.isFinite(seconds)))
    throw wrongOption('--ask-timeout', `expected seconds, more than 0, got "${askTimeout}"`);
  if (seconds !== undefined && (askElsewhere === undefined || askElsewhere === 'never'))
    throw wrongOption('--ask-timeout', 'expected --ask-elsewhere unattended or first beside it: else nobody is asked');
  if (key.length === 0)
    throw wrongOption(
      '--key',
      'expected the public key that bundles are signed with, as hookscope fleet keys new prints it',
    );
  if (!isAddress(url as string))
    throw wrongOption(
      'fleet join',
      `expected the broker's address, as nats://127.0.0.1:4222, got "${withoutPassword(url as string)}"`,
    );
  const tls = tlsOf(flags);
  const before = readJoined();
  const joined: JoinedFleet = {
    servers: [url as string],
    team,
    keys: key,
    ...(credentials === undefined ? {} : { credentials: resolve(credentials) }),
    ...(tls === undefined ? {} : { tls }),
    ...(host === undefined ? {} : { host }),
    ...(channel === undefined ? {} : { channels: channel }),
    ...(askElsewhere === undefined ? {} : { askElsewhere }),
    ...(seconds === undefined ? {} : { askTimeout: seconds }),
    ...(allow === undefined ? {} : { allow: resolve(allow) }),
  };
  await checkFiles(joined);
  if (joined.allow !== undefined) {
    readBytes(joined.allow);
    readAllowed(joined.allow);
  }
  const told: string[] = [];
  const place = await typedAs(TYPED, () => fleet({ ...joined, logger: (text) => void told.push(text) }));
  const { channels, host: name } = place.status();
  const { connected } = place;
  await place.close();
  writeJoined({ ...joined, host: name });
  for (const text of told) terminal.tell(text);
  if (before !== undefined)
    terminal.tell(`in place of the team ${before.team} at ${before.servers.map(withoutPassword).join(', ')}`);
  await terminal.print(
    `this machine is ${plain(name)} of the team ${plain(team)}; ${plain(joinedFile())} says so to hookscope serve`,
  );
  for (const { channel: of, revision, sequence, asks } of channels)
    await terminal.print(
      `${of}: ${revision === undefined ? 'no policy' : `${plain(revision)} (${sequence})`}${asks === undefined ? '' : `; every gate asks: ${plain(asks)}`}`,
    );
  if (!connected) terminal.tell(`the broker does not answer now; hookscope serve goes on trying`);
  return 0;
}

/** Forgets the fleet, even if the file about it cannot be read. What was kept of it stays on disk. */
export async function leaveVerb(_: readonly string[], __: FleetFlags, terminal: Terminal): Promise<number> {
  if (!hasJoined()) {
    terminal.tell('no fleet was joined here');
    return 1;
  }
  rmSync(joinedFile());
  await terminal.print('this machine has left its fleet, and so does a server that runs here');
  return 0;
}
