#!/usr/bin/env node
// An import would read every export of the module, and so load its streams.
const { fstatSync, readFileSync, writeSync } = process.getBuiltinModule('node:fs');
const argv = process.argv.slice(2);
if (!wroteHelp()) await (await import('./program.js')).program(argv);

/**
 * Prints the help that was written out when the package was built, without loading anything else. False if something else is asked for, if
 * standard output is a terminal, whose width may differ, or if the help cannot be written, which the program then reports.
 */
function wroteHelp(): boolean {
  if (argv.length !== 1 || !['--help', '-h'].includes(argv[0] as string)) return false;
  try {
    // For a file or a pipe, reading `process.stdout` would create its stream.
    if (fstatSync(1).isCharacterDevice() && process.stdout.isTTY) return false;
    const text = readFileSync(new URL('help.txt', import.meta.url));
    return writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}
