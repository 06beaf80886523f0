import { type CommandRow, commandRow } from './command-row.js';
import { CONNECT_COMMANDS } from './connect/rows.js';
import { FLEET_COMMANDS } from './fleet/rows.js';
import { HISTORY_COMMANDS } from './history/rows.js';
import { NEW_COMMANDS } from './new/rows.js';
import { CLAUDE_OPTIONS, HOST_OPTIONS } from './options.js';
import { PAGE_COMMANDS } from './page/rows.js';
import { REPLAY_COMMANDS } from './replay/rows.js';
import { SERVER_COMMANDS } from './server/rows.js';
import { TEST_COMMANDS } from './test/rows.js';

export const COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'fire <event>',
    about: 'Fire one event; print the decision and, for every registered hook, what it said or why it did not run',
    arguments: { event: 'PreToolUse, pre-tool-use, … (docs/events.md lists them)' },
    options: [
      'input',
      ...HOST_OPTIONS,
      ...CLAUDE_OPTIONS,
      'scope',
      ['json', 'print the fire record as one JSON object, with what background hooks said later'],
      'redact',
      'exitCode',
    ],
    notes: `Exits with 0 whatever the decision is (but see --exit-code), with 1 if the event could not be fired.

  $ hookscope fire PreToolUse --hooks hooks.json --input call.json
  $ echo '{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1"}' | hookscope fire PreToolUse --input -`,
    load: async () => (await import('./fire.js')).fireCommand,
  }),
  ...SERVER_COMMANDS,
  ...CONNECT_COMMANDS,
  ...FLEET_COMMANDS,
  commandRow({
    usage: 'list',
    about: 'List what is registered, in running order, and where it comes from',
    options: [...HOST_OPTIONS, ...CLAUDE_OPTIONS, ['json', 'print the scope tree as JSON'], 'redact'],
    notes: '',
    load: async () => (await import('./list.js')).listCommand,
  }),
  commandRow({
    usage: 'run <session...>',
    about: 'Send the events of recorded sessions through the hooks, in order, and say what ran for whom and why',
    arguments: {
      session: 'a file with one {"at_ms", "event", "input"} a line, or with records that a sink of hookscope has kept',
    },
    options: [
      ...HOST_OPTIONS,
      ...CLAUDE_OPTIONS,
      'speed',
      ['json', 'print every record as one line of JSON, then the summary'],
      'redact',
    ],
    notes: `An agent's scope opens before its SubagentStart and ends after a SubagentStop that lets it end. The recording does not change:
if a hook denies a call here, its recorded result still follows. At the end: runs, blocks, failures and times by agent, event and hook.

  $ hookscope run session.jsonl --plugin hookscope-plugin-protected-paths`,
    load: async () => (await import('./run/run.js')).runCommand,
  }),
  commandRow({
    usage: 'explain <event>',
    about:
      'Say which hooks would run for an input, in which order and parallel group (wave), and why the others would not; nothing is executed',
    arguments: { event: 'PreToolUse, pre-tool-use, … (docs/events.md lists them)' },
    options: [
      'tool',
      [
        'input',
        'the event, or the fields of it that matter, as a JSON object, or the file that holds it; "-": standard input; default: {}',
        '--input <json>',
      ],
      ...HOST_OPTIONS,
      ...CLAUDE_OPTIONS,
      ['scope', "as if fired in this agent's scope; default: the input's agent_id"],
      'json',
      'redact',
    ],
    notes: `The hooks of one wave would run at the same time. If a hook rewrites the input, other hooks may run than are shown here.

  $ hookscope explain PreToolUse --tool Bash --input '{"command":"git push"}' --claude-code`,
    load: async () => (await import('./explain.js')).explainCommand,
  }),
  commandRow({
    usage: 'trust [dir]',
    about:
      "Look at the hooks of a project that are not accepted, or have changed since, and accept them; default: this directory's",
    arguments: { dir: 'the project' },
    options: [
      ['pluginDir', 'also look at this Claude Code plugin'],
      ['agentFile', "also look at this agent's markdown file", '--agent <file>'],
      ['from', "also look at this agent's own files: codex, copilot, gemini or cursor", '--from <agent>'],
      'list',
      'forget',
      'revoke',
      'data',
      'yes',
    ],
    notes: `Consent binds the hooks as they are written and the bytes of every file their commands name: if one byte changes,
that hook no longer runs, and the user is asked about the calls that it guards. Consent is kept in $XDG_CONFIG_HOME/hookscope/trust.json, outside of every project. It can be given
only at a terminal, so that no program that runs in the project can give it. Exits with 1 while something is not accepted.`,
    load: async () => (await import('./trust.js')).trustCommand,
  }),
  commandRow({
    usage: 'agents [name]',
    about:
      'List the agents whose hook protocol is known: their events, what each decision becomes there, their files, their deadlines',
    arguments: { name: 'claude-code, codex, copilot, gemini, cursor; default: a short list of all of them' },
    options: ['json'],
    notes: `"seen": its answers were recorded from the program itself, in the version shown beside it. "documents": taken from its documentation, not tried.

  $ hookscope agents
  $ hookscope agents codex`,
    load: async () => (await import('./agents.js')).agentsCommand,
  }),
  commandRow({
    usage: 'check [path...]',
    about:
      'Look for mistakes in hook files of any origin: what never runs, runs too often, or cannot stop what it should; nothing is executed',
    arguments: { path: 'files, or folders to search; default: this directory' },
    options: [
      ['hooks', 'also check this file, one that you pass to --hooks of other commands'],
      ['as', 'the agent whose files these are: codex, copilot, gemini, cursor; default: by their folders and names'],
      'level',
      'off',
      ['model', 'the model that you will pass to the other commands'],
      ['json', 'print the findings as one JSON object'],
      'sarif',
      'redact',
    ],
    notes: `Reads Claude Code's settings, plugins, agents, skills and commands, hookscope's own configuration and hooks files, and the hooks of Codex (config.toml too), Copilot, Gemini and Cursor. The rules are in
docs/rules.md. Exits with 1 if there is an error.

  $ hookscope check
  $ hookscope check .claude/settings.json --level warning`,
    load: async () => (await import('./check.js')).checkCommand,
  }),
  ...HISTORY_COMMANDS,
  ...REPLAY_COMMANDS,
  ...TEST_COMMANDS,
  ...NEW_COMMANDS,
  ...PAGE_COMMANDS,
];
