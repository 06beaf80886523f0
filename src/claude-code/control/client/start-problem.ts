import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { delimiter, join, resolve, sep } from 'node:path';
import { messageOf } from '../../../values/waiting/promises.js';

export interface ProgramLaunch {
  /** The executable that the caller named. */
  readonly executable: string;
  /** The file that is started: the executable, or the Node that runs it. */
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>> | undefined;
}

/** Why nothing can be started in a folder; undefined if the folder is fine. */
export function folderProblem(cwd: string): string | undefined {
  const found = look(cwd);
  if (!found) return `the folder ${cwd} is not there; give one that is as "cwd"`;
  if (!found.isDirectory()) return `${cwd} is no folder; give one as "cwd"`;
  return undefined;
}

/** What is wrong with a JavaScript file. Without this check, Node would start and report it below a stack trace. */
export function scriptProblem({ executable, file, cwd }: ProgramLaunch): string | undefined {
  if (executable === file) return undefined;
  const found = look(resolve(cwd, executable));
  return found ? undefined : missing(executable, '');
}

/** Explains a failed start, since the system's error is the same for a missing folder, a missing program and a missing interpreter. */
export function startProblem(error: unknown, start: ProgramLaunch): string {
  const { code } = error as NodeJS.ErrnoException;
  const folder = folderProblem(start.cwd);
  if (folder !== undefined) return folder;
  const { file, cwd } = start;
  if (code === 'ENOENT') {
    const path = find(start);
    if (path === undefined) return missing(file, isPath(file) ? '' : ' on the PATH');
    return `${path} is there, and the program that its first line names (#!) is not`;
  }
  if (code === 'EACCES') return mayEnter(cwd) ? `${file} is not executable` : `the folder ${cwd} may not be entered`;
  if (code === 'ENOEXEC') return `${file} is no program that this system can run; does its first line lack "#!"?`;
  return messageOf(error);
}

const missing = (file: string, where: string): string =>
  `the executable ${file} was not found${where}; give its path as "executable"`;

const isPath = (file: string): boolean => file.includes('/') || file.includes(sep);

function look(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** The path of the file that the system would run; undefined if there is none. */
function find({ file, cwd, env = process.env as Record<string, string> }: ProgramLaunch): string | undefined {
  if (isPath(file)) {
    const path = resolve(cwd, file);
    return look(path) ? path : undefined;
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, file)).find((path) => look(path)?.isFile());
}

function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
