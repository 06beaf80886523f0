import type { ClaudeHandler, ClaudeHooks } from '../files/schema.js';
import type { HookFile } from '../files/settings.js';
import type { HookSettings } from '../files/settings-keys.js';

/** The state of a hook: accepted, so it may run; accepted but changed since (`untrusted`); or never accepted. */
export type HookState = 'accepted' | 'untrusted' | 'never';

/** A file merged with its accepted version: the accepted hooks in their places, then the new ones. */
export interface MergedFile {
  readonly hooks: ClaudeHooks;
  readonly settings: HookSettings;
  stateOf(handler: ClaudeHandler): HookState;
  /** Whether anything differs from what was accepted. */
  readonly differs: boolean;
}

/** Merges a file with its accepted version. `whole`: nothing counts as accepted, because the file is now for another agent or skill, or is another file. */
export function mergeAccepted(before: HookFile, now: HookFile, whole: boolean): MergedFile {
  const states = new WeakMap<ClaudeHandler, HookState>();
  const mark = (handler: ClaudeHandler, state: HookState): ClaudeHandler => {
    states.set(handler, state);
    differs ||= state !== 'accepted';
    return handler;
  };
  let differs = whole;
  const current = keysOf(now.hooks);
  const accepted = keysOf(before.hooks);
  const hooks: Record<string, { matcher?: string; hooks: readonly ClaudeHandler[] }[]> = {};
  for (const [event, groups] of Object.entries(before.hooks)) {
    hooks[event] = groups.map((group) => ({
      ...group,
      hooks: group.hooks.map((handler) => {
        const same = whole ? undefined : current.get(keyOf(event, group.matcher, handler));
        return same ? mark(same, 'accepted') : mark(handler, 'untrusted');
      }),
    }));
  }
  for (const [event, groups] of Object.entries(now.hooks)) {
    for (const group of groups) {
      const added = group.hooks.filter((handler) => !accepted.has(keyOf(event, group.matcher, handler)));
      for (const handler of added) mark(handler, 'never');
      if (added.length > 0) hooks[event] = [...(hooks[event] ?? []), { ...group, hooks: added }];
    }
  }
  const settings = settingsOf(before.settings, now.settings);
  differs ||= canonical(before.settings) !== canonical(now.settings);
  return { hooks, settings, stateOf: (handler) => states.get(handler) ?? 'never', differs };
}

/** Whether two files have a hook in common, so that one may be the other after renaming. */
export function shareHooks(one: ClaudeHooks, other: ClaudeHooks): boolean {
  const keys = keysOf(one);
  return [...keysOf(other).keys()].some((key) => keys.has(key));
}

/** Whether there is any hook, not only events and groups without hooks. */
export function hasHooks({ hooks }: Pick<HookFile, 'hooks'>): boolean {
  return Object.values(hooks).some((groups) => groups.some((group) => group.hooks.length > 0));
}

/** The accepted settings, without settings that turn hooks off and that the file no longer has. */
export function settingsOf(before: HookSettings, now: HookSettings): HookSettings {
  const { disableAllHooks, enabledPlugins, ...rest } = before;
  const plugins = Object.entries(enabledPlugins ?? {}).filter(
    ([id, on]) => on !== false || now.enabledPlugins?.[id] === false,
  );
  return {
    ...rest,
    ...(disableAllHooks === true && now.disableAllHooks === true ? { disableAllHooks } : {}),
    ...(plugins.length > 0 ? { enabledPlugins: Object.fromEntries(plugins) } : {}),
  };
}

function keysOf(hooks: ClaudeHooks): Map<string, ClaudeHandler> {
  const all = Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher, hooks: handlers }) =>
      handlers.map((handler) => [keyOf(event, matcher, handler), handler] as const),
    ),
  );
  return new Map(all);
}

function keyOf(event: string, matcher: string | undefined, handler: ClaudeHandler): string {
  return canonical([event, matcher ?? null, handler]);
}

/** JSON with sorted keys, so that equal data has equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
