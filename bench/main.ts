import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { page, summary } from './report.js';
import type { Result } from './run.js';

const FILES = [
  'callbacks',
  'view',
  'scopes',
  'matchers',
  'payload',
  'telemetry',
  'deadlines',
  'shell',
  'answers',
  'growth',
  'records',
  'limits',
  'tool',
  'control',
  'budgets',
  'start',
] as const;

function run(file: string, index: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(new URL('run.ts', import.meta.url));
    const child = fork(program, [file, `${index}`], { execArgv: ['--expose-gc', '--import', 'tsx'] });
    child.once('message', (result) => resolve(result as Result));
    child.once('exit', (code) => reject(new Error(`bench/${file}.ts ended with ${code} and no result`)));
  });
}

// Some by name, or all of them; only a run of all is kept.
const named = process.argv.slice(2);
const results: Result[] = [];
for (const file of named.length > 0 ? named : FILES) {
  for (let index = 0; ; index++) {
    const result = await run(file, index);
    if (!result.compared && !result.figures) break;
    results.push(result);
    console.log(summary(result));
  }
}
if (named.length === 0) await writeFile(new URL('RESULTS.md', import.meta.url), page(results));
