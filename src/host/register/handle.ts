import { HookscopeError } from '../../errors.js';
import type { Scope } from '../../scopes/scope.js';
import { labelOf, type ScopeRef } from '../../scopes/tree.js';
import { checkKeys, type Keys, wrongOption } from '../../values/options.js';
import { show } from '../../values/shape.js';
import { checkRegisterOptions } from '../options.js';
import type { Plugin, PluginScope, PluginUndo, UseOptions } from '../plugin-types.js';
import { describeScope } from '../tell/describe.js';
import type { OnOptions, RegisterOptions, Undo } from '../types.js';
import type { Cut } from './apply.js';
import { lessOf } from './enforce.js';
import { wrong } from './handler-entry.js';
import type { HooksOfStart, Life } from './lives.js';
import type { Origin, SpawnHooks } from './origin.js';
import { GROUP } from './register.js';

/** How a plugin is used. A plugin ends with its user, the plugin that uses it, even while it is still being applied. */
export type PluginUseCall = readonly [
  ref: ScopeRef | undefined,
  plugin: Plugin,
  options: unknown,
  how?: UseOptions | undefined,
  /** The plugin that uses it. */
  user?: Life,
  trustCheckOf?: Origin['trustCheckOf'],
  /** The start of a session or agent that it is part of. */
  start?: Cut & { readonly given: HooksOfStart },
];

/** The methods of a host's registrar that a handle calls. */
interface HandleRegistrar {
  register(ref: ScopeRef | undefined, hooks: unknown, origin?: Origin): Undo;
  use(...use: PluginUseCall): Promise<PluginUndo>;
  spawnHooks(type: string, hooks: unknown, origin: Origin, of: Pick<SpawnHooks, 'within' | 'life'>): Undo;
  end(ref: ScopeRef): Promise<void> | undefined;
  scope(ref: ScopeRef | undefined): Scope;
}

/** The handle of a scope (`undefined`: the host's). The scope opens when something is first registered in it. `demand` throws once the host is closed. */
export function handleOf(registrar: HandleRegistrar, ref: ScopeRef | undefined, demand: () => void) {
  return {
    id: ref === undefined ? 'host' : labelOf(ref),
    register(hooks: unknown, options?: RegisterOptions): Undo {
      demand();
      return registrar.register(ref, hooks, checkRegisterOptions(options, 'register'));
    },
    on(event: string, hook: unknown, options?: object): Undo {
      demand();
      return registrar.register(ref, oneHook(event, hook, options));
    },
    use: (plugin: Plugin, options?: unknown, how?: UseOptions): Promise<PluginUndo> =>
      registrar.use(ref, plugin, options, how),
    close: (): boolean => ref !== undefined && registrar.end(ref) !== undefined,
    describe: () => describeScope(registrar.scope(ref)),
  };
}

/** The scope handle of a plugin. After the plugin has ended, its methods throw PLUGIN_ENDED. */
export function pluginScopeOf(
  registrar: HandleRegistrar,
  ref: ScopeRef | undefined,
  plugin: Plugin,
  life: Life,
  enforce?: Origin['shadow'],
) {
  const origin: Origin = {
    plugin: plugin.name,
    group: life.name,
    source: { kind: 'plugin', name: plugin.name },
    shadow: enforce,
    trustCheckOf: life.trustCheckOf,
    given: life.given,
  };
  /** A late call might reach another scope with the same name. */
  const demand = (call: string): void => {
    if (life.over) throw new HookscopeError('PLUGIN_ENDED', { plugin: life.name, scope: life.scope.id, call });
  };
  const add = (hooks: unknown, how?: RegisterOptions): Undo =>
    life.undo(registrar.register(ref, hooks, { ...how, ...origin }));
  return {
    id: ref === undefined ? 'host' : labelOf(ref),
    register: (hooks, how) => {
      demand('register');
      return add(hooks, checkRegisterOptions(how, 'register'));
    },
    on: (event, hook, options) => {
      demand('on');
      return add(oneHook(event, hook, options));
    },
    spawnHooks: (type, hooks, how) => {
      demand('spawnHooks');
      const all = { ...checkRegisterOptions(how, 'spawnHooks'), ...origin };
      const { scope } = life;
      // Hooks that a plugin of a session or agent registers are only for agents below its scope.
      const within = (_: unknown, parent?: Scope): boolean => parent?.lineage.includes(scope) === true;
      return life.undo(registrar.spawnHooks(type, hooks, all, { life, ...(ref === undefined ? {} : { within }) }));
    },
    use: async (inner: Plugin, ...[options, how]: [unknown?, UseOptions?]) => {
      demand('use');
      return registrar.use(ref, inner, options, lessOf(how, enforce), life);
    },
    describe: () => describeScope(registrar.scope(ref)),
    get signal() {
      return life.signal;
    },
    onClose: (fn) => life.onClose(fn),
  } satisfies PluginScope as PluginScope;
}

/** The options of `on` are the keys of a group; their values are checked as those of a group. */
const ON = Object.fromEntries(
  Object.keys(GROUP).flatMap((key) => (key === 'hooks' ? [] : [[key, true]])),
) as Keys<OnOptions>;

/** One hook in the shape that `register` takes. */
export function oneHook(event: string, hook: unknown, options: object | undefined): Record<string, unknown> {
  if (typeof event !== 'string') throw wrong('on(event)', `expected the name of an event, got ${show(event)}`);
  if (typeof options === 'function')
    throw wrongOption('on', 'the matcher belongs into the options: on(event, fn, { matcher: "Bash" })');
  checkKeys(options, ON, 'on: ');
  return { [event]: [{ ...options, hooks: [hook] }] };
}
