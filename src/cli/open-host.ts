import { relative, resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import { createHost, type Host } from '../host/host.js';
import type { Wake } from '../host/services.js';
import { applyConfig, within } from '../plugins/config.js';
import { findConfig, type LoadedConfig, loadConfig } from '../plugins/config-file.js';
import { loadHooksFile } from '../plugins/hooks-file.js';
import { loadPlugin } from '../plugins/load.js';
import { type ClaudeFlags, type Happening, loadClaudeFlags } from './claude-flags.js';

/** What every command that needs a host takes. */
export interface HostFlags extends ClaudeFlags {
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

/** A host with the configuration, the plugins, the hooks files and Claude Code's files that were named. */
export async function openHost(
  flags: HostFlags,
  tell: (text: string) => void,
  happening: Happening = {},
): Promise<OpenedHost> {
  const loaded = await chooseConfig(flags, tell);
  const wakes: Wake[] = [];
  const { logger = tell, onWake, session, ...options } = loaded?.hostOptions ?? {};
  const host = createHost({
    ...options,
    ...(session || flags.claudeCode ? { session: { ...projectOf(flags), ...session } } : {}),
    logger,
    onWake(wake) {
      wakes.push(wake);
      onWake?.(wake);
    },
  }) as Host;
  try {
    if (loaded) await applyConfig(host, loaded.config, { file: loaded.file, warn: tell });
    for (const name of flags.plugin ?? []) await host.use(await loadPlugin(name, { warn: tell }));
    for (const file of flags.hooks ?? []) {
      const hooks = await loadHooksFile(file);
      within(file, '', () => host.register(hooks, { source: { kind: 'hooks-file', file } }));
    }
    await loadClaudeFlags(host, flags, happening, tell);
  } catch (error) {
    await host.close();
    throw error;
  }
  return { host, wakes };
}

/** Claude Code's project is the host's, unless the configuration says another. */
function projectOf({ claudeCode }: ClaudeFlags): { cwd?: string } {
  if (claudeCode === undefined) return {};
  return { cwd: resolve(claudeCode === true ? '.' : claudeCode) };
}

async function chooseConfig({ config }: HostFlags, tell: (text: string) => void): Promise<LoadedConfig | undefined> {
  if (config === false) return undefined;
  if (typeof config === 'string') return loadConfig(config);
  const found = await findConfig();
  if (found) {
    const name = relative(process.cwd(), found.file);
    tell(`using ${name} of this directory${found.isCode ? ', which runs as code' : ''} (--no-config goes without)`);
  }
  return found;
}

/** The same error, said of a file and perhaps a line of it. */
export function atPlace(place: string, error: unknown): unknown {
  if (!(error instanceof HookscopeError)) return error;
  return new HookscopeError('FILE', { file: place, problem: error.message.replace(/\.$/, '') }, { cause: error });
}
