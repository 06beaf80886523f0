import { resolve } from 'node:path';
import { createHost, type Host } from '../create-host.js';
import { HookscopeError } from '../errors.js';
import { isOfHook } from '../host/call/answer.js';
import type { Wake } from '../host/types.js';
import { applyConfig, within } from '../plugins/config.js';
import { loadConfig, locateConfig } from '../plugins/config-file.js';
import { pluginNames } from '../plugins/config-trust.js';
import { loadHooksFile } from '../plugins/hooks-file.js';
import { loadPlugin } from '../plugins/load.js';
import { announceHeld, type ClaudeFlags, type Happening, loadClaudeFlags } from './claude-flags.js';
import { applyConfigsHere, type ConfigsHere, findConfigsHere, loadUsed } from './found-config.js';
import { modelOf, type OutsideFlags, outsideOptions, serversOf, whatCannotRun } from './outside.js';

/** What every command that needs a host takes. */
export interface HostFlags extends OutsideFlags {
  /** false: none, even if one is found. */
  readonly config?: string | boolean;
  readonly plugin?: readonly string[];
  readonly hooks?: readonly string[];
}

export interface OpenedHost {
  readonly host: Host;
  /** Agents that background hooks wanted woken, so far. */
  readonly wakes: readonly Wake[];
}

const NOTHING: ConfigsHere = { all: [] };

export interface OpenOptions {
  /** false: only what was named on the command line is executed, and no handler. */
  readonly executes: boolean;
  tell(text: string): void;
  /** What the records of hooks say is shown, and not told a second time. */
  readonly shown?: boolean;
  /** Is told at once what is untrusted and what runs as code. Default: `tell`. */
  readonly announce?: (text: string) => void;
  readonly happening?: Happening;
}

/** A host with the configuration, the plugins, the hooks files and Claude Code's files that were named, and what is accepted here. */
export async function openHost(flags: HostFlags, options: OpenOptions): Promise<OpenedHost> {
  const { executes, tell, announce = tell, happening = {}, shown } = options;
  // Before anything of a project has run: what it puts into the environment gives neither key nor address.
  const model = await modelOf(flags);
  const look = { executes, announce };
  const here = flags.config === undefined ? await findConfigsHere(look) : NOTHING;
  const runsCode = here.used !== undefined || typeof flags.config === 'string' || flags.plugin !== undefined;
  const announced = runsCode ? await announceHeld(flags, happening, announce) : new Set<string>();
  announceCode(flags, announce);
  const loaded = await (typeof flags.config === 'string' ? loadConfig(flags.config) : loadUsed(here));
  // What JSON names has not run yet; what code names came with the code.
  if (loaded && !loaded.isCode && (executes || !here.used)) announcePlugins(pluginNames(loaded.config), announce);
  const wakes: Wake[] = [];
  const log = (text: string, detail: unknown): void => (shown && isOfHook(detail) ? undefined : tell(text));
  const { logger = log, onWake, session, ...hostOptions } = loaded?.hostOptions ?? {};
  const servers = serversOf(flags);
  const outside = outsideOptions(hostOptions, model, servers);
  const host = createHost({
    ...hostOptions,
    ...outside,
    ...(session || flags.claudeCode ? { session: { ...projectOf(flags), ...session } } : {}),
    logger,
    onWake(wake) {
      wakes.push(wake);
      onWake?.(wake);
    },
  }) as Host;
  try {
    await applyConfigsHere(host, here, loaded, look);
    if (loaded && !here.used) await applyConfig(host, loaded.config, { file: loaded.file, warn: tell });
    for (const name of flags.plugin ?? []) await host.use(await loadPlugin(name, { warn: tell }));
    for (const file of flags.hooks ?? []) {
      const hooks = await loadHooksFile(file);
      within(file, '', () => host.register(hooks, { source: { kind: 'hooks-file', file } }));
    }
    await loadClaudeFlags(host, flags, happening, { tell, announced });
    if (!executes) for (const why of whatCannotRun(host, outside, servers)) tell(why);
  } catch (error) {
    await host.close();
    throw error;
  }
  return { host, wakes };
}

/** Says what of the command line runs as code, before it does. */
function announceCode({ config, plugin = [] }: HostFlags, announce: (text: string) => void): void {
  if (typeof config === 'string' && locateConfig(config).isCode) announce(`using ${config}, which runs as code`);
  announcePlugins(plugin, announce);
}

function announcePlugins(names: readonly string[], announce: (text: string) => void): void {
  for (const name of names) announce(`using the plugin ${name}, which runs as code`);
}

/** Claude Code's project is the host's, unless the configuration says another. */
function projectOf({ claudeCode }: ClaudeFlags): { cwd?: string } {
  if (claudeCode === undefined) return {};
  return { cwd: resolve(claudeCode === true ? '.' : claudeCode) };
}

/** The same error, said of a file and perhaps a line of it. */
export function atPlace(place: string, error: unknown): unknown {
  if (!(error instanceof HookscopeError)) return error;
  return new HookscopeError('FILE', { file: place, problem: error.message.replace(/\.$/, '') }, { cause: error });
}
