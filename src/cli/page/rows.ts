import { type CommandRow, commandRow } from '../command-row.js';

export const PAGE_COMMANDS: readonly CommandRow[] = [
  commandRow({
    usage: 'page <file>',
    about:
      'Make one HTML file of kept records: a lane for each agent, every fire and the reason for its outcome; the file loads nothing',
    arguments: {
      file: 'the records: an NDJSON file or a database that a sink has written, or the address of a server',
    },
    options: [
      ['out', "the file to write; default: the records' own name, in this directory", '-o, --out <file.html>'],
      'since',
      'until',
      ['redactStored', 'with secrets that the records hold unmasked'],
    ],
    notes: `Secrets are masked, so that you can send it to somebody; look through it first. The live page is that of "hookscope serve --port N".

  $ hookscope page records.ndjson --out records.html`,
    load: async () => (await import('./page.js')).pageCommand,
  }),
];
