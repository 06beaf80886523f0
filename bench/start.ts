import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, spread } from './harness.js';

const ROUNDS = 25;
const BUILT = fileURLToPath(new URL('../dist/', import.meta.url));

/** CPU that a run of Node takes, its own and the system's, in milliseconds: it says more than the time on a machine with other work. */
function cpuOf(args: readonly string[]): number {
  const line = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1 </dev/null';
  const { stderr } = spawnSync('bash', ['-c', line, 'bash', process.execPath, ...args], { encoding: 'utf8' });
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return (user + system) * 1000;
}

/** How many times the CPU of a Node that does nothing each of them takes; all in turn, and the median of the rounds. */
function ratios(runs: readonly (readonly string[])[]): number[] {
  const found = runs.map((): number[] => []);
  for (let i = 0; i < ROUNDS; i++) {
    const nothing = cpuOf(['-e', '0']);
    for (const [at, args] of runs.entries()) found[at]?.push(cpuOf(args) / nothing);
  }
  return found.map((all) => spread(all).median);
}

export async function figures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-bench-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  try {
    const config = write(
      'hookscope.config.mjs',
      'export default { hooks: { PreToolUse: [{ hooks: [() => undefined] }] } };',
    );
    const input = write('input.json', '{ "tool_name": "Bash", "tool_input": { "command": "ls" } }');
    const program = join(BUILT, 'cli/main.js');
    const [load = 0, fire = 0, help = 0] = ratios([
      [write('load.mjs', `import ${JSON.stringify(`${BUILT}index.js`)};`)],
      [program, 'fire', 'PreToolUse', '--config', config, '--input', input],
      [program, '--help'],
    ]);
    const unit = '× node -e 0';
    return [
      { name: "import 'hookscope'", value: load, unit, below: 2 },
      { name: 'hookscope fire with one callback', value: fire, unit, below: 3.5 },
      { name: 'hookscope --help', value: help, unit, below: 1.3 },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
