import { type Case, type CaseResult, compare, type Figure } from './harness.js';

/** What one case of a file came to, or the file's figures; neither where there is no such case. */
export interface Result {
  readonly compared?: CaseResult;
  readonly figures?: readonly Figure[];
}

// Each case runs in a process of its own: what the engine learnt from another one must not count here.
const [file, index] = process.argv.slice(2);
const bench = (await import(`./${file}.js`)) as { cases?: readonly Case[]; figures?: () => Promise<Figure[]> };
const given = bench.cases?.[Number(index)];
const result: Result = {};
if (given) Object.assign(result, { compared: await compare(given) });
else if (bench.figures && index === '0') Object.assign(result, { figures: await bench.figures() });
process.send?.(result, () => process.exit());
