import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from './harness.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The packages on which hookscope was to be built. */
const NAMED = ['execa', 'minimatch', 'rxjs', 'tapable', 'zod'];
const BLOCK = 4096;

/** What files of these sizes take on a disk. */
function onDisk(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK) * BLOCK, 0);
}

/** Packages with all that they bring, as they are installed here. */
function withAll(names: readonly string[]): string[] {
  const all = new Set(names);
  for (const name of all) {
    const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
    const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> };
    for (const other of Object.keys(dependencies)) all.add(other);
  }
  return [...all];
}

/** The sizes of a package's files, without packages that it has within. */
function sizesOf(name: string): number[] {
  const folder = join(ROOT, 'node_modules', name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.includes('node_modules'),
  );
  return files.map((file) => statSync(join(folder, file))).flatMap((stat) => (stat.isFile() ? [stat.size] : []));
}

const weightOf = (names: readonly string[]): number => onDisk(withAll(names).flatMap(sizesOf));

export async function figures(): Promise<Figure[]> {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(packed) as [{ files: { size: number }[] }];
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const ours = onDisk(files.map(({ size }) => size)) + weightOf(Object.keys(dependencies));
  return [
    {
      name: 'installed size, with what it brings',
      value: ours / weightOf(NAMED),
      unit: '× the five packages',
      below: 1.35,
    },
  ];
}
