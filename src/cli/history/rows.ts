import { type CommandRow, commandRow } from '../command-row.js';
import { PERIOD_OPTIONS, RECORD_OPTIONS } from '../options.js';

/** The commands that read kept records. */
export const HISTORY_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'history',
    about: 'Show kept records: fires, denied calls and alarms, one line each, the newest last',
    options: [
      'store',
      ...PERIOD_OPTIONS,
      ...RECORD_OPTIONS,
      'limit',
      'long',
      ['json', 'print the records, one line of JSON each'],
      'format',
      'out',
      'redactStored',
    ],
    notes: `Give the id at the end of a line to "hookscope why".

  $ hookscope history --since 1h --blocked
  $ hookscope history --since 1h --format trace -o trace.json
  $ hookscope history --store records.ndjson --agent builder --json`,
    load: async () => (await import('./history.js')).historyCommand,
  }),
  commandRow({
    usage: 'why <what>',
    about:
      'Say in sentences why something was decided: what was asked, which hooks were asked and which not, who decided, and what would have to change',
    arguments: {
      what: "a fire's id, a call's tool_use_id, the beginning of one, or both its ends (0867b3..031), or last: the newest that matches the options",
    },
    options: [
      'store',
      ...PERIOD_OPTIONS,
      ...RECORD_OPTIONS,
      ['json', 'print it as one JSON object for each fire'],
      'redactStored',
    ],
    notes: `The options choose among the fires of an id, too. With --hook, it is only about that hook, and says why it did not run if it did not. Exits with 1 if there is no such fire, or more than one.

  $ hookscope why last --blocked
  $ hookscope why toolu_01 --hook protectPaths`,
    load: async () => (await import('./why.js')).whyCommand,
  }),
  commandRow({
    usage: 'watch',
    about: 'Show fires, denied calls and alarms as they happen, one line each, until you press Ctrl-C',
    options: ['store', ...RECORD_OPTIONS, ['json', 'print the records, one line of JSON each'], 'redactStored'],
    notes: 'Waits for a file that does not exist yet. Exits with 130 after Ctrl-C.',
    load: async () => (await import('./watch.js')).watchCommand,
  }),
  commandRow({
    usage: 'stats',
    about: 'Count, hook by hook, in how many fires it ran, denied and failed, and how long it took; the slowest first',
    options: [
      'store',
      ...PERIOD_OPTIONS,
      'agent',
      ['hook', 'only this hook'],
      'event',
      'by',
      ['json', 'print one JSON object a line'],
      'redactStored',
    ],
    notes: `p50, p95 and p99 are in milliseconds: 50, 95 and 99 of a hundred runs took no longer.

  $ hookscope stats --since 1d --by agent`,
    load: async () => (await import('./stats.js')).statsCommand,
  }),
  commandRow({
    usage: 'doctor',
    about:
      'Say in sentences what is wrong with your setup: hooks that never run, fail or are slow, files, the server, connected agents, alarms',
    options: [
      'store',
      'sinceSaid',
      ['slow', 'a hook is slow if its 95th percentile is above this; default: 1s'],
      ['hooks', 'also look at this file, which you give to --hooks elsewhere'],
      ['codex', 'if Codex is connected: the Codex program to ask which hooks it trusts (default: codex on the PATH)'],
      'probeAgent',
      'agentPath',
      'everything',
      'patience',
      'openNetwork',
      ['markdown', 'with --probe: print the tables of docs/agents.md'],
      ['json', 'print one JSON object a line'],
      'redactStored',
    ],
    notes: `Looks at records, at the hook files of this directory and of your home, and at what connect and serve have set up; executes nothing. Exits with 1 if there
is a problem. With --probe it looks at none of these: it starts that agent and nothing else, in a temporary home and folder, with an environment of
its own, dummy keys and no network but loopback.

  $ hookscope doctor --since 1d
  $ hookscope doctor --probe codex`,
    load: async () => (await import('../doctor/doctor.js')).doctorCommand,
  }),
];
