#!/usr/bin/env node
// An import would read all that the module has, with its streams.
const { fstatSync, readFileSync, writeSync } = process.getBuiltinModule('node:fs');
const argv = process.argv.slice(2);
if (!wroteHelp()) await (await import('./program.js')).program(argv);

/**
 * The help of the program as it was written out when the package was built: nothing else is loaded. false: it is not what is asked for, a
 * terminal's lines may be of another length, or it cannot be written, which the program explains.
 */
function wroteHelp(): boolean {
  if (argv.length !== 1 || !['--help', '-h'].includes(argv[0] as string)) return false;
  try {
    // Asking a file or a pipe would make its stream.
    if (fstatSync(1).isCharacterDevice() && process.stdout.isTTY) return false;
    const text = readFileSync(new URL('help.txt', import.meta.url));
    return writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}
