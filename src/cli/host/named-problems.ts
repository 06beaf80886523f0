import { agentEvents } from '../../agents/own-events.js';
import { HookscopeError } from '../../errors.js';
import { otherName } from '../../events/other-names.js';
import { loadConfig, locateConfig } from '../../plugins/config-file.js';
import { loadHooksFile } from '../../plugins/hooks-file.js';
import { locatePlugin } from '../../plugins/load.js';
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

/** The problem with an event of a hooks file that neither we nor another agent have. */
export async function unknownEventIn(file: string): Promise<HookscopeError | undefined> {
  const { validateHooks } = await import('../../plugins/validate.js');
  const events = Object.keys(await loadHooksFile(file)).map((event) => [event, []]);
  const [problem] = validateHooks(Object.fromEntries(events), { events: agentEvents() });
  if (problem === undefined) return undefined;
  const { where, message } = problem;
  return new HookscopeError('INVALID_CONFIG', {
    file,
    where,
    expected: otherName(where, (agent) => `hookscope serve --from ${agent} FILE`) ?? message,
  });
}

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
