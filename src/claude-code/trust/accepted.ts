import type { ClaudeHandler, ClaudeHooks } from '../files/schema.js';
import type { HookFile } from '../files/settings.js';
import type { HookSettings } from '../files/settings-keys.js';

/** The state of one hook: it may run; it was accepted and has changed since; it was never accepted. */
export type HookState = 'accepted' | 'untrusted' | 'never';

/** A file merged with what was accepted of it: every accepted hook in its place, then the new ones. */
export interface Merged {
  readonly hooks: ClaudeHooks;
  readonly settings: HookSettings;
  stateOf(handler: ClaudeHandler): HookState;
  /** Whether anything in it is not as it was accepted. */
  readonly differs: boolean;
}

/** `whole`: nothing in it is as accepted, since it is for another agent or skill, or is another file. */
export function mergeAccepted(before: HookFile, now: HookFile, whole: boolean): Merged {
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

/** Whether two files have a hook in common: one may be the other under another name. */
export function shareHooks(one: ClaudeHooks, other: ClaudeHooks): boolean {
  const keys = keysOf(one);
  return [...keysOf(other).keys()].some((key) => keys.has(key));
}

/** Events and groups without a hook are none. */
export function hasHooks({ hooks }: Pick<HookFile, 'hooks'>): boolean {
  return Object.values(hooks).some((groups) => groups.some((group) => group.hooks.length > 0));
}

/** The accepted settings; but a setting that turns hooks off counts only while the file still has it. */
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

/** The same text for the same data, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
