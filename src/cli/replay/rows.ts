import { type CommandRow, commandRow } from '../command-row.js';
import { CLAUDE_OPTIONS, HOST_OPTIONS } from '../options.js';

export const REPLAY_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'replay <file...>',
    about:
      'Decide again what was recorded, by the hooks as they are now, and say what changes; no command, request, tool or model runs, and no callback of a hook',
    arguments: {
      file: 'what a sink has written (NDJSON or SQLite), the events of a session, one {"at_ms", "event", "input"} a line, or a transcript of Claude Code',
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
    notes: `What a hook says is what was recorded of the same hook (what it runs, hashed) on the same input. Rules, matchers, scopes, policies and rewrites are
computed anew. Where an answer is not known and could matter, the decision is unknown; so it is where a function makes the hooks of an agent's type
(spawnHooks). A configuration in code is loaded to know its hooks: its own code and the apply() of its plugins run, as in every command; their callbacks
only with --run-callbacks. Exits 0 where all stays as it was, 1 where something changes, 3 where
something is unknown, whatever else changes.

  $ hookscope replay hooks.ndjson --config hookscope.config.json
  $ hookscope replay hooks.ndjson --config new.json --against old.json --markdown`,
    load: async () => (await import('./replay.js')).replayCommand,
  }),
];
