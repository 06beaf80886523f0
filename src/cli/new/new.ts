import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileError, writeError } from '../../files/json-file.js';
import { wrongOption } from '../../values/options.js';
import type { Flags } from '../options.js';
import type { Terminal } from '../terminal.js';
import { pluginFiles } from './plugin-files.js';

type NewFlags = Flags<'dir'>;

/** The names that the registry accepts. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/;
const LONGEST = 214;
/** Names of that form that npm reserves. */
const isTaken = (name: string): boolean => /(?:^|\/)(?:node_modules|favicon\.ico)$/.test(name) || isBuiltin(name);

/** Writes the files of a new package. Throws INVALID_OPTIONS, FILE; existing files are not overwritten. */
export async function newCommand(
  [kind, name = '']: readonly string[],
  { dir }: NewFlags,
  terminal: Terminal,
): Promise<number> {
  if (kind !== 'plugin') throw wrongOption('new <kind>', `expected plugin, got ${JSON.stringify(kind)}`);
  if (isTaken(name))
    throw wrongOption('new plugin <name>', `expected another name: npm gives no package the name ${name}`);
  if (!NAME.test(name) || name.length > LONGEST)
    throw wrongOption(
      'new plugin <name>',
      `expected a package's name in lower case, as @me/no-force-push, got ${JSON.stringify(name)}`,
    );
  const folder = resolve(dir ?? name.replace(/^@[^/]+\//, ''));
  await checkEmpty(folder);
  const files = pluginFiles(name);
  try {
    const folders = new Set([folder, ...Object.keys(files).map((path) => dirname(join(folder, path)))]);
    for (const each of folders) await makeOne(each);
    for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text, { flag: 'wx' });
  } catch (error) {
    throw writeError(folder, error);
  }
  const shown = relative(process.cwd(), folder) || '.';
  await terminal.print(
    [
      `Made ${name} in ${shown}:`,
      ...Object.keys(files).map((path) => `  ${path}`),
      '',
      `  cd ${shown} && npm install && npm test`,
    ].join('\n'),
  );
  return 0;
}

/** Makes the folder but not its parents, which must exist. */
async function makeOne(folder: string): Promise<void> {
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function checkEmpty(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error.code === 'ENOTDIR'
      ? wrongOption('new plugin', `${folder} is a file; name another with --dir`)
      : fileError(folder, error, 'folder');
  });
  if (there.length > 0)
    throw wrongOption(
      'new plugin',
      `${folder} is not empty, and existing files are not overwritten; name another with --dir`,
    );
}
