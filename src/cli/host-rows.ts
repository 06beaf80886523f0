import type { ProgramFlag } from './command-row.js';

/** What every command takes that makes a host. */
export const HOST: readonly ProgramFlag[] = [
  [
    '--config <file>',
    'configuration to use; default: hookscope.config.{ts,mjs,js,json} of this directory, once it is accepted (hookscope trust)',
  ],
  ['--no-config', 'use no configuration'],
  ['--plugin <name>', 'also apply this plugin: an npm package, or a path', 'many'],
  ['--hooks <file.json>', 'also register the hooks of this file', 'many'],
  [
    '--from <agent...>',
    "also register the hooks of another agent's own files and run them as it would: codex, copilot, gemini or cursor, and behind it a file; default: what lies in its places, once it is accepted",
    'many',
  ],
  [
    '--model <provider:name>',
    'the model that prompt and agent hooks ask, anthropic:NAME; ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL are taken from the environment',
  ],
];

/** Of every command that prints records or hooks: what it prints is masked without it. */
export const REDACT: ProgramFlag = ['--no-redact', 'show secrets as they are; without it they are masked'];

/** And of Claude Code's own files. */
export const CLAUDE: readonly ProgramFlag[] = [
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
