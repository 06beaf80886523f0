import { findPositions, findSyntaxError, type Path, type Position } from '../../files/json-file.js';
import { isTooDeep } from '../../files/nesting.js';
import { nearestSpelling } from '../../values/nearest.js';
import { kindOf } from '../../values/problem.js';
import { checks, isObject, isText, type OptionCheck } from '../../values/shape.js';
import { type ClaudeProblem, type Finding, type Located, problemOf } from './findings.js';
import { otherShape } from './other-shapes.js';
import { type CheckedHooks, type ClaudeGroup, type ClaudeHandler, type ClaudeHooks, checkHooks } from './schema.js';

/** What settings say about hooks, besides the hooks themselves. */
export interface HookSettings {
  readonly disableAllHooks?: boolean;
  /** Counts in managed settings only. */
  readonly allowManagedHooksOnly?: boolean;
  /** URL patterns with `*`; absent: all. */
  readonly allowedHttpHookUrls?: readonly string[];
  readonly httpHookAllowedEnvVars?: readonly string[];
  /** Keyed by `name@marketplace`. */
  readonly enabledPlugins?: Readonly<Record<string, unknown>>;
  /** Keyed by `name@marketplace`; `options` is the plugin's user configuration. */
  readonly pluginConfigs?: Readonly<Record<string, { readonly options?: Readonly<Record<string, unknown>> }>>;
}

/** One file with hooks, read and checked. */
export interface HookFile {
  readonly file: string;
  readonly hooks: ClaudeHooks;
  readonly settings: HookSettings;
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
  /** Where the text is in its file, if it is only a part of it. */
  readonly locate?: Located['locate'];
}

const list: OptionCheck = { expected: 'an array of strings', accepts: (v) => Array.isArray(v) && v.every(isText) };
const configs: OptionCheck = {
  expected: 'an object of { "options": { … } } by plugin',
  accepts: (v) =>
    isObject(v) && Object.values(v).every((c) => isObject(c) && (c['options'] === undefined || isObject(c['options']))),
};

const SETTINGS: Readonly<Record<keyof HookSettings, OptionCheck>> = {
  disableAllHooks: checks.flag,
  allowManagedHooksOnly: checks.flag,
  allowedHttpHookUrls: list,
  httpHookAllowedEnvVars: list,
  enabledPlugins: checks.object,
  pluginConfigs: configs,
};

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
  return checkFile(data, file, { locate: findPositions(json), ...options });
}

/** A file that could not even be parsed. */
export function broken(file: string, problem: Partial<Position> & { readonly message: string }): HookFile {
  const whole: ClaudeProblem = { level: 'error', rule: 'unreadable', file, where: '', ...problem };
  return {
    file,
    hooks: {},
    settings: {},
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

/** Checks what a file holds. */
export async function checkFile(data: unknown, file: string, options: ReadFileOptions): Promise<HookFile> {
  const { events, onInvalid, hooksOnly = false, locate = async () => undefined } = options;
  if (!isObject(data)) return broken(file, { message: `expected an object, { "hooks": { … } }, got ${kindOf(data)}` });
  const findings: Finding[] = [];
  const settings = hooksOnly ? {} : readKeys(data, findings);
  const checked = hooksOf(data, events, findings);
  const problems = await Promise.all(findings.map((finding) => problemOf(finding, { file, locate })));
  const first = problems.find((problem) => problem.level === 'error');
  return {
    file,
    hooks: checked?.hooks ?? {},
    settings,
    definition: Object.fromEntries(
      Object.entries(data).filter(([key]) => key === 'hooks' || (!hooksOnly && key in SETTINGS)),
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

/** Most keys of settings are not ours: an unknown one is reported only if it resembles one of ours. */
function readKeys(data: Readonly<Record<string, unknown>>, findings: Finding[]): HookSettings {
  const known = ['hooks', ...Object.keys(SETTINGS)];
  const found: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(data)) {
    const rule = Object.hasOwn(SETTINGS, key) ? SETTINGS[key as keyof HookSettings] : undefined;
    if (!rule) {
      const near = known.includes(key) ? undefined : nearestSpelling(key, known);
      if (near)
        findings.push({
          rule: 'unknown-key',
          level: 'warning',
          path: [key],
          message: 'is not a known key and does nothing',
          nearest: near,
        });
    } else if (rule.accepts(value)) found[key] = value;
    else
      findings.push({
        rule: 'wrong-value',
        level: 'error',
        path: [key],
        message: `expected ${rule.expected}, got ${kindOf(value)}`,
      });
  }
  return found;
}
