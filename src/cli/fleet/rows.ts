import type { CommandRow } from '../command-row.js';
import { REDACT } from '../host-rows.js';

export const FLEET_COMMANDS: readonly CommandRow[] = [
  {
    usage: 'fleet <verb> [names...]',
    about:
      'One policy on many machines: up, join URL, leave, push DIR, diff DIR, rollback, status, log, approve [ID], keys new FILE, keys show FILE, keys host NAME',
    arguments: {
      verb: 'up: a broker for trying; join, leave: this machine; push, diff, rollback: the policy; status, log: what hosts say; approve: what waits for a person; keys: to sign and to connect',
      names: 'what the verb takes: an address, a folder, a file, a name',
    },
    options: [
      ['--servers <url>', 'the broker; default: that of the fleet that was joined', 'many'],
      ['--team <name>', 'the team; default: that of the fleet that was joined, else team'],
      ['--credentials <file>', 'as whom: an nkey seed, NATS credentials, or JSON with user and password'],
      ['--tls-ca <file>', 'the certificate authority of the broker'],
      ['--tls-cert <file>', 'the certificate of this side, where the broker asks for one'],
      ['--tls-key <file>', 'the key of that certificate'],
      ['--key <key>', 'join: a public key that bundles are signed with', 'many'],
      ['--channel <name>', 'push, diff, rollback: the channel; join: one to follow; default: stable', 'many'],
      ['--host <name>', "join: this machine's name in the fleet; log, approve: only this host's"],
      [
        '--allow [file]',
        'join: the file that says what of a bundle may run here beside rules; approve: the answer, without a file or with the ID',
      ],
      ['--deny', 'approve: the answer'],
      ['--reason <text>', 'approve: said to the agent with the answer'],
      ['--ask-elsewhere <when>', 'join: what hooks ask goes to the team: never (default), unattended, first'],
      [
        '--ask-timeout <seconds>',
        'join: how long a question to the team waits; default: until 2 s before the agent gives up',
      ],
      ['--sign <file>', 'push, rollback, approve: a key to sign with', 'many'],
      ['--revision <name>', 'push: what it is called; default: a hash of its content'],
      ['--canary <share>', 'push: to this share of hosts first, 5% or 0.05'],
      ['--to <revision>', 'rollback: the revision to go back to; default: the one before'],
      ['--dir <folder>', 'up, keys host: where the broker and its keys are; default: ./fleet'],
      ['--port <number>', 'up: the port; default: 4222'],
      ['--since <when>', 'log, diff: only what came later: how long ago, as in 1h, or a time'],
      ['--until <when>', 'log: only what came before'],
      ['--blocked', 'log: only what hooks denied or blocked'],
      ['--agent <agent>', "log: only this agent's"],
      ['--hook <name>', 'log: only fires in which this hook ran'],
      ['--event <event>', 'log: only fires of this event'],
      ['--slow <duration>', 'log: only fires in which a hook took so long'],
      ['--shadow', 'log: only hooks that are not enforced'],
      ['--alarms', 'log: only alarms'],
      ['--limit <n>', 'log: at most so many, the newest; 0: all of them; default: 100'],
      ['--long', 'log: with every hook of a fire'],
      ['--json', 'status, log, diff, approve: as JSON'],
      REDACT,
    ],
    notes: `docs/fleet.md follows a policy from nothing to three hosts. diff exits 1 where a decision would change, status where a host refuses or has gone silent.

  $ hookscope fleet up
  $ hookscope fleet keys new policy.key
  $ hookscope fleet join nats://127.0.0.1:4222 --team team --credentials fleet/laptop.nk --key ed25519:…
  $ hookscope fleet push policy --sign policy.key --canary 5%
  $ hookscope fleet status`,
    load: async () => (await import('./fleet.js')).fleetCommand,
  },
];
