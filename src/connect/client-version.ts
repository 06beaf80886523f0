import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AgentTable } from '../agents/table.js';
import { findProgram } from '../files/find-program.js';
import { readRegularFile } from '../files/regular-file.js';
import { isObject } from '../values/shape.js';

/** What an agent does with the keys that make a failing hook of ours block. */
export interface GuardSupport {
  /** The first version that heeds them. */
  readonly since: string;
  readonly does: 'heeds' | 'ignores' | 'unknown';
  /** The program on the PATH and its version, as far as that can be read. */
  readonly program?: string;
  readonly version?: string;
}

/** Undefined for an agent without such keys, or whose every version heeds them. Nothing is run. */
export function guardSupport({ connect }: AgentTable, env?: NodeJS.ProcessEnv): GuardSupport | undefined {
  if (connect.guard?.since === undefined) return undefined;
  const { program: name, version: since } = connect.guard.since;
  const program = findProgram(name, env);
  const version = program === undefined ? undefined : versionOf(program, name);
  if (program === undefined || version === undefined) return { since, does: 'unknown' };
  return { since, does: isBefore(version, since) ? 'ignores' : 'heeds', program, version };
}

/** What happens where a hook of ours cannot be asked, in a few words. Which version it is, is said only where that matters. */
export function unaskedWords(table: AgentTable, env?: NodeJS.ProcessEnv): string {
  const support = guardSupport(table, env);
  const blocked = 'what can be denied is blocked';
  if (support === undefined || support.does === 'heeds') return `${blocked}, and everything else goes on unasked`;
  const { does, since, version } = support;
  if (does === 'unknown')
    return `${table.title} ${since} and later block what can be denied, and everything else goes on unasked`;
  return `everything goes on unasked, since ${table.title} ${version} blocks nothing then (${since} and later block what can be denied)`;
}

/** What a version does that ignores those keys; undefined: the installed one heeds them. `isHttp`: the hooks are requests. */
export function guardWarning(table: AgentTable, isHttp: boolean, env?: NodeJS.ProcessEnv): string | undefined {
  const support = guardSupport(table, env);
  if (support === undefined || support.does === 'heeds') return undefined;
  const { since, program, version } = support;
  const where = isHttp ? 'no server answers, or it refuses the token' : 'the command does not start, or is killed';
  const rule = `${table.title} before ${since} lets a call go on unasked where ${where}`;
  return program === undefined
    ? `${rule}; which version is used here is not known`
    : `${rule}, and ${program} is ${version}`;
}

const VERSION = /^\d+\.\d+\.\d+$/;

/** The version of an installed program: of the npm package that has it, else of the file or folder that is named by it. */
function versionOf(program: string, name: string): string | undefined {
  let file: string;
  try {
    file = realpathSync(program);
  } catch {
    return undefined;
  }
  const folder = dirname(file);
  const packaged = [folder, dirname(folder)].map((one) => packageVersion(join(one, 'package.json'), name));
  const named = [basename(file), basename(folder)];
  return [...packaged, ...named].find((one) => one !== undefined && VERSION.test(one));
}

function packageVersion(file: string, name: string): string | undefined {
  try {
    const { bin, version }: { bin?: unknown; version?: unknown } = JSON.parse(readRegularFile(file).toString('utf8'));
    return isObject(bin) && name in bin && typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

function isBefore(version: string, other: string): boolean {
  const [one, two] = [version, other].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const at = one.findIndex((number, i) => number !== two[i]);
  return at >= 0 && (one[at] as number) < (two[at] as number);
}
