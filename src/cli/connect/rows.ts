import { type CommandRow, commandRow } from '../command-row.js';

/** What the connected command names, beside the server that it asks. */
const NAMED = [
  ['hooks', 'hooks that the command names: asked of the server, and without one fired by itself'],
  ['config', 'likewise a configuration'],
  ['plugin', 'likewise a plugin'],
] as const;

/** The commands that put an agent under the hooks, and take it out again. */
export const CONNECT_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'connect <agent>',
    about:
      "Write hooks into an agent's own settings that ask hookscope about every event; nothing is written without --write",
    arguments: { agent: 'claude-code, codex, copilot, gemini or cursor' },
    options: [
      'write',
      'undo',
      'user',
      'project',
      ...NAMED,
      ['attended', 'with gemini: a person sits there and can be asked, so that "ask" is not a deny'],
      'codex',
      'http',
      ['port', 'with --http: the port of hookscope serve'],
    ],
    notes: `What is there stays, comments too. The command is written by its absolute path, for every event of the agent; the step that the agent itself asks
for before it runs it is told.

  $ hookscope connect claude-code
  $ hookscope connect claude-code --write --hooks hooks.json
  $ hookscope connect codex --project --write`,
    load: async () => (await import('./connect.js')).connectCommand,
  }),
  commandRow({
    usage: 'disconnect [agent]',
    about: 'Restore every file that connect has changed',
    arguments: { agent: 'only those of this agent' },
    options: ['all'],
    notes: '',
    load: async () => (await import('./connect.js')).disconnectCommand,
  }),
];
