import type { CommandRow } from '../command-row.js';
import { CLAUDE, HOST } from '../host-rows.js';

/** The commands around a warm host. */
export const SERVER_COMMANDS: readonly CommandRow[] = [
  {
    usage: 'hook <event>',
    about:
      "Answer one event of an agent's own hooks: standard input in, standard output and exit code as the agent understands them",
    arguments: {
      event: "the agent's own name of it, or ours (docs/agents.md lists them): PreToolUse, preToolUse, BeforeTool, …",
    },
    options: [
      ['--as <agent>', 'whose hook it is: claude-code (default), codex, copilot, gemini, cursor'],
      ['--attended', 'a person sits at the agent and can be asked; needed where the agent does not say so (Gemini)'],
      ...HOST,
      ...CLAUDE,
      ['--on-failure <policy>', 'what a failure of ours does: block (default) what can be blocked, or allow'],
      [
        '--timeout <seconds>',
        "the agent's own deadline, before which it answers; default: that of the agent for the event",
      ],
      ['--no-server', 'do not ask a server; fire in this process'],
    ],
    notes: `The server of this user answers (hookscope serve), where one runs and serves what is named here. Where none runs the command fires by itself, and
its record says "stateless". A server that was asked and does not answer is a failure: no hook runs twice.

  $ hookscope hook PreToolUse --hooks hooks.json < call.json`,
    load: async () => (await import('./hook.js')).hookCommand,
  },
  {
    usage: 'serve',
    about: 'Keep hooks warm in the foreground, and answer agents on a socket of this user',
    options: [
      ...HOST,
      ...CLAUDE,
      ['--project <dir>', 'a project whose own accepted configuration counts for calls in it', 'many'],
      ['--port <number>', 'also answer on 127.0.0.1 at this port; 0: any'],
      ['--dev', 'load changes without asking, and say so'],
      ['--accept', 'at a terminal: accept the changes of what a running server serves'],
      [
        '--install',
        'write a file for systemd or launchd that starts it with these options; show it, and start nothing',
      ],
    ],
    notes: `What is named is bound by its bytes when it starts. What changes after that does not run, and fails as untrusted, until somebody accepts it.

  $ hookscope serve --hooks hooks.json`,
    load: async () => (await import('./serve.js')).serveCommand,
  },
];
