import { type CommandRow, commandRow } from '../command-row.js';

/** Options whose files end up in the command that connect writes. */
const NAMED = [
  ['hooks', 'hooks that count: a server runs them or, if none runs, the written command itself'],
  ['config', 'the same for a configuration'],
  ['plugin', 'the same for a plugin'],
] as const;

/** The commands that connect an agent to hookscope, and disconnect it. */
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
      ['attended', 'with gemini: a user is present and can be asked; otherwise "ask" becomes a deny'],
      'codex',
      'http',
      ['port', 'with --http: the port of hookscope serve'],
      'redact',
    ],
    notes: `What is in the file stays, including comments. The hook is written for every event of the agent, with the command's absolute path. If the agent
itself wants something confirmed before it runs the hook, connect says so.

  $ hookscope connect claude-code
  $ hookscope connect claude-code --write --hooks hooks.json
  $ hookscope connect codex --project --write`,
    load: async () => (await import('./connect.js')).connectCommand,
  }),
  commandRow({
    usage: 'disconnect [agent]',
    about: 'Restore what connect has changed for one agent or, with --all, for every agent',
    arguments: { agent: 'claude-code, codex, copilot, gemini or cursor' },
    options: ['all'],
    notes: '',
    load: async () => (await import('./connect.js')).disconnectCommand,
  }),
];
