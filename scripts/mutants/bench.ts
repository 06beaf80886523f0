import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onExit } from 'signal-exit';
import { adoptGroup } from '../../src/handlers/command/process-group.js';
import { freshMark, markVariable } from '../../src/handlers/command/run-mark.js';
import { type Mutant, mutated } from './mutate.js';

/** How one run of some test files came out. `by`: the first test that failed. */
export type Verdict = { readonly passed: true } | Failed;

export interface Failed {
  readonly passed: false;
  readonly by: string;
  /** Of waiting in vain, which a machine with other work also makes a test do. */
  readonly waited: boolean;
}

/** What a test file costs, milliseconds, as far as is known. */
export type Costs = Map<string, number>;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** A copy of the project in which mutants are tried, so that the project itself is never touched. */
export class Bench {
  readonly #folder = mkdtempSync(join(tmpdir(), 'hookscope-mutants-'));
  readonly #root: string;
  #under: { child: ChildProcess; stop: () => Promise<void> } | undefined;

  constructor(
    root: string,
    readonly costs: Costs,
  ) {
    this.#root = root;
    // Also when it is broken off.
    onExit(() => rmSync(this.#folder, { recursive: true, force: true }));
    const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
    for (const file of listed.split('\0').filter((name) => name !== '')) copy(root, this.#folder, file);
    copy(root, this.#folder, 'dist');
    mkdirSync(join(this.#folder, 'node_modules'));
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name === '.vite' || name === '.cache' || name === 'hookscope') continue;
      symlinkSync(join(root, 'node_modules', name), join(this.#folder, 'node_modules', name));
    }
    // Programs that import the package by its name get the copy's.
    symlinkSync('..', join(this.#folder, 'node_modules/hookscope'));
  }

  /** Runs test files, one after the other, until the first failure. With a mutant: on the mutated source, and what is built of it. */
  async run(tests: readonly string[], mutant?: Mutant): Promise<Verdict> {
    if (!mutant) return this.#vitest(tests);
    const source = join(this.#folder, mutant.file);
    const text = readFileSync(source, 'utf8');
    try {
      writeFileSync(source, mutated(text, mutant));
      execFileSync(process.execPath, ['scripts/bundle.js', 'dist'], { cwd: this.#folder, stdio: 'ignore' });
      return await this.#vitest(tests);
    } finally {
      writeFileSync(source, text);
      copy(this.#root, this.#folder, 'dist');
    }
  }

  async close(): Promise<void> {
    await this.#under?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #vitest(tests: readonly string[]): Promise<Verdict> {
    const report = join(this.#folder, 'report.json');
    rmSync(report, { force: true });
    const mark = freshMark();
    const vitest = join(this.#folder, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--bail', '1', '--maxWorkers', '1', '--reporter', 'json', '--outputFile', report];
    // A home of its own: what a mutant does to the user's files it does to nobody's.
    const home = join(this.#folder, 'home');
    mkdirSync(home, { recursive: true });
    const child = spawn(process.execPath, [...args, ...tests], {
      cwd: this.#folder,
      stdio: 'ignore',
      detached: true,
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), CI: '1', ...markVariable(mark) },
    });
    const group = adoptGroup(child.pid as number, { mark, atExit: 'tree' });
    this.#under = { child, stop: () => group.end('marked') };
    const known = tests.reduce((sum, test) => sum + (this.costs.get(test) ?? 5_000), 0);
    const deadline = 30_000 + 4 * known;
    const late = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(resolve, deadline, true);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve(false);
      });
    });
    // Also what a mutant has left running.
    await group.end('marked');
    this.#under = undefined;
    if (late) return { passed: false, by: `time: more than ${Math.round(deadline / 1000)} s`, waited: true };
    return this.#read(report);
  }

  #read(path: string): Verdict {
    let report: Report;
    try {
      report = JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      return { passed: false, by: 'no report: the run broke', waited: false };
    }
    const failed = report.testResults.find((file) => file.status === 'failed');
    for (const { name, startTime, endTime, status } of report.testResults) {
      if (status === 'passed') this.costs.set(name.slice(this.#folder.length + 1), endTime - startTime);
    }
    if (!failed) {
      return report.testResults.length > 0 ? { passed: true } : { passed: false, by: 'no test was run', waited: false };
    }
    const test = failed.assertionResults.find((one) => one.status === 'failed');
    const by = `${failed.name.slice(this.#folder.length + 1)}: ${test?.fullName ?? failed.message}`;
    return { passed: false, by, waited: /timed out|Not within/.test(test?.failureMessages?.join() ?? '') };
  }
}

function copy(from: string, to: string, file: string): void {
  mkdirSync(dirname(join(to, file)), { recursive: true });
  cpSync(join(from, file), join(to, file), { recursive: true, verbatimSymlinks: true });
}
