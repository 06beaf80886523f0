import { dirname, resolve } from 'node:path';
import { agentEvents } from '../../agents/own-events.js';
import { createHost, type Host } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import { otherName } from '../../events/other-names.js';
import type { Fleet } from '../../fleet/fleet.js';
import { hasJoined } from '../../fleet/has-joined.js';
import type { HandlerDescription } from '../../handlers/handler.js';
import { isOfHook } from '../../host/call/answer.js';
import { servicesOf } from '../../host/internals.js';
import type { Wake } from '../../host/types.js';
import { applyConfigAs, withFileInErrors } from '../../plugins/config.js';
import { type LoadedConfig, loadConfig, locateConfig } from '../../plugins/config-file.js';
import { pluginNames } from '../../plugins/config-trust.js';
import { loadHooksFile } from '../../plugins/hooks-file.js';
import { boundName, loadPlugin, locatePlugin } from '../../plugins/load.js';
import type { Registration } from '../../scopes/registration.js';
import { namedOnce } from '../../server/named-set.js';
import { isSame } from '../../trust/consent.js';
import type { CommandVariables } from '../../trust/named/variables.js';
import { keepStdout } from '../keep-stdout.js';
import type { CLAUDE_OPTIONS, Flags, HOST_OPTIONS } from '../options.js';
import { announceHeld, type ClaudeFlags, type EventPlace, loadClaudeFlags } from './claude-flags.js';
import { applyConfigsHere, type FolderConfigs, findConfigsHere, loadUsed } from './found-config.js';
import { eventsFrom, loadFromFlags } from './from-flags.js';
import { modelOf, outsideOptions, serversOf, whatCannotRun } from './outside.js';

/** The options of every command that needs a host. */
export type HostFlags = Flags<(typeof HOST_OPTIONS)[number] | (typeof CLAUDE_OPTIONS)[number]>;

export interface OpenedHost {
  readonly host: Host;
  /** Agents that background hooks wanted woken, so far. */
  readonly wakes: readonly Wake[];
  /** What is accepted and was not executed, so that its hooks are not known. */
  readonly unknown: readonly string[];
}

const NOTHING: FolderConfigs = { all: [] };

export interface OpenHostOptions {
  /** False: no handler is executed, and code only if the command line names it. */
  readonly executes: boolean;
  tell(text: string): void;
  /** The records of hooks are shown, so failures in them are not printed a second time. */
  readonly shown?: boolean;
  /** A file of an agent's whose hooks are lost is an error unless it waits for consent, since a warning may go unread. */
  readonly strict?: boolean;
  /** Called at once with what is untrusted and what runs as code. Default: `tell`. */
  readonly announce?: (text: string) => void;
  readonly happening?: EventPlace;
  /** Called before foreign code, a configuration or a plugin, runs in this process. */
  readonly beforeCode?: () => void;
  /** The folder from which names are resolved. Default: the process's. */
  readonly directory?: string;
  /** The folder whose accepted configuration is used without being named; false: none. Default: `directory`, if no configuration is named. */
  readonly finds?: string | false;
  /** Called with the host before anything is registered in it. */
  prepare?(host: Host): void;
  /** The fleet that the host joins, with its policy and its log. Default: the last good policy of the fleet that this machine has joined. */
  readonly team?: Pick<Fleet, 'join'> | undefined;
  /** The check before the commands of a named file run. */
  checksOf?(file: string, variables?: CommandVariables): (handler: HandlerDescription) => Registration['trustCheck'];
}

/** A host with the configuration, plugins and hook files that the flags name, and the accepted configuration of this directory. */
export async function openHost(given: HostFlags, options: OpenHostOptions): Promise<OpenedHost> {
  const { executes, tell, announce = tell, happening = {}, shown, directory = process.cwd(), checksOf } = options;
  const flags = namedOnce(given, directory);
  const { finds = flags.config === undefined && directory } = options;
  const checksOfPlugin = checksOf && (async (name: string, from: string) => checksOf(await boundName(name, from)));
  // Before any code of a project runs, which could set the environment variables of the key and the address.
  const model = await modelOf(flags);
  const unknown: string[] = [];
  const look = { executes, announce, unknown, trustsAll: flags.trust === 'all', directory: finds || directory };
  const here = finds === false ? NOTHING : withoutNamed(await findConfigsHere(look), flags.config);
  const runsCode = here.used !== undefined || typeof flags.config === 'string' || flags.plugin !== undefined;
  if (runsCode || options.team !== undefined || hasJoined()) {
    options.beforeCode?.();
    keepStdout();
  }
  const announced = runsCode ? await announceHeld(flags, happening, announce) : new Set<string>();
  await announceCode(flags, directory, announce);
  const found = await loadUsed(here);
  const named = typeof flags.config === 'string' ? await loadConfig(flags.config) : undefined;
  // Plugins that JSON names have not run yet; those of a configuration that is code came with it.
  for (const loaded of [found, named])
    if (loaded && !loaded.isCode && (executes || loaded === named))
      await announcePlugins(pluginNames(loaded.config), dirname(loaded.file), announce);
  const wakes: Wake[] = [];
  const log = (text: string, detail: unknown): void => (shown && isOfHook(detail) ? undefined : tell(text));
  const { logger = log, onWake, session, ...hostOptions } = together(found?.hostOptions, named?.hostOptions);
  const servers = serversOf(flags);
  const outside = outsideOptions(hostOptions, model, servers);
  const host = createHost({
    ...hostOptions,
    events: { ...agentEvents(), ...hostOptions.events },
    ...outside,
    ...(flags.from ? { events: { ...eventsFrom(flags), ...hostOptions.events } } : {}),
    ...(session || flags.claudeCode ? { session: { ...projectOf(flags), ...session } } : {}),
    logger,
    onWake(wake) {
      wakes.push(wake);
      onWake?.(wake);
    },
  }) as Host;
  try {
    options.prepare?.(host);
    await putUnderPolicy(host, options.team);
    await applyConfigsHere(host, here, found, look);
    if (named) {
      const { file, config } = named;
      const checks = { trustCheckOf: checksOf?.(file), ...(checksOfPlugin && { checksOf: checksOfPlugin }) };
      await applyConfigAs(host, config, { file, warn: tell }, checks);
    }
    const { registrar } = servicesOf(host);
    for (const name of flags.plugin ?? []) {
      const plugin = await loadPlugin(name, { warn: tell, from: directory });
      await registrar.use(undefined, plugin, undefined, undefined, undefined, await checksOfPlugin?.(name, directory));
    }
    for (const file of flags.hooks ?? []) {
      const hooks = await loadHooksFile(file);
      const theirs = Object.keys(hooks).find((event) => !(event in host.hooks) && otherName(event) !== undefined);
      if (theirs !== undefined)
        throw new HookscopeError('INVALID_CONFIG', { file, where: theirs, expected: otherName(theirs) as string });
      const origin = { source: { kind: 'hooks-file', file }, trustCheckOf: checksOf?.(file) };
      withFileInErrors(file, '', () => registrar.register(undefined, hooks, origin));
    }
    await loadClaudeFlags(host, flags, happening, { tell, announced, checksOf, strict: options.strict });
    await loadFromFlags(host, flags, {
      tell: announce,
      projectDir: happening.cwd ?? (finds || directory),
      checksOf,
      strict: options.strict,
    });
    // For a hook or a program, the failure in the decision is enough.
    if (!executes || shown) for (const why of whatCannotRun(host, outside, servers)) tell(why);
  } catch (error) {
    await host.close();
    throw error;
  }
  return { host, wakes, unknown };
}

type ConfigOptions = LoadedConfig['hostOptions'];

/** Merges the options of a found and a named configuration. The named one's win, but the events of both are kept, and `onFailure: 'block'` in either of them holds. */
function together(found: ConfigOptions = {}, named: ConfigOptions = {}): ConfigOptions {
  const blocks = [found, named].some(({ onFailure }) => onFailure === 'block');
  return {
    ...found,
    ...named,
    events: { ...found.events, ...named.events },
    ...(blocks && { onFailure: 'block' }),
  };
}

/** A found configuration that is also named is used once. */
function withoutNamed(here: FolderConfigs, named: HostFlags['config']): FolderConfigs {
  const { all, used } = here;
  if (used === undefined || typeof named !== 'string' || !isSame(used.file, named)) return here;
  return { all: all.filter((one) => one !== used) };
}

/** Applies the fleet's policy before anything else is registered, because managed hooks come first. */
async function putUnderPolicy(host: Host, team: OpenHostOptions['team']): Promise<void> {
  if (team !== undefined) {
    team.join(host);
    return;
  }
  const joined = hasJoined() ? (await import('../../fleet/joined.js')).readJoined() : undefined;
  if (joined !== undefined) await (await import('../../fleet/offline.js')).applyLastGood(host, joined);
}

/** Announces what the command line names that runs as code, before it runs. */
async function announceCode(
  { config, plugin = [] }: HostFlags,
  from: string,
  announce: (text: string) => void,
): Promise<void> {
  if (typeof config === 'string' && locateConfig(config).isCode) announce(`using ${config}, which runs as code`);
  await announcePlugins(plugin, from, announce);
}

async function announcePlugins(
  names: readonly string[],
  from: string,
  announce: (text: string) => void,
): Promise<void> {
  for (const name of names) {
    // A plugin that is not found is an error when it is loaded.
    const isFound = await locatePlugin(name, from).then(Boolean, () => false);
    if (isFound) announce(`using the plugin ${name}, which runs as code`);
  }
}

/** Claude Code's project becomes the host's, unless the configuration sets another. */
function projectOf({ claudeCode }: ClaudeFlags): { cwd?: string } {
  if (claudeCode === undefined) return {};
  return { cwd: resolve(claudeCode === true ? '.' : claudeCode) };
}

/** The error as a FILE error about a place: a file, perhaps with a line. */
export function atPlace(place: string, error: unknown): unknown {
  if (!(error instanceof HookscopeError)) return error;
  return new HookscopeError('FILE', { file: place, problem: error.message.replace(/\.$/, '') }, { cause: error });
}
