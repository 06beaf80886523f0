import { type CommandRow, commandRow } from '../command-row.js';
import { CLAUDE_OPTIONS, HOST_OPTIONS } from '../options.js';

export const REPLAY_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'replay <file...>',
    about:
      'Decide recorded fires again, with the hooks as they are now, and say what changes; no hook runs (but see --run-callbacks)',
    arguments: {
      file: 'what a sink has written (NDJSON or SQLite), the events of a session with one {"at_ms", "event", "input"} a line, or a transcript of Claude Code',
    },
    options: [
      ...HOST_OPTIONS,
      ...CLAUDE_OPTIONS,
      'against',
      'runCallbacks',
      ['json', 'print each fire that changes as one line of JSON, then the summary'],
      'markdown',
      'redact',
    ],
    notes: `A hook's answer is the one that was recorded of the same hook (compared by a hash of what it runs) on the same input. Rules, matchers, scopes,
policies and rewrites are computed again. If an answer is not known and could matter, the decision is unknown; so it is if a function makes the hooks of
an agent's type (spawnHooks). A configuration in code is loaded to find its hooks: its own code and the apply() of its plugins run, as in every command; callbacks
run only with --run-callbacks; commands, requests, tools and models never run. Exits with 0 if every decision stays the same, with 1 if one changes, with 3 if
one is unknown, whatever else changes.

  $ hookscope replay hooks.ndjson --config hookscope.config.json
  $ hookscope replay hooks.ndjson --config new.json --against old.json --markdown`,
    load: async () => (await import('./replay.js')).replayCommand,
  }),
];
