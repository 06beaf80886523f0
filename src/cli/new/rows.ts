import { type CommandRow, commandRow } from '../command-row.js';

export const NEW_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'new <kind> <name>',
    about: 'Create a plugin package, ready to build, test and publish',
    arguments: { kind: 'plugin', name: "the package's name; its folder is made here, under the name without a scope" },
    options: ['dir'],
    notes: `The plugin is in TypeScript, with one guard, its options and its tests (docs/testing.md).

  $ hookscope new plugin hookscope-plugin-no-force-push`,
    load: async () => (await import('./new.js')).newCommand,
  }),
];
