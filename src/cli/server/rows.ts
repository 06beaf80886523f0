import { type CommandRow, commandRow } from '../command-row.js';
import { CLAUDE_OPTIONS, HOST_OPTIONS } from '../options.js';

/** The commands around a warm host. */
export const SERVER_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'hook <event>',
    about:
      "Answer one event of an agent's own hooks: standard input in, standard output and exit code as the agent understands them",
    arguments: {
      event: "the agent's own name of it, or ours (docs/agents.md lists them): PreToolUse, preToolUse, BeforeTool, …",
    },
    options: ['as', 'attended', ...HOST_OPTIONS, ...CLAUDE_OPTIONS, 'onFailure', 'timeout', 'noServer'],
    notes: `The server of this user answers (hookscope serve), where one runs and serves what is named here. Where none runs the command fires by itself, and
its record says "stateless". A server that was asked and does not answer is a failure: no hook runs twice.

  $ hookscope hook PreToolUse --hooks hooks.json < call.json`,
    load: async () => (await import('./hook.js')).hookCommand,
  }),
  commandRow({
    usage: 'serve',
    about: 'Keep hooks warm in the foreground, and answer agents on a socket of this user',
    options: [...HOST_OPTIONS, ...CLAUDE_OPTIONS, 'projects', 'port', 'dev', 'accept', 'install'],
    notes: `What is named is bound by its bytes when it starts. What changes after that does not run, and fails as untrusted, until somebody accepts it.

  $ hookscope serve --hooks hooks.json`,
    load: async () => (await import('./serve.js')).serveCommand,
  }),
];
