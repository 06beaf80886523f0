import { HookscopeError, isHookscopeError } from '../errors.js';
import { readCount, readDuration, readFactor, readMoment, readPort, wordOf } from './option-values.js';

/**
 * How an option is written, what help says about it, and how its value is read: as text, as `many` texts if it may be repeated, or by a
 * function that throws INVALID_OPTIONS for a wrong value.
 */
export type Option = readonly [
  flags: string,
  about: string,
  value?: 'many' | ((text: string, where: string) => unknown),
];

/** Every option of the program, once. A command takes them by these names (`command-row.ts`), and may describe one in its own words. */
export const OPTIONS = {
  // Options that decide which hooks a host has.
  config: [
    '--config <file>',
    'configuration to use; default: hookscope.config.{ts,mjs,js,json} of this directory, once it is accepted (hookscope trust)',
  ],
  noConfig: ['--no-config', 'use no configuration'],
  plugin: ['--plugin <name>', 'also apply this plugin: an npm package, or a path', 'many'],
  hooks: ['--hooks <file.json>', 'also register the hooks of this file', 'many'],
  from: [
    '--from <agent...>',
    "also register the hooks of another agent's own files and run them as it would: codex, copilot, gemini or cursor, followed by a file; without one, the files in the agent's usual places, once they are accepted",
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
    "an agent's markdown file: its hooks are for the agent with that id or, without an id, for all agents of its type",
    'many',
  ],
  // A string, because `hook` has to answer a wrong value in its agent's protocol.
  trust: [
    '--trust <which>',
    "which hooks of the project may run, also of its hookscope.config.*: stored (default), those accepted with 'hookscope trust', or all",
  ],

  // What is printed, and where.
  json: ['--json', 'print it as one JSON object'],
  markdown: ['--markdown', 'print the report as Markdown'],
  redact: ['--no-redact', 'show secrets as they are; without it they are masked'],
  redactStored: ['--no-redact', 'do not mask secrets that the store holds unmasked'],
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
    'keep the recorded pace: 1 is as recorded, 10 is ten times as fast; default: as fast as possible',
    readFactor,
  ],
  against: ['--against <file>', 'compare with the decisions of this configuration, not with those that were recorded'],
  runCallbacks: [
    '--run-callbacks',
    'call the functions of the configuration and its plugins, instead of using their recorded answers',
  ],

  // Which records.
  store: [
    '--store <place>',
    'the records to read: an NDJSON file or a database that a sink has written, or the address of a server; default: the running server, else what is kept in $XDG_STATE_HOME/hookscope',
  ],
  since: [
    '--since <when>',
    'only what came after this: how long ago, as in 90s, 1h, 2d, or a time, as in 2026-01-31T09:15Z',
    readMoment,
  ],
  // A string, because doctor repeats it.
  sinceSaid: ['--since <when>', 'look only at records that came after this; default: 7d'],
  until: ['--until <when>', 'only what came before this', readMoment],
  blocked: ['--blocked', 'only what hooks denied or blocked, and calls that were denied'],
  unanswered: [
    '--unanswered',
    'only what hookscope itself answered: no hook could be asked, none had answered, or the answer could not be given',
  ],
  agent: ['--agent <agent>', 'only this agent: its id or the beginning of it, its type, its scope, or main'],
  hook: ['--hook <name>', 'only fires in which this hook ran'],
  event: ['--event <event>', 'only fires of this event'],
  slow: ['--slow <duration>', 'only fires in which a hook took at least this long, as in 250ms or 1s', readDuration],
  shadow: ['--shadow', 'only hooks that are not enforced: what they would have said'],
  alarms: ['--alarms', 'only alarms: what ran differs from what was decided'],
  limit: ['--limit <n>', 'show at most this many, the newest; 0: all of them; default: 100', readCount],
  long: ['--long', 'with every hook of a fire: what it said, or why it did not run'],
  by: ['--by <what>', 'a line for each agent, or each event', wordOf('agent', 'event')],

  // Agents: their hook command, the server, connecting and probing them.
  as: ['--as <agent>', 'whose hook it is: claude-code (default), codex, copilot, gemini, cursor'],
  attended: ['--attended', 'a user is present and can be asked; needed if the agent itself does not say so (Gemini)'],
  onFailure: [
    '--on-failure <policy>',
    'what happens if this command fails: block (default) what can be blocked, or allow it',
  ],
  timeout: [
    '--timeout <seconds>',
    'how long the agent waits; the command answers before that; default: what the agent grants for the event',
  ],
  noServer: ['--no-server', 'do not ask a server; run the hooks in this process'],
  projects: ['--project <dir>', 'a project whose own accepted configuration counts for calls in it', 'many'],
  port: ['--port <number>', 'also answer on 127.0.0.1 at this port; 0: any', readPort],
  dev: ['--dev', 'load changes without asking, and say so'],
  accept: ['--accept', 'at a terminal: look at what has changed since the running server started, and accept it'],
  install: [
    '--install',
    'write a file for systemd or launchd that starts it with these options; show it, and start nothing',
  ],
  write: ['--write', 'write it, after showing the difference'],
  undo: ['--undo', 'restore the file byte for byte, or remove it if it was not there before'],
  user: ['--user', "the user's settings (default)"],
  project: ['--project', "this folder's settings; for Claude Code, the file that is not shared"],
  codex: [
    '--codex <program>',
    'with codex: the Codex program to ask which hooks it trusts (default: codex on the PATH)',
  ],
  http: [
    '--http',
    'with claude-code: write requests to the port of a server instead of a command: faster, but whatever listens there is believed',
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
    'forget what was accepted in this file, or in the whole project: its hooks no longer fail as untrusted',
  ],
  revoke: ['--revoke', 'the same as --forget, for the whole project'],
  data: ['--data <name>', 'a file that a command names and that changes by itself: bind its name alone', 'many'],
  yes: ['--yes', 'accept all files without a question for each; at a terminal only'],
  level: [
    '--level <level>',
    'show findings of at least this level: error, warning or info (default)',
    wordOf('error', 'warning', 'info'),
  ],
  off: ['--off <rule>', 'leave this rule out', 'many'],
  probe: [
    '--probe',
    'also ask the hooks about 100 calls that guards usually miss: PASS, FAIL, or GAP where no hook was asked',
  ],
  dir: ['--dir <folder>', 'create it in this folder instead, which must be empty or not exist yet'],

  // Fleets.
  servers: ['--servers <url>', 'the broker; default: that of the fleet that this machine has joined', 'many'],
  team: ['--team <name>', 'the team; default: that of the fleet that this machine has joined, else "team"'],
  credentials: [
    '--credentials <file>',
    'what to log in to the broker with: an nkey seed, NATS credentials, or JSON with user and password',
  ],
  tlsCa: ['--tls-ca <file>', 'the certificate authority of the broker'],
  tlsCert: ['--tls-cert <file>', 'the client certificate, if the broker asks for one'],
  tlsKey: ['--tls-key <file>', 'the key of that certificate'],
  key: [
    '--key <key>',
    'join: a public key that bundles are signed with; push, rollback: another key whose bundles count, beside those of --sign',
    'many',
  ],
  channel: ['--channel <name>', 'push, diff, rollback: the channel; join: one to follow; default: stable', 'many'],
  host: ['--host <name>', "join: this machine's name in the fleet; log, approve: only this host's"],
  allow: [
    '--allow [file]',
    'join: the file that says which parts of a bundle, beside rules, may run here; approve: the answer is yes (give no file, or the ID)',
  ],
  deny: ['--deny', 'approve: the answer is no'],
  reason: ['--reason <text>', 'approve: the reason that the agent gets with the answer'],
  askElsewhere: [
    '--ask-elsewhere <when>',
    'join: when questions of hooks go to the team: never (default), unattended (no user is present), first (before the user)',
  ],
  askTimeout: [
    '--ask-timeout <seconds>',
    'join: how long a question to the team waits; default: until 2 s before the agent gives up',
  ],
  sign: ['--sign <file>', 'push, rollback, approve: a key to sign with', 'many'],
  revision: ['--revision <name>', "push: the revision's name; default: a hash of the content"],
  canary: ['--canary <share>', 'push: to this share of hosts first, 5% or 0.05'],
  to: [
    '--to <revision>',
    'rollback: the revision to go back to; default: the one before, and one further back each time; during a canary, the one that all other hosts have',
  ],
  sequence: [
    '--sequence <number>',
    'push, rollback: the number of the bundle; default: one above the highest that counts',
  ],
} as const satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof OPTIONS;

/** The options of every command that makes a host. */
export const HOST_OPTIONS = ['config', 'noConfig', 'plugin', 'hooks', 'from', 'model'] as const;
/** The options of Claude Code's own files. */
export const CLAUDE_OPTIONS = ['claudeCode', 'settings', 'pluginDir', 'agentFile', 'trust'] as const;

/** The period of commands that show records. */
export const PERIOD_OPTIONS = ['since', 'until'] as const;
/** Which records these commands show. */
export const RECORD_OPTIONS = ['blocked', 'unanswered', 'agent', 'hook', 'event', 'slow', 'shadow', 'alarms'] as const;

/** The parsed options of a command. A flag without a value is true; `--no-x` makes `x` false. */
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

/** The flag of an option, as it is written. */
export const spelled = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The result of `work`. An error about an option of the API is rethrown with the name that the user typed (`typed`). */
export async function typedAs<T>(typed: Readonly<Record<string, string>>, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isHookscopeError(error) || error.code !== 'INVALID_OPTIONS') throw error;
    const details = error.details as { where: string; expected: string; nearest?: string };
    const where = Object.hasOwn(typed, details.where) ? typed[details.where] : undefined;
    throw where === undefined ? error : new HookscopeError('INVALID_OPTIONS', { ...details, where }, { cause: error });
  }
}
