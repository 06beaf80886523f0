import type { CommandRow } from '../command-row.js';
import { CLAUDE, HOST } from '../host-rows.js';

export const TEST_COMMANDS: readonly CommandRow[] = [
  {
    usage: 'test [dir]',
    about: 'Run the examples beside the hooks, *.hooktest.yaml, and say which ones fail',
    arguments: { dir: 'the project, or one file of examples; default: this directory' },
    options: [
      ...HOST,
      ...CLAUDE,
      [
        '--probe',
        'also ask the hooks about 100 calls that guards usually miss: PASS, FAIL, or GAP where nobody was asked',
      ],
      ['--tap', 'print TAP version 14'],
      ['--junit <file>', 'also write JUnit XML'],
    ],
    notes: `Without options the project's own configuration is used, as its agents use it: hookscope.config.* of the directory, once it is accepted, and where there
is a .claude folder Claude Code's files. Hooks really run; the calls do not. Exits 1 if an example fails.

  $ hookscope test
  $ hookscope test --hooks hooks.json --probe`,
    load: async () => (await import('./test.js')).testCommand,
  },
];
