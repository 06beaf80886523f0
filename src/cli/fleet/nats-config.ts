import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/replace-file.js';
import { readChecked } from '../../fleet/checked-file.js';
import { FLEET_NAME } from '../../fleet/engine.js';
import { makeNkey } from '../../fleet/nats/connection.js';
import { schema, zod } from '../../values/zod.js';
import { accountsIn, type BrokerUsers } from './nats-accounts.js';

const fileOf = (folder: string): string => join(folder, 'users.json');
const accountsOf = (folder: string): string => join(folder, 'accounts.conf');
export const configOf = (folder: string): string => join(folder, 'nats.conf');
export const processOf = (folder: string): string => join(folder, 'nats.pid');

const usersSchema = schema(() => {
  const name = () => zod().string().regex(FLEET_NAME);
  const nkey = () =>
    zod()
      .string()
      .regex(/^U[A-Z2-7]{55}$/);
  return zod().strictObject({
    team: name(),
    port: zod().number().int().min(1).max(65_535),
    operator: nkey(),
    hosts: zod().record(name(), nkey()),
  });
});

/** Undefined if `fleet up` has never run in the folder. Throws FILE, INVALID_CONFIG. */
export function readUsers(folder: string): BrokerUsers | undefined {
  const file = fileOf(folder);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  return readChecked(file, usersSchema(), '; hookscope fleet up and fleet keys host write it') as BrokerUsers;
}

/** Writes the list of those who may connect, and the broker's configuration files made from it. */
export function writeUsers(folder: string, users: BrokerUsers): void {
  replaceFile(fileOf(folder), `${JSON.stringify(users, null, 2)}\n`, 0o600);
  const accounts = JSON.stringify(accountsIn(users), null, 2);
  replaceFile(accountsOf(folder), `${WRITTEN}accounts: ${accounts}\n`, 0o600);
  replaceFile(configOf(folder), configText(folder, users), 0o600);
}

/** Makes a key to connect with, and writes its seed to a file that only its owner may read. Returns that file and the public key. */
export async function makeCredentials(
  folder: string,
  name: string,
): Promise<{ readonly file: string; readonly publicKey: string }> {
  const { publicKey, seed } = await makeNkey();
  const file = join(folder, `${name}.nk`);
  replaceFile(file, `${seed}\n`, 0o600);
  return { file, publicKey };
}

const WRITTEN = '# Written by hookscope fleet up and fleet keys host.\n';

function configText(folder: string, users: BrokerUsers): string {
  // nats-server reads JSON as well as its own format.
  const config = {
    listen: `127.0.0.1:${users.port}`,
    // The real path: a running server refuses a reload with another folder, even another name of the same one.
    jetstream: { store_dir: join(realpathSync(folder), 'data') },
    accounts: accountsIn(users),
  };
  return `${WRITTEN}${JSON.stringify(config, null, 2)}\n`;
}
