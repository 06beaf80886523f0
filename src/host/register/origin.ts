import type { OnFailure } from '../../events/failure.js';
import type { EventSpec } from '../../events/spec.js';
import type { ExternalServices } from '../../handlers/external.js';
import type { Source, Untrusted } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { ScopeRef } from '../../scopes/tree.js';
import type { MadeHooks, RegisterOptions } from '../types.js';
import type { Given, Life } from './lives.js';
import { callerPlace } from './place.js';
import type { RegistrationOptions } from './register.js';

/** What the public functions say about where hooks come from; the host's own sources (files, plugins) say more. */
export interface Origin extends RegisterOptions {
  readonly parent?: ScopeRef | undefined;
  readonly plugin?: string | undefined;
  /** The name before the names of a plugin's hooks; absent: the plugin's. */
  readonly group?: string | undefined;
  readonly dialect?: 'code' | 'claude' | undefined;
  readonly timeout?: number | undefined;
  readonly skip?: RegistrationOptions['skip'];
  readonly trustCheckOf?: RegistrationOptions['trustCheckOf'];
  readonly context?: RegistrationOptions['context'];
  readonly place?: RegistrationOptions['place'] | undefined;
  /** They are for what is asked anyway: no program is asked whether they come too late for it. */
  readonly apart?: true | undefined;
  /** The `enforce` of their plugin or file. */
  readonly shadow?: boolean | number | undefined;
  readonly root?: string | undefined;
  readonly family?: string | undefined;
  readonly racing?: true | undefined;
  /** Of managed hooks: their matchers let only agents of this type through. */
  readonly ofType?: string | undefined;
  /** Of the start of an agent, which may fail: what it has got. */
  readonly given?: Given | undefined;
  /** Receives warnings that do not prevent registration. Default: the host's logger. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Hooks for future agents of a type. */
export interface SpawnHooks {
  readonly hooks: unknown;
  readonly origin: Origin;
  /** Agents of these sessions, or below these scopes, alone; absent: all. */
  readonly within?: ((session: string | undefined, parent: Scope | undefined) => boolean) | undefined;
  /** The plugin that brought them: when it ends, living agents lose them too. */
  readonly life?: Life | undefined;
}

export const spawnOrigin = (type: string, { origin }: SpawnHooks): Origin => ({
  source: { kind: 'spawn', name: type },
  ...origin,
});

/** What is known about hooks that a function makes for each agent. */
export function madeBy(agentType: string, spawnHooks: SpawnHooks): MadeHooks {
  const { source = { kind: 'spawn', name: agentType }, plugin, name, place } = spawnOrigin(agentType, spawnHooks);
  const called = name ?? place?.();
  return {
    agentType,
    source,
    ...(plugin === undefined ? {} : { plugin }),
    ...(called === undefined ? {} : { name: called }),
  };
}

/** What the host provides for every registration. */
export interface HostParts {
  /** Defaults where neither the hooks nor their source set a value. */
  readonly options: Pick<RegistrationOptions, 'timeoutFor'> & {
    readonly onFailure?: OnFailure;
    readonly timeout?: number;
    readonly closeTimeout?: number;
    readonly session?: { readonly cwd?: string | undefined };
    readonly decisions?: string;
    readonly merge?: string;
  };
  readonly specs: ReadonlyMap<string, EventSpec>;
  readonly external: ExternalServices;
  /** Asked before every run of every hook that is registered from then on: why what it came from is not what was accepted. */
  guard?: ((source: Source) => Untrusted | undefined) | undefined;
  report(message: string): void;
}

// Records share them. A spread that is frozen has its own hidden class, which would be kept with each registration.
const CODE: Source = Object.freeze({ kind: 'code' });
const frozenSource = (source: Source): Source => Object.freeze(Object.assign({}, source));

/** How hooks are read into a scope: their source's settings take precedence over the host's. */
export function registrationOptions(
  host: HostParts,
  scope: Scope,
  origin: Origin,
  nextId: (name: string) => string,
): RegistrationOptions {
  const { options, specs: entries, external, guard, report } = host;
  return {
    scope,
    source: origin.source === undefined ? CODE : frozenSource(origin.source),
    name: origin.name,
    plugin: origin.plugin,
    group: origin.group ?? origin.plugin,
    dialect: origin.dialect,
    onFailure: origin.onFailure ?? options.onFailure ?? 'continue',
    usualFailure: (origin.onFailure ?? options.onFailure) === undefined ? true : undefined,
    timeoutFor: origin.timeoutFor ?? options.timeoutFor,
    enforce: [origin.shadow, origin.enforce],
    timeout: origin.timeout ?? options.timeout ?? 60,
    skip: origin.skip,
    trustCheckOf: origin.trustCheckOf,
    guard,
    context: origin.context,
    external,
    place: origin.source?.file === undefined ? (origin.place ?? callerPlace) : () => undefined,
    root: origin.root,
    family: origin.family,
    racing: origin.racing,
    dir: options.session?.cwd,
    spec: (name) => entries.get(name),
    events: [...entries.keys()],
    nextId,
    warn: origin.warn ?? report,
    report,
  };
}
