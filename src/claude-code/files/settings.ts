import { findPositions, findSyntaxError, type Path, type Position } from '../../files/json-file.js';
import { isTooDeep } from '../../files/nesting.js';
import { kindOf } from '../../values/problem.js';
import { isObject } from '../../values/shape.js';
import { type ClaudeProblem, type Finding, type Located, problemOf } from './findings.js';
import { otherShape } from './other-shapes.js';
import { problemsOfRepeated } from './repeated.js';
import { type CheckedHooks, type ClaudeGroup, type ClaudeHandler, type ClaudeHooks, checkHooks } from './schema.js';
import { envOf, type SettingsVariable } from './settings-env.js';
import { checkSettings, type HookSettings, SETTINGS_KEYS } from './settings-keys.js';

/** One file with hooks, read and checked. */
export interface HookFile {
  readonly file: string;
  readonly hooks: ClaudeHooks;
  readonly settings: HookSettings;
  /** What its `env` sets for sessions of Claude Code. */
  readonly env: readonly SettingsVariable[];
  /** The text as it is in the file, to which consent is bound. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly problems: readonly ClaudeProblem[];
  /** Its first error, if the whole file is dropped. */
  readonly dropped?: string;
  placeOf(part: ClaudeGroup | ClaudeHandler): Path | undefined;
  locate: Located['locate'];
}

export interface ReadFileOptions {
  /** The names of the events there are. */
  readonly events: readonly string[];
  /** The effect of a wrong entry: its whole file is dropped (`drop`, as in the client), or only the entry is skipped. */
  readonly onInvalid: 'drop' | 'skip';
  /** A plugin's own file or a frontmatter: only hooks count in it. */
  readonly hooksOnly?: boolean;
  /** Managed settings, in which some keys count that do nothing elsewhere. */
  readonly managed?: boolean;
  /** Where the text is in its file, if it is only a part of it. */
  readonly locate?: Located['locate'];
}

/** Reads a settings file's text, or that of a plugin's hooks file. Never rejects: what is wrong is among its problems. */
export async function readSettings(text: string, file: string, options: ReadFileOptions): Promise<HookFile> {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (isTooDeep(json)) return broken(file, { message: 'is nested too deeply' });
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch (error) {
    const found = await findSyntaxError(json);
    const message = `is not JSON: ${found?.what ?? (error as Error).message}`;
    return broken(file, { message, ...(found && { line: found.line, column: found.column }) });
  }
  const read = await checkFile(data, file, { locate: findPositions(json), ...options });
  const keys = options.hooksOnly ? ['hooks'] : SETTINGS_KEYS;
  return { ...read, problems: [...read.problems, ...(await problemsOfRepeated(json, data, { file, keys }))] };
}

/** A file that could not even be parsed. */
export function broken(file: string, problem: Partial<Position> & { readonly message: string }): HookFile {
  const whole: ClaudeProblem = { level: 'error', rule: 'unreadable', file, where: '', ...problem };
  return {
    file,
    hooks: {},
    settings: {},
    env: [],
    definition: {},
    problems: [whole],
    dropped: problem.message,
    placeOf: () => undefined,
    locate: async () => undefined,
  };
}

/** A file's hooks and settings as they were accepted; what was dropped then counted for nothing. */
export async function readAccepted(definition: string, file: string, options: ReadFileOptions): Promise<HookFile> {
  const { userConfig: _, ...data } = JSON.parse(definition) as Record<string, unknown>;
  const read = await checkFile(data, file, options);
  return { ...read, problems: [], ...(read.dropped === undefined ? {} : { hooks: {}, settings: {} }) };
}

const NO_SETTINGS = { settings: {}, findings: [] };

/** Checks what a file holds. */
export async function checkFile(data: unknown, file: string, options: ReadFileOptions): Promise<HookFile> {
  const { events, onInvalid, hooksOnly = false, managed = false, locate = async () => undefined } = options;
  if (!isObject(data)) return broken(file, { message: `expected an object, { "hooks": { … } }, got ${kindOf(data)}` });
  const { settings, findings: ofKeys } = hooksOnly ? NO_SETTINGS : checkSettings(data, managed);
  const findings = [...ofKeys];
  const checked = hooksOf(data, events, findings);
  const problems = await Promise.all(findings.map((finding) => problemOf(finding, { file, locate })));
  const first = problems.find((problem) => problem.level === 'error');
  return {
    file,
    hooks: checked?.hooks ?? {},
    settings,
    env: hooksOnly ? [] : envOf(data, file),
    definition: Object.fromEntries(
      Object.entries(data).filter(([key]) => key === 'hooks' || (!hooksOnly && SETTINGS_KEYS.includes(key))),
    ),
    problems,
    ...(first && onInvalid === 'drop' ? { dropped: `${first.where}: ${first.message}` } : {}),
    placeOf: (part) => checked?.placeOf(part),
    locate,
  };
}

function hooksOf(
  data: Readonly<Record<string, unknown>>,
  events: readonly string[],
  findings: Finding[],
): CheckedHooks | undefined {
  const path = 'hooks' in data ? ['hooks'] : [];
  const other = otherShape(data, events);
  if (other !== undefined) findings.push({ rule: 'other-shape', level: 'error', path, message: other });
  else if ('hooks' in data) {
    const checked = checkHooks(data['hooks'], path, events);
    findings.push(...checked.findings);
    return checked;
  }
  return undefined;
}
