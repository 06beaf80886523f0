import type { CommandRow } from '../command-row.js';

export const NEW_COMMANDS: readonly CommandRow[] = [
  {
    usage: 'new <kind> <name>',
    about: 'Make a package of a plugin, which builds, tests and publishes',
    arguments: { kind: 'plugin', name: "the package's name; its folder is made here, under the name without a scope" },
    options: [['--dir <folder>', 'make it in this folder instead, which is empty or not there yet']],
    notes: `The plugin is in TypeScript, with one guard, its options and its tests (docs/testing.md).

  $ hookscope new plugin hookscope-plugin-no-force-push`,
    load: async () => (await import('./new.js')).newCommand,
  },
];
