import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { fileError, writeError } from '../../files/json-file.js';
import { describeError } from '../../values/message.js';
import { hasClaudeFlags } from '../host/claude-flags.js';
import { type HostFlags, openHost } from '../host/open-host.js';
import { writeFileSync } from '../keep-stdout.js';
import type { Flags } from '../options.js';
import { checkFree, type OutKind } from '../out-file.js';
import { type Terminal, unlessInterrupted } from '../terminal.js';
import { type Example, readExamples } from './examples.js';
import { probe, tellProbes } from './probe.js';
import { junit, type TestOutcome, tap, tellOutcomes } from './report.js';
import { ExampleHost } from './run.js';

type TestFlags = HostFlags & Flags<'probe' | 'tap' | 'junit'>;

const SKIPPED = ['node_modules', '.git'];
const ENDING = /\.hooktest\.ya?ml$/;

/** Runs the examples of a project against its hooks. Rejects with FILE, INVALID_OPTIONS and the errors of loading hooks. */
export async function testCommand([given]: readonly string[], flags: TestFlags, terminal: Terminal): Promise<number> {
  const path = resolve(given ?? '.');
  const files = exampleFiles(path);
  const dir = files[0] === path ? dirname(path) : path;
  if (files.length === 0 && !flags.probe)
    throw new HookscopeError('FILE', {
      file: dir,
      problem: 'there is no *.hooktest.yaml in it; docs/testing.md says what stands in one',
    });
  const examples: Example[][] = [];
  for (const file of files) examples.push([...(await readExamples(file, relative(process.cwd(), file)))]);
  const open = async (): Promise<ExampleHost> =>
    new ExampleHost(
      await openHost(flagsFor(flags, dir), { executes: true, tell: terminal.tell, shown: true, directory: dir }),
      dir,
    );
  if (flags.junit !== undefined) await checkReport(flags.junit);
  const outcomes: TestOutcome[] = [];
  for (const list of examples) outcomes.push(...(await unlessInterrupted(terminal, runAll(list, open, terminal))));
  if (flags.junit !== undefined) write(flags.junit, junit(outcomes));
  if (flags.tap) await terminal.print(tap(outcomes));
  else if (files.length > 0) await tellOutcomes(outcomes, terminal);
  if (flags.probe) {
    const bench = await open();
    try {
      await tellProbes(
        await unlessInterrupted(terminal, probe(bench, terminal.signal)),
        flags.tap ? terminal.tell : terminal.print,
      );
    } finally {
      await bench.close();
    }
  }
  return outcomes.some(({ problem }) => problem !== undefined) ? 1 : 0;
}

async function runAll(
  examples: readonly Example[],
  open: () => Promise<ExampleHost>,
  { signal }: Terminal,
): Promise<TestOutcome[]> {
  const bench = await open();
  const outcomes: TestOutcome[] = [];
  try {
    bench.check(examples);
    for (const example of examples) {
      const { place, title, expect } = example;
      const problem = await bench.ask(example, signal).then(
        (fired) => expect.unmet(fired),
        (error: unknown) => {
          if (signal.aborted) throw error;
          return describeError(error);
        },
      );
      outcomes.push({ place, title, problem });
    }
  } finally {
    await bench.close();
  }
  return outcomes;
}

/** The hooks that the project's own agents would have, unless others were named. */
function flagsFor(flags: TestFlags, dir: string): HostFlags {
  const named =
    hasClaudeFlags(flags) ||
    flags.hooks !== undefined ||
    flags.plugin !== undefined ||
    flags.from !== undefined ||
    typeof flags.config === 'string';
  return named || !existsSync(join(dir, '.claude')) ? flags : { ...flags, claudeCode: dir };
}

/** Every file of examples in a folder, in a stable order. Throws FILE. */
function exampleFiles(dir: string): string[] {
  try {
    if (statSync(dir).isFile()) return [dir];
    return readdirSync(dir, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(dir, entry.name);
        if (entry.isDirectory()) return SKIPPED.includes(entry.name) ? [] : exampleFiles(path);
        // Only regular files: opening a pipe would wait.
        return ENDING.test(entry.name) && statSync(path).isFile() ? [path] : [];
      });
  } catch (error) {
    throw fileError(dir, error, 'folder');
  }
}

/** A JUnit report may be overwritten whoever wrote it, since a build writes to the same file each time; so may an empty file. */
const REPORT: OutKind = {
  name: 'report in JUnit XML',
  option: '--junit',
  isOurs: (start) => start === '' || /^<\?xml[^>]*>\s*<testsuites?\b/.test(start),
};

/** Checks before anything runs that the report may be written. A device or a pipe, such as /dev/stdout, holds nothing. Rejects with FILE. */
async function checkReport(file: string): Promise<void> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile()) await checkFree(realpathSync(file), REPORT);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw writeError(file, error);
  }
}
