import type { CommandRow, ProgramFlag } from '../command-row.js';

const STORE: ProgramFlag = [
  '--store <place>',
  'the records to read: an NDJSON file or a database that a sink has written, or the address of a server; default: the server that runs, else what is kept in $XDG_STATE_HOME/hookscope',
];
const SINCE: readonly ProgramFlag[] = [
  ['--since <when>', 'only what came later: how long ago, as in 90s, 1h, 2d, or a time, as in 2026-01-31T09:15Z'],
  ['--until <when>', 'only what came before'],
];
const MASK: ProgramFlag = ['--no-redact', 'show secrets that the store holds unmasked'];
const AGENT: ProgramFlag = [
  '--agent <agent>',
  "only this agent's: its id, the beginning of it, its type, its scope, or main",
];
const EVENT: ProgramFlag = ['--event <event>', 'only fires of this event'];
const WHICH: readonly ProgramFlag[] = [
  ['--blocked', 'only what hooks denied or blocked, and calls that were denied'],
  AGENT,
  ['--hook <name>', 'only fires in which this hook ran'],
  EVENT,
  ['--slow <duration>', 'only fires in which a hook took at least this long, as in 250ms or 1s'],
  ['--shadow', 'only hooks that are not enforced: what they would have said'],
  ['--alarms', 'only alarms: what was done differs from what was decided'],
];

/** The commands that read what was kept. */
export const HISTORY_COMMANDS: readonly CommandRow[] = [
  {
    usage: 'history',
    about: 'Show kept records: fires, denied calls and alarms, one line each, the newest last',
    options: [
      STORE,
      ...SINCE,
      ...WHICH,
      ['--limit <n>', 'show at most this many, the newest; 0: all of them; default: 100'],
      ['--long', 'with every hook of a fire: what it said, or why it did not run'],
      ['--json', 'print the records, one line of JSON each'],
      ['--format <format>', 'trace: a trace file for ui.perfetto.dev and chrome://tracing'],
      ['-o, --out <file>', 'write the trace to this file'],
      MASK,
    ],
    notes: `Give the id at the end of a line to "hookscope why".

  $ hookscope history --since 1h --blocked
  $ hookscope history --since 1h --format trace -o trace.json
  $ hookscope history --store records.ndjson --agent builder --json`,
    load: async () => (await import('./history.js')).historyCommand,
  },
  {
    usage: 'why <what>',
    about:
      'Say in sentences why something was decided: what was asked, which hooks were asked and which not, who decided, and what would have to change',
    arguments: {
      what: "a fire's id, a call's tool_use_id, the beginning of one or both its ends (0867b3..031), or last: the newest that the options let through",
    },
    options: [STORE, ...SINCE, ...WHICH, ['--json', 'print it as one JSON object for each fire'], MASK],
    notes: `With --hook, of that hook alone: why it did not run, if it did not. Exits 1 where there is no such fire, or several.

  $ hookscope why last --blocked
  $ hookscope why toolu_01 --hook protectPaths`,
    load: async () => (await import('./why.js')).whyCommand,
  },
  {
    usage: 'watch',
    about: 'Show fires, denied calls and alarms as they come, one line each, until you interrupt',
    options: [STORE, ...WHICH, ['--json', 'print the records, one line of JSON each'], MASK],
    notes: 'Waits for a file that does not exist yet. Exits with 130 after Ctrl-C.',
    load: async () => (await import('./watch.js')).watchCommand,
  },
  {
    usage: 'stats',
    about: 'Count, hook by hook, how often it ran, denied and failed, and how long it took; the slowest first',
    options: [
      STORE,
      ...SINCE,
      AGENT,
      ['--hook <name>', 'only this hook'],
      EVENT,
      ['--by <what>', 'a line for each agent, or each event'],
      ['--json', 'print one JSON object a line'],
      MASK,
    ],
    notes: `p50, p95 and p99 are in milliseconds: so many of a hundred runs took no longer.

  $ hookscope stats --since 1d --by agent`,
    load: async () => (await import('./stats.js')).statsCommand,
  },
  {
    usage: 'doctor',
    about:
      'Say in sentences what is wrong with your setup: hooks that never run, fail or are slow, files, the server, connected agents, alarms',
    options: [
      STORE,
      ['--since <when>', 'look at records that came later; default: 7d'],
      ['--slow <duration>', 'a hook is slow if its 95th percentile is above this; default: 1s'],
      ['--hooks <file.json>', 'also look at this file, which you give to --hooks elsewhere', 'many'],
      [
        '--codex <program>',
        'where Codex is connected: the program that is asked what it trusts (default: codex on the PATH)',
      ],
      [
        '--probe <agent>',
        'drive codex, copilot, gemini or claude-code with a scripted model, and say which kinds of "no" it obeys, by itself and with hookscope',
      ],
      ['--agent-path <file>', 'with --probe: its executable; default: the one on the PATH'],
      ['--everything', 'with --probe: other events too, and hookscope with a server; takes minutes'],
      ['--patience <duration>', 'with --probe: an agent that does nothing for this long counts as hung; default: 1m'],
      ['--open-network', 'with --probe: drive it even if its network cannot be blocked'],
      ['--markdown', 'with --probe: print the tables of docs/agents.md'],
      ['--json', 'print one JSON object a line'],
      MASK,
    ],
    notes: `Looks at records, at the hook files of this directory and of your home, and at what connect and serve have set up; executes nothing. Exits 1 if there
is a problem. With --probe it looks at none of these: it starts that agent and nothing else, in a temporary home and folder, with an environment of
its own, dummy keys and no network but loopback.

  $ hookscope doctor --since 1d
  $ hookscope doctor --probe codex`,
    load: async () => (await import('../doctor/doctor.js')).doctorCommand,
  },
];
