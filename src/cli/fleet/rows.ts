import { type CommandRow, commandRow } from '../command-row.js';

export const FLEET_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'fleet <verb> [names...]',
    about:
      'One policy on many machines: up, join URL, leave, push DIR, diff DIR, rollback, status, log, approve [ID], keys new FILE, keys show FILE, keys host NAME',
    arguments: {
      verb: 'up: start a broker to try it out; join, leave: this machine; push, diff, rollback: the policy; status, log: what hosts report; approve: questions that wait for an answer; keys: for signing and connecting',
      names: 'what the verb takes: an address, a folder, a file, a name',
    },
    options: [
      'servers',
      'team',
      'credentials',
      'tlsCa',
      'tlsCert',
      'tlsKey',
      'key',
      'channel',
      'host',
      'allow',
      'deny',
      'reason',
      'askElsewhere',
      'askTimeout',
      'sign',
      'revision',
      'canary',
      'to',
      'sequence',
      ['dir', 'up, keys host: where the broker and its keys are; default: ./fleet'],
      ['port', 'up: the port; default: 4222'],
      ['since', 'log, diff: only what came after this: how long ago, as in 1h, or a time'],
      ['until', 'log: only what came before this'],
      ['blocked', 'log: only what hooks denied or blocked'],
      ['unanswered', 'log: only what hookscope itself answered'],
      ['agent', 'log: only this agent'],
      ['hook', 'log: only fires in which this hook ran'],
      ['event', 'log: only fires of this event'],
      ['slow', 'log: only fires in which a hook took at least this long'],
      ['shadow', 'log: only hooks that are not enforced'],
      ['alarms', 'log: only alarms'],
      ['limit', 'log: at most this many, the newest; 0: all of them; default: 100'],
      ['long', 'log: with every hook of a fire'],
      ['json', 'status, log, diff, approve: as JSON'],
      'redact',
    ],
    notes: `docs/fleet.md follows a policy from nothing to three hosts. diff exits with 1 if a decision would change, status if a host refuses a bundle or has gone silent.

  $ hookscope fleet up
  $ hookscope fleet keys new policy.key
  $ hookscope fleet join nats://127.0.0.1:4222 --team team --credentials fleet/laptop.nk --key ed25519:…
  $ hookscope fleet push policy --sign policy.key --canary 5%
  $ hookscope fleet status`,
    load: async () => (await import('./fleet.js')).fleetCommand,
  }),
];
