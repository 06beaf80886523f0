import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The path of a program on the PATH. Relative folders are skipped, because they could be in the project. */
export function findProgram(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
  more: readonly string[] = [],
): string | undefined {
  const folders = [...(env['PATH'] ?? '').split(delimiter), ...more].filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
