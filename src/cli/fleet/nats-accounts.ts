import { inboxOf } from '../../fleet/nats/connection.js';
import { subjectsOf } from '../../fleet/nats/subjects.js';

/** The public keys of those who may connect: an operator, who may do everything, and hosts by name. */
export interface BrokerUsers {
  readonly team: string;
  readonly port: number;
  readonly operator: string;
  readonly hosts: Readonly<Record<string, string>>;
}

/** The subjects that a host (`*`: any) sends to in the team's account (`services`), and those it receives from there (`streams`). */
function openTo(team: string, host: string) {
  const { policyBucket, policyOf, stateOf, logOf, waiting, asked, answer, taken } = subjectsOf(team);
  const get = `$JS.API.DIRECT.GET.${policyBucket}`;
  const policies = [policyOf('*'), policyOf('*.canary')];
  const read = policies.map((policy) => `${get}.${policy}`);
  return {
    services: [logOf(host), stateOf(host), asked(host, '*'), taken(host, '*'), get, ...read],
    streams: [...policies, waiting, answer(host, '*')],
  };
}

/** A host's permissions: read the policy, write its own records, state and questions, and nothing else. */
export function permissionsOf(team: string, host: string) {
  const { services, streams } = openTo(team, host);
  return { publish: { allow: services }, subscribe: { allow: [`${inboxOf(host)}.>`, ...streams] } };
}

/** Unambiguous, since names of teams and hosts contain no slash. */
const accountOf = (team: string, host: string): string => `${team}/${host}`;

/**
 * The team's account, with its operator, and one account for each host. NATS checks the subject that a client sends to, but not the one it names for the reply, which the server
 * sends with its own rights. From an account of its own, a host cannot name another host's subject.
 */
export function accountsIn({ team, operator, hosts }: Pick<BrokerUsers, 'team' | 'operator' | 'hosts'>) {
  const { services, streams } = openTo(team, '*');
  const exports = [...streams.map((stream) => ({ stream })), ...services.map((service) => ({ service }))];
  const own = Object.entries(hosts).map(([host, nkey]) => {
    const of = openTo(team, host);
    const imports = [
      ...of.streams.map((subject) => ({ stream: { account: team, subject } })),
      ...of.services.map((subject) => ({ service: { account: team, subject } })),
    ];
    return [accountOf(team, host), { users: [{ nkey, permissions: permissionsOf(team, host) }], imports }] as const;
  });
  return { [team]: { jetstream: 'enabled', users: [{ nkey: operator }], exports }, ...Object.fromEntries(own) };
}
