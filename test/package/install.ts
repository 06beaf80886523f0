import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finished, start } from '../cli/cli.js';
import { once } from '../once.js';
import { ROOT } from './sources.js';

const run = (program: string, args: readonly string[], cwd: string): Promise<Finished> =>
  start(program, args, { cwd, stdin: '', env: { ...process.env, NO_COLOR: '1' } });

/** Packs a package into a folder, without building: what is tested is what was built before the tests. */
export async function pack(folder: string, from: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], from);
  return join(folder, stdout.trim());
}

/** hookscope itself, packed once for all files of a run: the file, and what npm says is in it. */
export function packed(): Promise<{ readonly tarball: string; readonly files: readonly string[] }> {
  return once('packed', async (folder) => {
    const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT);
    const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    return { tarball: join(folder, filename), files: files.map(({ path }) => path) };
  });
}

/** What `npm install` of a packed file does in a folder, without the registry: the dependencies are linked to what is here. */
export async function install(folder: string, tarball: string, name: string): Promise<void> {
  const target = join(folder, 'node_modules', name);
  await run('tar', ['-xzf', tarball], folder);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(join(folder, 'package'), target);
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as {
    bin?: Record<string, string>;
    dependencies: Record<string, string>;
  };
  for (const dependency of Object.keys(manifest.dependencies)) {
    const link = join(folder, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(ROOT, 'node_modules', dependency), link);
  }
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  for (const [command, file] of Object.entries(manifest.bin ?? {})) {
    chmodSync(join(target, file), 0o755);
    symlinkSync(join(target, file), join(folder, 'node_modules/.bin', command));
  }
}
