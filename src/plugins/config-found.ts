import { realpathSync } from 'node:fs';
import type { Host } from '../create-host.js';
import { HookscopeError } from '../errors.js';
import type { CustomEvents } from '../events/catalogue.js';
import type { EventSpec } from '../events/spec.js';
import { servicesOf } from '../host/internals.js';
import { ENFORCE } from '../host/options.js';
import type { Origin } from '../host/register/origin.js';
import type { Registration } from '../scopes/registration.js';
import { type Consent, placeIn } from '../trust/consent.js';
import { guardFiles } from '../trust/guard.js';
import { namedFiles } from '../trust/named/named-files.js';
import { isObject } from '../values/shape.js';
import { type FoundConfig, isCodeFile, pluginNames } from './config-trust.js';
import { locatePlugin } from './load.js';
import { packageOf } from './manifest.js';

type HookTable = Readonly<Record<string, unknown>>;
/** The hooks that a configuration registers, as read from its text. */
interface KnownHooks {
  readonly hooks: HookTable;
  readonly spawnHooks: HookTable;
  /** The share for the whole file. */
  readonly enforce?: boolean | number;
}

/**
 * Registers placeholders for a configuration that is not, or no longer, accepted, so that no guard vanishes silently. Hooks that were
 * accepted before fail as untrusted. The hooks of a program are only known when it runs, so each gate gets one that fails. Hooks of
 * a JSON file that was never accepted are listed and skipped.
 */
export function registerHeld<C extends CustomEvents>(
  host: Host<C>,
  { file, held, consent, request }: FoundConfig,
): void {
  if (!held) return;
  const { why, state } = held;
  const { registrar, events } = servicesOf(host);
  const add = ({ hooks, spawnHooks, enforce }: KnownHooks, given: Origin): void => {
    const how = enforce === undefined ? given : { ...given, enforce };
    registrar.register(undefined, hooks, { ...how, source: { kind: 'config', file }, warn: () => undefined });
    for (const [type, own] of Object.entries(spawnHooks)) {
      const source = { kind: 'spawn', name: type, file };
      registrar.spawnHooks(type, own, { ...how, source, warn: () => undefined });
    }
  };
  if (state === 'never') {
    const known = hooksOf(textOf(file, request));
    if (known) tryAdd(() => add(known, { skip: { reason: 'trust', why } }));
    return;
  }
  const before = textOf(file, consent ?? request);
  const known = hooksOf(before);
  const how: Origin = { trustCheckOf: () => () => ({ file, why }) };
  const isKnown = known && !known.hasPlugins && tryAdd(() => add(known, how));
  const texts = Object.values(consent?.files ?? {}).map(({ text = '' }) => text);
  if (!isKnown)
    add(
      {
        hooks: standIns(
          Object.values(events).map(({ spec }) => spec),
          file,
          texts,
        ),
        spawnHooks: {},
      },
      how,
    );
}

/** Makes the check before each command of an accepted configuration: whether its files are still as they were accepted. */
export function trustChecksOf(
  { file, consent }: FoundConfig,
  fallback: string,
): (handler: HookTable) => Registration['trustCheck'] {
  return (handler) => {
    if (!consent) return undefined;
    const variables = { projectDir: consent.project };
    // A program may run files that its text does not show, which no acceptance covers.
    const isBound = namedFiles(handler, variables).files.every((name) => Object.hasOwn(consent.files, name));
    return isCodeFile(file) && !isBound ? undefined : guardFiles(handler, consent, { file, variables, fallback });
  };
}

/** The text of a JSON configuration, now or when it was accepted. */
function textOf(file: string, { files, file: real, project }: Pick<Consent, 'files' | 'file' | 'project'>) {
  return isCodeFile(file) ? undefined : files[placeIn(project, real)]?.text;
}

function hooksOf(text: string | undefined): (KnownHooks & { readonly hasPlugins: boolean }) | undefined {
  if (text === undefined) return undefined;
  try {
    const config: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    const { hooks = {}, spawnHooks = {}, enforce } = isObject(config) ? config : {};
    if (!isObject(hooks) || !isObject(spawnHooks)) return undefined;
    const share = ENFORCE.accepts(enforce) ? { enforce: enforce as boolean | number } : {};
    return { hooks, spawnHooks, ...share, hasPlugins: pluginNames(config).length > 0 };
  } catch {
    return undefined;
  }
}

/** A hook that fails as untrusted on every gate, and on every other blocking event that the texts mention. */
function standIns(entries: readonly EventSpec[], file: string, texts: readonly string[]): HookTable {
  const stands = ({ name, fold, failure }: EventSpec): boolean =>
    failure === 'policy' && (fold === 'gate' || (fold === 'block' && texts.some((text) => text.includes(name))));
  const handler = (): undefined => undefined;
  return Object.fromEntries(entries.filter(stands).map(({ name }) => [name, [{ hooks: [{ handler, name: file }] }]]));
}

/** Returns false if the hooks are invalid. */
function tryAdd(add: () => void): boolean {
  try {
    add();
    return true;
  } catch {
    return false;
  }
}

/** Throws UNTRUSTED if a plugin that an accepted configuration names was not part of the acceptance. */
export async function checkPluginBound({ file, consent }: FoundConfig, name: string): Promise<void> {
  if (!consent) return;
  const { project, files } = consent;
  const located = await locatePlugin(name, project);
  const real = realpathSync(located.file);
  const root = located.manifest && packageOf(real);
  const names = [placeIn(project, real), ...(root === undefined ? [] : [`${placeIn(project, root)}/**`])];
  if (names.some((one) => Object.hasOwn(files, one))) return;
  const why = `it names the plugin "${name}" in a way that nobody could see when it was accepted; write that name as a string into "plugins", and accept it again`;
  throw new HookscopeError('UNTRUSTED', { file, why });
}
