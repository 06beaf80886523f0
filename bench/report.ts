import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import type { CaseResult, Figure, Spread } from './harness.js';
import type { Result } from './run.js';

/** The page that keeps a run: the machine, every goal with what it came to, and every candidate's time. */
export function page(results: readonly Result[]): string {
  const cases = results.flatMap((r) => r.compared ?? []);
  const figures = results.flatMap((r) => r.figures ?? []);
  return [
    '# Results',
    '',
    'Written by `npm run bench`. A ratio is to the floor in the same round; the median is followed by the middle half of the rounds.',
    'Both sides are warm, and measured in CPU (with that of the compiler and the garbage collector); in time where other processes do part of the work.',
    'How it is measured, and why a goal is missed: [the decision record](../docs/decisions/0010-benchmarks.md).',
    '',
    ...machine(),
    '',
    '## Goals',
    '',
    ...goalTable(cases),
    '',
    '## Limits',
    '',
    ...figureTable(figures),
    '',
    '## Every candidate',
    '',
    ...cases.flatMap(caseTable),
  ].join('\n');
}

/** The same in short, for a terminal. */
export function summary({ compared, figures = [] }: Result): string {
  const rows = figures.map((f) => [f.name, amount(f), `< ${f.below} ${f.unit}`, within(f)]);
  if (compared) {
    const goal = compared.goal === undefined ? '' : `<= ${compared.goal}`;
    rows.push([compared.name, ratio(compared.ratio), goal, met(compared)]);
  }
  return rows
    .map(([name = '', ...rest]) => [name.padEnd(62), ...rest.map((cell) => cell.padEnd(22))].join(''))
    .join('\n');
}

function machine(): string[] {
  const [cpu] = cpus();
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const peers = ['tapable', 'hookable', 'emittery', 'execa'].map(
    (p) => `${p} ${lock.packages[`node_modules/${p}`]?.version}`,
  );
  return [
    `- ${new Date().toISOString().slice(0, 10)}`,
    `- ${cpu?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`,
    `- Node ${process.version}; load at the end ${loadavg()
      .map((l) => l.toFixed(1))
      .join(', ')}`,
    `- ${peers.join(', ')}`,
  ];
}

function goalTable(cases: readonly CaseResult[]): string[] {
  const rows = cases
    .filter((c) => c.goal !== undefined)
    .map((c) => `| ${c.name} | ${c.floor} | ${c.goal} | ${ratio(c.ratio)} | ${met(c)} |`);
  return ['| | floor | goal | ratio | |', '| --- | --- | --- | --- | --- |', ...rows];
}

function figureTable(figures: readonly Figure[]): string[] {
  const rows = figures.map((f) => `| ${f.name} | ${f.below} ${f.unit} | ${amount(f)} | ${within(f)} |`);
  return ['| | below | is | |', '| --- | --- | --- | --- |', ...rows];
}

function caseTable(result: CaseResult): string[] {
  const rows = result.measured.map((m) => `| ${m.name} | ${time(m.time)} | ${ratio(m.ratio)} |`);
  return [`### ${result.name}`, '', '| | a call | ratio |', '| --- | --- | --- |', ...rows, ''];
}

function met({ goal, ratio: { median } }: CaseResult): string {
  if (goal === undefined) return '';
  return median <= goal ? 'met' : 'missed';
}

function within({ value, below }: Figure): string {
  return value < below ? 'met' : 'missed';
}

function ratio({ median, low, high }: Spread): string {
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

function amount({ value, unit }: Figure): string {
  return `${value.toFixed(unit === 'ms' ? 4 : 1)} ${unit}`;
}

/** Of nanoseconds. */
function time({ median, low, high }: Spread): string {
  const [unit, size] = median >= 1e6 ? ['ms', 1e6] : median >= 1e4 ? ['µs', 1e3] : ['ns', 1];
  const show = (value: number): string => (value / (size as number)).toFixed(unit === 'ns' ? 0 : 1);
  return `${show(median)} ${unit} (${show(low)} to ${show(high)})`;
}
