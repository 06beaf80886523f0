import type { CommandRow, ProgramFlag } from '../command-row.js';

/** What the connected command names, beside the server that it asks. */
const NAMED: readonly ProgramFlag[] = [
  ['--hooks <file.json>', 'hooks that the command names: asked of the server, and without one fired by itself', 'many'],
  ['--config <file>', 'likewise a configuration'],
  ['--plugin <name>', 'likewise a plugin', 'many'],
];

/** The commands that put an agent under the hooks, and take it out again. */
export const CONNECT_COMMANDS: readonly CommandRow[] = [
  {
    usage: 'connect <agent>',
    about:
      "Write hooks into an agent's own settings that ask hookscope about every event; nothing is written without --write",
    arguments: { agent: 'claude-code, codex, copilot, gemini or cursor' },
    options: [
      ['--write', 'write it, after showing the difference'],
      ['--undo', 'restore the file byte for byte; one that was not there is gone again'],
      ['--user', "the user's settings (default)"],
      ['--project', 'the settings of this folder; those of Claude Code that are not shared'],
      ...NAMED,
      ['--attended', 'with gemini: a person sits there and can be asked, so that "ask" is not a deny'],
      ['--codex <program>', 'with codex: the program that is asked what it trusts (default: codex on the PATH)'],
      [
        '--http',
        'with claude-code: requests to a server with a port instead of a command: faster, and whoever listens there is believed',
      ],
      ['--port <number>', 'with --http: the port of hookscope serve'],
    ],
    notes: `What is there stays, comments too. The command is written by its absolute path, for every event of the agent; the step that the agent itself asks
for before it runs it is told.

  $ hookscope connect claude-code
  $ hookscope connect claude-code --write --hooks hooks.json
  $ hookscope connect codex --project --write`,
    load: async () => (await import('./connect.js')).connectCommand,
  },
  {
    usage: 'disconnect [agent]',
    about: 'Restore every file that connect has changed',
    arguments: { agent: 'only those of this agent' },
    options: [['--all', 'those of all agents']],
    notes: '',
    load: async () => (await import('./connect.js')).disconnectCommand,
  },
];
