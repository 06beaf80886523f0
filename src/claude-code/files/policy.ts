import type { HandlerDescription } from '../../handlers/handler.js';
import { matchesUrl } from '../../handlers/http/rules.js';
import type { Skip } from '../../scopes/registration.js';
import type { HookSettings } from './settings-keys.js';

/** The settings of one file, and where they come from. */
export interface SettingsOf {
  readonly kind: string;
  readonly file: string;
  readonly settings: HookSettings;
}

/** The source whose handlers are checked. */
export interface HandlerSource {
  readonly managed: boolean;
  readonly plugin?: string | undefined;
}

/** The combined policy of all settings files. Held or dropped files do not count. */
export interface Policy {
  /** Why a source's handlers never run, and which file is the reason; undefined if they may run. */
  skip(source: HandlerSource): Skip | undefined;
  /** Why a source's http hook may not request this URL, and which files are the reason. The hook fails, as if the server could not be reached. */
  refuseUrl(source: HandlerSource, url: string): string | undefined;
  /** Limits the variables in a handler's headers to those that the settings allow. */
  restrict(source: HandlerSource, handler: HandlerDescription): HandlerDescription;
  /** The options of a plugin in settings files. Later files override earlier ones. */
  configOf(plugin: string): Readonly<Record<string, unknown>>;
}

/** Combines settings, given in order of increasing precedence (managed last). */
export function readPolicy(all: readonly SettingsOf[]): Policy {
  const isManaged = ({ kind }: SettingsOf): boolean => kind === 'managed';
  const disabledBy = (managed: boolean): SettingsOf | undefined =>
    all.find((s) => s.settings.disableAllHooks === true && (!managed || isManaged(s)));
  const managedOnly = all.find((s) => s.settings.allowManagedHooksOnly === true && isManaged(s));
  const urls = listOf(all, 'allowedHttpHookUrls');
  const variables = listOf(all, 'httpHookAllowedEnvVars');

  return {
    skip({ managed, plugin }) {
      const off = plugin === undefined ? undefined : switchOf(all, plugin);
      if (off?.value === false)
        return { reason: 'disabled', why: `enabledPlugins in ${off.file} turns the plugin off` };
      // A plugin that managed settings enable counts as managed.
      const theirs = managed || (off?.managed === true && off.value === true);
      const by = disabledBy(managed);
      if (by) return { reason: 'disabled', why: `disableAllHooks in ${by.file}` };
      if (managedOnly && !theirs) return { reason: 'policy', why: `allowManagedHooksOnly in ${managedOnly.file}` };
      return undefined;
    },
    refuseUrl({ managed }, url) {
      if (!urls.counts(managed) || urls.values.some((pattern) => matchesUrl(pattern, new URL(url)))) return undefined;
      return `allowedHttpHookUrls in ${urls.files.join(', ')} does not list ${url}`;
    },
    restrict({ managed }, handler) {
      const { type, allowedEnvVars } = handler;
      if (type !== 'http' || !Array.isArray(allowedEnvVars) || !variables.counts(managed)) return handler;
      return { ...handler, allowedEnvVars: allowedEnvVars.filter((name) => variables.values.includes(name)) };
    },
    configOf(plugin) {
      const found = all.flatMap(({ settings }) =>
        Object.entries(settings.pluginConfigs ?? {}).filter(([id]) => isPlugin(id, plugin)),
      );
      return Object.assign({}, ...found.map(([, config]) => config.options));
    },
  };
}

type ListKey = 'allowedHttpHookUrls' | 'httpHookAllowedEnvVars';

/** Combines a list setting of all files. It applies to managed hooks only if managed settings contain it too. */
function listOf(all: readonly SettingsOf[], key: ListKey) {
  const giving = all.filter(({ settings }) => settings[key] !== undefined);
  const byManaged = giving.some(({ kind }) => kind === 'managed');
  return {
    values: giving.flatMap(({ settings }) => settings[key] ?? []),
    files: giving.map(({ file }) => file),
    counts: (managed: boolean): boolean => giving.length > 0 && (!managed || byManaged),
  };
}

function switchOf(
  all: readonly SettingsOf[],
  plugin: string,
): { value: unknown; file: string; managed: boolean } | undefined {
  let found: { value: unknown; file: string; managed: boolean } | undefined;
  for (const { settings, file, kind } of all) {
    for (const [id, value] of Object.entries(settings.enabledPlugins ?? {})) {
      if (isPlugin(id, plugin)) found = { value, file, managed: kind === 'managed' };
    }
  }
  return found;
}

/** Whether an id in settings, `name@marketplace` or just `name`, means this plugin. */
function isPlugin(id: string, plugin: string): boolean {
  return id === plugin || id.startsWith(`${plugin}@`);
}
