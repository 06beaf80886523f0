// Would the tests notice? Changes one small thing in a source file, runs the tests that load it, and says whether one failed.
//   npm run mutants -- --seed 7 --count 200 --over src/host,src/scopes,src/emit
// --seconds 60   of tests a mutant, nearest first (0: all that load the file)
// --workers 1    runs at once, each in a copy of the project; nothing is ever changed in the project itself
// --again        tries the survivors of this seed once more (after new tests, or with --seconds 0)
// --list         only prints the sample
// The results are kept in node_modules/.cache/mutants: the same command goes on where it was ended.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Bench, type Costs } from './mutants/bench.js';
import { type Mutant, mutantsOf } from './mutants/mutate.js';
import { Related } from './mutants/related.js';
import { shuffled, typeChecker } from './mutants/sample.js';

type Result = Pick<Mutant, 'id' | 'file' | 'line' | 'from' | 'to'> & {
  readonly is: 'killed' | 'survived' | 'late';
  readonly by?: string;
  readonly ran: number;
  readonly of: number;
};

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '200' },
    over: { type: 'string', default: 'src' },
    seconds: { type: 'string', default: '60' },
    workers: { type: 'string', default: '1' },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const seed = Number(values.seed);
const count = Number(values.count);
const budget = Number(values.seconds) * 1000 || Number.POSITIVE_INFINITY;
const over = values.over.split(',').map((path) => path.replace(/\/$/, ''));

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
const tracked = listed
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(root, file)));
const sources = new Map(
  tracked
    .filter((file) => /^src\/.*\.ts$/.test(file) && over.some((at) => file === at || file.startsWith(`${at}/`)))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);

const sample = takeSample();
for (const { file, line, from, to } of values.list ? sample : [])
  console.log(`${file}:${line}  ${short(from)} -> ${short(to)}`);
if (!values.list) await tryAll();

/** One mutant a place at most, without those that do not compile. */
function takeSample(): Mutant[] {
  const all = [...sources].flatMap(([file, text]) => mutantsOf(file, text));
  const compiles = typeChecker(root, sources);
  const places = new Set<string>();
  const taken: Mutant[] = [];
  for (const mutant of shuffled(all, seed)) {
    if (taken.length === count) break;
    const place = `${mutant.file}:${mutant.start}`;
    if (places.has(place) || !compiles(mutant)) continue;
    places.add(place);
    taken.push(mutant);
  }
  console.log(`${all.length} mutants of ${sources.size} files; ${taken.length} sampled with --seed ${seed}`);
  return taken;
}

async function tryAll(): Promise<void> {
  const cache = join(root, 'node_modules/.cache/mutants');
  mkdirSync(cache, { recursive: true });
  const path = join(cache, `seed-${seed}.ndjson`);
  const results = new Map<string, Result>();
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []) {
    if (line !== '') results.set(JSON.parse(line).id, JSON.parse(line));
  }
  const costsPath = join(cache, 'costs.json');
  const costs: Costs = new Map(
    existsSync(costsPath) ? Object.entries(JSON.parse(readFileSync(costsPath, 'utf8'))) : [],
  );
  const related = new Related(root, tracked);
  const left = sample.filter(({ id }) => {
    const known = results.get(id);
    return known === undefined || (values.again && known.is === 'survived');
  });
  const benches = Array.from({ length: Number(values.workers) }, () => new Bench(root, costs));
  const done = (result: Result): void => {
    results.set(result.id, result);
    appendFileSync(path, `${JSON.stringify(result)}\n`);
    writeFileSync(costsPath, JSON.stringify(Object.fromEntries(costs)));
    console.log(told(result));
  };
  try {
    await Promise.all(
      benches.map(async (bench) => {
        for (let mutant = left.shift(); mutant; mutant = left.shift()) done(await tryOne(bench, mutant, related));
      }),
    );
  } finally {
    await Promise.all(benches.map((bench) => bench.close()));
  }
  summary(sample.flatMap(({ id }) => results.get(id) ?? []));
}

/** Near and cheap tests first, in two runs, so that most mutants are killed within seconds. */
async function tryOne(bench: Bench, mutant: Mutant, related: Related): Promise<Result> {
  const cost = (test: string): number => bench.costs.get(test) ?? 3_000;
  const all = related
    .of(mutant.file)
    .map(({ test, distance }) => ({ test, weight: cost(test) + distance * 4_000 }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ test }) => test);
  let spent = 0;
  const batches: string[][] = [[], []];
  for (const test of all) {
    if (spent > 0 && spent + cost(test) > budget) continue;
    spent += cost(test);
    batches[spent < 8_000 ? 0 : 1]?.push(test);
  }
  const { id, file, line, from, to } = mutant;
  const result = { id, file, line, from, to, of: all.length };
  let ran = 0;
  for (const batch of batches.filter((list) => list.length > 0)) {
    ran += batch.length;
    const verdict = await bench.run(batch, mutant);
    if (verdict.passed) continue;
    const { by, waited } = verdict;
    const killer = /^[\w/.-]+\.test\.ts/.exec(by)?.[0];
    const tests = killer === undefined ? batch : [killer];
    // What fails without the mutant too says nothing, nor does a wait in vain that is none the next time.
    if (!(await bench.run(tests)).passed || (waited && (await bench.run(tests, mutant)).passed)) {
      console.log(`! ${mutant.file}:${mutant.line}: fails without the mutant, or not always: ${by}`);
      continue;
    }
    return { ...result, ran, is: killer === undefined && waited ? 'late' : 'killed', by };
  }
  return { ...result, ran, is: 'survived' };
}

function summary(results: readonly Result[]): void {
  const is = (what: Result['is']): Result[] => results.filter((result) => result.is === what);
  console.log('\nSurvivors:');
  for (const result of is('survived')) console.log(told(result));
  for (const at of over) {
    const here = results.filter(({ file }) => file === at || file.startsWith(`${at}/`));
    const dead = here.filter((result) => result.is !== 'survived').length;
    if (here.length > 0) console.log(`${at}: ${dead} of ${here.length} killed, ${percent(dead / here.length)}`);
  }
  const dead = results.length - is('survived').length;
  console.log(
    `In all: ${dead} of ${results.length} killed (${is('late').length} by time), ${percent(dead / results.length)}`,
  );
}

function told({ is, file, line, from, to, by, ran, of }: Result): string {
  const tests = is === 'survived' ? ` (${ran} of ${of} test files)` : by === undefined ? '' : ` (${short(by)})`;
  return `${is.padEnd(8)} ${file}:${line}  ${short(from)} -> ${short(to)}${tests}`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
