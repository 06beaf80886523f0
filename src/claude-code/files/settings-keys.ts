import { nearestSpelling } from '../../values/nearest.js';
import { kindOf } from '../../values/problem.js';
import { checks, isObject, isText, type OptionCheck } from '../../values/shape.js';
import type { Finding } from './findings.js';

/** The settings about hooks, besides the hooks themselves. */
export interface HookSettings {
  readonly disableAllHooks?: boolean;
  /** Has an effect in managed settings only. */
  readonly allowManagedHooksOnly?: boolean;
  /** URL patterns with `*`. Absent: all URLs are allowed. */
  readonly allowedHttpHookUrls?: readonly string[];
  readonly httpHookAllowedEnvVars?: readonly string[];
  /** Keyed by `name@marketplace`. */
  readonly enabledPlugins?: Readonly<Record<string, unknown>>;
  /** Keyed by `name@marketplace`; `options` is the plugin's user configuration. */
  readonly pluginConfigs?: Readonly<Record<string, { readonly options?: Readonly<Record<string, unknown>> }>>;
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

/** The keys of a settings file that hookscope reads. */
export const SETTINGS_KEYS: readonly string[] = ['hooks', ...Object.keys(SETTINGS)];

/** Keys that have an effect in Claude Code only in managed settings. */
const MANAGED_ONLY: readonly string[] = [
  'allowManagedHooksOnly',
  'allowManagedMcpServersOnly',
  'allowManagedPermissionRulesOnly',
  'strictKnownMarketplaces',
  'blockedMarketplaces',
];

/** Keys that nearly have the name of one that is read and is not there; they do nothing. */
export function misspeltKeys(data: Readonly<Record<string, unknown>>, known: readonly string[]): Finding[] {
  return Object.keys(data).flatMap((key) => {
    const near = known.includes(key) ? undefined : nearestSpelling(key, known);
    if (near === undefined || Object.hasOwn(data, near)) return [];
    const message = 'is not a known key and does nothing';
    return [{ rule: 'unknown-key', level: 'warning' as const, path: [key], message, nearest: near }];
  });
}

/** Checks the settings besides the hooks. Most keys of settings are not about hooks, so an unknown key is reported only if it resembles one that is. */
export function checkSettings(
  data: Readonly<Record<string, unknown>>,
  isManaged: boolean,
): { readonly settings: HookSettings; readonly findings: readonly Finding[] } {
  const settings: Record<string, unknown> = {};
  const findings: Finding[] = [];
  const warn = (key: string, message: string, nearest?: string): void =>
    void findings.push({ rule: 'unknown-key', level: 'warning', path: [key], message, nearest });
  for (const [key, value] of Object.entries(data)) {
    const rule = Object.hasOwn(SETTINGS, key) ? SETTINGS[key as keyof HookSettings] : undefined;
    if (rule?.accepts(value)) settings[key] = value;
    else if (rule) {
      const message = `expected ${rule.expected}, got ${kindOf(value)}`;
      findings.push({ rule: 'wrong-value', level: 'error', path: [key], message });
      continue;
    }
    if (MANAGED_ONLY.includes(key)) {
      if (!isManaged && value !== false) warn(key, 'counts in managed settings only, and does nothing here');
    } else if (!SETTINGS_KEYS.includes(key)) {
      const near = nearestSpelling(key, SETTINGS_KEYS);
      if (near !== undefined) warn(key, 'is not a known key and does nothing', near);
    }
  }
  return { settings, findings };
}

/** Hooks at the top level of settings under a key of which nothing is said yet, such as an event beside "hooks" or one that is misspelt. */
export function strayGroups(data: Readonly<Record<string, unknown>>, said: readonly Finding[]): Finding[] {
  const message = 'holds hooks and is not "hooks", so none of them runs';
  return Object.keys(data)
    .filter((key) => !SETTINGS_KEYS.includes(key) && isGroups(data[key]) && !said.some(({ path }) => path[0] === key))
    .map((key) => ({ rule: 'unknown-key', level: 'warning', path: [key], message }));
}

/** Whether a value is a list in which groups of hooks are. */
export const isGroups = (value: unknown): boolean =>
  Array.isArray(value) && value.some((group) => isObject(group) && Array.isArray(group['hooks']));
