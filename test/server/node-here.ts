import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { BIN, cli } from '../cli/cli.js';

/** What stands where Node would: it hands over its arguments, folder, environment and input, and says what it is told. */
const SCRIPT = `#!/bin/sh
own=$(mktemp -d "$(dirname "$0")/asks/XXXXXX") && mkfifo "$own/said" || exit 99
cat > "$own/stdin"
env -0 > "$own/env"
printf '%s\\0' "$(pwd -P && printf .)" "$@" > "$own/args"
: > "$own/ready"
read -r code < "$own/said"
cat "$own/stdout"
cat "$own/stderr" >&2
exit "$code"
`;

/**
 * A program for `--node` that has this process run hookscope, and so costs no start of Node. For tests of the command
 * that calls it; that the real one is started is for others.
 */
export function nodeHere(folder: string): { readonly path: string; stop(): void } {
  const asks = join(folder, 'asks');
  mkdirSync(asks, { recursive: true });
  const path = join(folder, 'node');
  writeFileSync(path, SCRIPT, { mode: 0o755 });
  const begun = new Set<string>();
  const answer = async (own: string): Promise<void> => {
    const parts = (name: string): string[] => readFileSync(join(own, name), 'utf8').split('\0').slice(0, -1);
    const [where = '', program, ...args] = parts('args');
    expect(program).toBe(BIN);
    const env = Object.fromEntries(parts('env').map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]));
    // A Node of its own ends with the command that has started it.
    delete env['HOOKSCOPE_PARENT'];
    const cwd = where.replace(/\n\.$/, '');
    const said = await cli(args, { cwd, env, stdin: readFileSync(join(own, 'stdin'), 'utf8') });
    for (const name of ['stdout', 'stderr'] as const) writeFileSync(join(own, name), said[name]);
    await writeFile(join(own, 'said'), `${said.code}\n`);
  };
  const timer = setInterval(() => {
    for (const name of readdirSync(asks)) {
      if (begun.has(name) || !readdirSync(join(asks, name)).includes('ready')) continue;
      begun.add(name);
      void answer(join(asks, name));
    }
  }, 10);
  return { path, stop: () => clearInterval(timer) };
}
