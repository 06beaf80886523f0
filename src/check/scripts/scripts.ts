import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readRegularFile } from '../../files/regular-file.js';
import { isExecutable } from '../../trust/file-hash.js';
import { parseShell, type Shell } from './shell.js';

/** A file that a hook runs. */
export interface ScriptFile {
  readonly path: string;
  /** Whether this user may execute it. */
  readonly executable: boolean;
  /** Whether `chmod +x` by this user makes it executable: it lacks the bit, and is the user's own. */
  readonly chmodHelps: boolean;
  /** Undefined if it is binary or too long. */
  readonly text: string | undefined;
  /** The interpreter line, without `#!`. */
  readonly shebang: string | undefined;
}

/** In bytes. Hand-written scripts are shorter. */
const MAX_SIZE = 262_144;

/** The script at a path; undefined if there is none. */
export function readScript(path: string): ScriptFile | undefined {
  try {
    const stats = statSync(path);
    const { size, mode, uid } = stats;
    if (!stats.isFile()) return undefined;
    const text = size <= MAX_SIZE ? textOf(readRegularFile(path)) : undefined;
    const shebang = text?.startsWith('#!') ? (text.slice(2).split('\n', 1)[0] as string) : undefined;
    // Windows decides by the file extension.
    const executable = process.platform === 'win32' || isExecutable(path);
    // The superuser needs any bit, of any file.
    const user = process.getuid?.() ?? uid;
    const chmodHelps = user === 0 ? (mode & 0o111) === 0 : user === uid && (mode & 0o100) === 0;
    return { path, executable, chmodHelps, text, shebang };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Whether an error means that the file does not exist or cannot be seen by this user. */
function isAbsence(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code);
}

function textOf(bytes: Buffer): string | undefined {
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}

/** Whether a program with this name is on the PATH. */
export function isOnPath(name: string, path: string): boolean {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
  return path.split(delimiter).some((folder) =>
    endings.some((ending) => {
      try {
        accessSync(join(folder, name + ending), constants.X_OK);
        return true;
      } catch {
        // Not in this folder: try the next one.
        return false;
      }
    }),
  );
}

export type Language = 'shell' | 'python' | 'javascript' | 'other';

/** The language of a script, by its interpreter, its first line or its name. */
export function languageOf(interpreter: string | undefined, script?: Pick<ScriptFile, 'path' | 'shebang'>): Language {
  for (const hint of [interpreter ?? '', script?.shebang ?? '', script?.path ?? '']) {
    if (/\b(ba|da|z|k)?sh\b|\.(ba|z)?sh$/.test(hint)) return 'shell';
    if (/\bpython|\buv\b|\.py$/.test(hint)) return 'python';
    if (/\b(node|bun|deno|tsx|ts-node)\b|\.[cm]?[jt]sx?$/.test(hint)) return 'javascript';
  }
  return 'other';
}

/** A piece of code that a hook runs: its command line, inline code for an interpreter, or a script. */
export interface ProgramText {
  readonly language: Language;
  readonly source: string;
  readonly shell: Shell | undefined;
  /** Undefined if the text is in the hook file itself. */
  readonly file: string | undefined;
  /** Whether it is run by `sh`, which may be a different shell on each machine. */
  readonly plainSh: boolean;
}

export function programText(
  language: Language,
  source: string,
  { file, plainSh = false }: { file?: string; plainSh?: boolean } = {},
): ProgramText {
  return { language, source, shell: language === 'shell' ? parseShell(source) : undefined, file, plainSh };
}
