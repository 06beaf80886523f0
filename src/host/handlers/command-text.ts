import type { CommandSpec } from './command-spec.js';

/** The command line as people read it. */
export function commandText(spec: CommandSpec): string {
  return [spec.command, ...(spec.args ?? [])].join(' ');
}
