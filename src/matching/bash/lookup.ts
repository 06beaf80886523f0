import { GNU_NAMES } from './names.js';
import type { BashProgram } from './program.js';
import { TABLE } from './programs.js';

const byName = new Map<string, BashProgram>();
add(TABLE, byName);
for (const name of GNU_NAMES.split(' ')) {
  const program = byName.get(name);
  if (program !== undefined && !byName.has(`g${name}`)) byName.set(`g${name}`, program);
}

/** Adds a table whose keys are one or more names, separated by blanks. */
function add(table: Readonly<Record<string, BashProgram>>, into: Map<string, BashProgram>): void {
  for (const [names, program] of Object.entries(table)) for (const name of names.split(' ')) into.set(name, program);
}

const nested = new WeakMap<object, Map<string, BashProgram>>();

/** The entry of a program by its name, or of a subcommand of `under`. */
export function bashProgram(name: string, under?: BashProgram): BashProgram | undefined {
  if (under === undefined) return byName.get(/^ld-(?:linux|musl)\S*\.so(?:\.\d+)?$/.test(name) ? 'ld.so' : name);
  if (under.under === undefined) return undefined;
  let names = nested.get(under.under);
  if (names === undefined) {
    names = new Map();
    add(under.under, names);
    nested.set(under.under, names);
  }
  return names.get(name);
}
