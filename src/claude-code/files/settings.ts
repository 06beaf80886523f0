import { findPositions, findSyntaxError, type Path, type Position } from '../../files/json-file.js';
import { isTooDeep } from '../../files/nesting.js';
import { kindOf } from '../../values/problem.js';
import { isObject } from '../../values/shape.js';
import { type ClaudeProblem, type Finding, type LocatedText, problemOf } from './findings.js';
import { eventsIn, otherAgent, otherShape } from './other-shapes.js';
import { problemsOfRepeated } from './repeated.js';
import { type CheckedHooks, type ClaudeGroup, type ClaudeHandler, type ClaudeHooks, checkHooks } from './schema.js';
import { envOf, type SettingsVariable } from './settings-env.js';
import { checkSettings, type HookSettings, misspeltKeys, SETTINGS_KEYS, strayGroups } from './settings-keys.js';

/** A file with hooks that has been read and checked. */
export interface HookFile {
  readonly file: string;
  readonly hooks: ClaudeHooks;
  readonly settings: HookSettings;
  /** The variables in its `env`, which Claude Code sets for its sessions. */
  readonly env: readonly SettingsVariable[];
  /** The data as it is in the file, to which consent is bound. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly problems: readonly ClaudeProblem[];
  /** The first error, if it causes the whole file to be dropped. */
  readonly dropped?: string;
  placeOf(part: ClaudeGroup | ClaudeHandler): Path | undefined;
  locate: LocatedText['locate'];
}

export interface ReadFileOptions {
  /** The names of the known events. */
  readonly events: readonly string[];
  /** The effect of a wrong entry: its whole file is dropped (`drop`, as in Claude Code), or only the entry is skipped. */
  readonly onInvalid: 'drop' | 'skip';
  /** Set for a plugin's own file and a frontmatter, in which only hooks count. */
  readonly hooksOnly?: boolean;
  /** Set for a whole file of a plugin, in which a key that is nearly called `hooks` is reported. */
  readonly whole?: boolean;
  /** Set for managed settings, in which some keys count that have no effect elsewhere. */
  readonly managed?: boolean;
  /** Finds positions in the file if the text is only a part of it. */
  readonly locate?: LocatedText['locate'];
}

/** Reads the text of a settings file or of a plugin's hook file. Never rejects: errors are among its problems. */
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

/** The result for a file that could not be parsed. */
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

/** The hooks and settings of a file as they were accepted. */
export async function readAccepted(definition: string, file: string, options: ReadFileOptions): Promise<HookFile> {
  const { userConfig: _, ...data } = JSON.parse(definition) as Record<string, unknown>;
  const read = await checkFile(data, file, options);
  return { ...read, problems: [], ...(read.dropped === undefined ? {} : { hooks: {}, settings: {} }) };
}

const NO_SETTINGS = { settings: {}, findings: [] };

/** Checks the data of a file. */
export async function checkFile(data: unknown, file: string, options: ReadFileOptions): Promise<HookFile> {
  const {
    events,
    onInvalid,
    hooksOnly = false,
    managed = false,
    whole = false,
    locate = async () => undefined,
  } = options;
  if (!isObject(data)) return broken(file, { message: `expected an object, { "hooks": { … } }, got ${kindOf(data)}` });
  const { settings, findings: ofKeys } = hooksOnly ? NO_SETTINGS : checkSettings(data, managed);
  const findings = [...ofKeys, ...(whole ? misspeltKeys(data, ['hooks']) : [])];
  const checked = hooksOf(data, events, findings);
  // What is wrong with events at the top of settings would be wrong below "hooks", too.
  if (!hooksOnly && !('hooks' in data)) findings.push(...checkHooks(eventsIn(data, events), [], events).findings);
  if (!hooksOnly && !findings.some(({ rule }) => rule === 'other-shape')) findings.push(...strayGroups(data, findings));
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
  if (other !== undefined) {
    const agent = otherAgent(data, events);
    const message = agent === undefined ? other : `${other}; --from ${agent.from} reads it`;
    findings.push({ rule: 'other-shape', level: 'error', path, message });
  } else if ('hooks' in data) {
    const checked = checkHooks(data['hooks'], path, events);
    findings.push(...checked.findings);
    return checked;
  }
  return undefined;
}
