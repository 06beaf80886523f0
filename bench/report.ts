import { readFileSync } from 'node:fs';
import type { CaseResult, Figure, Spread } from './harness.js';
import { before, type Kept, withAnother } from './kept.js';
import type { Result } from './run.js';

/** All that was measured with one Node. */
export interface Run {
  readonly results: readonly Result[];
  readonly kept: Kept;
}

/** The page that keeps a run: the machine, every goal with what it came to, now and before, and every candidate's time. */
export function page({ results, kept }: Run, also: Run | undefined): string {
  const cases = results.flatMap((r) => r.compared ?? []);
  const figures = results.flatMap((r) => r.figures ?? []);
  const others = [also?.kept ?? withAnother(kept), before(kept)].filter((other) => other !== undefined);
  return [
    '# Results',
    '',
    'Written by `npm run bench`. A ratio compares the measured code with the floor (the simplest code that does the same work) in the same round. Each figure is the median of the rounds, followed by the range of the middle half.',
    'Both sides are warmed up. They are measured in CPU time, including the compiler and the garbage collector, or in elapsed time where other processes do part of the work.',
    '[The decision record](../docs/decisions/0010-benchmarks.md) explains how it is measured, and why some goals are missed.',
    '',
    ...machine([kept, ...others]),
    '',
    '## Goals',
    '',
    ...goalTable(cases, others),
    '',
    '## Limits',
    '',
    ...figureTable(figures, others),
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

function machine(runs: readonly Kept[]): string[] {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const peers = ['tapable', 'hookable', 'emittery', 'execa'].map(
    (p) => `${p} ${lock.packages[`node_modules/${p}`]?.version}`,
  );
  return [
    ...runs.map((run) => `- ${titleOf(run)}: ${run.machine}; load at the end ${run.load}`),
    `- ${peers.join(', ')}; @google/gemini-cli-core is measured only if HOOKSCOPE_BENCH_GEMINI names its folder`,
  ];
}

const titleOf = ({ at, node }: Kept): string => `${at.slice(0, 16).replace('T', ' ')}, Node ${node}`;

function table(head: readonly string[], others: readonly Kept[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const full = [...head, ...others.map(titleOf)];
  return [line(full), line(full.map(() => '---')), ...rows.map(line)];
}

function goalTable(cases: readonly CaseResult[], others: readonly Kept[]): string[] {
  const rows = cases.flatMap((c) => {
    if (c.goal === undefined) return [];
    const then = others.map(({ rows: { [c.name]: row } }) => (row ? ratio(row) : ''));
    return [[c.name, c.floor, `${c.goal}`, ratio(c.ratio), met(c), ...then]];
  });
  return table(['', 'floor', 'goal', 'ratio', ''], others, rows);
}

function figureTable(figures: readonly Figure[], others: readonly Kept[]): string[] {
  const rows = figures.map((f) => {
    const then = others.map(({ rows: { [f.name]: row } }) =>
      row ? amount({ ...f, value: row.median, half: row }) : '',
    );
    return [f.name, `${f.below} ${f.unit}`, amount(f), within(f), ...then];
  });
  return table(['', 'below', 'is', ''], others, rows);
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

function amount({ value, half, unit }: Figure): string {
  const digits = unit === 'ms' ? 4 : unit.startsWith('×') ? 2 : 1;
  const spread = half && half.low !== half.high ? ` (${half.low.toFixed(digits)} to ${half.high.toFixed(digits)})` : '';
  return `${value.toFixed(digits)} ${unit}${spread}`;
}

/** Of nanoseconds. */
function time({ median, low, high }: Spread): string {
  const [unit, size] = median >= 1e6 ? ['ms', 1e6] : median >= 1e4 ? ['µs', 1e3] : ['ns', 1];
  const show = (value: number): string => (value / (size as number)).toFixed(unit === 'ns' ? 0 : 1);
  return `${show(median)} ${unit} (${show(low)} to ${show(high)})`;
}
