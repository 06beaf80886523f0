import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, spread } from './harness.js';

const ROUNDS = 25;
const BUILT = fileURLToPath(new URL('../dist/', import.meta.url));

interface Run {
  /** Of Node. */
  readonly args: readonly string[];
  /** A file. */
  readonly stdin?: string;
  /** It starts a shell, so it is compared with a Node that does nothing and a shell that does nothing. */
  readonly shell?: true;
}

/** Nothing is kept in the folders of whoever runs this. */
type Env = Readonly<Record<string, string | undefined>>;

/** CPU that a run of Node takes, its own, the system's and its children's, in milliseconds: it says more than the time on a machine with other work. */
function cpuOf({ args, stdin = '/dev/null', shell }: Run, env: Env): number {
  const line = `TIMEFORMAT="%U %S"; time { "$@" >/dev/null 2>&1 <"$INPUT"; ${shell ? 'sh -c :;' : ''} }`;
  const options = { encoding: 'utf8', env: { ...env, INPUT: stdin } } as const;
  const { stderr } = spawnSync('bash', ['-c', line, 'bash', process.execPath, ...args], options);
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return (user + system) * 1000;
}

/** How many times the CPU of a Node that does nothing each of them takes; all in turn, and the median of the rounds. */
function ratios(runs: readonly Run[], env: Env): number[] {
  const found = runs.map((): number[] => []);
  for (let i = 0; i < ROUNDS; i++) {
    const nothing = cpuOf({ args: ['-e', '0'] }, env);
    const withShell = cpuOf({ args: ['-e', '0'], shell: true }, env);
    for (const [at, { shell, ...run }] of runs.entries())
      found[at]?.push(cpuOf(run, env) / (shell ? withShell : nothing));
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
    const hooks = (name: string, handler: object): string =>
      write(name, JSON.stringify({ PreToolUse: [{ matcher: 'Bash', hooks: [handler] }] }));
    const rule = hooks('rule.json', { type: 'rule', decision: 'deny', reason: 'Push by hand', if: 'Bash(git push *)' });
    const command = hooks('command.json', { type: 'command', command: ':' });
    const input = write('input.json', '{ "tool_name": "Bash", "tool_input": { "command": "ls" } }');
    const program = join(BUILT, 'cli/main.js');
    const hook = (file: string): Pick<Run, 'args' | 'stdin'> => ({
      args: [program, 'hook', 'PreToolUse', '--hooks', file],
      stdin: input,
    });
    const [load = 0, fire = 0, help = 0, byRule = 0, byCommand = 0] = ratios(
      [
        { args: [write('load.mjs', `import ${JSON.stringify(`${BUILT}index.js`)};`)] },
        { args: [program, 'fire', 'PreToolUse', '--config', config, '--input', input] },
        { args: [program, '--help'] },
        hook(rule),
        { ...hook(command), shell: true },
      ],
      { ...process.env, XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: undefined },
    );
    const unit = '× node -e 0';
    return [
      { name: "import 'hookscope'", value: load, unit, below: 2 },
      { name: 'hookscope fire with one callback', value: fire, unit, below: 3.5 },
      { name: 'hookscope --help', value: help, unit, below: 1.3 },
      { name: 'hookscope hook with one rule, recorded', value: byRule, unit, below: 3.5 },
      {
        name: 'hookscope hook with one shell command, recorded',
        value: byCommand,
        unit: '× node -e 0 and sh -c :',
        below: 4,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
