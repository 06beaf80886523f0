import { join, resolve } from 'node:path';
import { makeKey, readKey } from '../../fleet/bundle/keys.js';
import { FLEET_NAME } from '../../fleet/engine.js';
import { plain } from '../../plain.js';
import { wrongOption } from '../../values/options.js';
import type { Terminal } from '../terminal.js';
import type { FleetFlags } from './flags.js';
import { readAgain } from './nats-again.js';
import { makeCredentials, readUsers, writeUsers } from './nats-config.js';

/** Keys to sign with, and credentials to connect with. */
export async function keysVerb(
  [what, name]: readonly string[],
  flags: FleetFlags,
  terminal: Terminal,
): Promise<number> {
  if (what === 'new') await terminal.print(makeKey(resolve(name as string)));
  else if (what === 'show') await terminal.print(readKey(resolve(name as string)).id);
  else if (what === 'host') await hostKey(name as string, flags, terminal);
  else throw wrongOption('fleet keys', `expected new FILE, show FILE or host NAME, got "${what}"`);
  return 0;
}

async function hostKey(name: string, { dir = 'fleet' }: FleetFlags, terminal: Terminal): Promise<void> {
  const folder = resolve(dir);
  if (!FLEET_NAME.test(name) || name === 'operator')
    throw wrongOption('fleet keys host', 'expected a name of letters, digits, "_" and "-"');
  const users = readUsers(folder);
  if (users === undefined) throw wrongOption('--dir', `${folder} is not that of hookscope fleet up`);
  if (Object.hasOwn(users.hosts, name))
    throw wrongOption(
      'fleet keys host',
      `${name} has credentials already, and would lose its connection; to replace them, as after a theft, take ${name} out of "hosts" in ${join(folder, 'users.json')} first`,
    );
  const { file, publicKey } = await makeCredentials(folder, name);
  writeUsers(folder, { ...users, hosts: { ...users.hosts, [name]: publicKey } });
  await terminal.print(plain(file));
  if (!(await readAgain(folder)))
    terminal.tell(
      `no broker of hookscope fleet up runs in ${plain(folder)}: it knows the host when it starts; one that you run yourself, after two SIGHUPs`,
    );
}
