import { basename } from 'node:path';
import { at } from '../agents/path.js';
import type { AgentTable, EventRow } from '../agents/table.js';
import { isRemark } from '../files/json-comments.js';
import type { Path, Position } from '../files/json-file.js';
import { nearest } from '../values/nearest.js';
import { asksUs } from '../values/own-command.js';
import { formatPath, kindOf } from '../values/problem.js';
import { isObject, isText, type Json } from '../values/shape.js';
import { readData } from './read-file.js';

/** One hook as another agent's file has it. */
export interface ForeignHook {
  /** The rows of the agent's event. If there are several, the payload decides which applies. */
  readonly rows: readonly EventRow[];
  readonly event: string;
  readonly path: Path;
  readonly matcher?: string;
  /** A group of the event says `sequential`, so all groups of the event run in series. */
  readonly sequential: boolean;
  readonly handler: Json;
  /** The mistake because of which the hook never runs. */
  readonly invalid?: string;
}

/** Something in another agent's file that is wrong or has no effect. */
export interface ForeignProblem extends Partial<Position> {
  readonly level: 'error' | 'warning';
  readonly file: string;
  /** The key: `hooks.BeforeTool[0].hooks[1].timeout`; empty: the file itself. */
  readonly where: string;
  readonly message: string;
}

/** A file of another agent, read as that agent reads it. */
export interface ForeignFile {
  readonly file: string;
  readonly hooks: readonly ForeignHook[];
  /** The hook settings to which consent is bound. */
  readonly definition: Json;
  readonly problems: readonly ForeignProblem[];
  /** Why the agent itself would run nothing of the file. */
  readonly dropped?: string;
  /** The file's own switches: all hooks are off, or those with these names. */
  readonly disabled?: { readonly all: true; readonly why: string } | { readonly names: readonly string[] };
  /** The position of a key. Absent if the data was not parsed from a text. */
  readonly locate?: Locate;
}

type Locate = (path: Path) => Promise<Position | undefined>;

/** Reads the text of a file as the agent does. Mistakes are in `problems`; it never rejects. */
export async function readForeign(table: AgentTable, text: string, file: string): Promise<ForeignFile> {
  const read = await readData(text, file, table);
  if ('wrong' in read) {
    const problem: ForeignProblem = { level: 'error', file, where: '', message: read.wrong, ...read.position };
    return { file, hooks: [], definition: {}, problems: [problem], dropped: read.wrong };
  }
  const { locate, repeated } = read;
  const found = await readForeignData(table, read.data, file, locate);
  const message = 'appears here a second time; what the first one holds does not count';
  const twice = repeated
    .filter(({ path }) => ABOUT_HOOKS.includes(path[0] as string) && !isRemark(path.at(-1)))
    .map(
      ({ path, line, column }) => ({ level: 'error', file, where: formatPath(path), message, line, column }) as const,
    );
  return { ...found, problems: [...found.problems, ...twice], locate };
}

/** The mistakes in a file's data, and keys without effect. */
export function findProblems(table: AgentTable, data: unknown, file: string): ForeignReader['found'] {
  const reading = new ForeignReader(table, file);
  reading.root(data);
  return reading.found;
}

/** Like `readForeign`, for data that was already parsed. */
export async function readForeignData(
  table: AgentTable,
  data: unknown,
  file: string,
  locate: Locate = async () => undefined,
): Promise<ForeignFile> {
  const reading = new ForeignReader(table, file);
  reading.root(data);
  const problems = await Promise.all(
    reading.found.map(async ({ path, ...problem }) => ({
      ...problem,
      file,
      where: formatPath(path),
      ...(await locate(path)),
    })),
  );
  const first = problems.find(({ level }) => level === 'error');
  const voids = reading.voided || (table.files.root.others === 'void' && reading.broken);
  return {
    file,
    hooks: reading.hooks,
    definition: definitionOf(data),
    problems,
    ...(voids && first ? { dropped: `${first.where === '' ? '' : `${first.where}: `}${first.message}` } : {}),
    ...(reading.disabled ? { disabled: reading.disabled } : {}),
  };
}

/** The top-level keys about hooks; a settings file has many others. */
export const ABOUT_HOOKS = ['hooks', 'version', 'disableAllHooks', 'hooksConfig', 'features'];

const definitionOf = (data: unknown): Json =>
  isObject(data) ? Object.fromEntries(Object.entries(data).filter(([key]) => ABOUT_HOOKS.includes(key))) : {};

/** Whether a file holds other settings besides hooks. */
export const isSettingsFile = (file: string): boolean => /^settings\b|\.toml$/.test(basename(file));

const PASCAL = /^[A-Z]/;

class ForeignReader {
  readonly hooks: ForeignHook[] = [];
  readonly found: { level: 'error' | 'warning'; path: Path; message: string }[] = [];
  voided = false;
  broken = false;
  disabled: ForeignFile['disabled'];
  readonly #table: AgentTable;
  readonly #file: string;

  constructor(table: AgentTable, file: string) {
    this.#table = table;
    this.#file = file;
  }

  root(data: unknown) {
    const { files, title } = this.#table;
    const settings = isSettingsFile(this.#file);
    if (!isObject(data)) return this.#drop([], `expected an object, { "hooks": { … } }, got ${kindOf(data)}`);
    this.#switches(data);
    const hooks = data['hooks'];
    if (hooks === undefined)
      return settings ? undefined : this.#drop([], `${title} reads hooks under "hooks", and there is no such key`);
    const strange = settings
      ? undefined
      : Object.keys(data).find((key) => key !== 'hooks' && !files.root.keys.includes(key));
    if (files.root.others === 'void' && strange !== undefined)
      this.#drop([strange], `${title} drops the whole file for this key at its root`);
    if (!settings && files.version !== undefined && data['version'] !== files.version)
      this.#drop('version' in data ? ['version'] : [], `${title} wants "version": ${files.version}`);
    if (!isObject(hooks)) return this.#drop(['hooks'], `expected an object by event, got ${kindOf(hooks)}`);
    for (const [event, list] of Object.entries(hooks)) this.#event(event, list);
  }

  #event(event: string, list: unknown) {
    const { events, title } = this.#table;
    const path = ['hooks', event];
    const rows = events.filter(({ name }) => name === event);
    if (rows.length === 0) {
      // Codex and Gemini have switches beside the events.
      if (!Array.isArray(list) || isRemark(event) || event === 'disabled') return;
      const meant = nearest(
        event,
        events.map(({ name }) => name),
      );
      const hint = meant === undefined ? '' : `. Did you mean "${meant}"?`;
      this.found.push({ level: 'warning', path, message: `${title} has no such event, so its hooks never run${hint}` });
      return;
    }
    if (!Array.isArray(list)) return this.#wrong(path, `expected a list, got ${kindOf(list)}`);
    const sequential = list.some((group) => isObject(group) && group['sequential'] === true);
    for (const [i, entry] of list.entries()) this.#entry({ rows, event, sequential }, entry, [...path, i]);
  }

  #entry(about: Pick<ForeignHook, 'rows' | 'event' | 'sequential'>, entry: unknown, path: Path) {
    const { files, title, runs } = this.#table;
    if (!isObject(entry)) return this.#wrong(path, `expected an object, got ${kindOf(entry)}`);
    const inner = entry['hooks'];
    const matcher = entry['matcher'];
    if (matcher !== undefined && !isText(matcher) && matcher !== null)
      return this.#wrong([...path, 'matcher'], `expected a string, got ${kindOf(matcher)}`);
    this.#flags(entry, path, false);
    const named = isText(matcher) ? { matcher } : {};
    const groups =
      files.shape === 'groups' || (runs?.pascalGroups === true && PASCAL.test(about.event) && inner !== undefined);
    if (!groups) {
      if (inner !== undefined) return this.#wrong(path, `${title} expects hooks here, without groups around them`);
      return this.#handler({ ...about, ...named }, entry, path);
    }
    if (!Array.isArray(inner)) return this.#wrong(path, `${title} expects a group, { "matcher": …, "hooks": [ … ] }`);
    for (const [i, handler] of inner.entries()) this.#handler({ ...about, ...named }, handler, [...path, 'hooks', i]);
  }

  #handler(about: Omit<ForeignHook, 'handler' | 'path' | 'invalid'>, handler: unknown, path: Path) {
    const { files, title } = this.#table;
    if (!isObject(handler))
      return this.#wrong(path, `expected a hook, { "type": "command", … }, got ${kindOf(handler)}`);
    if (asksUs(handler['command'])) return;
    const type = handler['type'] ?? (files.shape === 'flat' ? 'command' : undefined);
    const add = (invalid?: string): void =>
      void this.hooks.push({
        ...about,
        path,
        handler: { ...handler, type },
        ...(invalid === undefined ? {} : { invalid }),
      });
    if (!isText(type))
      return this.#wrong([...path, 'type'], `expected one of ${files.handlers.join(', ')}, got ${kindOf(type)}`);
    if (!files.handlers.includes(type)) {
      const why = `${title} does not run hooks of the type "${type}"`;
      this.found.push({ level: 'warning', path: [...path, 'type'], message: why });
      return add(why);
    }
    this.#flags(handler, path, true);
    const { key } = files.timeout;
    const timeout = handler[key] ?? handler['timeout'];
    if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
      this.#wrong(
        [...path, key in handler ? key : 'timeout'],
        `expected a number over 0, got ${JSON.stringify(timeout) ?? kindOf(timeout)}`,
      );
      return add('its timeout is no number over 0');
    }
    return add();
  }

  #flags(holder: Json, path: Path, isHandler: boolean): void {
    const { flags = [], keys, closes } = this.#table.files;
    for (const key of flags.filter((flag) => keys.includes(flag) === isHandler)) {
      const value = holder[key];
      if (value === undefined || typeof value === 'boolean') continue;
      const taken = key === closes ? '; it is taken for true' : '';
      this.#wrong([...path, key], `expected true or false, got ${JSON.stringify(value)}${taken}`);
    }
  }

  #switches(data: Json): void {
    const { off = {}, offNames = [] } = this.#table.runs ?? {};
    const key = Object.keys(off).find((path) => at(data, path) === off[path]);
    if (key !== undefined) this.disabled = { all: true, why: `"${key}" is ${off[key]} in ${this.#file}` };
    const names = offNames.map((path) => at(data, path)).flatMap((found) => (Array.isArray(found) ? found : []));
    if (key === undefined && names.length > 0) this.disabled = { names: names.filter(isText) };
  }

  #wrong(path: Path, message: string): void {
    this.broken = true;
    this.found.push({ level: 'error', path, message });
  }

  #drop(path: Path, message: string): void {
    this.voided = true;
    this.found.push({ level: 'error', path, message });
  }
}
