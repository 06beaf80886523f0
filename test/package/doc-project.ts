import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cli, type FinishedHere } from '../cli/cli.js';
import { type Block, printed, problemsOf, RUN_LANGUAGES, word } from './doc-blocks.js';
import { createRunner, environment, type Runner, run, type Surroundings } from './run.js';
import { ROOT } from './sources.js';

/** A reader's project outside the repository, with hookscope installed: where the blocks of the documents run. */
export interface Project {
  readonly root: string;
  /** What is wrong with a block; empty: it runs and prints what is shown. */
  check(block: Block): Promise<string[]>;
  remove(): Promise<void>;
}

/** What the blocks import beside. */
const OTHERS = ['ai', '@openai/agents', 'langchain', '@langchain', 'vitest', '@types/node', '@opentelemetry'];
const MARK = '@@hookscope-doc@@';
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    moduleDetection: 'force',
  },
  include: ['**/*.ts'],
};

/** Writes the blocks down, compiles the TypeScript among them in one run, and links what they import. */
export async function createProject(blocks: readonly Block[]): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hookscope-docs-')));
  await link(root);
  for (const block of blocks) await write(block, root, blocks);
  const compiled = blocks.some((b) => b.lang === 'ts')
    ? await run(
        join(ROOT, 'node_modules/.bin/tsc'),
        ['-p', root, '--checkers', '1', '--pretty', 'false'],
        inProject(root),
      )
    : { output: '', code: 0 };
  const runners = { js: createRunner(inProject(root)), ts: createRunner(inProject(root), ['--import', 'tsx']) };
  return {
    root,
    check: async (block) => {
      const problems = [...problemsOf(block), ...typeErrors(block, blocks, compiled.output)];
      if (problems.length > 0 || block.words.includes('no-run') || !(block.lang in RUN_LANGUAGES)) return problems;
      await write(block, root, blocks);
      if (word(block, 'file') !== undefined) return [];
      return RUN_LANGUAGES[block.lang as keyof typeof RUN_LANGUAGES] === 'shell'
        ? runShell(block, root, runners)
        : runModule(block, root, runners.js);
    },
    async remove() {
      for (const runner of Object.values(runners)) runner.remove();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Where a program runs: with the project's own programs first, and a home of its own. */
const inProject = (root: string, cwd = root): Surroundings => ({
  cwd,
  bin: join(root, 'node_modules/.bin'),
  home: join(root, 'home'),
});

const folderOf = (file: string): string => file.replace(/[^\w.-]+/g, '-').replace(/\.md$/, '');
const pathOf = (block: Block): string =>
  join(folderOf(block.file), word(block, 'file') ?? `block-${block.line}.${block.lang}`);

async function link(root: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'reader', private: true, type: 'module' }));
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const modules = join(root, 'node_modules');
  await mkdir(join(root, 'home'));
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const name of [...Object.keys(manifest.dependencies), ...OTHERS]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  await symlink(ROOT, join(modules, 'hookscope'));
  const bin = join(modules, '.bin/hookscope');
  await writeFile(bin, `#!/bin/sh\nexec node '${join(ROOT, 'dist/cli/main.js')}' "$@"\n`);
  await chmod(bin, 0o755);
}

/** The text before a `continued` block: that of the code block it continues. */
function before(block: Block, blocks: readonly Block[]): string {
  if (!block.words.includes('continued')) return '';
  const earlier = blocks.filter(
    (b) => b.file === block.file && b.line < block.line && b.lang === block.lang && word(b, 'file') === undefined,
  );
  const previous = earlier.at(-1);
  return previous === undefined ? '' : `${before(previous, blocks)}${previous.text}\nconsole.log('${MARK}');\n`;
}

async function write(block: Block, root: string, blocks: readonly Block[]): Promise<void> {
  const code = block.lang === 'ts' || block.lang === 'js';
  const path = join(root, pathOf(block));
  await mkdir(dirname(path), { recursive: true });
  if (!code && word(block, 'file') === undefined) return;
  await writeFile(path, `${code ? before(block, blocks) : ''}${block.text}\n`);
  if (block.text.startsWith('#!')) await chmod(path, 0o755);
}

/** The compiler's complaints about one block, with the document's own line numbers. */
function typeErrors(block: Block, blocks: readonly Block[], output: string): string[] {
  if (block.lang !== 'ts') return [];
  const skipped = before(block, blocks).split('\n').length - 1;
  return output.split('\n').flatMap((text) => {
    const [, path, line, message] = /^(.+?)\((\d+),\d+\): error (.*)$/.exec(text) ?? [];
    if (path !== pathOf(block) || Number(line) <= skipped) return [];
    return [`line ${block.line + Number(line) - skipped}: ${message}`];
  });
}

async function runModule(block: Block, root: string, runner: Runner): Promise<string[]> {
  const path = join(root, pathOf(block)).replace(/\.ts$/, '.js');
  const { output, code } = await runner.run(path, dirname(path));
  const said = output.split(`${MARK}\n`).at(-1) as string;
  return [...exitProblem(block, code, said), ...printProblem(block.prints, said)];
}

interface Step {
  readonly command: string;
  readonly prints?: string;
}

/** What a command said and the code that it ended with. */
interface Said {
  readonly output: string;
  readonly code: number | null;
}

type Runners = Readonly<Record<'js' | 'ts', Runner>>;

/** A block with `$ ` lines: each is a command, and what stands below it is what it prints. Else one script. */
async function runShell(block: Block, root: string, runners: Runners): Promise<string[]> {
  const steps = stepsOf(block);
  const folder = word(block, 'cwd') === 'repo' ? ROOT : join(root, folderOf(block.file));
  const programs = steps.map(({ command }) => programOf(command, inProject(root, folder), runners));
  const said = programs.every((program) => program !== undefined)
    ? await inOrder(programs)
    : await inBash(steps, inProject(root, folder));
  return [
    ...steps.flatMap(({ command, prints }, i) => {
      const { output, code } = said[i] as Said;
      const exit =
        i === steps.length - 1
          ? exitProblem(block, code, output)
          : code === 0
            ? []
            : [`$ ${command}: exit ${code}\n${output}`];
      return [...exit, ...printProblem(prints?.trim() === '' ? undefined : prints, output)];
    }),
    ...printProblem(block.prints, said.map(({ output }) => output).join('')),
  ];
}

function stepsOf(block: Block): Step[] {
  const steps: { command: string; prints?: string }[] = [];
  for (const line of block.text.split('\n')) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2) });
    else if (last === undefined) continue;
    else if (line.startsWith('> ') && last.prints === undefined) last.command += `\n${line.slice(2)}`;
    else last.prints = last.prints === undefined ? line : `${last.prints}\n${line}`;
  }
  return steps.length === 0 ? [{ command: block.text }] : steps;
}

async function inOrder(programs: readonly (() => Promise<Said>)[]): Promise<Said[]> {
  const said: Said[] = [];
  for (const program of programs) said.push(await program());
  return said;
}

async function inBash(steps: readonly Step[], where: Surroundings): Promise<Said[]> {
  const script = ['exec 2>&1', ...steps.map(({ command }) => `${command}\nprintf '${MARK}%s\\n' "$?"`)].join('\n');
  const { output, code } = await run('bash', ['-c', script], where);
  const parts = output.split(new RegExp(`${MARK}(\\d+)\\n`));
  // A command may end the shell itself.
  return steps.map((_, i) => ({ output: parts[i * 2] ?? '', code: Number(parts[i * 2 + 1] ?? code) }));
}

/** Commands of hookscope that no other test starts as a process. */
const STARTED = ['agents', 'connect', 'disconnect'];

/**
 * A command that is one program with plain words, which needs no shell: hookscope runs within this process, and a module of the
 * repository in one that loads once what several of them import. To start Node is most of what either costs.
 */
function programOf(command: string, where: Surroundings, runners: Runners): (() => Promise<Said>) | undefined {
  const { stdin, words, shown } = pipeOf(command);
  const [program, ...args] = plainWords(words, where.home) ?? [];
  const isBuilt = program === 'node' && args[0] === 'dist/cli/main.js';
  if (program === 'hookscope' || isBuilt) {
    const own = isBuilt ? args.slice(1) : args;
    if (program === 'hookscope' && STARTED.includes(own[0] as string)) return undefined;
    const others = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
    return async () => shown(await cli(own, { cwd: where.cwd, stdin, env: { ...others, ...environment(where) } }));
  }
  if (words !== command) return undefined;
  const typescript = args[0] === '--import' && args[1] === 'tsx';
  const [file, ...rest] = typescript ? args.slice(2) : args;
  if (program !== 'node' || !file?.startsWith('examples/') || file.startsWith('examples/agent/')) return undefined;
  return () => runners[typescript ? 'ts' : 'js'].run(join(where.cwd, file), where.cwd, rest);
}

/** What stands around a command: a text that is piped into it, errors that are not shown, lines that are counted. */
function pipeOf(command: string): { stdin: string; words: string; shown(said: FinishedHere): Said } {
  const [, text, rest] = /^echo '([^'\n\\]*)' \| ([^|]*)$/.exec(command) ?? [];
  const [, words, end = '', counted] =
    /^([^|]*?)( 2>&-| 2> \/dev\/null| 2>&1 \| grep -c '([\w": -]+)')?$/.exec(rest ?? command) ?? [];
  return {
    stdin: text === undefined ? '' : `${text}\n`,
    words: words ?? command,
    shown({ output, stdout, code }) {
      if (counted === undefined) return { output: end === '' ? output : stdout, code };
      const found = output.split('\n').filter((line) => line.includes(counted)).length;
      return { output: `${found}\n`, code: found > 0 ? 0 : 1 };
    },
  };
}

/** The words of a command, if all that a shell would do is to split it, take quotes away and say where `~` is. */
function plainWords(command: string, home: string): string[] | undefined {
  if (!/^(?:[\w@%+=:,./~ -]|'[^'\n]*')+$/.test(command)) return undefined;
  const words = command.match(/(?:[^' ]|'[^']*')+/g) ?? [];
  return words.map((one) => one.replace(/^~(?=\/)/, home).replaceAll("'", ''));
}

function exitProblem(block: Block, code: number | null, output: string): string[] {
  const wanted = Number(word(block, 'exit') ?? 0);
  return code === wanted ? [] : [`exit code ${code}, not ${wanted}; it printed:\n${output}`];
}

function printProblem(expected: string | undefined, actual: string): string[] {
  return expected === undefined || printed(expected, actual) ? [] : [`shown:\n${expected}\nprinted:\n${actual}`];
}
