import type { CommandRow } from '../command-row.js';

export const PAGE_COMMANDS: readonly CommandRow[] = [
  {
    usage: 'page <file>',
    about:
      'Make one HTML file of kept records: a lane for each agent, every fire and the reason for its outcome; the file loads nothing',
    arguments: {
      file: 'the records: an NDJSON file or a database that a sink has written, or the address of a server',
    },
    options: [
      ['-o, --out <file.html>', "the file to write; default: the records' own name, in this directory"],
      ['--since <when>', 'only what came later: how long ago, as in 90s, 1h, 2d, or a time, as in 2026-01-31T09:15Z'],
      ['--until <when>', 'only what came before'],
      ['--no-redact', 'with secrets that the records hold unmasked'],
    ],
    notes: `Secrets are masked, so that you can send it to somebody; look through it first. The live page is that of "hookscope serve --port N".

  $ hookscope page records.ndjson --out records.html`,
    load: async () => (await import('./page.js')).pageCommand,
  },
];
