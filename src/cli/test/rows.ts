import { type CommandRow, commandRow } from '../command-row.js';
import { CLAUDE_OPTIONS, HOST_OPTIONS } from '../options.js';

export const TEST_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'test [dir]',
    about: 'Run the examples beside the hooks, *.hooktest.yaml, and say which ones fail',
    arguments: { dir: 'the project, or one file of examples; default: this directory' },
    options: [...HOST_OPTIONS, ...CLAUDE_OPTIONS, 'probe', 'tap', 'junit', 'redact'],
    notes: `Without options the project's own configuration is used, as its agents use it: hookscope.config.* of the directory, once it is accepted, and where there
is a .claude folder Claude Code's files. Hooks really run; the calls do not. Exits 1 if an example fails.

  $ hookscope test
  $ hookscope test --hooks hooks.json --probe`,
    load: async () => (await import('./test.js')).testCommand,
  }),
];
