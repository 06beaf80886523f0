import { readCount, readDuration, readFactor, readMoment, readPort, wordOf } from './option-values.js';

/**
 * How an option is written, what help says of it, and how its value is read: as text, `many` texts where it may be given several times, or
 * by what throws INVALID_OPTIONS for a wrong one.
 */
export type Option = readonly [
  flags: string,
  about: string,
  value?: 'many' | ((text: string, where: string) => unknown),
];

/** Every option of the program, once. A command takes them by these names (`command-row.ts`), and has its own words for one that it means otherwise. */
export const OPTIONS = {
  // What makes a host.
  config: [
    '--config <file>',
    'configuration to use; default: hookscope.config.{ts,mjs,js,json} of this directory, once it is accepted (hookscope trust)',
  ],
  noConfig: ['--no-config', 'use no configuration'],
  plugin: ['--plugin <name>', 'also apply this plugin: an npm package, or a path', 'many'],
  hooks: ['--hooks <file.json>', 'also register the hooks of this file', 'many'],
  from: [
    '--from <agent...>',
    "also register the hooks of another agent's own files and run them as it would: codex, copilot, gemini or cursor, and behind it a file; default: what lies in its places, once it is accepted",
    'many',
  ],
  model: [
    '--model <provider:name>',
    'the model that prompt and agent hooks ask, anthropic:NAME; ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL are taken from the environment',
  ],
  claudeCode: [
    '--claude-code [dir]',
    "Claude Code's own files: the user's settings, and those of the project in <dir> (default: here)",
  ],
  settings: ['--settings <file>', "a settings file in Claude Code's format", 'many'],
  pluginDir: ['--plugin-dir <dir>', 'a Claude Code plugin', 'many'],
  agentFile: [
    '--agent <file[@id]>',
    "an agent's markdown file: its hooks are for the agent of that id, or of its type where none is given",
    'many',
  ],
  // As text: `hook` answers for a wrong one in its agent's words.
  trust: [
    '--trust <which>',
    "which hooks of the project may run: stored (default), those accepted with 'hookscope trust', or all",
  ],

  // What is printed, and where to.
  json: ['--json', 'print it as one JSON object'],
  markdown: ['--markdown', 'print the report as Markdown'],
  redact: ['--no-redact', 'show secrets as they are; without it they are masked'],
  redactStored: ['--no-redact', 'show secrets that the store holds unmasked'],
  sarif: ['--sarif', 'print them as SARIF 2.1.0, for code scanning'],
  tap: ['--tap', 'print TAP version 14'],
  junit: ['--junit <file>', 'also write JUnit XML'],
  format: ['--format <format>', 'trace: a trace file for ui.perfetto.dev and chrome://tracing', wordOf('trace')],
  out: ['-o, --out <file>', 'write the trace to this file'],
  exitCode: [
    '--exit-code',
    'behave as a hook does: exit 2 with the reason on standard error when blocked, the decision as JSON on standard output',
  ],

  // An event.
  input: ['--input <file>', 'the event as a JSON object, or the file that holds it; "-": standard input; default: {}'],
  scope: ['--scope <id>', "fire in this agent's scope; default: the input's agent_id"],
  tool: ['--tool <name>', "the tool that is called; with it, --input may be the tool's own input alone"],
  speed: [
    '--speed <factor>',
    'keep the recorded pace, 1 as it was, 10 ten times as fast; default: as fast as it can',
    readFactor,
  ],
  against: ['--against <file>', 'compare with this configuration, in place of what was decided then'],
  runCallbacks: [
    '--run-callbacks',
    'call the functions of the configuration and its plugins, in place of what was recorded of them',
  ],

  // Which records.
  store: [
    '--store <place>',
    'the records to read: an NDJSON file or a database that a sink has written, or the address of a server; default: the server that runs, else what is kept in $XDG_STATE_HOME/hookscope',
  ],
  since: [
    '--since <when>',
    'only what came later: how long ago, as in 90s, 1h, 2d, or a time, as in 2026-01-31T09:15Z',
    readMoment,
  ],
  // As text, since doctor says it again.
  sinceSaid: ['--since <when>', 'look at records that came later; default: 7d'],
  until: ['--until <when>', 'only what came before', readMoment],
  blocked: ['--blocked', 'only what hooks denied or blocked, and calls that were denied'],
  agent: ['--agent <agent>', "only this agent's: its id, the beginning of it, its type, its scope, or main"],
  hook: ['--hook <name>', 'only fires in which this hook ran'],
  event: ['--event <event>', 'only fires of this event'],
  slow: ['--slow <duration>', 'only fires in which a hook took at least this long, as in 250ms or 1s', readDuration],
  shadow: ['--shadow', 'only hooks that are not enforced: what they would have said'],
  alarms: ['--alarms', 'only alarms: what was done differs from what was decided'],
  limit: ['--limit <n>', 'show at most this many, the newest; 0: all of them; default: 100', readCount],
  long: ['--long', 'with every hook of a fire: what it said, or why it did not run'],
  by: ['--by <what>', 'a line for each agent, or each event', wordOf('agent', 'event')],

  // Agents that are connected, and what is asked for them.
  as: ['--as <agent>', 'whose hook it is: claude-code (default), codex, copilot, gemini, cursor'],
  attended: [
    '--attended',
    'a person sits at the agent and can be asked; needed where the agent does not say so (Gemini)',
  ],
  onFailure: ['--on-failure <policy>', 'what a failure of ours does: block (default) what can be blocked, or allow'],
  timeout: [
    '--timeout <seconds>',
    "the agent's own deadline, before which it answers; default: that of the agent for the event",
  ],
  noServer: ['--no-server', 'do not ask a server; fire in this process'],
  projects: ['--project <dir>', 'a project whose own accepted configuration counts for calls in it', 'many'],
  port: ['--port <number>', 'also answer on 127.0.0.1 at this port; 0: any', readPort],
  dev: ['--dev', 'load changes without asking, and say so'],
  accept: ['--accept', 'at a terminal: accept the changes of what a running server serves'],
  install: [
    '--install',
    'write a file for systemd or launchd that starts it with these options; show it, and start nothing',
  ],
  write: ['--write', 'write it, after showing the difference'],
  undo: ['--undo', 'restore the file byte for byte; one that was not there is gone again'],
  user: ['--user', "the user's settings (default)"],
  project: ['--project', 'the settings of this folder; those of Claude Code that are not shared'],
  codex: ['--codex <program>', 'with codex: the program that is asked what it trusts (default: codex on the PATH)'],
  http: [
    '--http',
    'with claude-code: requests to a server with a port instead of a command: faster, and whoever listens there is believed',
  ],
  all: ['--all', 'those of all agents'],
  probeAgent: [
    '--probe <agent>',
    'drive codex, copilot, gemini or claude-code with a scripted model, and say which kinds of "no" it obeys, by itself and with hookscope',
  ],
  agentPath: ['--agent-path <file>', 'with --probe: its executable; default: the one on the PATH'],
  everything: ['--everything', 'with --probe: other events too, and hookscope with a server; takes minutes'],
  patience: [
    '--patience <duration>',
    'with --probe: an agent that does nothing for this long counts as hung; default: 1m',
    readDuration,
  ],
  openNetwork: ['--open-network', 'with --probe: drive it even if its network cannot be blocked'],

  // Files of hooks: what is accepted, what is wrong with them, what they do with examples.
  list: ['--list', 'list what is accepted, changed, gone, never accepted, and accepted elsewhere; ask nothing'],
  forget: [
    '--forget [file]',
    'forget what was accepted of this file, or of the whole project: its hooks no longer fail as untrusted',
  ],
  revoke: ['--revoke', 'the same as --forget, for the whole project'],
  data: ['--data <name>', 'a file that a command names and that changes by itself: bind its name alone', 'many'],
  yes: ['--yes', 'accept without a question for each file; at a terminal only'],
  level: [
    '--level <level>',
    'show what is at least this: error, warning or info (default)',
    wordOf('error', 'warning', 'info'),
  ],
  off: ['--off <rule>', 'leave this rule out', 'many'],
  probe: [
    '--probe',
    'also ask the hooks about 100 calls that guards usually miss: PASS, FAIL, or GAP where nobody was asked',
  ],
  dir: ['--dir <folder>', 'create it in this folder instead, which must be empty or not exist yet'],

  // Fleets.
  servers: ['--servers <url>', 'the broker; default: that of the fleet that was joined', 'many'],
  team: ['--team <name>', 'the team; default: that of the fleet that was joined, else team'],
  credentials: ['--credentials <file>', 'as whom: an nkey seed, NATS credentials, or JSON with user and password'],
  tlsCa: ['--tls-ca <file>', 'the certificate authority of the broker'],
  tlsCert: ['--tls-cert <file>', 'the certificate of this side, where the broker asks for one'],
  tlsKey: ['--tls-key <file>', 'the key of that certificate'],
  key: ['--key <key>', 'join: a public key that bundles are signed with', 'many'],
  channel: ['--channel <name>', 'push, diff, rollback: the channel; join: one to follow; default: stable', 'many'],
  host: ['--host <name>', "join: this machine's name in the fleet; log, approve: only this host's"],
  allow: [
    '--allow [file]',
    'join: the file that says what of a bundle may run here beside rules; approve: the answer, without a file or with the ID',
  ],
  deny: ['--deny', 'approve: the answer'],
  reason: ['--reason <text>', 'approve: said to the agent with the answer'],
  askElsewhere: ['--ask-elsewhere <when>', 'join: what hooks ask goes to the team: never (default), unattended, first'],
  askTimeout: [
    '--ask-timeout <seconds>',
    'join: how long a question to the team waits; default: until 2 s before the agent gives up',
  ],
  sign: ['--sign <file>', 'push, rollback, approve: a key to sign with', 'many'],
  revision: ['--revision <name>', 'push: what it is called; default: a hash of its content'],
  canary: ['--canary <share>', 'push: to this share of hosts first, 5% or 0.05'],
  to: ['--to <revision>', 'rollback: the revision to go back to; default: the one before'],
} as const satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof OPTIONS;

/** What every command takes that makes a host, */
export const HOST_OPTIONS = ['config', 'noConfig', 'plugin', 'hooks', 'from', 'model'] as const;
/** and of Claude Code's own files. */
export const CLAUDE_OPTIONS = ['claudeCode', 'settings', 'pluginDir', 'agentFile', 'trust'] as const;

/** Of commands that show records: of what time, */
export const PERIOD_OPTIONS = ['since', 'until'] as const;
/** and which of them. */
export const RECORD_OPTIONS = ['blocked', 'agent', 'hook', 'event', 'slow', 'shadow', 'alarms'] as const;

/** What a command is given of these options. One without a value is true; one that begins with `no` is false where it was given. */
export type Flags<Name extends OptionName> = {
  readonly [N in Name as KeyOf<(typeof OPTIONS)[N][0]>]?: ValueOf<(typeof OPTIONS)[N]>;
};

type KeyOf<Written extends string> = Written extends `${string}--no-${infer Long}`
  ? Camel<FirstWord<Long>>
  : Written extends `${string}--${infer Long}`
    ? Camel<FirstWord<Long>>
    : never;
type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;
type Camel<Text extends string> = Text extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<Camel<Rest>>}`
  : Text;

type ValueOf<O extends Option> = O extends readonly [string, string, infer Value]
  ? Value extends (text: string, where: string) => infer Read
    ? Read
    : readonly string[]
  : O[0] extends `${string} <${string}`
    ? string
    : O[0] extends `${string} [${string}`
      ? string | true
      : O[0] extends `--no-${string}`
        ? boolean
        : true;

/** The option whose flag is called so, as it is written. */
export const spelled = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
