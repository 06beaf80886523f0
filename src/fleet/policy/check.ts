import { createHost } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import { servicesOf } from '../../host/internals.js';
import type { Bundle } from '../bundle/bundle.js';
import { whyNotAllowed } from './allowed.js';
import { handlersIn, type PolicyFile } from './contents.js';
import { ManagedPolicies } from './managed.js';
import { NO_PLUGINS, pluginsIn, whyNoEntry } from './plugins.js';
import { type PreparedPolicy, readBundledPolicy } from './prepare.js';

/** Patterns of no more than a place between two characters. */
const NOTHING = /^(?:\^|\$|\\[bB]|\(\?:\)|\||\(\))*$/;
/** Where texts are in a record: the fields of fires, calls and alarms that are masked. */
const PLACES: ReadonlySet<string> = new Set(
  '* input final_input versions decision handlers conflicts losses would_decide truncated tool_name session_id agent_id tool_use_id scope message reason error judged_input ran_input answered out_of_scope agents_above policies agent_type decisions fired would ran denied_by approver decided_by evidence revision'.split(
    ' ',
  ),
);

/** Why a file's masks cannot be what its author meant; undefined: they can. Hosts take them, since a bundle in force may have such ones. */
function whyNoMask({ path, redact: { paths = [], patterns = [] } = {} }: PolicyFile): string | undefined {
  const place = paths.find((one) => !PLACES.has(one.split('.')[0] as string));
  if (place !== undefined)
    return `${path}: redact.paths: "${place}" is no place in a record: they begin as input.tool_input does`;
  const nothing = patterns.find((source) => NOTHING.test(source));
  return nothing === undefined
    ? undefined
    : `${path}: redact.patterns: "${nothing}" matches no text that could be masked`;
}

/**
 * What a bundle's author can learn before any host sees it: the policy, and what hosts must allow. Rejects with BUNDLE_REFUSED for anything that every host refuses, and where `isNew` for
 * what cannot be meant.
 */
export async function checkPolicy(
  bundle: Bundle,
  folder: string,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<{ readonly policy: PreparedPolicy; readonly needs: readonly string[] }> {
  const { files, redact } = await readBundledPolicy(bundle);
  const refuse = (reason: string): never => {
    throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
  };
  const meaningless = isNew ? files.map(whyNoMask).find((why) => why !== undefined) : undefined;
  if (meaningless !== undefined) refuse(meaningless);
  const nothing = { file: 'fleet-allow.json', list: {} };
  const needs = files.flatMap((file) => [
    ...[...handlersIn(file)].flatMap(({ handler, at }) => {
      const why = whyNotAllowed(handler, nothing, folder);
      if (why === undefined) return [];
      const said = `${file.path}: ${at}: ${why}`;
      // A reason names the file that could allow it, where one could.
      return why.includes(nothing.file) ? [said] : refuse(said);
    }),
    ...pluginsIn(file).map(({ entry }) => {
      const why = whyNoEntry(entry);
      if (why !== undefined) refuse(`${file.path}: ${why}`);
      return `${file.path}: it uses the plugin ${entry}, which is to be installed beside fleet-allow.json and allowed there`;
    }),
  ]);
  const policy: PreparedPolicy = { bundle, files, folder, plugins: NO_PLUGINS, redact };
  const host = createHost({ logger: () => undefined });
  try {
    const managed = new ManagedPolicies();
    managed.join(servicesOf(host));
    managed.replace('check', { policy });
  } finally {
    await host.close();
  }
  return { policy, needs };
}
