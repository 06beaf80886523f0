import { type CommandRow, commandRow } from '../command-row.js';
import { CLAUDE_OPTIONS, HOST_OPTIONS } from '../options.js';

/** The commands of the server. */
export const SERVER_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'hook <event>',
    about:
      "Answer one event of an agent's own hooks: the event on standard input, the answer and the exit code as the agent understands them",
    arguments: {
      event:
        "the agent's own name of the event, or hookscope's (docs/agents.md lists them): PreToolUse, preToolUse, BeforeTool, …",
    },
    options: ['as', 'attended', ...HOST_OPTIONS, ...CLAUDE_OPTIONS, 'onFailure', 'timeout', 'noServer'],
    notes: `If a server of this user (hookscope serve) runs and serves the files named here, it answers. If none runs, the command runs the hooks itself, and
the record says "stateless". If a server was asked and does not answer, that is a failure: no hook runs twice.

  $ hookscope hook PreToolUse --hooks hooks.json < call.json`,
    load: async () => (await import('./hook.js')).hookCommand,
  }),
  commandRow({
    usage: 'serve',
    about: 'Keep hooks loaded in one process, in the foreground, and answer agents on a socket of this user',
    options: [
      ['config', 'configuration to serve; one that is only in the folder does not count'],
      ...HOST_OPTIONS.filter((name) => name !== 'config'),
      ...CLAUDE_OPTIONS,
      'projects',
      'data',
      'port',
      'dev',
      'accept',
      'install',
    ],
    notes: `At the start it records the bytes of the files that it serves. If one changes later, its hooks do not run, and fail as untrusted, until somebody accepts the change.

  $ hookscope serve --hooks hooks.json`,
    load: async () => (await import('./serve.js')).serveCommand,
  }),
];
