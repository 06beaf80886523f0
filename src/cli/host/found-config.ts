import { basename, resolve } from 'node:path';
import type { Host } from '../../create-host.js';
import { servicesOf } from '../../host/internals.js';
import { plain } from '../../plain.js';
import { applyConfigAs } from '../../plugins/config.js';
import { checkOwner, type LoadedConfig, loadConfig } from '../../plugins/config-file.js';
import { checkPluginBound, registerHeld, trustChecksOf } from '../../plugins/config-found.js';
import { type FoundConfig, isCodeFile, judgeConfigs } from '../../plugins/config-trust.js';
import { checkOutside, createTrustStore, defaultTrustFile } from '../../trust/store.js';
import { wordsFor } from './claude-flags.js';

/** The configurations of this directory. */
export interface FolderConfigs {
  readonly all: readonly FoundConfig[];
  /** The one that is used: the first that is accepted, unless it is code and nothing may be executed. */
  readonly used?: FoundConfig;
}

interface FindConfigOptions {
  /** false: nothing is executed unless it was named on the command line, even if it was accepted. */
  readonly executes: boolean;
  announce(text: string): void;
  /** Gets the name of each file and plugin whose hooks are not known, since it would have to be executed. */
  readonly unknown: string[];
  /** `--trust all`: for this run, the user accepts what is found as it is. */
  readonly trustsAll?: boolean | undefined;
  /** Default: the process's. */
  readonly directory?: string | undefined;
}

/** Looks for configurations, and decides what will happen with each before anything runs. */
export async function findConfigsHere(look: FindConfigOptions): Promise<FolderConfigs> {
  const { executes, announce, unknown, trustsAll, directory = process.cwd() } = look;
  const judged = await judgeConfigs(directory, createTrustStore());
  const all = trustsAll ? judged.map(asItIs) : judged;
  if (all.length > 0) checkOutside(defaultTrustFile(), directory);
  for (const { held } of all) if (held) announce(wordsFor(held));
  const used = all.find(({ held }) => !held);
  if (!used) return { all };
  checkOwner(used.file);
  const name = basename(used.file);
  const where = resolve(directory) === process.cwd() ? 'of this directory' : `of ${plain(directory)}`;
  for (const { file, held } of all)
    if (!held && file !== used.file)
      announce(`${basename(file)} ${where} does not run: ${name} comes before it (--config ${basename(file)})`);
  const runs = isCodeFile(name) ? ', which runs as code' : '';
  if (executes || runs === '') {
    announce(`using ${name} ${where}${runs} (--no-config goes without)`);
    return { all, used };
  }
  unknown.push(name);
  announce(`${name} ${where}${runs}, was not named, so its hooks are not known here: --config ${name}`);
  return { all };
}

/** Counts a file as accepted in its present form. One that is gone stays unaccepted, so that its stand-in fails as a guard. */
function asItIs(found: FoundConfig): FoundConfig {
  if (found.held === undefined || found.held.state === 'gone') return found;
  const { file, request } = found;
  return { file, request };
}

/** Reads the configuration that is used. */
export function loadUsed({ used }: FolderConfigs): Promise<LoadedConfig> | undefined {
  return used && loadConfig(used.file);
}

/** Registers what the used configuration contains, and a stand-in for each one that is not accepted. */
export async function applyConfigsHere(
  host: Host,
  { all, used }: FolderConfigs,
  loaded: LoadedConfig | undefined,
  { executes, announce, unknown, directory = process.cwd() }: FindConfigOptions,
): Promise<void> {
  if (used && loaded) {
    const mayLoad = async (name: string): Promise<boolean> => {
      if (executes) await checkPluginBound(used, name);
      else {
        unknown.push(`plugin ${name}`);
        announce(`its plugin ${name} was not named, so its hooks are not known here: --plugin ${name}`);
      }
      return executes;
    };
    const { config, file } = loaded;
    await applyConfigAs(
      host,
      config,
      { file, warn: announce },
      { trustCheckOf: trustChecksOf(used, directory), mayLoad },
    );
  }
  for (const found of all) {
    registerHeld(host, found);
    // It was reported when it was found.
    if (found.held) servicesOf(host).notices.skip(found.file);
  }
}
