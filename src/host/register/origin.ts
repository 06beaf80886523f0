import type { OnFailure } from '../../events/failure.js';
import type { EventSpec } from '../../events/spec.js';
import type { ExternalServices } from '../../handlers/external.js';
import type { Source, UntrustedChange } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { ScopeRef } from '../../scopes/tree.js';
import type { MadeHooks, RegisterOptions } from '../types.js';
import type { HooksOfStart, Life } from './lives.js';
import { callerPlace } from './names/place.js';
import type { RegistrationOptions } from './register.js';

/** Where hooks come from, and the settings of that source. The public functions set only `RegisterOptions`; the host's own sources (files, plugins) set the rest. */
export interface Origin extends RegisterOptions {
  readonly parent?: ScopeRef | undefined;
  readonly plugin?: string | undefined;
  /** The prefix of the names of a plugin's hooks. Default: the plugin's name. */
  readonly group?: string | undefined;
  readonly dialect?: 'code' | 'claude' | undefined;
  readonly timeout?: number | undefined;
  readonly skip?: RegistrationOptions['skip'];
  readonly trustCheckOf?: RegistrationOptions['trustCheckOf'];
  readonly context?: RegistrationOptions['context'];
  readonly place?: RegistrationOptions['place'] | undefined;
  /** Skips the check whether the hooks come too late for a program that was told once which events to ask about. */
  readonly apart?: true | undefined;
  /** The `enforce` of their plugin or file. */
  readonly shadow?: boolean | number | undefined;
  readonly root?: string | undefined;
  readonly family?: string | undefined;
  readonly racing?: true | undefined;
  /** For managed hooks: their matchers accept only agents of this type. */
  readonly ofType?: string | undefined;
  /** Collects the hooks that a start adds, because the start may fail. */
  readonly given?: HooksOfStart | undefined;
  /** Receives warnings that do not prevent registration. Default: the host's logger. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Hooks for future agents of a type. */
export interface SpawnHooks {
  readonly hooks: unknown;
  readonly origin: Origin;
  /** Whether an agent with this session and parent scope gets the hooks; absent: all do. */
  readonly within?: ((session: string | undefined, parent: Scope | undefined) => boolean) | undefined;
  /** The plugin that registered them: when it ends, running agents lose them, too. */
  readonly life?: Life | undefined;
}

export const spawnOrigin = (type: string, { origin }: SpawnHooks): Origin => ({
  source: { kind: 'spawn', name: type },
  ...origin,
});

/** What the failure of hooks does that could not be installed: the strictest that they say themselves, in whatever form they are, or that holds for them. */
export function policyWithout(hooks: unknown, usual: OnFailure | undefined): OnFailure | undefined {
  const said = [usual, ...saidIn(hooks)];
  return (['block', 'ask'] as const).find((policy) => said.includes(policy)) ?? usual;
}

/** The `onFailure` of each group and each handler. What cannot be looked at may say `block`. */
function saidIn(hooks: unknown): unknown[] {
  try {
    const groups: unknown[] = Object.values(Object(hooks)).flat();
    return groups.flatMap((group) => [group, Object(group).hooks].flat()).map((one) => Object(one).onFailure);
  } catch {
    return ['block'];
  }
}

/** Describes hooks that a function makes for each agent. */
export function describeMadeHooks(agentType: string, spawnHooks: SpawnHooks): MadeHooks {
  const { source = { kind: 'spawn', name: agentType }, plugin, name, place } = spawnOrigin(agentType, spawnHooks);
  const called = name ?? place?.();
  return {
    agentType,
    source,
    ...(plugin === undefined ? {} : { plugin }),
    ...(called === undefined ? {} : { name: called }),
  };
}

/** What every registration needs from the host. */
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
  /** Called before every run of hooks that are registered after it was set: why their source differs from its accepted version, if it does. */
  guard?: ((source: Source) => UntrustedChange | undefined) | undefined;
  report(message: string, detail?: unknown, repeats?: string): void;
}

// Frozen, because records share them. Not `{ ...source }`: a frozen spread has its own hidden class, which each registration would retain.
const CODE: Source = Object.freeze({ kind: 'code' });
const frozenSource = (source: Source): Source => Object.freeze(Object.assign({}, source));

/** The options for reading hooks into a scope. The source's settings take precedence over the host's. */
export function registrationOptions(
  host: HostParts,
  scope: Scope,
  origin: Origin,
  nextId: (name: string) => string,
): RegistrationOptions {
  const { options, specs: entries, external, guard, report } = host;
  const { file } = origin.source ?? {};
  const told = file === undefined ? report : (text: string) => report(`${file}: ${text}`);
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
    warn: origin.warn ?? told,
    report: told,
  };
}
