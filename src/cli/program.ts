import { Command, CommanderError } from 'commander';
import { ownVersion } from '../plugins/manifest.js';
import { type OwnTerminal, openTerminal, type Terminal } from './terminal.js';

/** One command: how it is called, and the module that does it, loaded when it is. */
interface CommandRow {
  readonly usage: string;
  readonly about: string;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options: readonly ProgramFlag[];
  readonly notes: string;
  load(): Promise<(args: readonly string[], flags: never, terminal: Terminal) => Promise<number>>;
}

/** `many`: it may be given several times. */
type ProgramFlag = readonly [flags: string, about: string, many?: 'many'];

const HOST: readonly ProgramFlag[] = [
  [
    '--config <file>',
    'configuration to use; default: hookscope.config.{ts,mjs,js,json} of this directory, once it is accepted (hookscope trust)',
  ],
  ['--no-config', 'use no configuration'],
  ['--plugin <name>', 'also apply this plugin: an npm package, or a path', 'many'],
  ['--hooks <file.json>', 'also register the hooks of this file', 'many'],
  [
    '--model <provider:name>',
    'the model that prompt and agent hooks ask, anthropic:NAME; ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL are taken from the environment',
  ],
];

const CLAUDE: readonly ProgramFlag[] = [
  [
    '--claude-code [dir]',
    "Claude Code's own files: the user's settings, and those of the project in <dir> (default: here)",
  ],
  ['--settings <file>', "a settings file in Claude Code's format", 'many'],
  ['--plugin-dir <dir>', 'a Claude Code plugin', 'many'],
  [
    '--agent <file[@id]>',
    "an agent's markdown file: its hooks are for the agent of that id, or of its type where none is given",
    'many',
  ],
  [
    '--trust <which>',
    "which hooks of the project may run: stored (default), those accepted with 'hookscope trust', or all",
  ],
];

const COMMANDS: readonly CommandRow[] = [
  {
    usage: 'fire <event>',
    about: 'Fire one event; print the decision and, for every registered hook, what it said or why it did not run',
    arguments: { event: 'PreToolUse, pre-tool-use, … (docs/events.md lists them)' },
    options: [
      ['--input <file>', 'the event as a JSON object, or the file that holds it; "-": standard input; default: {}'],
      ...HOST,
      ...CLAUDE,
      ['--scope <id>', "fire in this agent's scope; default: the input's agent_id"],
      ['--json', 'print the fire record as one JSON object, with what came later'],
      [
        '--exit-code',
        'behave as a hook does: exit 2 with the reason on standard error when blocked, the decision as JSON on standard output',
      ],
    ],
    notes: `Exits 0 whatever was decided (but see --exit-code), 1 when it could not be fired.

  $ hookscope fire PreToolUse --hooks hooks.json --input call.json
  $ echo '{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1"}' | hookscope fire PreToolUse --input -`,
    load: async () => (await import('./fire.js')).fireCommand,
  },
  {
    usage: 'list',
    about: 'List what is registered, in running order, and where it comes from',
    options: [...HOST, ...CLAUDE, ['--json', 'print the scope tree as JSON']],
    notes: '',
    load: async () => (await import('./list.js')).listCommand,
  },
  {
    usage: 'run <session...>',
    about: 'Send the events of recorded sessions through the hooks, in order, and say what ran for whom and why',
    arguments: {
      session: 'a file with one {"at_ms", "event", "input"} a line, or with records that a sink of hookscope has kept',
    },
    options: [
      ...HOST,
      ...CLAUDE,
      ['--speed <factor>', 'keep the recorded pace, 1 as it was, 10 ten times as fast; default: as fast as it can'],
      ['--json', 'print every record as one line of JSON, then the summary'],
    ],
    notes: `An agent's scope is opened before its SubagentStart and ended after a SubagentStop that lets it end. The recording goes on as
it was: the result of a call that is denied here still follows. At the end: runs, blocks, failures and times by agent, event and hook.

  $ hookscope run session.jsonl --plugin hookscope-plugin-protected-paths`,
    load: async () => (await import('./run/run.js')).runCommand,
  },
  {
    usage: 'explain <event>',
    about:
      'Say which hooks would run for an input, in which order and wave, and why the others would not; nothing is executed',
    arguments: { event: 'PreToolUse, pre-tool-use, … (docs/events.md lists them)' },
    options: [
      ['--tool <name>', "the tool that is called; with it, --input may be the tool's own input alone"],
      [
        '--input <json>',
        'the event, or the fields of it that matter, as a JSON object, or the file that holds it; "-": standard input; default: {}',
      ],
      ...HOST,
      ...CLAUDE,
      ['--scope <id>', "as if fired in this agent's scope; default: the input's agent_id"],
      ['--json', 'print it as one JSON object'],
    ],
    notes: `The hooks of one wave would run at the same time. Rewrites may change what runs after them: this is what can be told before.

  $ hookscope explain PreToolUse --tool Bash --input '{"command":"git push"}' --claude-code`,
    load: async () => (await import('./explain.js')).explainCommand,
  },
  {
    usage: 'trust [dir]',
    about:
      "Look at the hooks of a project that are not accepted, or have changed since, and accept them; default: this directory's",
    arguments: { dir: 'the project' },
    options: [
      ['--plugin-dir <dir>', 'also look at this Claude Code plugin', 'many'],
      ['--agent <file>', "also look at this agent's markdown file", 'many'],
      ['--list', 'list what is accepted, changed, gone, never accepted, and accepted elsewhere; ask nothing'],
      [
        '--forget [file]',
        'forget what was accepted of this file, or of the whole project: its hooks no longer fail as untrusted',
      ],
      ['--revoke', 'the same as --forget, for the whole project'],
      ['--data <name>', 'a file that a command names and that changes by itself: bind its name alone', 'many'],
      ['--yes', 'accept without a question for each file; at a terminal only'],
    ],
    notes: `Consent binds the hooks as they are written and the bytes of every file their commands name: one changed byte, and
that hook does not run, and what it guards is asked about. It is kept in $XDG_CONFIG_HOME/hookscope/trust.json, outside of every project. It can be given at a terminal
only, so that no program that runs in the project gives it. Exits 1 while something is held.`,
    load: async () => (await import('./trust.js')).trustCommand,
  },
  {
    usage: 'check [path...]',
    about:
      'Look for mistakes in hook files of any origin: what never runs, runs too often, or cannot stop what it should; nothing is executed',
    arguments: { path: 'files, or folders to search; default: this directory' },
    options: [
      ['--hooks <file.json>', 'also check this file, which is to be given to --hooks', 'many'],
      ['--level <level>', 'show what is at least this: error, warning or info (default)'],
      ['--off <rule>', 'leave this rule out', 'many'],
      ['--model <provider:name>', 'the model that will be named to the other commands'],
      ['--json', 'print the findings as one JSON object'],
      ['--sarif', 'print them as SARIF 2.1.0, for code scanning'],
    ],
    notes: `Reads Claude Code's settings, plugins, agents, skills and commands, and hookscope's own configuration and hooks files. The rules are in
docs/rules.md. Exits 1 if there is an error.

  $ hookscope check
  $ hookscope check .claude/settings.json --level warning`,
    load: async () => (await import('./check.js')).checkCommand,
  },
];

/** Does what the arguments say, with this process's streams, folder and environment, and ends it. */
export async function program(argv: readonly string[]): Promise<void> {
  const terminal = openTerminal();
  let code = 0;
  const commands = new Command('hookscope')
    .description('Observable, scoped hooks for AI agents: fire events, replay sessions, see what ran and why.')
    .version(await ownVersion(), '-V, --version')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text) => terminal.tellLines(text.trim().replace(/^error: /, '')) })
    .addHelpText(
      'after',
      '\nhookscope <command> --help says more. HOOKSCOPE_DEBUG=1 shows where an error comes from; NO_COLOR is respected.',
    )
    .exitOverride();
  for (const row of COMMANDS) {
    add(commands, row, async (args, flags) => {
      code = await (await row.load())(args, flags as never, terminal);
    });
  }
  try {
    await commands.parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = error instanceof CommanderError ? error.exitCode : printError(error, terminal);
  }
  await terminal.exit(code);
}

function add(all: Command, row: CommandRow, run: (args: readonly string[], flags: object) => Promise<void>): void {
  const command = all
    .command(row.usage)
    .summary(row.about.split(';')[0] as string)
    .description(`${row.about}.`);
  for (const argument of command.registeredArguments) argument.description = row.arguments?.[argument.name()] ?? '';
  for (const [flags, about, many] of row.options) {
    if (many)
      command.option(flags, `${about} (may be repeated)`, (value: string, all: string[] = []) => [...all, value]);
    else command.option(flags, about);
  }
  if (row.notes !== '') command.addHelpText('after', `\n${row.notes}`);
  command.action(() => run(command.processedArgs.flat() as string[], command.opts()));
}

/** One message, and no stack unless somebody wants to see it. */
function printError(error: unknown, terminal: OwnTerminal): number {
  // What the user has interrupted needs no message.
  if (terminal.signal.aborted) return 1;
  terminal.tell(error instanceof Error ? error.message : String(error));
  if (process.env['HOOKSCOPE_DEBUG'] && error instanceof Error) terminal.tellLines(error.stack ?? '');
  return 1;
}
