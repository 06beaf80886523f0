import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/replace-file.js';
import { readChecked } from '../../fleet/checked-file.js';
import { FLEET_NAME } from '../../fleet/engine.js';
import { makeNkey } from '../../fleet/nats/connection.js';
import { schema, zod } from '../../values/zod.js';
import { accountsIn, type Users } from './nats-accounts.js';

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

/** undefined: `fleet up` has never been there. Throws FILE, INVALID_CONFIG. */
export function readUsers(folder: string): Users | undefined {
  const file = fileOf(folder);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  return readChecked(file, usersSchema(), '; hookscope fleet up and fleet keys host write it') as Users;
}

/** Writes who may connect, and the broker's configuration of it. */
export function writeUsers(folder: string, users: Users): void {
  replaceFile(fileOf(folder), `${JSON.stringify(users, null, 2)}\n`, 0o600);
  const accounts = JSON.stringify(accountsIn(users), null, 2);
  replaceFile(accountsOf(folder), `${WRITTEN}accounts: ${accounts}\n`, 0o600);
  replaceFile(configOf(folder), configText(folder, users), 0o600);
}

/** Makes a key to connect with; its seed is in a file for its owner alone. Returns the public half. */
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

function configText(folder: string, users: Users): string {
  // JSON is a form of it.
  const config = {
    listen: `127.0.0.1:${users.port}`,
    // A server that runs takes no other folder, also not by another name of the same.
    jetstream: { store_dir: join(realpathSync(folder), 'data') },
    accounts: accountsIn(users),
  };
  return `${WRITTEN}${JSON.stringify(config, null, 2)}\n`;
}
