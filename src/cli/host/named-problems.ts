import { agentEvents } from '../../agents/own-events.js';
import { HookscopeError } from '../../errors.js';
import { HOOK_EVENTS } from '../../events/catalogue.js';
import { otherName } from '../../events/other-names.js';
import { loadConfig, locateConfig } from '../../plugins/config-file.js';
import { judgeConfigs } from '../../plugins/config-trust.js';
import { loadHooksFile } from '../../plugins/hooks-file.js';
import { locatePlugin } from '../../plugins/load.js';
import { createTrustStore } from '../../trust/store.js';
import { nearest } from '../../values/nearest.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { HostFlags } from './open-host.js';

/** Problems with the files that a command line names, as far as they can be seen without running any of them. */
export async function namedErrors({ hooks = [], config, plugin = [] }: HostFlags): Promise<unknown[]> {
  const looks = [
    ...hooks.map((file) => () => loadHooksFile(file)),
    ...(typeof config === 'string' ? [async () => locateConfig(config).isCode || loadConfig(config)] : []),
    ...plugin.map((name) => () => locatePlugin(name, process.cwd())),
  ];
  const errors: unknown[] = [];
  for (const look of looks) await look().catch((error: unknown) => errors.push(error));
  return errors;
}

/** The events of a hooks file that we do not have. `isMistake`: it is nearly a name of ours, or another agent's. */
export async function unknownEventsIn(file: string): Promise<{ error: HookscopeError; isMistake: boolean }[]> {
  const { validateHooks } = await import('../../plugins/validate.js');
  const events = agentEvents();
  const named = Object.keys(await loadHooksFile(file)).map((event) => [event, []]);
  return validateHooks(Object.fromEntries(named), { events }).map(({ where, message }) => {
    const other = otherName(where, (agent) => `hookscope serve --from ${agent} FILE`);
    const isNear = nearest(where, [...HOOK_EVENTS, ...Object.keys(events)]) !== undefined;
    return {
      error: new HookscopeError('INVALID_CONFIG', { file, where, expected: other ?? message }),
      isMistake: other !== undefined || isNear,
    };
  });
}

/** Whether this folder has a configuration, which may define events. */
export const configuresHere = async (): Promise<boolean> =>
  (await judgeConfigs(process.cwd(), createTrustStore())).length > 0;

/** A problem with the input, listed after those with named files: a missing file is the more likely cause. */
export async function withNamedProblems(flags: HostFlags, problem: string): Promise<string> {
  return [...(await namedErrors(flags)).map(messageOf), problem].map((text) => text.replace(/\.$/, '')).join('; ');
}

/** Adds the problems with named files to an error; returns the error itself if there are none. */
export async function errorWithNamed(flags: HostFlags, error: unknown): Promise<unknown> {
  const own = messageOf(error);
  const all = await withNamedProblems(flags, own);
  if (all === own.replace(/\.$/, '')) return error;
  return new HookscopeError('FILE', { file: 'Several things are wrong', problem: all }, { cause: error });
}
