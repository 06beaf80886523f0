import { execFileSync, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keep, keptOf } from './kept.js';
import { page, type Run, summary } from './report.js';
import type { Result } from './run.js';

// Who has set it pays for reading certificates at each start of Node, the floor of many rows: most people have not.
delete process.env['NODE_EXTRA_CA_CERTS'];

const FILES = [
  'callbacks',
  'view',
  'scopes',
  'matchers',
  'payload',
  'telemetry',
  'tracing',
  'deadlines',
  'shell',
  'answers',
  'growth',
  'records',
  'sinks',
  'shadow',
  'limits',
  'tool',
  'control',
  'server',
  'agents',
  'budgets',
  'start',
  'weight',
] as const;

function run(file: string, index: number, execPath: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(new URL('run.ts', import.meta.url));
    const child = fork(program, [file, `${index}`], { execPath, execArgv: ['--expose-gc', '--import', 'tsx'] });
    child.once('message', (result) => resolve(result as Result));
    child.once('exit', (code) => reject(new Error(`bench/${file}.ts ended with ${code} and no result`)));
  });
}

async function all(files: readonly string[], execPath: string): Promise<Run> {
  const node = execFileSync(execPath, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`Node ${node}`);
  const results: Result[] = [];
  for (const file of files) {
    for (let index = 0; ; index++) {
      const result = await run(file, index, execPath);
      if (!result.compared && !result.figures) break;
      results.push(result);
      console.log(summary(result));
    }
  }
  return { results, kept: keptOf(results, node) };
}

// Some by name, or all of them; only a run of all is kept. `--also`: another Node, for a column of its own.
const { values, positionals } = parseArgs({ options: { also: { type: 'string' } }, allowPositionals: true });
const files = positionals.length > 0 ? positionals : FILES;
const ours = await all(files, process.execPath);
const also = values.also === undefined ? undefined : await all(files, values.also);
if (positionals.length === 0) {
  await writeFile(new URL('RESULTS.md', import.meta.url), page(ours, also));
  for (const { kept } of also ? [ours, also] : [ours]) keep(kept);
}
