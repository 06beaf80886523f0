import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { AgentTable, OffSwitch } from '../agents/table.js';
import { readRegularFile } from '../files/regular-file.js';
import { isObject, type Json } from '../values/shape.js';
import { messageOf } from '../values/waiting/promises.js';
import { above, layoutOf, projectOf, settingsFile } from './agent-hooks.js';
import { changesOf, type WrittenHook } from './changes.js';
import { isOurs, nameOf } from './ours.js';
import { handlersIn, parseSettings, type SettingsHandler, voidOf } from './settings-text.js';

/** Why hooks that were written into a file do not run, or may not be waited for. `what` follows the name of `file` in a sentence. */
export interface BrokenConnection {
  readonly file: string;
  readonly what: string;
  /** Absent: to connect it again. */
  readonly mend?: string;
}

/** Problems with a connected agent's file: it is void, or no longer has our hooks as they were written. `written`: as connect writes them. */
export async function fileAilments(
  table: AgentTable,
  file: string,
  written: readonly WrittenHook[],
): Promise<BrokenConnection[]> {
  const text = readRegularFile(file).toString('utf8');
  const unread = (what: string): BrokenConnection[] => [
    { file, what: `is not read by ${table.title}: ${what}`, mend: 'Correct that; until then none of its hooks run.' },
  ];
  let settings: Json;
  try {
    settings = await parseSettings(text, file, layoutOf(table));
  } catch (error) {
    return unread(messageOf(error).replace(`${file}: `, '').replace('; nothing was changed', ''));
  }
  const isVoid = await voidOf(text, layoutOf(table));
  if (isVoid !== undefined) return unread(isVoid);
  return changesOf(table, settings, written).map((what) => ({ file, what }));
}

/** The hooks of a text that have one of these commands or addresses. */
export async function hooksNamed(handlers: readonly string[], text: string, file: string): Promise<WrittenHook[]> {
  return hooksIn(await parseSettings(text, file)).filter(({ handler }) => handlers.includes(nameOf(handler)));
}

function hooksIn({ hooks }: Json): Required<WrittenHook>[] {
  return Object.entries(isObject(hooks) ? hooks : {}).flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).flatMap(handlersIn).map((handler) => ({ event, handler })),
  );
}

/** The commands and addresses in a file's text that connect has written, as they can be recognised without a journal. */
export async function oursInText(text: string, file: string): Promise<readonly string[]> {
  const found: SettingsHandler[] = [];
  try {
    found.push(...hooksIn(await parseSettings(text, file)).map(({ handler }) => handler));
  } catch {
    // The agent may not read the file now, but will again when it is corrected.
    for (const [literal] of text.matchAll(/"(?:[^"\\]|\\.)*"/g)) found.push({ command: stringIn(literal) });
  }
  return [...new Set(found.filter(isOurs).map(nameOf))];
}

function stringIn(literal: string): unknown {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}

/** Whether a file has hooks, and all of them are among these handlers. */
export async function hasOnly(file: string, handlers: ReadonlySet<string>): Promise<boolean> {
  try {
    const found = hooksIn(await parseSettings(readRegularFile(file).toString('utf8'), file));
    return found.length > 0 && found.every(({ handler }) => handlers.has(nameOf(handler)));
  } catch {
    return false;
  }
}

/**
 * Settings that keep our hooks from running. `file`: what was connected; `folder`: where an agent would be started, if it is no project's file. That may
 * be the user's although it is not where the environment of now leads to.
 */
export async function switchedOff(table: AgentTable, file: string, folder: string): Promise<BrokenConnection[]> {
  const project = projectOf(table, file, folder);
  const found: BrokenConnection[] = [];
  for (const off of table.connect.off ?? [])
    for (const place of new Set(
      off.in.map((name) => placeOf(table, name, file, project ?? folder, project !== undefined)),
    )) {
      if (!(await isOff(off, place))) continue;
      const says = typeof off.is === 'string' ? `lists "${off.is}" in ${off.key}` : `says "${off.key}": ${off.is}`;
      found.push({
        file: place,
        what: `${says}, so ${table.title} does not run hookscope's hooks`,
        mend: 'Remove that.',
      });
    }
  return found;
}

function placeOf(table: AgentTable, name: string, file: string, folder: string, isProject: boolean): string {
  if (name === 'own') return file;
  if (name === 'user') return isProject ? settingsFile(table, 'user', folder) : file;
  const project = isProject ? file : settingsFile(table, 'project', folder);
  if (name === 'project') return project;
  return isAbsolute(name) ? name : join(above(project, table.connect.project.path), name);
}

async function isOff({ key, is }: OffSwitch, file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  try {
    let value: unknown = await parseSettings(readRegularFile(file).toString('utf8'), file);
    for (const part of key.split('.')) value = isObject(value) ? value[part] : undefined;
    return typeof is === 'string' ? Array.isArray(value) && value.includes(is) : value === is;
  } catch {
    // Problems with a connected file are reported elsewhere.
    return false;
  }
}
