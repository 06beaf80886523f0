import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import type { Spread } from './harness.js';
import type { Result } from './run.js';

const FOLDER = new URL('results/', import.meta.url);

/** What is kept of a run of all with one Node: enough to be shown beside another one. */
export interface Kept {
  readonly at: string;
  readonly node: string;
  readonly machine: string;
  /** Of 1, 5 and 15 minutes, at the end. */
  readonly load: string;
  /** Every goal and limit with what it came to, by the name of the case or figure. */
  readonly rows: Readonly<Record<string, Spread>>;
}

/** Three digits are more than two runs agree on. */
const short = ({ median, low, high }: Spread): Spread => {
  const [m, l, h] = [median, low, high].map((value) => Number(value.toPrecision(3)));
  return { median: m as number, low: l as number, high: h as number };
};

export function keptOf(results: readonly Result[], node: string, at = new Date().toISOString()): Kept {
  const [cpu] = cpus();
  const rows: Record<string, Spread> = {};
  for (const { compared, figures = [] } of results) {
    if (compared) rows[compared.name] = short(compared.ratio);
    for (const { name, value, half = { low: value, high: value } } of figures)
      rows[name] = short({ median: value, ...half });
  }
  return {
    at,
    node,
    machine: `${cpu?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`,
    load: loadavg()
      .map((l) => l.toFixed(1))
      .join(', '),
    rows,
  };
}

const majorOf = (node: string): string => node.split('.')[0] as string;

export function keep(run: Kept): void {
  const name = `${run.at.slice(0, 16).replace(':', '')}-node-${majorOf(run.node).slice(1)}.json`;
  writeFileSync(new URL(name, FOLDER), `${JSON.stringify(run, undefined, 2)}\n`);
}

function runs(): Kept[] {
  const names = readdirSync(FOLDER).sort();
  return names.map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Kept);
}

const dayOf = ({ at }: Kept): string => at.slice(0, 10);

/** The last run of an earlier day, with a Node of the same major version. */
export function before(run: Kept): Kept | undefined {
  return runs().findLast((other) => dayOf(other) < dayOf(run) && majorOf(other.node) === majorOf(run.node));
}

/** The last run with a Node of another major version. */
export function withAnother({ node }: Kept): Kept | undefined {
  return runs().findLast((other) => majorOf(other.node) !== majorOf(node));
}
