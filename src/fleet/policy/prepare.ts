import { HookscopeError } from '../../errors.js';
import type { EventSpec } from '../../events/spec.js';
import type { HostCore } from '../../host/core.js';
import type { Origin } from '../../host/register/origin.js';
import { compileMatcher, readyMatcher } from '../../matching/matcher.js';
import { whyExponential } from '../../matching/regex-cost.js';
import type { Json } from '../../values/shape.js';
import type { Bundle } from '../bundle/bundle.js';
import { type AllowList, trustCheckFor, whyNotAllowed } from './allowed.js';
import { handlersIn, type PolicyFile, readContents } from './contents.js';
import { type Plugins, usePlugins } from './plugins.js';

/** A bundle that may run here, ready to be installed. */
export interface PreparedPolicy {
  readonly bundle: Bundle;
  readonly files: readonly PolicyFile[];
  /** Absent: nothing of it is to run. */
  readonly allowed?: AllowList;
  /** The folder in which commands run, and from which names are resolved. */
  readonly folder: string;
  readonly plugins: Plugins;
  readonly redact: {
    readonly keys: readonly string[];
    readonly paths: readonly string[];
    readonly patterns: readonly RegExp[];
  };
}

/** What every host reads and checks in the same way: files, and what they mask. Rejects with BUNDLE_REFUSED. */
export async function readBundledPolicy(bundle: Bundle): Promise<Pick<PreparedPolicy, 'files' | 'redact'>> {
  const refuse = refusing(bundle);
  const files = await readContents(bundle);
  const patterns = files.flatMap(({ path, redact }) =>
    (redact?.patterns ?? []).map((source) => {
      let pattern: RegExp;
      try {
        pattern = new RegExp(source, 'u');
      } catch (error) {
        return refuse(`${path}: redact.patterns: ${(error as Error).message}`);
      }
      const why = whyExponential(source, 'u');
      return why === undefined
        ? pattern
        : refuse(`${path}: redact.patterns: "${source}" can take exponential time (${why})`);
    }),
  );
  const all = (key: 'keys' | 'paths'): string[] => files.flatMap(({ redact }) => redact?.[key] ?? []);
  return { files, redact: { keys: all('keys'), paths: all('paths'), patterns } };
}

/** Checks everything in a bundle, and loads its plugins. Rejects with BUNDLE_REFUSED if a file is not a policy, or something may not run here. */
export async function preparePolicy(bundle: Bundle, allowed: AllowList, folder: string): Promise<PreparedPolicy> {
  const refuse = refusing(bundle);
  const { files, redact } = await readBundledPolicy(bundle);
  for (const file of files) {
    for (const { handler, at } of handlersIn(file)) {
      const why = whyNotAllowed(handler, allowed, folder);
      if (why !== undefined) refuse(`${file.path}: ${at}: ${why}`);
    }
  }
  // Last, since their code runs.
  const plugins = await usePlugins(files, allowed, refuse);
  return { bundle, files, allowed, folder, plugins, redact };
}

const refusing =
  (bundle: Bundle) =>
  (reason: string): never => {
    throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
  };

/** Hooks as `register` takes them, and where they come from. */
export interface PolicyHooks {
  readonly hooks: Json;
  readonly origin: Origin;
}

/** A bundle, as the source of its hooks. */
const sourceName = ({ channel, revision, sequence }: Bundle['manifest']): string =>
  `${channel}@${sequence} ${revision}`;

/** Whether hooks of that source are a channel's: of one of its bundles, or those that ask while it has none. */
export const isOfChannel = (name: string, channel: string): boolean =>
  name === channel || name.startsWith(`${channel}@`);

/** Whether hooks of that source are those that ask while a channel has no policy that counts. */
export const isOfNoBundle = (name: string): boolean => !name.includes('@');

/** What a policy registers in a host's managed scope. */
export function partsOf(
  { bundle, files, allowed, folder, plugins }: PreparedPolicy,
  events: HostCore['events'],
): PolicyHooks[] {
  return files.flatMap(({ path, hooks = {}, spawnHooks = {}, onFailure, enforce }) => {
    const source = { kind: 'fleet', name: sourceName(bundle.manifest), file: path };
    const origin: Origin = {
      source,
      group: path.replace(/\.json$/, ''),
      onFailure,
      shadow: enforce,
      trustCheckOf: (handler) =>
        allowed !== undefined && handler['type'] === 'command' ? trustCheckFor(handler, allowed, folder) : undefined,
    } as Origin;
    const own = Object.entries(spawnHooks).map(([type, all]) => ({
      hooks: forType(type, all, events),
      origin: { ...origin, ofType: type },
    }));
    const of = plugins.hooks.filter((one) => one.path === path);
    const theirs = of.map(({ plugin, hooks: all, how, type }) => ({
      hooks: type === undefined ? all : forType(type, all as never, events),
      origin: {
        ...(onFailure && { onFailure }),
        ...how,
        ...{ source, plugin, group: plugin, shadow: enforce, ofType: type },
      } as Origin,
    }));
    return [{ hooks, origin }, ...own, ...theirs];
  });
}

/**
 * The hooks of an agent's type. They are in the managed scope and match that type alone: in the scope of each agent, where those of a host are, they would end
 * with it, and whoever ends a scope would be rid of them.
 */
function forType(type: string, hooks: NonNullable<PolicyFile['hooks']>, events: HostCore['events']): Json {
  const all: Record<string, unknown[]> = Object.create(null);
  for (const [event, groups] of Object.entries(hooks)) {
    const spec = events[event]?.spec;
    // The end of such an agent, and of no other below it.
    const name = spec?.inAgentScope ?? event;
    all[name] ??= [];
    all[name].push(
      ...groups.map((group, i) => ({
        ...group,
        matcher: matcherOf(type, group['matcher'], { spec, isOwn: name !== event }, `${event}[${i}].matcher`),
      })),
    );
  }
  return all;
}

function matcherOf(
  type: string,
  own: unknown,
  { spec, isOwn }: { readonly spec: EventSpec | undefined; readonly isOwn: boolean },
  where: string,
): unknown {
  // Registering it reports that there is no such event.
  if (spec === undefined) return own;
  const { matcher } = compileMatcher(own, { dialect: 'code', event: spec, where });
  const text = matcher.all ? `agents of the type ${type}` : `agents of the type ${type}: ${matcher.text}`;
  return readyMatcher(text, (input, agent) => {
    const of = input as Json;
    const types = agent.agentTypes?.[isOwn ? 'own' : 'all'];
    const isOfType = of['agent_type'] === type || types?.includes(type) === true;
    return isOfType && matcher.matches(spec.subject?.(of as never), of, agent);
  });
}
