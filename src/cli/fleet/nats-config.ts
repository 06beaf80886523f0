import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/replace-file.js';
import { inboxOf, makeNkey } from '../../fleet/nats/connection.js';
import { subjectsOf } from '../../fleet/nats/subjects.js';

/** Who may connect: an operator, who may do everything, and hosts by name. */
export interface Users {
  readonly team: string;
  readonly port: number;
  readonly operator: string;
  readonly hosts: Readonly<Record<string, string>>;
}

const fileOf = (folder: string): string => join(folder, 'users.json');
const accountsOf = (folder: string): string => join(folder, 'accounts.conf');
export const configOf = (folder: string): string => join(folder, 'nats.conf');

export function readUsers(folder: string): Users | undefined {
  const file = fileOf(folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Users) : undefined;
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

/** A host's permissions: read the policy, write its own records, state and questions, and nothing else. */
export function permissionsOf(team: string, host: string) {
  const { policy, state, logOf, waiting, asked, answer } = subjectsOf(team);
  const stream = `KV_${policy}`;
  return {
    publish: {
      allow: [
        logOf(host),
        `$KV.${state}.${host}`,
        asked(host, '*'),
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.INFO.KV_${state}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
        `$JS.API.DIRECT.GET.${stream}`,
        `$JS.API.DIRECT.GET.${stream}.>`,
        `$JS.API.CONSUMER.CREATE.${stream}`,
        `$JS.API.CONSUMER.CREATE.${stream}.>`,
        `$JS.API.CONSUMER.INFO.${stream}.>`,
        `$JS.API.CONSUMER.DELETE.${stream}.>`,
        `$JS.FC.${stream}.>`,
      ],
    },
    subscribe: { allow: [`${inboxOf(host)}.>`, waiting, answer(host, '*')] },
    allow_responses: true,
  };
}

const WRITTEN = '# Written by hookscope fleet up and fleet keys host.\n';

/** The team's account: its operator and its hosts. */
function accountsIn({ team, operator, hosts }: Users) {
  const users = [
    { nkey: operator },
    ...Object.entries(hosts).map(([name, nkey]) => ({ nkey, permissions: permissionsOf(team, name) })),
  ];
  return { [team]: { jetstream: 'enabled', users } };
}

function configText(folder: string, users: Users): string {
  // JSON is a form of it.
  const config = {
    listen: `127.0.0.1:${users.port}`,
    jetstream: { store_dir: join(folder, 'data') },
    accounts: accountsIn(users),
  };
  return `${WRITTEN}${JSON.stringify(config, null, 2)}\n`;
}
